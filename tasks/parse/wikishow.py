"""What of a stretch of wikitext is shown, as spans: markup is cut out by leaving it out.

Guarantees: spans lie within the stretch (a blank that joins two parts may be borrowed from the block), text made by the
renderer from them is what a reader sees, and links, notes, captions, tables and infoboxes met on the way are collected,
not lost.
"""

from __future__ import annotations

import re

from schemas.render import rendered_pieces
from tasks.parse.wikinodes import ARGUMENT, BULLET, COMMENT, EXTERNAL, LINK, LITERAL, MARK, TABLE, TAG, TEMPLATE, Node
from tasks.parse.wikisite import page_title
from tasks.parse.wikitemplates import CITE_KEYS, how_shown, is_infobox_name, template_name

Span = tuple[int, int]
Shown = tuple[int, int, int]  # start, end, and 1 where it parts two items of a list

FILE_PREFIXES = frozenset(
    "file image media fichier datei bild archivo imagen immagine bestand afbeelding ficheiro imagem plik grafika fil файл изображение "
    "зображення soubor súbor kép fájl tiedosto kuva dosya resim tập_tin ファイル 画像 文件 檔案 图像 파일 그림 قالب ملف پرونده תמונה קובץ चित्र".split()
)
CATEGORY_PREFIXES = frozenset(
    "category catégorie kategorie categoría categoria categorie kategoria kategori категория категорія kategória luokka kategorija "
    "thể_loại カテゴリ 分类 分類 분류 تصنيف رده קטגוריה श्रेणी κατηγορία kategorio".split()
)
# Language codes of wikis, for links to the same page elsewhere.
_LANGUAGES = frozenset(
    "aa ab ace ady af ak als am an ang ar arc ary arz as ast atj av avk awa ay az azb ba ban bar bcl be be-tarask be-x-old bg bh bi bjn bm bn "
    "bo bpy br bs bug bxr ca cbk-zam cdo ce ceb ch cho chr chy ckb co cr crh cs csb cu cv cy da de din diq dsb dty dv dz ee el eml en eo es et "
    "eu ext fa ff fi fiu-vro fj fo fr frp frr fur fy ga gag gan gcr gd gl glk gn gom gor got gu gv ha hak haw he hi hif ho hr hsb ht hu hy "
    "hyw hz ia id ie ig ii ik ilo inh io is it iu ja jam jbo jv ka kaa kab kbd kbp kg ki kj kk kl km kn ko koi kr krc ks ksh ku kv kw ky la "
    "lad lb lbe lez lfn lg li lij lld lmo ln lo lrc lt ltg lv mai map-bms mdf mg mh mhr mi min mk ml mn mnw mr mrj ms mt mus mwl my myv mzn "
    "na nah nap nds nds-nl ne new ng nl nn no nov nqo nrm nso nv ny oc olo om or os pa pag pam pap pcd pdc pfl pi pih pl pms pnb pnt ps pt qu "
    "rm rmy rn ro roa-rup roa-tara ru rue rw sa sah sat sc scn sco sd se sg sh shi shn si simple sk sl sm smn sn so sq sr srn ss st stq su sv "
    "sw szl szy ta tcy te tet tg th ti tk tl tn to tpi tr ts tt tum tw ty tyv udm ug uk ur uz ve vec vep vi vls vo wa war wo wuu xal xh xmf yi "
    "yo za zea zh zh-classical zh-min-nan zh-yue zu".split()
)
_FILE_OPTION = re.compile(
    r"\s*(?:thumb(?:nail)?|mini(?:atur)?|frame(?:d|less)?|border|left|right|center|centre|none|gauche|droite|centré|links|rechts|zentriert|"
    r"upright.*|redresse.*|hochkant.*|\d*\s*(?:x\s*\d+)?\s*p(?:x|ixels?)|alt\s*=.*|link\s*=.*|lien\s*=.*|class\s*=.*|lang\s*=.*|page\s*=.*|thumb\s*=.*|"
    r"start(?:time)?\s*=.*|end(?:time)?\s*=.*|thumbtime\s*=.*|baseline|sub|super|top|text-top|middle|bottom|text-bottom|vignette|miniatura|"
    r"sinistra|destra|centro|izquierda|derecha|мини|справа|слева|)\s*",
    re.IGNORECASE | re.DOTALL,
)
_URL = re.compile(r"\[(?:(?:https?:|ftp:)?//|mailto:)[^\s\]\[<>\"]*")
_LEADING_BULLETS = re.compile(r"\s*[*#:;]+(?=\s*\S)")
_KEY = re.compile(r"\s*(\d+)\s*")
_BREAKING_MARKS = frozenset({"br", "li", "p", "/p", "div", "/div", "tr", "td", "th", "hr", "dd", "dt", "/li", "ul", "/ul", "ol", "/ol"})
_UNIT_PAIRS = frozenset({("ft", "in"), ("lb", "oz"), ("st", "lb"), ("mi", "yd"), ("yd", "ft"), ("foot", "in"), ("ft", "8in"), ("mi", "ch")})
_CONNECTORS = frozenset("to and by x × - – — or +/- ± & * , and(-) to(-) xx to about".split()) | {"to about"}
_LIST_LIKE = frozenset({"plainlist", "plain list", "flatlist", "flat list", "startplainlist", "longitem", "bulleted", "vlist"})


class Show:
    """Collects what one element shows. `cites`: citations are shown; `generous`: so are the arguments of unknown templates."""

    __slots__ = ("text", "spans", "links", "notes", "captions", "tables", "boxes", "cites", "generous", "depth")

    def __init__(self, text: str, cites: bool = False, generous: bool = False) -> None:
        self.text, self.cites, self.generous = text, cites, generous
        self.spans: list[Shown] = []
        self.links: list[tuple[int, int, str]] = []
        self.notes: list[Node] = []
        self.captions: list[tuple[list[Node], int, int]] = []
        self.tables: list[Node] = []
        self.boxes: list[Node] = []
        self.depth = 0

    def walk(self, nodes, start: int, end: int) -> None:
        """Shows text[start:end], of which `nodes` are the nodes in order (others may stand before and after)."""
        at, spans = start, self.spans
        for node in nodes:
            if node.start < at:
                continue
            if node.start >= end:
                break
            if node.start > at:
                spans.append((at, node.start, 0))
            at = node.end
            kind = node.kind
            if kind == MARK:
                name = node.name
                if name == "br":
                    spans.append((node.start, node.end, 1))
                elif name in _BREAKING_MARKS:
                    spans.append((node.start, node.start, 1))
                elif name == "sup" and self.text[node.start - 1 : node.start].isdigit() and self.text[node.end : node.end + 1].isdigit():
                    spans.append((node.start, node.start, 2))
            elif kind == TEMPLATE:
                self.template(node)
            elif kind == LINK:
                self.link(node)
            elif kind == TAG:
                if node.name == "ref":
                    self.notes.append(node)
                elif node.name == "gallery":
                    self.captions += gallery_captions(self.text, node)
                elif node.name == "poem":
                    self.walk(node.children, node.inner, node.inner_end)
            elif kind == BULLET:
                spans.append((node.start, node.start + 1, 1))
            elif kind == EXTERNAL:
                url = _URL.match(self.text, node.start, node.inner_end)
                if url:
                    self.walk(node.children, url.end(), node.inner_end)
            elif kind == LITERAL:
                self.literal(node)
            elif kind == TABLE:
                self.tables.append(node)
            else:
                assert kind in (COMMENT, ARGUMENT)
        if at < end:
            spans.append((at, end, 0))

    def literal(self, node: Node) -> None:
        if node.name in ("nowiki", "pre", "source", "syntaxhighlight"):
            self.spans.append((node.inner, node.inner_end, 0))
        elif node.name in ("math", "chem", "ce") and node.inner_end - node.inner <= 60:
            if not any(c in "\\{}^_" for c in self.text[node.inner : node.inner_end]):
                self.spans.append((node.inner, node.inner_end, 0))

    def link(self, node: Node) -> None:
        target_part = node.parts[0]
        raw = self.text[target_part[0] : target_part[2]]
        target = raw.strip()
        prefix, colon, _ = target.partition(":")
        if colon and prefix:
            prefix = prefix.strip()
            lower = prefix.lower().replace(" ", "_")
            if lower in FILE_PREFIXES:
                self.captions += _file_caption(self.text, node)
                return
            if lower in CATEGORY_PREFIXES or (prefix in _LANGUAGES and len(node.parts) == 1):
                return
        before = len(self.spans)
        if len(node.parts) > 1 and self.text[node.parts[1][0] : node.inner_end].strip():
            self.walk(node.children[node.parts[1][3] :], node.parts[1][0], node.inner_end)
        else:
            start, end = target_part[0], target_part[2]
            while start < end and self.text[start] in " \t\n:":
                start += 1
            self.walk(node.children[: target_part[5]], start, end)
        if len(self.spans) > before:
            title = page_title(target)
            if title and "[" not in title and "{" not in title and "<" not in title:
                self.links.append((self.spans[before][0], self.spans[-1][1], title))

    # --- templates

    def template(self, node: Node) -> None:
        name = template_name(self.text[node.parts[0][0] : node.parts[0][2]])
        how = how_shown(name)
        if how is None:
            if is_infobox_name(name):
                self.boxes.append(node)
            elif self.generous and not name.startswith(("flagicon", "flag icon", "pp-", "#", "clear", "citation needed", "cn", "increase", "decrease")):
                how = "all"
        if how is None or self.depth > 12:
            return
        self.depth += 1
        try:
            self._template(node, name, how)
        finally:
            self.depth -= 1

    def _template(self, node: Node, name: str, how: object) -> None:
        if how == "note":
            self.notes.append(node)
            return
        if how == "cite":
            if self.cites:
                self.citation(node)
            return
        if how == "colon":
            head = node.parts[0]
            colon = self.text.find(":", head[0], head[2])
            if colon >= 0:
                self.walk(node.children[: head[5]], colon + 1, head[2])
            return
        if how == "blank":
            self.spans.append((node.start, node.start, 2))
            return
        if how == "name":
            self.spans.append((node.parts[0][0], node.parts[0][2], 0))
            return
        arguments = positional(self.text, node)
        if isinstance(how, tuple):
            first = True
            for number in how:
                if number <= len(arguments):
                    self.argument(node, arguments[number - 1], not first, 0, name in _LIST_LIKE)
                    first = False
            return
        if how == "named" or (how == "either" and not any(self.filled(a) for a in arguments)):
            self.spans.append((node.parts[0][0], node.parts[0][2], 0))
            if how == "named":
                for argument in arguments:
                    self.argument(node, argument, True)
            return
        filled = [a for a in arguments if self.filled(a)]
        if how in ("first", "either"):
            chosen = filled[:1]
        elif how == "last":
            chosen = filled[-1:]
        elif how == "label":
            chosen = filled[1:2] or filled[:1]
        elif how == "convert":
            chosen = self.quantity(arguments)
        elif how == "val":
            chosen = filled[:1] + [p for p in node.parts[1:] if p[1] >= 0 and self.key(p) in ("u", "ul", "up", "upl", "end", "e")]
        elif how == "date3":
            chosen = self.date(arguments)
        else:
            chosen = arguments
        for index, argument in enumerate(chosen):
            self.argument(node, argument, index > 0 or how == "items", 1 if how == "items" else 0, how == "items")

    def argument(self, node: Node, part, joined: bool, item: int = 0, bullets: bool = False) -> None:
        """One argument's value; `joined`: parted from what precedes by its pipe, which renders as a blank."""
        start, low = (part[1] + 1, part[4]) if part[1] >= 0 else (part[0], part[3])
        pipe = part[0] - 1
        if joined and self.text[pipe : part[0]] == "|":
            self.spans.append((pipe, part[0], item))
        if bullets or item:
            bullet = _LEADING_BULLETS.match(self.text, start, part[2])
            if bullet:
                start = bullet.end()
        self.walk(node.children[low : part[5]], start, part[2])

    def filled(self, part) -> bool:
        start = part[1] + 1 if part[1] >= 0 else part[0]
        return bool(self.text[start : part[2]].strip())

    def key(self, part) -> str:
        return self.text[part[0] : part[1]].strip().casefold() if part[1] >= 0 else ""

    def value(self, part) -> str:
        start = part[1] + 1 if part[1] >= 0 else part[0]
        return self.text[start : part[2]].strip()

    def quantity(self, arguments) -> list:
        """{{convert}}: numbers with their connectors and the first unit (5|to|10|km, 5|ft|3|in); not the units converted to."""
        out, unit, index = [], "", 0
        while index < len(arguments):
            value = self.value(arguments[index])
            number = bool(value) and (value[0].isdigit() or value[0] in "+-−.~(" or value in _CONNECTORS) and not value.isalpha()
            if unit:
                following = self.value(arguments[index + 1]) if index + 1 < len(arguments) else ""
                if not (number and (unit, following) in _UNIT_PAIRS):
                    break
                out += arguments[index : index + 2]
                unit, index = following, index + 2
                continue
            out.append(arguments[index])
            if not number and value not in _CONNECTORS:
                unit = value
            index += 1
        return out

    def date(self, arguments) -> list:
        """Year, month, day; a first argument that is not a number stands alone ({{birth date|4 June 1970}})."""
        out = []
        for argument in arguments:
            value = self.value(argument)
            if not value:
                continue
            if not out and not value.isdigit():
                return [argument]
            if not value.isdigit() and not value.isalpha():
                break
            out.append(argument)
            if len(out) == 3:
                break
        return out

    def citation(self, node: Node) -> None:
        first = True
        for part in node.parts[1:]:
            if part[1] < 0 or self.key(part) in CITE_KEYS:
                if self.filled(part):
                    self.argument(node, part, not first or True)
                    first = False


def positional(text: str, node: Node) -> list:
    """Unnamed arguments in order, and those named by a number; {{x|a|2=b}} -> a, b."""
    out = []
    for part in node.parts[1:]:
        if part[1] < 0:
            out.append(part)
        else:
            key = _KEY.fullmatch(text, part[0], part[1])
            # A key with white space or marks of an address inside is no key: {{url|http://x?a=b}}.
            if key or any(c in "/?&:" for c in text[part[0] : part[1]]):
                out.append(part if key else [part[0], -1, part[2], part[3], part[3], part[5]])
    return out


def _file_caption(text: str, node: Node) -> list[tuple[list[Node], int, int]]:
    for part in reversed(node.parts[1:]):
        if not _FILE_OPTION.fullmatch(text, part[0], part[2]):
            return [(node.children[part[3] : part[5]], part[0], part[2])]
    return []


def gallery_captions(text: str, node: Node) -> list[tuple[list[Node], int, int]]:
    """Captions of <gallery> lines `File:x.jpg|caption`."""
    out = []
    at = node.inner
    while at < node.inner_end:
        end = text.find("\n", at, node.inner_end)
        end = node.inner_end if end < 0 else end
        inside = [n for n in node.children if at <= n.start < end]
        if inside:
            end = max(end, inside[-1].end)
        pipe = text.find("|", at, end)
        while pipe >= 0:
            stop = pipe + 1
            nxt = text.find("|", stop, end)
            while nxt >= 0 and any(n.start <= nxt < n.end for n in inside):
                nxt = text.find("|", nxt + 1, end)
            if not _FILE_OPTION.fullmatch(text, stop, nxt if nxt >= 0 else end):
                out.append((inside, stop, end))
                break
            pipe = nxt
        at = end + 1
    return out


# --- from what is shown to spans and links of an element


def soften(text: str, shown: list[Shown]) -> list[Shown]:
    """Breaks before an opening parenthesis become blanks: "1937<br>(10th)" is one item."""
    if not any(flag == 1 for _, _, flag in shown):
        return shown
    out: list[Shown] = []
    after = ""
    for start, end, flag in reversed(shown):
        if flag == 1 and after == "(":
            out.append((start, start, 2))
            continue
        if flag == 1:
            after = ""
        elif flag == 0:
            after = text[start:end].strip()[:1] or after
        out.append((start, end, flag))
    return out[::-1]


def tidy(text: str, kind: str, shown: list[Shown], blank: Span | None = None) -> list[Span]:
    """Spans for the renderer: ends stripped, neighbours merged, list breaks as the kind wants them.

    A break is an empty span in a field (`; `); elsewhere it is the character that made it (newline, pipe, <br>).
    `blank`: a slice that renders as a blank, for breaks that no character made.
    """
    out: list[Span] = []
    field = kind == "field"
    for start, end, flag in shown:
        if flag == 2 or (flag == 1 and start == end and not field):
            if blank is not None:
                out.append(blank)
            elif kind not in ("field", "row"):
                out.append((start, start))
            continue
        if flag == 1 and field and end - start == 1:
            out.append((start, start))
            continue
        if flag == 0 and start >= end:
            continue
        if not flag and out and out[-1][1] == start and out[-1][0] < start and text[start] not in "|=" and text[start - 1] not in "|=":
            out[-1] = (out[-1][0], end)
        else:
            out.append((start, end))
    return trim(text, out)


def trim(text: str, spans: list[Span]) -> list[Span]:
    """Without white space and separators at both ends."""
    low, high = 0, len(spans)
    while low < high and _is_gap(text, spans[low]):
        low += 1
    while high > low and _is_gap(text, spans[high - 1]):
        high -= 1
    spans = spans[low:high]
    if spans:
        start, end = spans[0]
        while start < end and text[start].isspace():
            start += 1
        spans[0] = (start, end)
        start, end = spans[-1]
        while end > start and text[end - 1].isspace():
            end -= 1
        spans[-1] = (start, end)
    return spans


def _is_gap(text: str, span: Span) -> bool:
    piece = text[span[0] : span[1]]
    return not piece or piece == "|" or piece.isspace() or (piece[0] == "<" and piece[:3].lower() == "<br" and piece.endswith(">"))


def render_with_links(kind: str, text: str, spans: list[Span], links: list[tuple[int, int, str]]) -> tuple[str, list[dict]]:
    """The element's text, and its links with half-open offsets in it. `links` are source ranges with a title."""
    if not links:
        return "".join(piece for piece, _, _ in rendered_pieces(kind, text, spans)), []
    pieces, starts, ends, at = [], [], [], 0
    for piece, start, end in rendered_pieces(kind, text, spans):
        pieces.append((start, end, at, piece))
        at += len(piece)
    del starts, ends
    whole = "".join(p[3] for p in pieces)
    out = []
    position = 0
    for low, high, title in links:
        found = _pieces_within(pieces, position, low, high)
        if found is None and position:
            found = _pieces_within(pieces, 0, low, high)
        if found is None:
            continue
        first, last, position = found
        while first < last and whole[first].isspace():
            first += 1
        while last > first and whole[last - 1].isspace():
            last -= 1
        if first < last:
            out.append({"start": first, "end": last, "target": title})
    return whole, out


def _pieces_within(pieces, position: int, low: int, high: int) -> tuple[int, int, int] | None:
    """(first offset, last offset, next piece) of the run of pieces that come from the source range [low, high)."""
    count = len(pieces)
    while position < count and not (pieces[position][0] < high and pieces[position][1] > low and pieces[position][3].strip()):
        position += 1
    if position == count:
        return None
    start, _, at, piece = pieces[position]
    first = at + max(0, low - start) if len(piece) == pieces[position][1] - start else at
    last = first
    begin = position
    while position < count and pieces[position][0] < high and pieces[position][1] > low:
        start, end, at, piece = pieces[position]
        last = at + (min(high, end) - start if len(piece) == end - start else len(piece))
        if end >= high:
            break
        position += 1
    return first, last, max(begin, position)


