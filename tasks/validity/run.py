"""The validity stage over tables: joins each keyed mention with its cues and its document's dates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from schemas.stage import Tables
from schemas.tables import TABLES
from schemas.time import day_of_instant
from tasks.validity.cues import Context, Cue, needs_text
from tasks.validity.rules import Shown, Validity, decide, is_past

_LOOK_BACK_CHARS = 600
_CLAIM_DAYS = ("start_min", "start_max", "end_min", "end_max")


def _seconds(column: pa.ChunkedArray) -> list[int | None]:
    return column.cast(pa.timestamp("s", tz="UTC")).cast(pa.int64()).to_pylist()


def _times(table: pa.Table, key: str, time: str) -> dict[str, int | None]:
    return dict(zip(table[key].to_pylist(), _seconds(table[time]), strict=True))


def lifetimes_of(table: pa.Table) -> dict[tuple[str, str], tuple[int | None, int | None]]:
    """(document_id, block_id) -> first and last second shown; the last is None while the block stands at the head."""
    out: dict[tuple[str, str], tuple[int | None, int | None]] = {}
    rows = zip(
        table["document_id"].to_pylist(),
        table["block_id"].to_pylist(),
        _seconds(table["from_time"]),
        _seconds(table["to_time"]),
        table["last_revision"].to_pylist(),
        strict=True,
    )
    for document, block, start, end, last in rows:
        standing = last is None and end is None
        key = (document, block)
        if key in out:
            first, until = out[key]
            start = first if start is None else start if first is None else min(first, start)
            end = None if standing or until is None else max(until, end) if end is not None else until
        out[key] = (start, None if standing else end)
    return out


def run(config: Mapping[str, Any], tables: Tables) -> Tables:
    """One claim per row of `keyed`."""
    options = {**config["validity"], **config["dates"]}
    names = ("sentence", "sentence_start", "predicate_span", "cues", "extractor")
    mentions = {
        m: row
        for m, *row in zip(
            tables["mentions"]["mention_id"].to_pylist(),
            *(tables["mentions"][n].to_pylist() for n in names),
            strict=True,
        )
    }
    memo: dict[tuple, Validity] = {}
    chunk_dates = _times(tables["chunks"], "chunk_id", "source_date")
    chunks = {
        c: (v, b, lang, text)
        for c, v, b, lang, text in zip(
            *(tables["chunks"][n].to_pylist() for n in ("chunk_id", "version_id", "block_id", "language", "text")),
            strict=True,
        )
    }
    document_dates = _times(tables["documents"], "document_id", "source_date")
    languages = dict(
        zip(tables["documents"]["document_id"].to_pylist(), tables["documents"]["language"].to_pylist(), strict=True)
    )
    version_times = _times(tables["versions"], "version_id", "time")
    history: dict[str, int] = {}
    for document in tables["versions"]["document_id"].to_pylist():
        history[document] = history.get(document, 0) + 1
    lifetimes = lifetimes_of(tables["lifetimes"])

    keyed = tables["keyed"]
    wanted = ("mention_id", "document_id", "chunk_id", "cardinality", "object_type", "modality")
    rows: dict[str, list] = {
        n: []
        for n in (
            *_CLAIM_DAYS,
            "start_basis",
            "end_basis",
            "start_confidence",
            "end_confidence",
            "rule_id",
            "recorded_from",
            "recorded_to",
        )
    }
    for mention_id, document, chunk, cardinality, kind, modality in zip(
        *(keyed[n].to_pylist() for n in wanted), strict=True
    ):
        version, block, language, text = chunks.get(chunk, (None, None, None, ""))
        said = next(
            (
                t
                for t in (chunk_dates.get(chunk), version_times.get(version), document_dates.get(document))
                if t is not None
            ),
            None,
        )
        life = lifetimes.get((document, block)) if block else None
        recorded_from, recorded_to = life if life else (said, None)
        if recorded_from is None:
            recorded_from = said
        last = recorded_to if recorded_to is not None else said
        shown = Shown(
            None if recorded_from is None else day_of_instant(recorded_from),
            None if last is None else day_of_instant(last),
            life is not None and history.get(document, 0) > 1,
        )
        found = _decide(
            mentions.get(mention_id),
            (cardinality, kind, modality == "asserted"),
            text or "",
            (language or languages.get(document) or "en").split("-")[0].casefold(),
            shown,
            options,
            memo,
        )
        _append(rows, found, recorded_from, recorded_to)
    return {"claims": _claims(tables["keyed"], rows)}


def _decide(
    mention: list | None,
    what: tuple[str, str, bool],
    text: str,
    language: str,
    shown: Shown,
    options: Mapping[str, Any],
    memo: dict[tuple, Validity],
) -> Validity:
    """One mention's validity; the same cues in the same circumstances are worked out once per run."""
    sentence, at, span, raw_cues, extractor = mention or ("", 0, None, None, "")
    cardinality, object_type, asserted = what
    family = (extractor or "").split(":")[0]
    trigger = (span["start"], span["end"]) if span else None
    past = is_past(sentence or "", trigger, family)
    cues = [Cue(c["role"] or "", c["text"] or "", c["start"] or 0) for c in raw_cues or ()]
    alone = not any(needs_text(c.text) for c in cues)
    key = (tuple(cues), what, family, past, shown, language) if alone else None
    if key is not None and key in memo:
        return memo[key]
    before = "" if alone else text[max(0, (at or 0) - _LOOK_BACK_CHARS) : at or 0]
    context = Context(shown.last, before, sentence or "", language, bool(options["day_first"]))
    found = decide(
        cues,
        context,
        shown,
        cardinality=cardinality,
        object_type=object_type,
        extractor=family,
        asserted=asserted,
        past=past,
        use_document_date=bool(options["use_document_date"]),
    )
    if key is not None:
        memo[key] = found
    return found


def _append(rows: dict[str, list], found: Validity, recorded_from: int | None, recorded_to: int | None) -> None:
    for name in _CLAIM_DAYS:
        rows[name].append(getattr(found.interval, name))
    for name in ("start_basis", "end_basis", "start_confidence", "end_confidence", "rule_id"):
        rows[name].append(getattr(found, name))
    rows["recorded_from"].append(recorded_from)
    rows["recorded_to"].append(recorded_to)


def _claims(keyed: pa.Table, rows: dict[str, list]) -> pa.Table:
    schema = TABLES["claims"].schema()
    table = keyed
    for name, values in rows.items():
        type_ = schema.field(name).type
        if name in _CLAIM_DAYS:
            column = pa.array(values, pa.int32()).cast(pa.date32())
        elif name.startswith("recorded"):
            column = pa.array(values, pa.int64()).cast(type_)
        else:
            column = pa.array(values, type_)
        table = table.append_column(name, column)
    return TABLES["claims"].conform(table)
