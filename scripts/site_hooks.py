"""MkDocs hooks: two pages from outside `docs/`, and links out of `docs/`, which the site does not hold, as plain text.

The repository is read as files and on the site. Links are written for the files (`../CONTRIBUTING.md`), where a test
follows them; here they are turned to what the site has.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
PAGES = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md", "README.md": "index.md"}
LINK = re.compile(r"`[^`\n]+`|(?<!!)\[([^\]\n]+)\]\(([^)\s]+)\)")
FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)


def rewritten(text: str, folder: str, published: set[str]) -> str:
    """Markdown of a file in `folder` (relative to the repository) for the site. `published`: pages, relative to docs/."""

    def link(match: re.Match[str]) -> str:
        words, target = match[1], match[2]
        if words is None:  # a code span
            return match[0]
        path, _, anchor = target.partition("#")
        if not path or re.match(r"[a-z]+:", target):
            return match[0]
        where = os.path.normpath(PurePosixPath(folder) / path).replace(os.sep, "/")
        page = PAGES.get(where) or (where.removeprefix("docs/") if where.startswith("docs/") else "")
        if page not in published:
            return f"{words} (`{where}`)" if words.strip("`") != where else f"`{where}`"
        home = folder.removeprefix("docs").strip("/") or "."
        return f"[{words}]({os.path.relpath(page, home)}{'#' + anchor if anchor else ''})"

    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in FENCE.split(text))


def _published(files: Files) -> set[str]:
    return {f.src_uri for f in files if f.inclusion.is_included()}


def on_files(files: Files, config, **_) -> Files:
    for source, page in PAGES.items():
        if files.get_file_from_path(page) is None:
            files.append(File.generated(config, page, content=(ROOT / source).read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page, config, files: Files, **_) -> str:
    home = {page_uri: "" for source, page_uri in PAGES.items() if page_uri != "index.md"}
    uri = page.file.src_uri
    return rewritten(markdown, home.get(uri, str(PurePosixPath("docs") / PurePosixPath(uri).parent)), _published(files))
