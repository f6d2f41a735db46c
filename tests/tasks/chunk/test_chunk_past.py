"""Elements whose text is lost: each is told, and nothing else of the page goes with it."""

import pytest

from schemas.tables import TABLES
from tasks.chunk import STAGE

from .builders import CHUNK, parse, raw_row

TEXTS = ["The mill stands.\n\nIt had two wheels.", "The mill stands.\n\nIt burnt one night.", "The mill stands.\n\nIt is a ruin."]


def page_tables():
    rows = [
        raw_row("7", text, "text/x-wiki", revision=str(n + 1), time=n * 40 * 86400, title="Mill")
        for n, text in enumerate(TEXTS)
    ]
    parsed = parse(rows)
    return {read.table: parsed[read.table] for read in STAGE.steps[0].reads}


def lost_objects():
    return sorted(page_tables()["texts"]["text_object"].to_pylist())


@pytest.mark.parametrize("n", range(3))
def test_a_missing_text_costs_its_own_elements_alone(n):
    tables = page_tables()
    before = STAGE.steps[0].run({"chunk": CHUNK}, tables)["chunks"].to_pylist()
    assert {c["text"] for c in before} >= {"The mill stands.", "It had two wheels.", "It burnt one night.", "It is a ruin."}
    lost = lost_objects()[n]
    texts = [t for t in tables["texts"].to_pylist() if t["text_object"] != lost]
    out = STAGE.steps[0].run({"chunk": CHUNK}, {**tables, "texts": TABLES["texts"].from_rows(texts)})
    chunks, notes = out["chunks"].to_pylist(), out["quarantine"].to_pylist()
    assert {c["chunk_id"] for c in chunks} == {c["chunk_id"] for c in before if c["text_object"] != lost}
    assert [c["ordinal"] for c in chunks] == list(range(len(chunks)))
    dropped = {q["where"] for q in notes}
    assert {(q["reason"], q["severity"]) for q in notes} == {("dropped:text_missing", "error")}
    placed = {e for c in chunks for e in c["element_ids"]}
    assert placed | dropped == set(tables["elements"]["element_id"].to_pylist()) and not placed & dropped
