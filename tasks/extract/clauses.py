"""What a clause says beside its arguments: time, negation, modality, attribution, condition.

Only the mention's own clause counts: a date, a negation or a condition of another clause of the sentence does not.
"""

from __future__ import annotations

from functools import lru_cache

from tasks.extract.parses import Parse
from tasks.extract.temporal import Temporal, years_apart

START_VERBS = frozenset(
    "become appoint name elect swear join inaugurate install promote assume marry hire sign designate crown ordain succeed replace "
    "take enter rename select choose reelect re-elect nominate begin start accede ascend relocate move rebrand".split()
)
END_VERBS = frozenset(
    "resign step retire leave depart quit oust fire dismiss remove abdicate stand sack depose divorce vacate relinquish "
    "suspend expel disband dissolve cease".split()
)
_PLAN = frozenset("plan intend expect propose agree schedule want hope set aim announce decide".split())
_TRY = frozenset("try attempt seek consider offer threaten wish".split())
_NEVER = frozenset("refuse fail decline deny reject".split())
_SAY = frozenset("say claim state report announce argue believe allege write estimate suggest assert note declare maintain think".split())
_CONDITION_WORDS = ("if", "unless", "provided", "providing", "assuming")
_CONDITION_OPENERS = ("subject to ", "in case of ", "in the event of ", "except ", "provided that ", "as long as ", "unless ", "if ", "for ")


class ClauseFacts:
    """Per sentence: temporal expressions with their clause, and cached modality and polarity per clause head."""

    def __init__(self, p: Parse, temporals: list[Temporal]):
        self.p = p
        self.temporals = temporals
        self.tokens = [p.token_at(t.start) for t in temporals]
        self.places = [self._place(i) for i in range(len(temporals))]
        self._state: dict[int, tuple[str, str, str]] = {}

    def _place(self, i: int) -> int:
        p, t, tok = self.p, self.temporals[i], self.tokens[i]
        if t.role not in ("former", "current") and p.text[t.start : t.end].isdigit() and _counts_things(p, tok):
            return -1
        if t.role not in ("former", "current") and self._beside_the_point(tok):
            return -1
        if t.ranged and i and self.temporals[i - 1].ranged and self.temporals[i].role == "until" and self.temporals[i - 1].role == "start":
            return -1 if self._bracketed(t.start) else p.clause[self.tokens[i - 1]]
        return -1 if t.role not in ("former", "current") and self._bracketed(t.start) else p.clause[tok]

    def _beside_the_point(self, tok: int) -> bool:
        """"before its closure in 2020": the date of another event, which only bounds the clause."""
        p = self.p
        own = True
        for _ in range(8):
            if p.head[tok] == tok or p.clause[tok] == tok:
                return False
            tok = p.head[tok]
            if p.dep[tok] == "prep":
                if not own and p.low[tok] in ("before", "after", "following", "despite"):
                    return True
                own = False
        return False

    def _bracketed(self, at: int) -> bool:
        """Inside brackets after a name that is the subject of "be", or a range of a life's length: no date of the clause."""
        text = self.p.text
        opened = text.rfind("(", 0, at)
        if opened < 0 or text.rfind(")", 0, at) > opened:
            return False
        closed = text.find(")", at)
        inner = [t for t in self.temporals if t.ranged and opened < t.start < closed]
        if len(inner) == 2 and years_apart(text[inner[0].start : inner[0].end], text[inner[1].start : inner[1].end]) > 25:
            return True
        rest = text[closed + 1 : closed + 14].lstrip(" ,") if closed > 0 else ""
        return opened < 120 and rest.startswith(("was ", "is ", "were ", "are "))

    def of_verb(self, v: int, kind: str, after: int = -1, before: int = 1 << 30) -> list[tuple[str, int, int]]:
        """Cues of the clause of verb v; `kind` is start, end or '' and turns a bare date into that role."""
        p = self.p
        home = p.clause[v]
        out = []
        for t, tok, place in zip(self.temporals, self.tokens, self.places, strict=False):
            if place != home or not t.role:
                continue
            if t.role in ("former", "current") and not t.ranged and not self._adverbial(tok, v):
                continue
            if after <= t.start < before or (t.start < p.start[v] and before == 1 << 30):
                out.append((_turn(t.role, kind), t.start, t.end))
        if not out and p.dep[v] == "advcl" and p.tag[v] == "VBG" and p.lemma[v] in ("succeed", "replace", "follow"):
            return self.of_verb(p.clause[p.head[v]], kind, after, before)  # "became R on D, succeeding Y": Y left on D
        if not out and p.dep[v] in ("relcl", "advcl") and any(p.low[k] == "when" for k in p.kids[v]):
            earlier = [t for t in self.temporals if t.end <= p.start[v] and t.role not in ("", "former", "current")]
            if earlier and p.start[v] - earlier[-1].end < 40:
                out.append((_turn("point", kind), earlier[-1].start, earlier[-1].end))
        return out

    def _adverbial(self, tok: int, v: int) -> bool:
        p = self.p
        at = p.start[tok]
        opened = p.text.rfind("(", 0, at)
        if opened > p.text.rfind(")", 0, at) and not opened < p.start[v] <= max(p.text.find(")", at), opened):
            return False  # an aside: "(now part of Y)"
        if p.dep[tok] == "advmod" and p.head[tok] != v and p.tag[p.head[tok]].startswith("NNP"):
            return False  # an earlier name: "X, formerly Y, is"
        return p.dep[tok] in ("advmod", "neg", "prep", "npadvmod") or p.head[tok] == v

    def of_noun(self, role: int, holder: int, after: int, before: int) -> list[tuple[str, int, int]]:
        """Cues inside an apposition: expressions hanging from the role noun or the holder, between the two offsets."""
        p = self.p
        out = []
        for t, tok, place in zip(self.temporals, self.tokens, self.places, strict=False):
            if place < 0 or not t.role or (t.role in ("former", "current") and not t.ranged):
                continue
            if after <= t.start < before and (p.inside(tok, role) or p.inside(tok, holder)) and place == p.clause[role]:
                out.append((t.role, t.start, t.end))
        return out

    def state(self, v: int) -> tuple[str, str, str]:
        """(polarity, modality, extra role: '' or 'former') of the clause of a verb."""
        if v in self._state:
            return self._state[v]
        p = self.p
        polarity, modality, extra = "positive", "asserted", ""
        for k in p.kids[v]:
            low, dep = p.low[k], p.dep[k]
            if dep == "neg":
                if not (low == "not" and k + 1 < p.n and p.low[k + 1] == "only"):
                    polarity = "negative"
            elif low == "longer" and k and p.low[k - 1] == "no":
                extra = "former"
            elif dep == "aux" and low in ("will", "shall", "'ll", "wo"):
                modality = "planned"
            elif dep in ("aux", "auxpass") and low in ("would", "could", "may", "might", "should", "can", "'d"):
                if not (low in ("would", "'d") and any(p.low[j] in ("later", "eventually", "subsequently", "go", "ultimately") for j in p.kids[v])):
                    if low != "can":
                        modality = "hypothetical"
            elif dep == "mark" and low in ("if", "whether", "unless"):
                modality = "hypothetical"
        up = p.head[v]
        dep = p.dep[v]
        if dep == "xcomp" and up != v:
            lemma = p.lemma[up]
            if lemma in _NEVER:
                polarity = "negative"
            elif lemma in _TRY:
                modality = "hypothetical"
            elif lemma in _PLAN and p.tag[v] == "VB":
                modality = "planned"
            elif lemma == "use" and p.tag[up] == "VBD":
                extra = "former"
            else:
                outer = self.state(up)
                polarity = outer[0] if outer[0] == "negative" else polarity
                modality = outer[1] if outer[1] != "asserted" else modality
            if lemma == "be" and p.tag[v] == "VB" and p.kid(up, "attr", "acomp") < 0:
                modality = "planned"
        elif dep == "acl" and p.tag[v] == "VB" and up != v and p.lemma[up] in ("plan", "proposal", "intention", "offer", "bid", "decision"):
            modality = "planned"
        elif dep in ("ccomp", "conj", "advcl") and up != v and p.tag[up][:2] == "VB" and up != v:
            if dep == "ccomp" and modality == "hypothetical" and p.lemma[up] in ("announce", "say", "state", "report", "confirm", "reveal", "decide") \
                    and any(p.low[k] in ("would", "'d") for k in p.kids[v]):
                modality = "planned"  # future in the past
            if dep == "ccomp" and p.lemma[up] == "deny":
                polarity = "negative"
            elif dep == "conj" and p.kid(v, "nsubj", "nsubjpass", "aux", "auxpass") < 0:
                outer = self.state(up)
                modality = outer[1] if outer[1] != "asserted" else modality
        self._state[v] = (polarity, modality, extra)
        return self._state[v]


def _turn(role: str, kind: str) -> str:
    if kind == "start" and role in ("point", "since", "start"):
        return "start" if role == "point" else role
    if kind == "end" and role in ("point", "asof", "start"):
        return "end"
    if kind == "end" and role == "since":
        return "end"
    return role


def _counts_things(p: Parse, tok: int) -> bool:
    """A four-digit number that modifies a noun after it counts things; it is no year."""
    h = p.head[tok]
    return (
        p.label(tok) not in ("DATE",) and p.dep[tok] in ("nummod", "compound") and h > tok and p.tag[h] in ("NNS", "NN")
        and p.lemma[h] not in ("census", "estimate", "election", "season", "year")
    )


def attribution(p: Parse, v: int) -> str:
    """Who is said to say so: the subject of a verb of saying above, or of "according to"; '' = the document."""
    j = v
    for _ in range(4):
        if p.dep[j] == "ccomp" and p.lemma[p.head[j]] in _SAY:
            who = p.kid(p.head[j], "nsubj")
            if who >= 0 and p.tag[who] not in ("WP", "WDT"):
                return span_text(p, who)
            return ""
        if p.head[j] == j:
            break
        j = p.head[j]
    at = p.text.lower().find("according to ") if "ccording to" in p.text else -1
    if at >= 0:
        tok = p.token_at(at)
        for k in range(tok, min(tok + 3, p.n)):
            pobj = p.kid(k, "pobj")
            if pobj >= 0 and p.low[k] == "to":
                return span_text(p, pobj)
    return ""


def span_text(p: Parse, head: int) -> str:
    """Left-contiguous noun phrase of a head as text, without its determiner."""
    first = head
    while first > 0 and p.inside(first - 1, head) and p.dep[first - 1] in ("compound", "amod", "poss", "case", "nmod", "nummod"):
        first -= 1
    return p.text[p.start[first] : p.end[head]]


def condition(p: Parse, v: int) -> str:
    """The condition of a clause as written: an if-clause below the verb, or an opening "for/subject to/unless …,"."""
    for k in p.kids[v]:
        if p.dep[k] == "advcl" and any(p.low[m] in _CONDITION_WORDS for m in p.kids[k]):
            below = [i for i in range(p.n) if p.inside(i, k)]
            return p.text[p.start[below[0]] : p.end[below[-1]]].strip(" ,.;")
    low = p.text[:60].lower()
    for opener in _CONDITION_OPENERS:
        if low.startswith(opener):
            comma = p.text.find(",")
            if 0 < comma <= 120 and comma < p.start[v] and not (opener == "for " and any(c.isdigit() for c in p.text[:comma])):
                return p.text[:comma].strip()
    at = -1
    for word in ("subject to ", "unless ", "provided that ", "in the event of "):
        if (found := p.text.find(word)) > 0:
            at = found
            break
    return p.text[at:].strip(" .;") if at > 0 else ""


@lru_cache(maxsize=4096)
def verb_kind(lemma: str) -> str:
    """'start' for verbs that begin a state, 'end' for verbs that end one, else ''."""
    return "start" if lemma in START_VERBS else "end" if lemma in END_VERBS else ""
