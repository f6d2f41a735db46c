"""`lode sql` and `Release.sql` read one release and change nothing, however the statement is written."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pandas as pd
import pytest

import motherlode
from schemas.errors import UsageError
from warehouse.layout import Warehouse
from warehouse.readonly import connect_readonly, reading
from warehouse.releases import open_release

READING = [
    "SELECT count(*) AS n FROM nuggets", "WITH a AS (SELECT 1 AS x) SELECT x FROM a", "VALUES (1), (2)", "FROM chunks SELECT chunk_id LIMIT 1",
    "DESCRIBE nuggets", "SUMMARIZE lineage", "SHOW TABLES", "SHOW ALL TABLES", "EXPLAIN SELECT count(*) FROM nuggets",
    "EXPLAIN /* größer */ ANALYZE SELECT count(*) FROM nuggets", "EXPLAIN (FORMAT json) SELECT 1", "EXPLAIN (SELECT 1)", "(SELECT 1) UNION ALL SELECT 2",
    "WITH RECURSIVE a AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM a WHERE x < 3) FROM a", "SELECT 1; -- the end", "TABLE lineage",
    "PIVOT nuggets ON state IN ('active', 'contested') USING count(*) GROUP BY predicate", "UNPIVOT (SELECT 1 AS a, 2 AS b) ON a, b",
    "SELECT g, count(*) FROM nuggets, unnest(acl) AS u(g) GROUP BY ALL", "FROM range(3)", "FROM query_table('nuggets') LIMIT 1", "FROM duckdb_views() LIMIT 1",
    "SELECT list_transform(source_spans, lambda s: s.start) FROM chunks LIMIT 1", "SELECT 'COPY x TO y; DROP VIEW nuggets' AS text",
]
CHANGING = {  # what is said of it
    "COPY nuggets TO '{out}'": "COPY statement",
    "COPY (SELECT 1) TO '{out}' (FORMAT parquet)": "COPY statement",
    "ATTACH '{out}'": "ATTACH statement",
    "DETACH memory": "DETACH statement",
    "USE memory": "SET statement",
    "INSTALL httpfs": "LOAD statement",
    "LOAD json": "LOAD statement",
    "UPDATE EXTENSIONS": "statement",
    "EXPORT DATABASE '{out}'": "EXPORT statement",
    "IMPORT DATABASE '{out}'": "PRAGMA statement",
    "CREATE TABLE mine AS SELECT 1": "CREATE statement",
    "CREATE TEMP VIEW mine AS SELECT 1": "CREATE statement",
    "CREATE OR REPLACE VIEW nuggets AS SELECT 1": "CREATE statement",
    "CREATE MACRO mine() AS 1": "CREATE statement",
    "CREATE PERSISTENT SECRET mine (TYPE s3)": "CREATE statement",
    "DROP VIEW nuggets": "DROP statement",
    "INSERT INTO nuggets VALUES (1)": "INSERT statement",
    "WITH a AS (SELECT 1) INSERT INTO nuggets FROM a": "INSERT statement",
    "UPDATE nuggets SET state = 'active'": "UPDATE statement",
    "DELETE FROM nuggets": "DELETE statement",
    "TRUNCATE nuggets": "DELETE statement",
    "SET threads = 1": "SET statement",
    "RESET threads": "SET statement",
    "SET VARIABLE mine = 1": "SET statement",
    "PRAGMA enable_profiling": "PRAGMA statement",
    "PRAGMA threads = 1": "SET statement",
    "CALL pragma_version()": "CALL statement",
    "CHECKPOINT": "CALL statement",
    "VACUUM": "VACUUM statement",
    "BEGIN": "TRANSACTION statement",
    "PREPARE mine AS SELECT 1": "PREPARE statement",
    "PIVOT nuggets ON state USING count(*)": "PIVOT",
    "SELECT 1; SELECT 2": "2 statements",
    "SELECT 1; COPY nuggets TO '{out}'": "2 statements",
    # a SELECT for the parser's type, or an EXPLAIN, that would write all the same
    "WITH a AS (COPY (SELECT 1) TO '{out}') SELECT * FROM a": "COPY in a WITH",
    "SELECT * FROM nuggets WHERE EXISTS (WITH a AS (COPY (SELECT 1) TO '{out}') FROM a)": "COPY in a WITH",
    "SUMMARIZE WITH a AS (COPY (SELECT 1) TO '{out}') FROM a": "COPY in a WITH",
    "SELECT 1 LIMIT (WITH a AS (COPY (SELECT 1) TO '{out}') SELECT 1 FROM a)": "COPY in a WITH",
    "WITH a AS (INSERT INTO nuggets VALUES (1) RETURNING *) FROM a": "INSERT in a WITH",
    "WITH a AS (DELETE FROM nuggets RETURNING *) FROM a": "DELETE in a WITH",
    "EXPLAIN ANALYZE COPY (SELECT 1) TO '{out}'": "EXPLAIN of a COPY",
    "EXPLAIN (ANALYZE) COPY (SELECT 1) TO '{out}'": "EXPLAIN of a COPY",
    "EXPLAIN /* ü */ ANALYZE /* SELECT 1 */ COPY (SELECT 1) TO '{out}'": "EXPLAIN of a COPY",
    "EXPLAIN ANALYZE CREATE TABLE mine AS SELECT 1": "EXPLAIN of a CREATE",
    "EXPLAIN ANALYZE WITH a AS (COPY (SELECT 1) TO '{out}') FROM a": "COPY in a WITH",
    "FROM query('WITH a AS (COPY (SELECT 1) TO ''{out}'') FROM a')": "table function query",
    'FROM system.main."QUERY"(\'SELECT 1\')': "table function query",
    "FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))": "table function json_execute_serialized_sql",
    "FROM checkpoint()": "table function checkpoint",
    "FROM copy_database('a', 'b')": "table function copy_database",
    "SELECT write_log('x')": "function write_log",
    # files
    "FROM read_csv('/etc/passwd')": "table function read_csv",
    "FROM read_text('/etc/passwd')": "table function read_text",
    "SELECT (SELECT content FROM read_blob('/etc/passwd'))": "table function read_blob",
    "FROM glob('/etc/*')": "table function glob",
    "FROM parquet_metadata('{out}')": "table function parquet_metadata",
    "FROM '{out}'": "",  # a file by its name: DuckDB's lock
    "FROM '/etc/passwd'": "",
    "FROM duckdb_secrets()": "table function duckdb_secrets",
}
NOTHING = ["", " ", "\n\t", ";", " ; ;", "-- only a comment", "/* only a comment */"]


def refused(call, *args, **kwargs) -> UsageError:
    with pytest.raises(UsageError) as caught:
        call(*args, **kwargs)
    assert caught.value.found and caught.value.expected
    return caught.value


@pytest.mark.parametrize("query", READING)
def test_what_reads_is_let_through(release, query):
    assert release.sql(query).num_columns


@pytest.mark.parametrize("query", CHANGING)
def test_what_changes_or_leaves_the_release_is_refused(warehouse, release, tmp_path, query):
    inside, outside = warehouse / "objects" / "written.parquet", tmp_path / "written.parquet"
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "there.parquet")
    for out in (inside, outside, tmp_path / "there.parquet"):
        error = refused(release.sql, query.replace("{out}", str(out)))
        assert CHANGING[query] in error.found and (not CHANGING[query] or "views.sql" in error.fix)
    assert not inside.exists() and [p.name for p in tmp_path.iterdir()] == ["there.parquet"]
    assert {"nuggets", "lineage"} < set(release.sql("SHOW TABLES")["name"].to_pylist()) and release.sql("FROM nuggets").num_columns > 1


@pytest.mark.parametrize("query", NOTHING)
def test_nothing_is_no_statement(release, query):
    assert "no statement" in refused(release.sql, query).found


@pytest.mark.parametrize("query", [
    "SELECT 'a\0b'", "SELECT '\ud800'", "SELEC", "SELECT", "SELECT " + "||".join(["'a'"] * 990), "SELECT " + "(" * 300 + "1", "SELECT $a, ?",
    "/*", "'", "EXPLAIN", "EXPLAIN ANALYZE", "FROM http_get('http://127.0.0.1:1')", "FROM 'http://127.0.0.1:1/a.parquet'",
], ids=lambda q: ascii(q)[:30])
def test_a_text_that_is_no_sql_is_a_usage_error(release, query):
    refused(release.sql, query)


def test_a_condition_stays_in_its_brackets(warehouse, release, tmp_path):
    out = tmp_path / "written.csv"
    for where in (
        f"true); COPY nuggets TO '{out}'", f"true) ; COPY (SELECT 1) TO '{out}'; --", "true) UNION ALL SELECT content FROM read_text('/etc/passwd') --",
        "state IN (SELECT content FROM read_text('/etc/passwd'))", f"EXISTS (WITH a AS (COPY (SELECT 1) TO '{out}') FROM a)", "true) OR (true",
        "true) LIMIT (1", "true, false", "true ORDER BY 1", "", " ", "-- all", "true; SELECT 1", "true\0", "\udc00",
    ):
        for call in (release.table, release.pandas, release.batches):
            refused(call, "nuggets", ["state"], where=where)
    assert not out.exists()
    held = release.counts["nuggets"]
    assert release.table("nuggets", ["state"], where="nugget_id IN (SELECT nugget_id FROM nuggets) -- all").num_rows == held


def test_no_call_leaves_anything_for_the_next(release):
    release.sql("SELECT setseed(0.5)")
    first = release.sql("SELECT random() AS r").to_pylist()
    release.sql("SELECT setseed(0.5)")
    assert release.sql("SELECT random() AS r").to_pylist() != first  # a seed holds for its own call
    mine = pd.DataFrame({"a": [1]})
    refused(release.sql, "FROM mine")  # nor are the caller's variables tables
    assert len(mine) == 1


def test_the_locks_hold_without_the_parser(warehouse, tmp_path):
    """What a statement that slipped through would meet."""
    con = connect_readonly(open_release(Warehouse.open(warehouse)))
    beside = warehouse.parent / (warehouse.name + "-beside")
    beside.mkdir(exist_ok=True)
    (beside / "a.txt").write_text("x")
    for query in (
        "FROM read_text('/etc/passwd')", f"FROM read_text('{beside}/a.txt')", f"FROM read_text('{warehouse}/objects/../lode.json')",
        "SET enable_external_access = true", "SET allowed_directories = ['/']", "SET threads = 1", "RESET lock_configuration", "INSTALL httpfs",
        f"COPY (SELECT 1) TO '{tmp_path}/a.csv'", f"ATTACH '{tmp_path}/a.db'", f"EXPORT DATABASE '{tmp_path}/a'", f"COPY (SELECT 1) TO '{warehouse}/a.csv'",
    ):
        with pytest.raises(duckdb.Error):
            con.cursor().execute(query).fetchall()
    assert list(tmp_path.iterdir()) == [] and not (warehouse / "a.csv").exists()
    shutil.rmtree(beside)


def test_a_locked_connection_still_spills_to_disk(warehouse):
    con = connect_readonly(open_release(Warehouse.open(warehouse)), memory_limit_mb=60)
    query = "SELECT count(*), sum(length(b)) FROM (SELECT lpad(range::VARCHAR, 90, 'x') AS b FROM range(2_000_000) GROUP BY ALL)"
    assert con.execute(reading(con, query, "x")).fetchall() == [(2_000_000, 180_000_000)]
    assert con.execute("SELECT count(*) FROM nuggets").fetchall()[0][0]


def test_a_warehouse_with_any_name_can_be_asked(warehouse, tmp_path):
    own = tmp_path / "it's, [a] \"house\" ü"
    shutil.copytree(warehouse, own)
    (tmp_path / "link").symlink_to(own)
    for root in (own, tmp_path / "link"):
        with motherlode.open_release(root) as release:
            assert release.sql("SELECT count(*) AS n FROM nuggets").to_pylist() == [{"n": release.counts["nuggets"]}]


# --- the command


def run(warehouse: Path, *arguments: str):
    from typer.testing import CliRunner

    import flows.cli

    flows.cli.add_commands()
    return CliRunner().invoke(flows.cli.app, ["sql", "-w", str(warehouse), "--json", "--", *arguments])


def test_the_command_refuses_what_the_api_refuses(warehouse, tmp_path):
    for query in [*NOTHING, *list(CHANGING)[::5], "WITH a AS (COPY (SELECT 1) TO '{out}') SELECT * FROM a"]:
        done = run(warehouse, query.replace("{out}", str(tmp_path / "x")))
        said = json.loads(done.stdout)
        assert done.exit_code == 2 and said["expected"], done.output
        assert CHANGING.get(query, "no statement") in said["error"]
    assert list(tmp_path.iterdir()) == []


def test_every_value_is_json(warehouse):
    query = """SELECT 'nan'::DOUBLE AS a, MAP {DATE '2020-01-01': [1]} AS b, DATE '5000-01-01 (BC)' AS c, 1::DECIMAL(9, 2) AS d, '\\xff'::BLOB AS e,
               TIMESTAMPTZ '2020-01-01 12:00:00+00' AS f, {'g': [NULL, 1]} AS g, '-infinity'::FLOAT AS h"""
    done = run(warehouse, query)
    assert done.exit_code == 0, done.output
    [row] = json.loads(done.stdout, parse_constant=lambda name: pytest.fail(name))
    assert (row["a"], row["b"], row["d"], row["g"], row["h"]) == ("nan", {"2020-01-01": [1]}, "1.00", {"g": [None, 1]}, "-inf")
    assert row["f"] == "2020-01-01 12:00:00+00:00"


def test_nothing_of_the_warehouse_changes(warehouse):
    def files() -> dict:
        return {p: hashlib.sha256(p.read_bytes()).digest() for p in warehouse.rglob("*") if p.is_file() and "leases" not in p.parts}

    before = files()
    with motherlode.open_release(warehouse) as release:
        for query in [*READING, *CHANGING]:
            try:
                release.sql(query.replace("{out}", str(warehouse / "objects" / "x.parquet")))
            except UsageError:
                pass
    assert files() == before


def test_the_command_tells_that_access_is_not_applied(warehouse):
    done = subprocess.run(
        [str(Path(sys.executable).parent / "lode"), "sql", "SELECT 1 AS a", "-w", str(warehouse)], capture_output=True, text=True, check=True, timeout=120,
    )
    assert "access is not applied" in done.stderr and "a" in done.stdout
