"""What an infobox says as a whole: which of two revisions' boxes are the same one, whether its subject has ended, and whether the
date that it tells beside a value moved on. Pure functions of the fields, key -> text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tasks.validity.kinds import latest_date

_END = re.compile(
    r"(?:date_of_)?(?:death|died|dissolved|dissolution|defunct|disbanded|demolished|disestablished|abolished|extinct|discontinued|closed|closing|"
    r"last_aired|end)(?:_(?:date|year))?"
)
_DAY_OF = re.compile(r"(?:as_of|asof|date|year|census)")


def has_ended(*boxes: Mapping[str, str]) -> bool:
    """Whether each of them dates the end of its subject."""
    return all(any(_END.fullmatch(k) and latest_date(v) for k, v in box.items()) for box in boxes)


def beside(key: str, old: Mapping[str, str], new: Mapping[str, str]) -> bool | None:
    """Whether the date of a value, told in another slot of the same first word, moved on; None where there is no such slot."""
    first = key.split("_")[0]
    for name in sorted({*old} & {*new}):
        if name != key and name.startswith(f"{first}_") and _DAY_OF.search(name):
            before, after = latest_date(old[name]), latest_date(new[name])
            if before and after:
                return after > before
    return None


def pair_boxes(old: list[dict[str, str]], new: list[dict[str, str]]) -> list[tuple[dict[str, str], dict[str, str]]]:
    """Infoboxes that went with those that came, by how many keys and values they share; {} where one has no partner."""
    scored = sorted(
        ((sum(2 if v == new[j].get(k) else k in new[j] for k, v in box.items()), -i, -j) for i, box in enumerate(old) for j in range(len(new))),
        reverse=True,
    )
    partner: dict[int, int] = {}
    for score, i, j in scored:
        if (score or len(old) == len(new) == 1) and -i not in partner and -j not in partner.values():
            partner[-i] = -j
    pairs = [(box, new[partner[i]] if i in partner else {}) for i, box in enumerate(old)]
    return pairs + [({}, box) for j, box in enumerate(new) if j not in partner.values()]
