"""Sentences analysed by spaCy, each alone and once, as plain Python data.

The result for a sentence does not depend on the batch it is in: measured bit for bit on tensors, heads, labels, lemmas
and entities (tests/tasks/extract/test_properties.py repeats it). Nothing of a spaCy Doc outlives the batch.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache

BATCH_SENTENCES = 256
ZONE_SENTENCES = 4096

CLAUSE_DEPS = frozenset({"ROOT", "conj", "advcl", "relcl", "acl", "ccomp", "parataxis", "csubj", "pcomp", "appos", "dep"})


class Parse:
    """One sentence: parallel lists per token. `head` is the index of the governor (its own for the root)."""

    __slots__ = ("clause", "dep", "end", "ent", "ents", "head", "kids", "lemma", "low", "n", "start", "tag", "text", "words")

    def __init__(self, text, words, lemma, tag, dep, head, start, ents):
        self.text, self.n, self.words, self.lemma, self.tag, self.dep = text, len(words), words, lemma, tag, dep
        self.head, self.start, self.ents = head, start, ents
        self.low = [w.lower() for w in words]
        self.end = [s + len(w) for s, w in zip(start, words, strict=False)]
        kids: list[list[int]] = [[] for _ in words]
        for i, h in enumerate(head):
            if h != i:
                kids[h].append(i)
        self.kids = kids
        ent = [-1] * self.n
        for k, (first, last, _) in enumerate(ents):
            for i in range(first, last):
                ent[i] = k
        self.ent = ent
        clause = [-1] * self.n
        for i in range(self.n):
            path = []
            j = i
            while clause[j] < 0:
                path.append(j)
                if head[j] == j or (dep[j] in CLAUSE_DEPS and tag[j][:2] == "VB") or len(path) > self.n:
                    clause[j] = j
                    break
                j = head[j]
            for k in path:
                clause[k] = clause[j]
        self.clause = clause

    def kid(self, i: int, *deps: str) -> int:
        """First child with one of the dependency labels, or -1."""
        for k in self.kids[i]:
            if self.dep[k] in deps:
                return k
        return -1

    def all_kids(self, i: int, *deps: str) -> list[int]:
        return [k for k in self.kids[i] if self.dep[k] in deps]

    def label(self, i: int) -> str:
        return self.ents[self.ent[i]][2] if self.ent[i] >= 0 else ""

    def token_at(self, offset: int) -> int:
        """Index of the token that covers a character offset (or the last one before it)."""
        return max(0, bisect_right(self.start, offset) - 1)

    def conjuncts(self, i: int) -> list[int]:
        """The token and the nouns coordinated after it, in text order."""
        out, stack = [], [i]
        while stack:
            j = stack.pop()
            out.append(j)
            stack += [k for k in self.kids[j] if self.dep[k] == "conj" and self.tag[k][:2] != "VB"]
        return sorted(out)

    def inside(self, i: int, root: int) -> bool:
        """Whether token i hangs below (or is) root."""
        while i != root:
            if self.head[i] == i:
                return False
            i = self.head[i]
        return True


@lru_cache(maxsize=2)
def load_model(name: str):
    """The spaCy pipeline, loaded once per process. Raises LodeError where the model is missing."""
    import spacy

    from schemas.errors import LodeError

    try:
        return spacy.load(name)
    except OSError:
        raise LodeError(
            f"the spaCy model {name} is not installed", expected="the model that [extract] spacy_model names",
            fix="run `make setup`, or name an installed model",
        ) from None


def analyse(sentences: Sequence[str], model: str) -> Iterator[Parse]:
    """Parses in the order of `sentences`, which are distinct and have at least one word each."""
    from spacy.attrs import DEP, HEAD, IDX, LEMMA, TAG

    nlp = load_model(model)
    strings = nlp.vocab.strings
    for at in range(0, len(sentences), ZONE_SENTENCES):
        batch = sentences[at : at + ZONE_SENTENCES]
        memo: dict[int, str] = {}
        with nlp.memory_zone():
            for doc in nlp.pipe(batch, batch_size=BATCH_SENTENCES):
                table = doc.to_array([HEAD, DEP, TAG, LEMMA, IDX]).astype("int64")
                heads = table[:, 0].tolist()
                columns = []
                for c in (1, 2, 3):
                    column = []
                    for key in table[:, c].tolist():
                        word = memo.get(key)
                        if word is None:
                            word = memo[key] = strings[key & 0xFFFFFFFFFFFFFFFF] if key else ""
                        column.append(word)
                    columns.append(column)
                dep, tag, lemma = columns
                yield Parse(
                    doc.text, [t.text for t in doc], lemma, tag, dep, [i + h for i, h in enumerate(heads)],
                    table[:, 4].tolist(), [(e.start, e.end, e.label_) for e in doc.ents],
                )
