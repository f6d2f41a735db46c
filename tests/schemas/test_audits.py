"""Every audit: one set of tables it passes, one it fails."""

import tempfile
from pathlib import Path

import pyarrow as pa
import pytest

from schemas.audits import AUDITS
from schemas.tables import TABLES
from warehouse.auditing import run_audits
from warehouse.duck import connect, literal, quote
from warehouse.objects import parquet_bytes

BY_NAME = {a.name: a for a in AUDITS}

DEFAULTS = {"string": "", "int32": 0, "float": 0.5, "double": 0.5, "bool": False, "large_binary": b""}


def row(table: str, **given) -> dict:
    """A legal row with the given values."""
    out = {}
    for field in TABLES[table].schema():
        if field.name in given:
            out[field.name] = given[field.name]
        elif field.nullable:
            out[field.name] = None
        else:
            out[field.name] = [] if pa.types.is_list(field.type) else DEFAULTS[str(field.type)]
    return out


def found(name: str, **tables) -> int:
    con = connect()
    with tempfile.TemporaryDirectory() as folder:
        for table, spec in TABLES.items():
            if table not in BY_NAME[name].sql:
                continue
            rows = [row(table, **r) for r in tables.get(table, [])]
            path = Path(folder) / f"{table}.parquet"
            path.write_bytes(parquet_bytes(spec.from_rows(rows)))
            con.execute(f"CREATE VIEW {quote(table)} AS SELECT * FROM read_parquet({literal(str(path))})")
        return run_audits(con, [BY_NAME[name]])[0]["bad_rows"]


def day(n):
    return pa.scalar(n, pa.date32()).as_py()


GOOD = {
    "documents_conserved": {"raw": [{"document_id": "a", "raw": b"x"}, {"document_id": "b", "raw": b"x"}], "documents": [{"document_id": "a"}],
                            "quarantine": [{"quarantine_id": "q", "document_id": "b"}]},
    "elements_conserved": {"elements": [{"element_id": "e"}, {"element_id": "f"}], "chunks": [{"chunk_id": "c", "element_ids": ["e"]}],
                           "quarantine": [{"quarantine_id": "q", "where": "f"}]},
    "sentences_decided": {"sentences": [{"sentence_id": "a", "analysis": "analysed"}, {"sentence_id": "b", "analysis": "dropped:too_long"}]},
    "mentions_conserved": {"mentions": [{"mention_id": "m"}, {"mention_id": "n"}], "claims": [{"claim_id": "c", "mention_id": "m"}],
                           "quarantine": [{"quarantine_id": "q", "where": "n"}]},
    "claims_conserved": {"claims": [{"claim_id": "c"}, {"claim_id": "d"}], "nuggets": [{"nugget_id": "n", "label": "public", "claim_ids": ["c"]},
                         {"nugget_id": "m", "label": "board", "claim_ids": ["c"]}],
                         "decisions": [{"decision_id": "x", "claim_id": "d", "verdict": "rejected"}]},
    "claims_readable": {"claims": [{"claim_id": "c", "label": "public"}, {"claim_id": "d", "label": "board"}],
                        "nuggets": [{"nugget_id": "n", "label": "board", "claim_ids": ["c", "d"]}]},
    "claims_exist": {"claims": [{"claim_id": "c"}], "nuggets": [{"nugget_id": "n", "claim_ids": ["c"]}]},
    "mentions_exist": {"claims": [{"claim_id": "c", "mention_id": "m"}], "mentions": [{"mention_id": "m", "chunk_id": "k"}], "chunks": [{"chunk_id": "k"}]},
    "chains_exist": {"nuggets": [{"nugget_id": "a", "superseded_by": ["b"]}, {"nugget_id": "b", "supersedes": ["a"]}]},
    "intervals_legal": {"claims": [{"claim_id": "c", "start_min": day(1), "start_max": day(2), "end_min": day(2), "end_max": day(9)}, {"claim_id": "d"}]},
    "states_known": {"nuggets": [{"nugget_id": "n", "state": "contested"}]},
    "reasons_given": {"nuggets": [{"nugget_id": "n", "reason": "only_value", "claim_ids": ["c"]}]},
    "texts_there": {"chunks": [{"chunk_id": "c", "document_id": "d", "text_object": "t"}], "texts": [{"document_id": "d", "text_object": "t"}]},
}
BAD = {
    "documents_conserved": {"raw": [{"document_id": "a", "raw": b"x"}]},
    "elements_conserved": {"elements": [{"element_id": "e"}]},
    "sentences_decided": {"sentences": [{"sentence_id": "a", "analysis": "maybe"}]},
    "mentions_conserved": {"mentions": [{"mention_id": "m"}], "claims": [{"claim_id": "c", "mention_id": "m"}, {"claim_id": "d", "mention_id": "m"}]},
    "claims_conserved": {"claims": [{"claim_id": "c"}], "nuggets": [{"nugget_id": "n", "label": "public", "claim_ids": ["c"]}, {"nugget_id": "m", "label": "public", "claim_ids": ["c"]}]},
    "claims_readable": {"claims": [{"claim_id": "d", "label": "board"}], "nuggets": [{"nugget_id": "n", "label": "public", "claim_ids": ["d"]}]},
    "claims_exist": {"nuggets": [{"nugget_id": "n", "claim_ids": ["c"]}]},
    "mentions_exist": {"mentions": [{"mention_id": "m", "chunk_id": "k"}]},
    "chains_exist": {"nuggets": [{"nugget_id": "a", "superseded_by": ["b"]}]},
    "intervals_legal": {"nuggets": [{"nugget_id": "n", "start_min": day(5), "end_max": day(5)}]},
    "states_known": {"nuggets": [{"nugget_id": "n", "state": "gone"}]},
    "reasons_given": {"nuggets": [{"nugget_id": "n", "reason": "only_value"}]},
    "texts_there": {"chunks": [{"chunk_id": "c", "document_id": "d", "text_object": "t"}]},
}
for _audit in AUDITS:
    if _audit.name.endswith("_unique"):
        _table = _audit.name.removesuffix("_unique")
        _keys = {k: "x" for k in TABLES[_table].key}
        GOOD[_audit.name] = {_table: [_keys, {k: "y" for k in _keys}]}
        BAD[_audit.name] = {_table: [_keys, _keys]}


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_passes(name):
    assert found(name, **GOOD[name]) == 0
    assert found(name) == 0, "an empty release has no bad rows"


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_fails(name):
    assert found(name, **BAD[name]) == 1
