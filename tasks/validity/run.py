"""The validity stage over tables: joins each keyed mention with its cues and its document's dates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from schemas.ids import fold_name
from schemas.stage import Tables
from schemas.tables import TABLES
from schemas.time import day_of_instant
from tasks.validity.cues import Context, Cue, needs_text
from tasks.validity.lives import Lives
from tasks.validity.rules import Shown, Validity, decide, is_past
from tasks.validity.succession import Said, tell_history

_LOOK_BACK_CHARS = 600
_CLAIM_DAYS = ("start_min", "start_max", "end_min", "end_max")


def _seconds(column: pa.ChunkedArray) -> list[int | None]:
    return column.cast(pa.timestamp("s", tz="UTC")).cast(pa.int64()).to_pylist()


def _times(table: pa.Table, key: str, time: str) -> dict[str, int | None]:
    return dict(zip(table[key].to_pylist(), _seconds(table[time]), strict=True))


def run(config: Mapping[str, Any], tables: Tables) -> Tables:
    """One claim per row of `keyed`."""
    options = {**config["validity"], **config["dates"]}
    names = ("sentence", "sentence_start", "predicate_span", "cues", "extractor", "sentence_id")
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
    lives = Lives(tables["versions"], tables["blocks"], tables["lifetimes"], tables["sightings"])

    keyed = tables["keyed"]
    wanted = ("mention_id", "document_id", "chunk_id", "cardinality", "object_type", "modality", "key_id", "object_id", "object", "unit", "predicate")
    decided: list[Validity] = []
    recorded: list[tuple[int | None, int | None]] = []
    rivals: dict[tuple[str, str], list[tuple[int, Said]]] = {}
    for n, (mention_id, document, chunk, cardinality, kind, modality, key, object_id, shown_as, unit, predicate) in enumerate(
        zip(*(keyed[n].to_pylist() for n in wanted), strict=True)
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
        mention = mentions.get(mention_id)
        life = lives.of(document, mention[-1]) if mention else None
        recorded_from = life.first if life and life.first is not None else said
        recorded_to = life.gone if life and not life.stands else None
        last = life.last if life and not life.stands and life.last is not None else said
        shown = Shown(
            None if recorded_from is None else day_of_instant(recorded_from),
            None if last is None else day_of_instant(last),
            life is not None and lives.versions_of(document) > 1,
        )
        found = _decide(
            mention[:-1] if mention else None,
            (cardinality, kind, modality == "asserted"),
            text or "",
            (language or languages.get(document) or "en").split("-")[0].casefold(),
            shown,
            options,
            memo,
        )
        decided.append(found)
        recorded.append((recorded_from, recorded_to))
        if life is not None and lives.versions_of(document) > 1 and modality == "asserted":
            value = "\x1f".join((object_id or fold_name(shown_as), unit or ""))
            rivals.setdefault((document, key), []).append((n, Said(value, shown_as, kind, cardinality == "functional" or predicate.startswith("infobox "), life, found)))
    codes = [""] * len(decided)
    for members in rivals.values():
        for (n, _), (found, code) in zip(members, tell_history([s for _, s in members], config["history"]), strict=True):
            decided[n], codes[n] = found, code
    return {"claims": _claims(keyed, decided, recorded, codes)}


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


def _claims(
    keyed: pa.Table, decided: list[Validity], recorded: list[tuple[int | None, int | None]], codes: list[str]
) -> pa.Table:
    rows: dict[str, list] = {n: [getattr(f.interval, n) for f in decided] for n in _CLAIM_DAYS}
    for name in ("start_basis", "end_basis", "start_confidence", "end_confidence", "rule_id"):
        rows[name] = [getattr(f, name) for f in decided]
    rows |= {"recorded_from": [r[0] for r in recorded], "recorded_to": [r[1] for r in recorded], "history": codes}
    schema = TABLES["claims"].schema()
    table = keyed
    for name, values in rows.items():
        type_ = schema.field(name).type
        if name in _CLAIM_DAYS:
            column = pa.array(values, pa.int32()).cast(pa.date32())
        elif name.startswith("recorded_"):
            column = pa.array(values, pa.int64()).cast(type_)
        else:
            column = pa.array(values, type_)
        table = table.append_column(name, column)
    return TABLES["claims"].conform(table)
