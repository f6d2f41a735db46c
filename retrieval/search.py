"""One query over one release: filter, legs, fusion, order, evidence, context.

Access and time are filtered before ranking in every leg, and every row that is shown comes through `retrieval.gate`,
so nothing that the reader may not see is in the answer, its notes, its counts or its explanation. The same release and
the same query give the same answer. Any text is a legal query; fewer than k is said, and no filter is ever loosened.
"""

from __future__ import annotations

from dataclasses import replace

from retrieval import explain as explaining
from retrieval.answer import MIN_SUPPORT, STRONG_COSINE, confidence_of, focus, notices_of, support_of
from retrieval.evidence import Evidence, expansions, support
from retrieval.filters import access_only, failed_checks, make_filter, time_asked
from retrieval.fuse import fuse, run_legs
from retrieval.gate import Gate, as_doc
from retrieval.hooks import manager
from retrieval.lexicon import Lexicon, lexicon_of
from retrieval.match import match_fact, match_text
from retrieval.options import QueryOptions, check
from retrieval.pack import pack
from retrieval.ports import Candidate, Context, ReleaseReader
from retrieval.query import analyse
from retrieval.result import QueryResult
from schemas.search import matches

ALIAS_NUGGETS = 30  # nuggets whose written subjects are read, where no name matched
ALIAS_CLAIMS = 3


def search(reader: ReleaseReader, text: str, options: QueryOptions | None = None) -> QueryResult:
    """Answers one query. Raises UsageError on options that make no sense, never for the text."""
    options = options or QueryOptions()
    check(options)
    settings = reader.config.get("retrieval") or {}
    k = options.k or settings.get("k", 10)
    depth = max(settings.get("depth", 100), k)
    budget = settings.get("budget_tokens", 1200) if options.budget_tokens is None else options.budget_tokens
    lexicon = lexicon_of(reader.config)
    question = analyse(text, lexicon)
    time, notes = time_asked(options, question, reader.as_of)
    filter = make_filter(options, time, reader.config)
    gate = Gate(reader, filter)
    ctx = Context(question, filter, time, reader, gate, reader.as_of, k, [*notes, *question.notes])
    hooks = manager(tuple(options.plugins)).hook

    legs = run_legs(reader, question, filter, depth)
    ctx.notes += legs.notes
    rrf_k = settings.get("rrf_k", 60)
    pool_size = max(40, 4 * k)
    first = _ready(ctx, lexicon, fuse(legs, rrf_k)[:pool_size])
    _read_aliases(ctx, lexicon, first)
    matched = {c.id: c for c in first}
    for n, extra in enumerate(hooks.retrieve_supplement(ctx=ctx, candidates=first)):
        for store in ("nuggets", "chunks"):
            if found := [i for s, i in extra or () if s == store]:
                legs.add(f"{store}:supplement" + (f":{n}" if n else ""), store, found)
    fused = fuse(legs, rrf_k)
    wanted = {c.id for c in first} | {i for leg, ids in legs.ranked.items() if ":supplement" in leg for i in ids}
    pool = _ready(ctx, lexicon, [c for c in fused if c.id in wanted], matched)
    pool = _only(pool, hooks.rrf_post_merge(ctx=ctx, candidates=pool))
    ordered = _only(pool, hooks.rerank_merged(ctx=ctx, candidates=pool))

    kept = _drop_unsupported(ordered)
    if options.focus:
        kept = focus(ctx, lexicon, kept)
    kept = _drop_duplicates(kept, hooks.evidence_dedupe(ctx=ctx, candidates=kept) or {})
    results, evidence = _with_evidence(ctx, hooks, kept, k)
    groups = hooks.evidence_group(ctx=ctx, candidates=results) or {}
    for c in results:
        c.group = groups.get(c.id, "")

    result = QueryResult(reader.release_id, text, time, options.view, filter, results, evidence, notes=ctx.notes)
    best = max((support_of(c) for c in results), default=0.0)
    result.abstained = best < MIN_SUPPORT
    result.confidence = confidence_of(ctx, results)
    result.withheld = _withheld(ctx, lexicon, ordered, results)
    _say(ctx, result, k)
    more = expansions(gate, results, filter) if options.expand and budget else {}
    packed = pack(results, evidence, budget, notices_of(result), more)
    result.context, result.packed = packed.context, packed.shown
    for i, extra in packed.extra.items():
        evidence[i] = [*evidence[i], *extra]
    if len(packed.shown) < len(results):
        ctx.notes.append(f"the context holds {len(packed.shown)} of {len(results)} results: the budget is {budget} tokens")
    if options.explain:
        whole = explaining.funnel(gate, legs, fused, ordered, [c.id for c in results], packed.shown)
        named = options.explain if isinstance(options.explain, str) else None
        result.explain = whole if named is None else explaining.one(gate, filter, named, whole, depth)
    return result


def _ready(ctx: Context, lexicon: Lexicon, candidates: list[Candidate], known: dict[str, Candidate] | None = None) -> list[Candidate]:
    """Candidates with their readable rows and matches (those of `known` are taken over).

    What does not come through the gate, or the filter, is gone.
    """
    nuggets = ctx.gate.nuggets([c.id for c in candidates if c.store == "nuggets"], {c.id for c in candidates if c.from_store})
    chunks = ctx.gate.chunks([c.id for c in candidates if c.store == "chunks"])
    out = []
    for c in candidates:
        row = (nuggets if c.store == "nuggets" else chunks).get(c.id)
        if row is None or (any(":supplement" in leg for leg in c.legs) and not matches(as_doc(row), ctx.filter)):
            continue
        c.row = row
        if known and c.id in known:
            c.names, c.match = known[c.id].names, known[c.id].match
        else:
            c.match = match_fact(ctx.question, lexicon, c) if c.store == "nuggets" else match_text(ctx.question, c)
        out.append(c)
    return out


def _read_aliases(ctx: Context, lexicon: Lexicon, candidates: list[Candidate]) -> None:
    """Where no fact's name is in the question: the subjects as readable documents write them, for facts it words."""
    if any(c.match.answers for c in candidates):
        return
    unnamed = [c for c in candidates if c.is_fact and c.match.worded][:ALIAS_NUGGETS]
    if not unnamed:
        return
    claims = ctx.gate.claims(i for c in unnamed for i in c.row["claim_ids"][:ALIAS_CLAIMS])
    mentions = ctx.gate.mentions(claims.values())
    for c in unnamed:
        written = {mentions[claims[i]["mention_id"]]["subject"] for i in c.row["claim_ids"][:ALIAS_CLAIMS]
                   if i in claims and claims[i]["mention_id"] in mentions}
        c.names = tuple(sorted(written - {c.row["subject"]}))
        c.match = match_fact(ctx.question, lexicon, c)


def _only(known: list[Candidate], answered: list[Candidate] | None) -> list[Candidate]:
    """A hook's order of the candidates it was given: nothing new, nothing twice."""
    if answered is None:
        return known
    left = {id(c) for c in known}
    out = []
    for c in answered:
        if id(c) in left:
            left.discard(id(c))
            out.append(c)
    for c in known:
        if id(c) in left:
            c.outcome = "dropped by a hook"
    return out


def _drop_unsupported(ordered: list[Candidate]) -> list[Candidate]:
    """Without what no leg but the vectors found, where neither a word nor a high cosine ties it to the question."""
    kept = []
    for c in ordered:
        lexical = any(not leg.endswith(":dense") for leg in c.legs)
        if lexical or c.match.coverage > 0 or c.cosine >= STRONG_COSINE:
            kept.append(c)
        else:
            c.outcome = "dropped: no word of the question, and no near vector"
    return kept


def _drop_duplicates(kept: list[Candidate], doubles: dict[str, str]) -> list[Candidate]:
    by_id = {c.id: c for c in kept}
    out = []
    for c in kept:
        into = by_id.get(doubles.get(c.id, ""))
        if into is None or into is c or into.id in doubles:
            out.append(c)
        else:
            into.merged.append(c)
            c.outcome = f"duplicate of {into.id}"
    return out


def _with_evidence(ctx: Context, hooks, kept: list[Candidate], k: int) -> tuple[list[Candidate], dict[str, list[Evidence]]]:
    """The first k that have readable evidence, with it, and with their rivals (which need readable evidence too)."""
    results: list[Candidate] = []
    evidence: dict[str, list[Evidence]] = {}
    at = 0
    while len(results) < k and at < len(kept):
        part = kept[at : at + k - len(results)]
        at += len(part)
        conflicts = hooks.evidence_conflict(ctx=ctx, candidates=part) or {}
        rows = ctx.gate.nuggets(sorted({i for ids in conflicts.values() for i in ids}))
        rows = {i: row for i, row in rows.items() if matches(as_doc(row), ctx.filter)}
        others = [Candidate(i, "nuggets", row=row) for i, row in rows.items() if i not in {c.id for c in part}]
        found = support(ctx.gate, [*part, *others])
        for c in part:
            if found[c.id]:
                c.rivals = [rows[i] for i in sorted(set(conflicts.get(c.id, ()))) if i in rows and found.get(i)]
                results.append(c)
                evidence[c.id] = found[c.id]
            else:
                c.outcome = "dropped: no readable evidence"
    for c in kept[at:]:
        c.outcome = c.outcome or "below k"
    return results, evidence


def _withheld(ctx: Context, lexicon: Lexicon, ordered: list[Candidate], results: list[Candidate]) -> int:
    """Facts of the results' keys that this reader may see, but not under this view or time.

    Where no fact answers a question that words a relation, the keys are looked for without view and time, so that "it
    is contested" or "not then" can be told from "nothing is known"; none of it becomes a result.
    """
    keys = {c.row["key_id"] for c in results if c.is_fact}
    if ctx.question.predicates and not any(c.match.answers for c in ordered):
        bare = replace(access_only(ctx.filter), kinds=ctx.filter.kinds, languages=ctx.filter.languages)
        probe = _probe(ctx, bare)
        rows = [Candidate(i, "nuggets", row=row) for i, row in ctx.gate.nuggets(probe, probe).items() if row["kind"] != "statement"]
        keys |= {c.row["key_id"] for c in rows if match_fact(ctx.question, lexicon, c).answers}
    withheld = set()
    for row in ctx.siblings(sorted(keys)):
        failed = set(failed_checks(as_doc(row), ctx.filter))
        if failed and failed <= {"view", "time", "known_at"}:
            withheld.add((row["value_id"], row["start_min"], row["start_max"], row["end_min"], row["end_max"], row["state"]))
    return len(withheld)  # one fact that two labels of the reader hold counts once


def _probe(ctx: Context, filter) -> list[str]:
    """Ids of the first nuggets by BM25 alone under another filter; [] where that leg fails."""
    try:
        return [str(i) for i, _ in ctx.reader.sparse("nuggets").search(" ".join(ctx.question.keywords), filter, 20)]
    except Exception:  # the failed leg has been reported already
        return []


def _say(ctx: Context, result: QueryResult, k: int) -> None:
    if not ctx.question.keywords:
        ctx.notes.append("the query holds no word to search for")
    if len(result.results) < k:
        ctx.notes.append(f"{len(result.results)} of {k} wanted: nothing else passes the filters and bears on the question")
    if result.abstained:
        ctx.notes.append("abstained: nothing found supports the question")
    if any(c.rivals for c in result.results):
        ctx.notes.append("sources disagree: see `conflicts`")
    if result.withheld:
        ctx.notes.append(f"{result.withheld} more fact(s) of the same keys lie outside this view or time")
