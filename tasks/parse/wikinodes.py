"""Wikitext of one block to a tree of nodes with exact code-point offsets, in linear time and bounded depth.

Follows the order of MediaWiki's preprocessor (includes/parser/Preprocessor_Hash.php): comments and extension tags first,
then braces by the length of their runs, then links. Every input is legal: an opening mark that is never closed is text,
and its parts belong to what encloses it. The tree only points into the text; nothing is copied or changed.
"""

from __future__ import annotations

import re

# Node kinds.
TEMPLATE, ARGUMENT, LINK, EXTERNAL, TAG, LITERAL, COMMENT, MARK, BULLET, TABLE = range(10)

# Extension tags whose content is wikitext, and those whose content is not.
_WIKI_TAGS = ("ref", "gallery", "poem", "indicator", "section")
_LITERAL_TAGS = ("nowiki", "pre", "syntaxhighlight", "source", "math", "chem", "ce", "timeline", "score", "imagemap", "graph",
                 "templatedata", "mapframe", "maplink", "inputbox", "categorytree", "hiero")
_HTML_TAGS = ("abbr", "b", "bdi", "bdo", "big", "blockquote", "br", "caption", "center", "cite", "code", "data", "dd", "del", "dfn",
              "div", "dl", "dt", "em", "font", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "includeonly", "ins", "kbd", "li",
              "mark", "noinclude", "ol", "onlyinclude", "p", "q", "references", "rp", "rt", "ruby", "s", "samp", "small", "span",
              "strike", "strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "time", "tr", "tt", "u", "ul", "var", "wbr")
_EXTENSIONS = frozenset(_WIKI_TAGS + _LITERAL_TAGS)
_LITERALS = frozenset(_LITERAL_TAGS)



def _tags(names: tuple[str, ...]) -> str:
    return r"(?P<tag></?(?P<name>" + "|".join(sorted(names, key=len, reverse=True)) + r")(?=[\s/>])[^<>]*>)"


_TABLE_MARKS = r"|^[ \t:]*\{\|(?!\})|^[ \t]*\|\}(?!\}(?!\}))"
_TOKEN = re.compile(
    "<!--|" + _tags(_WIKI_TAGS + _LITERAL_TAGS + _HTML_TAGS)
    + _TABLE_MARKS + r"|\{{2,}|\}{2,}|\[\[|\]\]|\[(?=(?:https?:|ftp:)?//|mailto:)|\]|\||=|'{2,}|__[A-Z]{3,}__|\n[*\#:;]+[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_OUTLINE_TOKEN = re.compile("<!--|" + _tags(_WIKI_TAGS + _LITERAL_TAGS) + r"|\{{2,}|\}{2,}" + _TABLE_MARKS, re.IGNORECASE | re.MULTILINE)
_CLOSE = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in _EXTENSIONS}


class Node:
    """One construct: half-open [start, end) of the whole, [inner, inner_end) of its content.

    `parts` (templates and links): [start, equals offset or -1, end, first child, child after '=', child after the part].
    Part 0 is the template's name or the link's target.
    """

    __slots__ = ("children", "end", "inner", "inner_end", "kind", "name", "parts", "start")

    def __init__(self, kind, start, end, inner, inner_end, name="", children=(), parts=()) -> None:
        self.kind, self.start, self.end, self.inner, self.inner_end = kind, start, end, inner, inner_end
        self.name, self.children, self.parts = name, children, parts


class _Frame:
    __slots__ = ("children", "count", "inner", "kind", "limit", "name", "parts", "start")

    def __init__(self, kind, start, inner, count=0, limit=-1, name="") -> None:
        self.kind, self.start, self.inner, self.count, self.limit, self.name = kind, start, inner, count, limit, name
        self.children: list[Node] = []
        self.parts: list[list[int]] = [[inner, -1, -1, 0, 0, -1]]

    def node(self, kind: int, start: int, end: int, inner: int, inner_end: int) -> Node:
        last = self.parts[-1]
        last[2], last[5] = inner_end, len(self.children)
        return Node(kind, start, end, inner, inner_end, self.name, self.children, self.parts)


def parse_nodes(text: str, start: int, end: int, max_depth: int = 40, outline: bool = False) -> list[Node]:
    """Top-level nodes of text[start:end] in order, not overlapping. Marks nested deeper than `max_depth` stay text.

    `outline`: only what can span lines (comments, extension tags, braces, tables), for the split into blocks.
    """
    root = _Frame(-1, start, start)
    stack = [root]
    top = root
    missing: set[tuple[str, int]] = set()  # tags with no closing tag before a limit: searched for once
    at = start

    def dissolve(down_to: int) -> None:
        """Frames above index `down_to` were never closed: what they hold goes to the frame below."""
        nonlocal top
        while len(stack) - 1 > down_to:
            frame = stack.pop()
            below = stack[-1]
            offset = len(below.children)
            below.children += frame.children
            if below.kind in (TEMPLATE, LINK):
                first, *rest = frame.parts
                if first[1] >= 0 and below.parts[-1][1] < 0:
                    below.parts[-1][1], below.parts[-1][4] = first[1], offset + first[4]
                for part in rest:
                    below.parts[-1][2], below.parts[-1][5] = part[0] - 1, offset + part[3]
                    below.parts.append([part[0], part[1], -1, offset + part[3], offset + part[4], -1])
        top = stack[-1]

    def find(kinds: tuple[int, ...]) -> int:
        """Index of the nearest open frame of these kinds that no braces, tag or table shuts off; -1 without one."""
        for index in range(len(stack) - 1, 0, -1):
            kind = stack[index].kind
            if kind in kinds:
                return index
            if kind in (TEMPLATE, TAG, TABLE):
                return -1
        return -1

    for match in (_OUTLINE_TOKEN if outline else _TOKEN).finditer(text, start, end):
        begin = match.start()
        if begin < at:
            # A newline eaten by a skipped construct never matters; one that starts inside it does not count.
            continue
        token = match.group()
        stop = match.end()
        if stop > end:
            break
        char = token[0]
        if match.lastindex:
            name = match[2].lower()
            if name not in _EXTENSIONS:
                top.children.append(Node(MARK, begin, stop, begin, begin, ("/" if token[1] == "/" else "") + name))
                continue
            if token[1] == "/":
                index = len(stack) - 1
                while index > 0 and not (stack[index].kind == TAG and stack[index].limit == begin):
                    index -= 1
                if index:
                    dissolve(index)
                    frame = stack.pop()
                    top = stack[-1]
                    top.children.append(frame.node(TAG, frame.start, stop, frame.inner, begin))
                else:
                    top.children.append(Node(MARK, begin, stop, begin, begin, "/" + name))
                continue
            if token[-2] == "/":
                top.children.append(Node(TAG, begin, stop, stop, stop, name, [], [[stop, -1, stop, 0, 0, 0]]))
                continue
            limit = next((f.limit for f in reversed(stack) if f.limit >= 0), end)
            close = None if (name, limit) in missing else _CLOSE[name].search(text, stop, limit)
            if close is None:
                missing.add((name, limit))
                top.children.append(Node(MARK, begin, stop, begin, begin, name))
            elif name in _LITERALS:
                top.children.append(Node(LITERAL, begin, close.end(), stop, close.start(), name))
                at = close.end()
            elif len(stack) <= max_depth:
                top = _Frame(TAG, begin, stop, limit=close.start(), name=name)
                stack.append(top)
            else:
                top.children.append(Node(MARK, begin, stop, begin, begin, name))
        elif token == "|":
            if top.kind == TEMPLATE or top.kind == LINK:
                count = len(top.children)
                top.parts[-1][2], top.parts[-1][5] = begin, count
                top.parts.append([stop, -1, -1, count, count, -1])
        elif char == "=":
            if (top.kind == TEMPLATE or top.kind == LINK) and top.parts[-1][1] < 0:
                top.parts[-1][1], top.parts[-1][4] = begin, len(top.children)
        elif token == "[[":
            if len(stack) <= max_depth:
                top = _Frame(LINK, begin, stop)
                stack.append(top)
        elif token == "]]":
            index = len(stack) - 1 if top.kind == LINK else find((LINK,))
            if index > 0:
                if stack[index] is not top:
                    dissolve(index)
                frame = stack.pop()
                top = stack[-1]
                top.children.append(frame.node(LINK, frame.start, stop, frame.inner, begin))
            elif (index := find((EXTERNAL,))) > 0:
                dissolve(index)
                frame = stack.pop()
                top = stack[-1]
                if text.find("\n", frame.start, begin) < 0:
                    top.children.append(frame.node(EXTERNAL, frame.start, begin + 1, frame.inner, begin))
                else:
                    top.children += frame.children
        elif char == "'":
            top.children.append(Node(MARK, begin, stop, begin, begin, "''"))
        elif char == "{" and token[1] == "{":
            if len(stack) <= max_depth:
                top = _Frame(TEMPLATE, begin, stop, count=len(token))
                stack.append(top)
        elif char == "}":
            if top.kind == TEMPLATE and top.count == 2 and stop - begin == 2:
                frame = stack.pop()
                top = stack[-1]
                top.children.append(frame.node(TEMPLATE, frame.start, stop, frame.inner, begin))
                continue
            left, place = len(token), begin
            while left >= 2:
                index = len(stack) - 1
                while index > 0 and stack[index].kind != TEMPLATE:
                    if stack[index].kind in (TAG, TABLE) and stack[index].limit >= 0:
                        index = 0
                        break
                    index -= 1
                if index <= 0:
                    break
                dissolve(index)
                frame = stack[-1]
                width = 3 if frame.count >= 3 and left >= 3 else 2
                opened = frame.start + frame.count
                kind = ARGUMENT if width == 3 else TEMPLATE
                node = frame.node(kind, opened - width, place + width, opened, place)
                left -= width
                place += width
                frame.count -= width
                if frame.count >= 2:
                    frame.inner = opened - width
                    frame.children = [node]
                    frame.parts = [[frame.inner, -1, -1, 0, 0, -1]]
                else:
                    stack.pop()
                    stack[-1].children.append(node)
                top = stack[-1]
            at = max(at, place)
        elif char == "<":
            close = text.find("-->", stop, end)
            at = end if close < 0 else close + 3
            top.children.append(Node(COMMENT, begin, at, at, at))
        elif char == "[":
            if len(stack) <= max_depth:
                top = _Frame(EXTERNAL, begin, stop)
                stack.append(top)
        elif char == "]":
            index = find((EXTERNAL, LINK))
            if index > 0 and stack[index].kind == EXTERNAL:
                dissolve(index)
                frame = stack.pop()
                top = stack[-1]
                if text.find("\n", frame.start, begin) < 0:
                    top.children.append(frame.node(EXTERNAL, frame.start, stop, frame.inner, begin))
                else:
                    top.children += frame.children
        elif char == "_":
            top.children.append(Node(MARK, begin, stop, begin, begin, "__"))
        elif token[-2:] == "{|":
            if len(stack) <= max_depth:
                mark = stop - 2
                top = _Frame(TABLE, mark, stop)
                stack.append(top)
        elif token[-2:] == "|}":
            index = len(stack) - 1
            while index > 0 and stack[index].kind not in (TABLE, TEMPLATE, TAG):
                index -= 1
            if index > 0 and stack[index].kind == TABLE:
                dissolve(index)
                frame = stack.pop()
                top = stack[-1]
                top.children.append(frame.node(TABLE, frame.start, stop, frame.inner, begin))
            elif top.kind == TEMPLATE:  # `|}` of no table is an empty last part and a brace
                count = len(top.children)
                top.parts[-1][2], top.parts[-1][5] = stop - 2, count
                top.parts.append([stop - 1, -1, -1, count, count, -1])
        else:  # a list bullet at the start of a line
            top.children.append(Node(BULLET, begin, stop, begin, begin))
    for index, frame in enumerate(stack):
        if frame.kind == TABLE:  # MediaWiki closes a table at the end of the page
            dissolve(index)
            stack.pop()
            stack[-1].children.append(frame.node(TABLE, frame.start, end, frame.inner, end))
            break
    dissolve(0)
    return root.children
