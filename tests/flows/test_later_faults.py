"""Faults that come later: sources that lose documents, are mended, or are taken for each other; a lost object."""

import pytest

from tests.conftest import SAMPLE
from tests.flows.small import write_pages

BROKEN = SAMPLE / "broken"


@pytest.fixture
def wh(tmp_path):
    return tmp_path / "wh"


def test_a_mass_deletion_is_refused(lode, tmp_path, wh, without_vectors):
    pages = {f"p{i}.md": f"# P{i}\n\nP{i} Works was founded in 19{i:02}.\n" for i in range(8)}
    folder = write_pages(tmp_path / "pages", pages)
    first = lode.json("build", folder, "--acl", "public", "-w", wh, "-c", without_vectors)
    for i in range(6):
        (folder / f"p{i}.md").unlink()
    refused = lode("build", folder, "--acl", "public", "-w", wh, "-c", without_vectors, code=1)
    assert "--allow-delete" in refused.stderr.replace("\n", " ")
    assert lode.json("status", "-w", wh)["release"] == first["release"]
    done = lode.json("build", folder, "--acl", "public", "-w", wh, "-c", without_vectors, "--allow-delete")
    assert done["counts"]["documents"] == 2


def test_a_mended_export_is_blamed_no_longer(lode, lode_offline, wh, tmp_path, without_vectors):
    dump = tmp_path / "w.xml"
    dump.write_bytes((BROKEN / "truncated.xml").read_bytes())
    lode("build", dump, "--acl", "public", "-w", wh, "-c", without_vectors, "--quiet", code=3)
    dump.write_bytes((SAMPLE / "wiki.xml").read_bytes())
    done = lode.json("build", dump, "--acl", "public", "-w", wh, "-c", without_vectors)
    assert done["errors"] == 0 and done["counts"]["documents"] >= 21


def test_two_folders_of_one_name_do_not_replace_each_other(lode, tmp_path, wh, without_vectors):
    one = write_pages(tmp_path / "a" / "notes", {"x.md": "# X\n\nX Works was founded in 1901.\n"})
    two = write_pages(tmp_path / "b" / "notes", {"y.md": "# Y\n\nY Works was founded in 1902.\n"})
    lode("build", one, "--acl", "public", "-w", wh, "-c", without_vectors, "--quiet")
    refused = lode("build", two, "--acl", "public", "-w", wh, "-c", without_vectors, code=1)
    assert "--name" in refused.stderr
    done = lode.json("build", two, "--acl", "public", "-w", wh, "-c", without_vectors, "--name", "more-notes")
    assert done["counts"]["documents"] == 2


def test_a_lost_object_is_found_and_made_anew(lode, lode_offline, tmp_path, wh, without_vectors):
    from warehouse.layout import Warehouse
    from warehouse.objects import object_path
    from warehouse.releases import open_release

    pages = write_pages(tmp_path / "pages")
    first = lode.json("build", pages, "--acl", "public", "-w", wh, "-c", without_vectors)
    opened = Warehouse.open(wh)
    ref = next(r for r in open_release(opened).tables().all_refs("chunks") if r.rows)
    object_path(opened, ref.hash).write_bytes(b"rot")
    failed = lode_offline("verify", "--full", "-w", wh, code=1)
    assert ref.hash in failed.stderr
    again = lode.json("build", pages, "--acl", "public", "-w", wh, "-c", without_vectors)
    assert again["release"] == first["release"] and lode_offline.json("verify", "--full", "-w", wh)["clean"]
