"""At the end of a run, a short table: which published elections ran, by method, and in what they were reproduced."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from .published import ABSENT, FOLDER, Case

RESPECTS = {
    "test_every_two_candidates_compare_as_published": "contests",
    "test_the_order_is_as_published": "order",
    "test_places_are_as_published": "places",
    "test_winners_by_each_measure_of_strength_are_as_published": "winners by measure",
    "test_the_strongest_paths_are_as_published": "strongest paths",
    "test_the_strongest_paths_over_lost_contests_too_are_as_published": "paths over lost contests",
    "test_the_contests_skipped_are_as_published": "skipped contests",
    "test_borda_points_are_as_published": "points",
    "test_debian_drops_the_options_it_published_as_dropped": "dropped options",
    "test_debian_elects_whom_it_published": "winners",
    "test_debian_counted_as_many_ballots": "number of ballots",
    "test_the_winner_is_as_published": "winners",
    "test_the_first_and_the_last_round_are_as_published": "first and last round",
    "test_every_round_is_as_published_within_the_ballots_that_are_missing": "every round within the missing ballots",
    "test_every_round_is_as_rctab_publishes_it": "every round",
    "test_every_stage_is_as_published_to_the_last_decimal": "every stage to the last decimal",
    "test_who_is_elected_and_excluded_at_which_stage_is_as_published": "who at which stage",
    "test_counts_by_other_rules_elect_the_same": "winners",
}
NOT_A_RESPECT = "test_something_of_every_case_is_compared"
TAG = "published election"
MAX_DIFFERENCES_NAMED = 4  # differences named one by one; of more, how many there are
LINE_CHARS = 110


@dataclass(frozen=True, slots=True)
class Compared:
    """One published election compared in one respect, and what was different, if anything was."""

    method: str
    case: str
    respect: str
    difference: str = ""


def pytest_collection_modifyitems(items):
    """A report does not know what its test was about, so every test of a published election takes it along."""
    for item in items:
        case = item.callspec.params.get("case") if hasattr(item, "callspec") else None
        if isinstance(case, Case):
            respect = RESPECTS.get(item.originalname, item.originalname)
            item.user_properties.append((TAG, (case.method, case.name, respect)))


def pytest_terminal_summary(terminalreporter):
    reports = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    compared = [_compared(report) for report in reports if TAG in dict(report.user_properties)]
    if compared:
        terminalreporter.section("published elections")
        terminalreporter.write_line("\n".join(table(compared, len(list(FOLDER.glob("*.json"))), *_reasons())))
    elif any(ABSENT in str(report.longrepr) for report in terminalreporter.getreports("skipped")):
        terminalreporter.section("published elections")
        terminalreporter.write_line(ABSENT)


def _compared(report) -> Compared:
    said = "" if report.passed else getattr(getattr(report.longrepr, "reprcrash", None), "message", "failed")
    return Compared(*dict(report.user_properties)[TAG], said.partition("\n")[0])


def _reasons() -> tuple[dict[str, str], dict[str, str]]:
    """What is known not to be reproduced, by file, and what is counted by other rules, by method."""
    from . import test_published, test_published_rounds

    return test_published.NOT_REPRODUCED | test_published_rounds.NOT_REPRODUCED, test_published_rounds.OTHER_RULES


# --- the table ---


def table(compared: list[Compared], files: int, not_reproduced: dict[str, str], other_rules: dict[str, str]):
    """Lines to print: a line a method, then whatever is not reproduced, with its reason."""
    methods = sorted({each.method for each in compared})
    lines = [line for method in methods for line in _method([each for each in compared if each.method == method])]
    lines += [f"{method}: only the winners. {other_rules[method]}" for method in methods if method in other_rules]
    different = [f"{each.case}, {each.respect}: {each.difference}" for each in compared if each.difference]
    names = {each.case for each in compared}
    known = [f"{name}: {reason}" for name, reason in not_reproduced.items() if name in names]
    lines += [f"Not reproduced: {each}" for each in _few([*known, *different])]
    missed = {each.case for each in compared if each.difference} | names & not_reproduced.keys()
    return [*lines, f"{len(names)} of {files} files ran; {len(names - missed)} are reproduced in all that is compared."]


def _method(compared: list[Compared]) -> list[str]:
    cases = {each.case for each in compared}
    tried = Counter(each.respect for each in compared if each.respect != NOT_A_RESPECT)
    same = Counter(each.respect for each in compared if not each.difference)
    said = [f"{what} {same[what]}" + (f" of {n}" if same[what] < n else "") for what, n in tried.most_common()]
    first = f"{compared[0].method:<13}{len(cases):>3}  "
    return textwrap.wrap(", ".join(said), LINE_CHARS, initial_indent=first, subsequent_indent=" " * len(first)) or [
        first
    ]


def _few(lines: Iterable[str]) -> list[str]:
    every = list(lines)
    return (
        every
        if len(every) <= MAX_DIFFERENCES_NAMED
        else [*every[:MAX_DIFFERENCES_NAMED], f"and {len(every) - MAX_DIFFERENCES_NAMED} more"]
    )
