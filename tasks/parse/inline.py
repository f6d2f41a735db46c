"""CommonMark with positions: a markdown-it parser whose inline tokens know the source offset of every character.

markdown-it gives line numbers only. Here the leaf rules of the block parser note, while the container marks are still
known (quote signs, list indents), where each line of their content begins; and the inline state notes where it stood
when it made a token. Nothing is searched for afterwards, so equal words on one line cannot be mistaken.
"""

from __future__ import annotations

from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from schemas.render import Span
from tasks.parse.build import add_span, literal_spans
from tasks.parse.mkdocs import block_rule

_LEAVES = ("mkdocs", "table", "code", "fence", "html_block", "heading", "lheading", "paragraph")


class _State(StateInline):
    """An inline state that remembers (token, position) in the order of pushing."""

    def __init__(self, src, md, env, out_tokens) -> None:
        super().__init__(src, md, env, out_tokens)
        self.made: list[tuple[Token, int]] = []
        self._pending_at = 0

    def append_pending(self, text: str) -> None:
        if not self._pending_buffer and not self._pending:
            self._pending_at = self.pos
        super().append_pending(text)

    def pushPending(self) -> Token:
        token = super().pushPending()
        self.made.append((token, self._pending_at))
        return token

    def push(self, ttype, tag, nesting) -> Token:
        token = super().push(ttype, tag, nesting)
        self.made.append((token, self.pos))
        return token


class _Inline(ParserInline):
    def parse(self, src, md, env, tokens) -> list[Token]:
        state = _State(src, md, env, tokens)
        self.tokenize(state)
        positions = env.setdefault("positions", {})
        at, shift = -1, 0
        for token, pos in state.made:  # a run of `*` makes one token per mark, all at the run's start
            shift = shift if pos == at else 0
            at = pos
            positions[id(token)] = pos + shift
            if token.type == "text":
                shift += len(token.content)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def _chars(content: str, source: str, ranges: list[Span]) -> list[int]:
    """Source offset of each character of `content`, whose lines are slices of the given ranges; one more for the end."""
    out: list[int] = []
    for n, line in enumerate(content.split("\n")):
        start, end = ranges[min(n, len(ranges) - 1)]
        body = line.lstrip(" \t")
        start = max(source.find(body, start, end), start)
        if n:
            out.append(ranges[n - 1][1] if n - 1 < len(ranges) else start)  # the newline
        out += [start] * (len(line) - len(body))
        out += range(start, start + len(body))
    out.append(out[-1] + 1 if out else ranges[0][0])
    return out


def _cells(source: str, start: int, end: int) -> list[tuple[str, list[int]]]:
    """Cells of one table line as (text, offsets): as markdown-it splits it, `\\|` being a bar within a cell."""
    while start < end and source[start] in " \t":
        start += 1
    while end > start and source[end - 1] in " \t":
        end -= 1
    cells: list[list[int]] = [[]]
    escaped = False
    for at in range(start, end):
        char = source[at]
        if char == "|" and escaped:
            cells[-1][-1] = at
        elif char == "|":
            cells.append([])
        else:
            cells[-1].append(at)
        escaped = char == "\\"
    if cells and not cells[0]:
        cells.pop(0)
    if cells and not cells[-1]:
        cells.pop()
    out = []
    for cell in cells:
        while cell and source[cell[0]].isspace():
            cell.pop(0)
        while cell and source[cell[-1]].isspace():
            cell.pop()
        out.append(("".join(source[at] for at in cell), cell))
    return out


def _note(state: StateBlock, rule: str, made: list[Token]) -> None:
    """Notes offsets for the tokens that a leaf rule has just made."""
    source, chars = state.src, state.env.setdefault("chars", {})

    def line(number: int) -> Span:
        start = state.bMarks[number] + state.tShift[number]
        return min(start, state.eMarks[number]), state.eMarks[number]

    if rule == "mkdocs":
        title = made[1] if len(made) > 1 and made[1].meta.get("mkdocs") else None
        if title is not None:
            first = title.meta["mkdocs"]
            chars[id(title)] = list(range(first, first + len(title.content) + 1))
        return
    if rule == "table":
        cells: list[tuple[str, list[int]]] = []
        for token in made:
            if token.type == "tr_open":
                cells = _cells(source, *line(token.map[0]))
            elif token.type == "inline":
                at = cells.pop(0)[1] if cells else []
                chars[id(token)] = [*at, at[-1] + 1] if at and len(at) == len(token.content) else []
        return
    for token in made:
        if token.type == "inline":
            first, until = token.map
            ranges = [line(n) for n in range(first, max(until, first + 1))]
            if rule == "heading":
                start, end = ranges[0]
                while start < end and source[start] == "#":
                    start += 1
                ranges = [(start, end)]
            chars[id(token)] = _chars(token.content, source, ranges)
        elif token.type in ("fence", "code_block", "html_block"):
            first, until = token.map
            indent = state.blkIndent + (4 if rule == "code" else 0)
            if token.type == "fence":
                indent = state.sCount[first]
                first += 1
                until = first + token.content.count("\n") + (not token.content.endswith("\n")) if token.content else first
            chars[id(token)] = [_behind_indent(state, n, indent) for n in range(first, until)]


def _behind_indent(state: StateBlock, number: int, indent: int) -> Span:
    """A line without its container's indent, its newline included (as StateBlock.getLines cuts it)."""
    first = start = state.bMarks[number]
    end = min(state.eMarks[number] + 1, len(state.src))
    seen = 0
    while first < state.eMarks[number] and seen < indent:
        if state.src[first] == "\t":
            seen += 4 - (seen + state.bsCount[number]) % 4
        elif state.src[first] == " " or first - start < state.tShift[number]:
            seen += 1
        else:
            break
        first += 1
    return first, end


def _wrapped(name: str, rule: Callable) -> Callable:
    def noting(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        before = len(state.tokens)
        done = rule(state, start, end, silent)
        if done and not silent:
            _note(state, name, state.tokens[before:])
        return done

    return noting


def make_parser(max_depth: int) -> MarkdownIt:
    """CommonMark with tables, strikethrough, footnotes, front matter and MkDocs' blocks; `env["chars"]` and `env["positions"]` hold offsets."""
    md = MarkdownIt("commonmark", {"maxNesting": 3 * max_depth})
    md.inline = _Inline()
    md.enable(["table", "strikethrough"])
    md.use(footnote_plugin, move_to_end=False).use(front_matter_plugin)
    md.block.ruler.before("code", "mkdocs", block_rule, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    for rule in md.block.ruler.__rules__:
        if rule.name in _LEAVES:
            md.block.ruler.at(rule.name, _wrapped(rule.name, rule.fn), {"alt": rule.alt})
    md.core.ruler.disable(["text_join"], ignoreInvalid=True)
    md.inline.ruler2.disable(["fragments_join"])
    return md


class InlineSpans:
    """Spans and links of one inline token: text only, no marks, escapes or targets."""

    def __init__(self, source: str, env: dict) -> None:
        self.source, self.env = source, env
        self.spans: list[Span] = []
        self.links: list[tuple[int, int, str]] = []
        self.notes: list[tuple[list[Token], list[int]]] = []  # inline footnotes: tokens, offsets of their content

    def read(self, tokens: list[Token], chars: list[int], content: str) -> InlineSpans:
        """Reads tokens whose positions count in `content`, of which `chars` gives the source offsets."""
        open_links: list[tuple[int, str]] = []
        automatic = False
        for token in tokens:
            at = self.env["positions"].get(id(token), 0)
            kind = token.type
            if kind == "text" and token.content:
                if automatic:  # <address>: shown as written
                    at += 1
                    self._put(chars, at, content.find(">", at), literal=True)
                else:
                    self._put(chars, at, at + len(token.content), literal=True)
            elif kind == "text_special":
                escape = token.info == "escape" and token.content != token.markup
                self._put(chars, at + escape, at + len(token.markup), literal=token.info == "escape")
            elif kind == "code_inline":
                at += len(token.markup)
                if content[at : at + len(token.content)].replace("\n", " ") != token.content:
                    at += 1
                self._put(chars, at, at + len(token.content), literal=True)
            elif kind in ("softbreak", "hardbreak"):
                at = content.find("\n", at)
                self._put(chars, at, at + 1)
            elif kind == "html_inline" and token.content[:3].lower() == "<br":
                self._put(chars, at, at + len(token.content))
            elif kind == "image":
                self.read(token.children or [], chars[at + 2 :], token.content)
            elif kind == "link_open":
                open_links.append((self._cut(), str(token.attrs.get("href", ""))))
                automatic = token.markup == "autolink"
            elif kind == "link_close" and open_links:
                first, target = open_links.pop()
                automatic = False
                if self._cut() > first:
                    self.links.append((first, len(self.spans), target))
            elif kind == "footnote_ref" and "label" not in token.meta:
                note = self.env["footnotes"]["list"][token.meta["id"]]
                self.env.setdefault("contents", {})[id(note["tokens"])] = note["content"]
                self.notes.append((note["tokens"], chars[at + 2 :]))
        return self

    def _cut(self) -> int:
        """Closes the last span, so that a link has spans of its own; gives the number of spans."""
        self._closed = len(self.spans)
        return self._closed

    _closed = 0

    def _put(self, chars: list[int], first: int, until: int, literal: bool = False) -> None:
        if not 0 <= first < until < len(chars):
            return
        start = chars[first]
        for at in range(first + 1, until + 1):
            if at < until and chars[at] == chars[at - 1] + 1:
                continue
            end = chars[at - 1] + 1
            for s, e in literal_spans(self.source, start, end) if literal else [(start, end)]:
                if len(self.spans) > self._closed:
                    add_span(self.spans, self.source, s, e)
                else:
                    self.spans.append((s, e))
            start = chars[at] if at < until else end
