"""Which subject and which predicate words name: exact first, aliases next, and helpful near misses where nothing fits.

With an `Access`, only names that this reader may see are looked at: those of visible facts, and those written in readable
documents. A hidden subject and a missing one then give the same answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from retrieval.inspection.find import ID, MIN_PREFIX
from retrieval.inspection.rows import Rows, listed
from retrieval.inspection.visible import Access
from retrieval.lexicon import lexicon_of
from retrieval.words import STOP_WORDS, words
from schemas.errors import LodeError
from schemas.predicates import fold_alias
from warehouse.duck import literal

NEAR = 6
NEAR_SCORE = 55.0  # 0..100
POOL = 400  # names that are scored
_OWN_WORDINGS = ("aliases", "columns", "infobox", "verbs")


@dataclass
class Subject:
    """One subject of facts: id, display name, whether the text is its name or an alias, nuggets per predicate."""

    id: str
    name: str
    tier: int
    predicates: dict[str, int] = field(default_factory=dict)

    def list_predicates(self, most: int = 12) -> str:
        ranked = sorted(self.predicates.items(), key=lambda p: (-p[1], p[0]))
        return ", ".join(f"{p} ({n})" for p, n in ranked[:most]) + (", …" if len(ranked) > most else "")


def facts(access: Access | None) -> str:
    """The nuggets that are looked at, as SQL."""
    if access is None:
        return "nuggets"
    return (f"(SELECT n.* FROM nuggets n SEMI JOIN (SELECT key_id, id FROM nugget_docs WHERE {access.fact()}) d "
            "ON n.key_id = d.key_id AND n.nugget_id = d.id)")


def _aliases(access: Access | None) -> str:
    """(id, name) of every alias, as SQL."""
    if access is None:
        return ("(SELECT entity_id AS id, entity_name AS name FROM entities UNION SELECT entity_id, surface FROM entities "
                "UNION SELECT entity_id, target FROM entities)")
    readable = f"(SELECT document_id FROM documents WHERE {access.row()})"
    return (f"(SELECT entity_id AS id, surface AS name FROM links WHERE document_id IN {readable} "
            f"UNION SELECT entity_id, target FROM links WHERE document_id IN {readable})")


def folded(sql: str) -> str:
    """How names are compared, as SQL: without case, by NFC."""
    return f"lower(nfc_normalize({sql}))"


def subjects(rows: Rows, text: str, access: Access | None = None) -> list[Subject]:
    """Subjects of facts that the text names, or whose id begins with it, best first; [] where there is none."""
    wanted, held = " ".join(text.split()), facts(access)
    name = folded(literal(wanted))
    parts = [
        f"SELECT subject_id AS id, 0 AS tier FROM {held} WHERE {folded('subject')} = {name}",
        f"SELECT id, 1 AS tier FROM {_aliases(access)} WHERE {folded('name')} = {name}",
    ]
    if len(wanted) >= MIN_PREFIX and ID.match(wanted.lower()):
        parts.append(f"SELECT subject_id AS id, -1 AS tier FROM {held} WHERE starts_with(subject_id, {literal(wanted.lower())})")
    found = rows.all(f"SELECT id, min(tier) AS tier FROM ({' UNION ALL '.join(parts)}) GROUP BY id")
    tiers = {r["id"]: r["tier"] for r in found}
    if not tiers:
        return []
    out: dict[str, Subject] = {}
    for r in rows.all(f"SELECT subject_id, subject, predicate, count(*) AS n FROM {held} WHERE subject_id IN {listed(list(tiers))} GROUP BY ALL ORDER BY ALL"):
        one = out.setdefault(r["subject_id"], Subject(r["subject_id"], r["subject"], tiers[r["subject_id"]]))
        one.predicates[r["predicate"]] = one.predicates.get(r["predicate"], 0) + r["n"]
    return sorted(out.values(), key=lambda s: (s.tier, -sum(s.predicates.values()), s.id))


def near_subjects(rows: Rows, text: str, access: Access | None = None) -> list[str]:
    """Names of subjects that look like the text, best first, each with its subject where that is called otherwise."""
    from rapidfuzz import fuzz

    held, wanted = facts(access), " ".join(text.split())
    name = folded(literal(wanted))
    like = (f"SELECT DISTINCT subject AS name, subject, {folded('subject')} AS folded FROM {held} UNION "
            f"SELECT a.name, s.subject, {folded('a.name')} FROM {_aliases(access)} a JOIN (SELECT DISTINCT subject_id, subject FROM {held}) s ON s.subject_id = a.id")
    pool = rows.all(
        f"SELECT name, subject, jaro_winkler_similarity(folded, {name}) + (contains(folded, {name}) OR (length(folded) > 3 AND contains({name}, folded)))::INT AS score "
        f"FROM ({like}) WHERE name <> '' ORDER BY score DESC, name, subject LIMIT {POOL}"
    )

    def alike(name: str) -> float:
        """0..100: letter by letter, or less surely as a part."""
        return max(fuzz.ratio(name.lower(), wanted.lower()), 0.85 * fuzz.WRatio(name.lower(), wanted.lower()))

    scored = sorted(((alike(r["name"]), r["name"], r["subject"]) for r in pool), key=lambda s: (-s[0], s[1], s[2]))
    shown = [name if name == subject else f"{name} (→ {subject})" for score, name, subject in scored if score >= NEAR_SCORE]
    return list(dict.fromkeys(shown))[:NEAR]


def predicates_of(config: dict[str, Any], text: str, known: set[str]) -> list[str]:
    """Predicates that the text names or words, best kind of match alone: the name, a wording, a wording in other forms.

    `known` are the names that the facts hold, which are not all in the predicate file. [] where nothing fits.
    """
    section, folded = config.get("predicates") or {}, fold_alias(text)
    named = sorted(p for p in {*section, *known} if p == text or fold_alias(p) == folded)
    if named:
        return named
    worded = sorted(p for p, body in section.items() for f in _OWN_WORDINGS if folded in {fold_alias(w) for w in body.get(f) or ()})
    if worded:
        return sorted(set(worded))
    tokens = words(text)
    for match in lexicon_of(config).find(tokens):
        if all(t in STOP_WORDS for t in (*tokens[: match.start], *tokens[match.end :])):
            return sorted({w.predicate for w in match.wordings if not w.swapped})
    return []


def near_predicates(config: dict[str, Any], text: str, known: set[str]) -> list[str]:
    """Predicates whose names or wordings look like the text, best first."""
    from rapidfuzz import fuzz

    section, folded = config.get("predicates") or {}, fold_alias(text)
    best: dict[str, float] = {}
    for name in {*section, *known}:
        wordings = {name, *(w for f in _OWN_WORDINGS for w in (section.get(name) or {}).get(f) or ())}
        best[name] = max(fuzz.ratio(fold_alias(w), folded) for w in wordings)
    return [p for p, score in sorted(best.items(), key=lambda b: (-b[1], b[0])) if score >= 70.0][:NEAR]


@dataclass(frozen=True)
class Chosen:
    """A subject and a predicate that it has; `notes` say what else the words could mean."""

    subject: Subject
    predicate: str
    notes: tuple[str, ...] = ()


def choose(rows: Rows, subject: str, predicate: str, access: Access | None = None) -> Chosen:
    """The one subject and the one predicate that the words name.

    LodeError where there is none or several, with what comes near, and which predicates the subject has.
    """
    found = subjects(rows, subject, access)
    if not found:
        near = near_subjects(rows, subject, access)
        raise LodeError(
            f"no subject of a fact is called {subject!r} in release {rows.release.id}",
            expected=f"a name, an alias or an entity id; near: {', '.join(near)}" if near else "a name, an alias or an entity id",
            fix="ask `lode query` which facts there are",
        )
    known = {p for s in found for p in s.predicates}
    meant = predicates_of(rows.release.config, predicate, known)
    having = [(s, [p for p in meant if p in s.predicates]) for s in found]
    having = [(s, held) for s, held in having if held]
    if not having:
        raise _no_predicate(rows, found, predicate, meant, known)
    notes: list[str] = []
    best = [h for h in having if h[0].tier == having[0][0].tier]
    if len(best) > 1:
        raise LodeError(
            f"{len(best)} subjects are called {subject!r} and have such facts",
            expected="one: " + ", ".join(f"{s.name} {s.id} ({sum(s.predicates[p] for p in held)} nuggets)" for s, held in best[:NEAR]),
            fix=f"lode history {best[0][0].id} {best[0][1][0]}",
        )
    (one, held), others = best[0], [s for s, _ in having[1:]]
    if others:
        notes.append("also called so: " + ", ".join(f"{s.name} {s.id}" for s in others[:NEAR]))
    if len(held) > 1:
        raise LodeError(
            f"{predicate!r} words {len(held)} predicates that {one.name} has",
            expected="one: " + ", ".join(f"{p} ({one.predicates[p]})" for p in held), fix=f"lode history {one.id} {held[0]}",
        )
    return Chosen(one, held[0], tuple(notes))


def _no_predicate(rows: Rows, found: list[Subject], text: str, meant: list[str], known: set[str]) -> LodeError:
    has = "; ".join(f"{s.name} has {s.list_predicates()}" for s in found[:3])
    if meant:
        return LodeError(f"{found[0].name} has no facts of {' or '.join(meant)}", expected=has)
    near = near_predicates(rows.release.config, text, known)
    return LodeError(f"no predicate is called {text!r}" + (f"; near: {', '.join(near)}" if near else ""), expected=has)
