"""Proto-mentions to drafts: open references become the page's subject or a name of the sentence, or the mention falls."""

from __future__ import annotations

from tasks.extract.arguments import Arg
from tasks.extract.context import Lead, Page, is_page_name, part_of_page_name, resolves_to_page
from tasks.extract.drafts import Draft, link_target
from tasks.extract.lexicon import Sense, compatible
from tasks.extract.roletext import guess_owner
from tasks.extract.sentence import Analysis

Resolved = tuple[str, tuple[int, int] | None, str, str, str, bool]  # text, span, basis, type, target, kind known from the page


def resolve(analysis: Analysis, sentence: str, page: Page, before: Lead | None, links: list[dict]) -> list[Draft]:
    """Drafts of one occurrence of a sentence. `links` have offsets in the sentence."""
    out = []
    for proto in analysis.protos:
        subject = _argument(proto.subject, analysis, sentence, page, before, links, proto.senses)
        obj = subject and _argument(proto.object, analysis, sentence, page, before, links, proto.senses)
        if not subject or not obj or (subject[0] == obj[0] and subject[4] == obj[4]):
            continue
        sense = _sense(proto.senses, subject, obj, page, implicit=proto.subject.ref == "page")
        if proto.senses and sense is None:
            continue
        draft = Draft(
            predicate=sense.name if sense else proto.predicate, subject=subject[0], subject_span=subject[1], subject_basis=subject[2],
            subject_type=subject[3], object=obj[0], object_span=obj[1], object_type=sense.object if sense else proto.object_type or "entity",
            confidence=proto.confidence * (1.0 if subject[2] == "text" else 0.92) * (1.0 if obj[2] == "text" else 0.92), extractor="spacy",
            predicate_span=proto.trigger, subject_target=subject[4], object_target=obj[4], scope=proto.scope, condition=proto.condition,
            cues=proto.cues, polarity=proto.polarity, modality=proto.modality, attribution=proto.attribution,
        )
        out.append(draft)
    return out


def _sense(senses: tuple[Sense, ...], subject: Resolved, obj: Resolved, page: Page, implicit: bool) -> Sense | None:
    """The best fitting sense; the page's own kind is known, so it must fit, where a tagger's label may be wrong."""
    best, score = None, 0.0
    for s in senses:
        fit = compatible(s.subject, subject[3])
        if (implicit and not subject[3] and subject[2] != "heading") or (fit < 0.9 and subject[5]):
            continue
        if s.object == "entity":
            other = compatible(s.object_types, obj[3])
            if other < 0.7 and obj[5]:
                continue
            fit *= other
        if fit > score:
            best, score = s, fit
    return best


def _argument(arg: Arg, analysis: Analysis, sentence: str, page: Page, before: Lead | None, links: list[dict],
              senses: tuple[Sense, ...]) -> Resolved | None:
    if not arg.ref:
        text = sentence[arg.start : arg.end]
        target = link_target(links, arg.start, arg.end)
        label = arg.label
        known = part_of_page_name(page, text)
        if known:
            label = page.kind
        if is_page_name(page, text):
            target = target or page.title
        return text, (arg.start, arg.end), "text", label, target, known
    if arg.ref in ("he", "she", "it"):
        inner = analysis.inner.get(arg)
        if inner is False:
            return None
        if inner:
            start, end, label = inner
            text = sentence[start:end]
            target = link_target(links, start, end) or (page.title if is_page_name(page, text) else "")
            known = part_of_page_name(page, text)
            return text, (start, end), "pronoun", page.kind if known else label, target, known
    if arg.ref == "page" and page.owner and any(s.name in page.office for s in senses):
        return page.owner, None, "heading", guess_owner(page.owner), "", False
    if resolves_to_page(page, arg, before):
        basis = "page" if arg.ref in ("page",) or arg.ref.isupper() else "pronoun"
        return page.title, None, basis, page.kind, page.title, bool(page.kind)
    return None
