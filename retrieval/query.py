"""What a question asks: any text in, an analysis out, nothing of the corpus looked at.

Any string is a legal query. The analysis holds the words, the question word, the tense, the wording of a relation, and
a date. It decides nothing: `retrieval.filters` makes the filter, `retrieval.match` the comparison with facts.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from retrieval.dates import Asked, find_date
from retrieval.lexicon import Lexicon, Wording
from retrieval.words import MAX_QUERY_CHARS, STOP_WORDS, clean, content, forms, stem, words

_NOW = frozenset("current currently now nowadays today incumbent present presently still latest".split())
_PRESENT = frozenset("is are am has have does do who's what's where's".split())
_PAST = frozenset("was were had did been became used former formerly previous previously ex until".split())
_STARTS = frozenset(stem(w) for w in (
    "become appoint elect join start begin succeed inaugurate crown hire found establish take launch open acquire enter "
    "adopt introduce replace").split()) | {"appointed", "elected", "named"}
_ENDS = frozenset(stem(w) for w in "leave resign retire end step quit depart cease dissolve close lose".split())
_LIGHT = frozenset(stem(w) for w in "become serve hold".split())  # verbs that carry a role, and name nothing
_ASKED = {"who": "who", "whom": "who", "whose": "who", "who's": "who", "where": "where", "where's": "where",
          "when": "when", "when's": "when", "what": "what", "what's": "what", "which": "what", "why": "what", "how": "what"}


@dataclass(frozen=True)
class Question:
    """An analysed query.

    `text` is the cleaned query, cut to a limit; `tokens` its words; `keywords` the words worth searching for, in
    order; `stems` the stems of all words, `names` those of the words that are neither relation nor date nor empty.
    `wordings` are the relations that it words. `asked`: who, where, when, how many, what or ''. `edge`: `start` or
    `end` where it asks for what began or ended in its time.
    """

    raw: str
    text: str
    tokens: tuple[str, ...]
    keywords: tuple[str, ...]
    stems: frozenset[str]
    names: frozenset[str]
    wordings: tuple[Wording, ...]
    relation_stems: frozenset[str]
    asked: str
    present: bool
    edge: str
    date: Asked | None
    notes: tuple[str, ...] = field(default=())

    @property
    def predicates(self) -> frozenset[str]:
        return frozenset(w.predicate for w in self.wordings)

    @property
    def content_stems(self) -> frozenset[str]:
        """What a result is expected to speak of: names and relation words."""
        return self.names | self.relation_stems


def analyse(raw: str, lexicon: Lexicon) -> Question:
    """Analyses any string; never raises for its content."""
    notes = []
    cut = raw if len(raw) <= 4 * MAX_QUERY_CHARS else raw[: 4 * MAX_QUERY_CHARS]
    text = clean(cut)
    if len(text) > MAX_QUERY_CHARS:
        text = text[:MAX_QUERY_CHARS].rsplit(" ", 1)[0]
    if len(raw) > 4 * MAX_QUERY_CHARS or len(clean(cut)) > MAX_QUERY_CHARS:
        notes.append(f"the query was cut to its first {len(text)} characters")
    date = find_date(text)
    tokens = words(text)
    timeless = words(text[: date.start] + " " + text[date.end :]) if date else tokens
    asked = _asked(timeless)
    found = lexicon.find(timeless)
    used = {i for match in found for i in range(match.start, match.end)}
    wordings = [w for match in found for w in match.wordings]
    fitting = [w for w in wordings if w.swapped or lexicon.answers(w.predicate, asked)]
    wordings = fitting or wordings
    rest = [w for i, w in enumerate(timeless) if i not in used]
    names = [w for i, w in enumerate(timeless) if i not in used and w not in STOP_WORDS and not _is_type(timeless, i)
             and not forms(w) & _LIGHT]
    if not names and not used:
        names = content(rest)
    return Question(
        raw=raw, text=text, tokens=tuple(tokens), keywords=tuple(content(tokens)),
        stems=frozenset(s for t in tokens for s in forms(t)),
        names=frozenset(stem(w) for w in names),
        wordings=tuple(dict.fromkeys(wordings)),
        relation_stems=frozenset(stem(timeless[i]) for i in used if timeless[i] not in STOP_WORDS),
        asked=asked, present=_is_present(tokens, text), edge=_edge(timeless), date=date, notes=tuple(notes),
    )


def _is_type(tokens: list[str], i: int) -> bool:
    """The noun after which or what says what kind of thing is asked for ("which company"), not which one."""
    return i > 0 and tokens[i - 1] in ("which", "what") and i + 1 < len(tokens)


def _asked(tokens: list[str]) -> str:
    for i, token in enumerate(tokens):
        if token == "how" and tokens[i + 1 : i + 2] in (["many"], ["much"], ["large"], ["big"], ["tall"], ["long"]):
            return "how many"
        if token in _ASKED:
            return _ASKED[token]
    return ""


def _is_present(tokens: list[str], text: str) -> bool:
    """Present tense: says "now", or asks with a present auxiliary and no word of the past."""
    seen = set(tokens) | {t for t in (w.casefold().strip("?.,!") for w in text.replace("\u2019", "'").split()) if t in _PRESENT}
    if seen & _NOW and not seen & {"was", "were", "did"}:
        return True
    if seen & _PAST:
        return False
    asks = "?" in text or bool(tokens and (tokens[0] in _ASKED or tokens[0] in _PRESENT))
    return asks and bool(seen & _PRESENT)


def _edge(tokens: list[str]) -> str:
    shapes = {s for t in tokens for s in forms(t)} | set(tokens)
    if shapes & _ENDS:
        return "end"
    return "start" if shapes & _STARTS else ""
