"""Text from spans: rendering, tracing back, and that a shifted offset is seen."""

from hypothesis import given
from hypothesis import strategies as st

from schemas.render import locate, locate_in_pieces, render, render_pieces

KINDS = st.sampled_from(["paragraph", "field", "row", "code"])
sources = st.text(alphabet="ab c\n|=<br>&amp;é  世", max_size=60)


@st.composite
def spanned(draw):
    source = draw(sources)
    cuts = sorted(draw(st.lists(st.integers(0, len(source)), min_size=2, max_size=8)))
    return source, [(cuts[i], cuts[i + 1]) for i in range(0, len(cuts) - 1, 2)]


@given(KINDS, spanned(), st.data())
def test_any_part_of_a_text_is_located(kind, given_, data):
    source, spans = given_
    text = render(kind, source, spans)
    first = data.draw(st.integers(0, len(text)))
    last = data.draw(st.integers(first, len(text)))
    for start, end in locate(kind, source, spans, first, last):
        assert 0 <= start < end <= len(source)
    if kind == "code":
        assert "".join(source[s:e] for s, e in locate(kind, source, spans, first, last)) == text[first:last]


@given(spanned())
def test_blanks_are_folded_and_ends_stripped(given_):
    source, spans = given_
    text = render("paragraph", source, spans)
    assert text == text.strip() and "  " not in text and "\n" not in text


def test_golden():
    source = "key_people = [[Arvind Krishna|A. K.]]<br />(CEO) &amp; x"
    text = render("field", source, [(0, 10), (11, 12), (30, 35), (37, len(source))])
    assert text == "key_people: A. K.; (CEO) & x"
    assert [source[s:e] for s, e in locate("field", source, [(0, 10), (11, 12), (30, 35), (37, len(source))], 12, 17)] == ["A. K."]
    convert = "{{convert|5|km|mi}}"
    assert render("paragraph", convert, [(10, 11), (11, 12), (12, 14)]) == "5 km"


def test_pieces_join_with_newlines_and_trace_back():
    source = "one two\n\nthree"
    pieces = [
        {"kind": "paragraph", "source_spans": [{"start": 0, "end": 7}], "start": 0, "end": 7},
        {"kind": "paragraph", "source_spans": [{"start": 9, "end": 14}], "start": 8, "end": 13},
    ]
    assert render_pieces(source, pieces) == "one two\nthree"
    assert locate_in_pieces(source, pieces, 4, 13) == [(4, 7), (9, 14)]


def test_a_shifted_offset_is_seen():
    source = "one two\n\nthree"
    pieces = [{"kind": "paragraph", "source_spans": [{"start": 0, "end": 7}], "start": 0, "end": 7}]
    for which in ("start", "end"):
        for by in (-1, 1):
            span = dict(pieces[0]["source_spans"][0])
            span[which] += by
            if span["start"] < 0 or source[span["start"]:span["end"]].strip() == "one two":
                continue
            assert render_pieces(source, [{**pieces[0], "source_spans": [span]}]) != "one two"
