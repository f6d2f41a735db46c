"""The indented blocks of MkDocs as a markdown-it block rule: admonitions (`!!!`, `???`, `???+`) and tabs (`===`).

    !!! note "Title"
        Content, indented by four.

CommonMark would take the content for code. Here it is Markdown below an optional title, which is a paragraph. Syntax:
Python-Markdown's admonition extension and PyMdown's details and tabbed.
"""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

_OPEN = re.compile(r"(?:!!!|\?\?\?\+?)(?:[ \t]+[\w-]+)*[ \t]*(?:\"([^\"]*)\")?[ \t]*$|===[!+]?[ \t]+\"([^\"]*)\"[ \t]*$")


def block_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """One block: its opening line, and the lines indented by four or more below it."""
    if state.is_code_block(start):
        return False
    first = state.bMarks[start] + state.tShift[start]
    match = _OPEN.match(state.src[first : state.eMarks[start]])
    if not match:
        return False
    if silent:
        return True
    indent = state.blkIndent + 4
    last = until = start + 1
    while until < end and (state.isEmpty(until) or state.sCount[until] >= indent):
        until += 1
        if not state.isEmpty(until - 1):
            last = until
    group = 1 if match[1] else 2
    if match[group] and match[group].strip():
        _paragraph(state, match[group].strip(), first + match.start(group) + len(match[group]) - len(match[group].lstrip()), start)
    old_max, old_parent, old_indent = state.lineMax, state.parentType, state.blkIndent
    state.lineMax, state.parentType, state.blkIndent = last, "mkdocs", indent
    if last > start + 1:
        state.md.block.tokenize(state, start + 1, last)
    state.lineMax, state.parentType, state.blkIndent = old_max, old_parent, old_indent
    state.line = last
    return True


def _paragraph(state: StateBlock, title: str, offset: int, line: int) -> Token:
    state.push("paragraph_open", "p", 1).map = [line, line + 1]
    token = state.push("inline", "", 0)
    token.content, token.map, token.children = title, [line, line + 1], []
    token.meta = {"mkdocs": offset}
    state.push("paragraph_close", "p", -1)
    return token
