"""A result as plain text in the reader's language, for mail or print."""

from __future__ import annotations

from datetime import datetime
from textwrap import fill

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from elections.rules import Election
from foundation.pages import times
from foundation.tally.result import Result, Round
from results import wording
from results.margin import margin_of
from results.outcomes import outcome_of, parts_of
from results.pictures import pictures_of
from results.pictures.drawing import number
from results.report import Report
from results.repository import Seal, Sealed

LINE_CHARS = 78


def as_text(found: Sealed) -> str:
    report, seal, shown = found.report, found.seal, parts_of(found.report.result)
    parts = [
        [found.election.full_name, "=" * min(len(found.election.full_name), 72)],
        _outcome(found),
        _ended(found),
        _groups(seal),
        _convened(found.election),
        [
            _("Method: %(method)s") % {"method": wording.method_label(report.result.method)},
            str(wording.RULES[report.result.method]),
        ],
        [_("Why"), *map(wording.translate, report.sentences)],
        _how_close(report),
        *([_methods(report), _places(report.result)] if shown.comparisons else _votes(report.result)),
        [line for each in report.result.rounds or () for line in _round(each)],
        _sealed(seal, found.election),
        _lots(found),
    ]
    return "\n\n".join("\n".join(map(_wrapped, part)) for part in parts if part) + "\n"


def _wrapped(line: str) -> str:
    """On lines that a mail or a page can hold; what hangs below the first is set in as far as the line itself."""
    margin = " " * (len(line) - len(line.lstrip()))
    return fill(line, LINE_CHARS, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False)


def _outcome(found: Sealed) -> list[str]:
    result, cast, voters = found.report.result, found.seal.ballots, found.election.entitled
    counted = ngettext("%(count)d ballot was counted.", "%(count)d ballots were counted.", cast) % {"count": cast}
    votes = _("Together they have %(votes)d votes.") % {"votes": result.total}
    of = ngettext("%(count)d person could vote.", "%(count)d people could vote.", voters) % {"count": voters}
    blank = _("Blank: %(count)d.") % {"count": result.blank}
    numbers = [counted, *([votes] if result.total != cast else []), blank, of]
    return [outcome_of(result).line, " ".join(numbers)]


def _places(result: Result) -> list[str]:
    return [_("Final ranking"), *(f"{place:>3}  {name}" for name, place in result.places)]


def _votes(result: Result) -> list[list[str]]:
    """The numbers of each chart."""
    tables = [(picture.title, picture.table) for picture in pictures_of(result) if picture.table]
    return [[title, *(f"  {' · '.join(row)}" for row in (table.head, *table.rows))] for title, table in tables]


def _how_close(report: Report) -> list[str]:
    """By how much, if anyone is ahead, and how many votes would have changed it."""
    margin, close = margin_of(report.result), wording.how_close(report)
    lines = [*([f"{margin.title}: {margin.sentence}"] if margin else []), *([close] if close else [])]
    return [_("How close was it?"), *lines] if lines else []


def _groups(seal: Seal) -> list[str]:
    """The turnout of voter groups."""
    line = _("%(group)s: %(voted)d of %(voters)d voted, %(percent)d%%")
    rows = [
        line % {"group": each.name, "voted": each.voted, "voters": each.voters, "percent": each.percent}
        for each in seal.groups
    ]
    return [_("Turnout by voter group"), *(f"- {row}" for row in rows)] if rows else []


def _ended(found: Sealed) -> list[str]:
    """When voting really ended."""
    closed = found.election
    lines = [_("Voting ended: %(when)s") % {"when": _moment(closed.ended, closed)}] if closed.ended else []
    if closed.closed_early and closed.ends:
        lines.append(_("It was closed before its planned end, %(when)s.") % {"when": _moment(closed.ends, closed)})
    return lines


def _moment(moment: datetime, election: Election) -> str:
    return times.moment_with_zone(moment, election.time_zone)


def _convened(election: Election) -> list[str]:
    """Which assembly called for it, and whether it could."""
    if (convened := election.convened) is None:
        return []
    sentence = _("Convened by the assembly “%(assembly)s” on %(when)s: %(summary)s.")
    when = times.moment_text(convened.moment.astimezone(times.zone(election.time_zone)))
    return [sentence % {"assembly": convened.assembly, "when": when, "summary": convened.summary}]


def _methods(report: Report) -> list[str]:
    others = [
        f"- {wording.method_label(each.method)}: {wording.join_names(each.winners)}"
        for each in wording.comparable(report)
    ]
    return [_("All methods"), wording.comparison_sentence(report), *others]


def _round(each: Round) -> list[str]:
    votes = [f"  {name}: {number(votes)}" for name, votes in each.tally.items()]
    rest = _("Exhausted: %(exhausted)s. Needed: %(threshold)s.") % {
        "exhausted": number(each.exhausted),
        "threshold": number(each.threshold),
    }
    acts = [_("Elected: %(names)s") % {"names": wording.join_names(each.elected)}] if each.elected else []
    acts += [_("Eliminated: %(names)s") % {"names": wording.join_names(each.eliminated)}] if each.eliminated else []
    return [_("Round %(number)d") % {"number": each.number}, *votes, *(f"  {line}" for line in [rest, *acts])]


def _sealed(seal: Seal, election: Election) -> list[str]:
    return [
        _("Counted and sealed: %(when)s") % {"when": _moment(datetime.fromisoformat(seal.sealed_at), election)},
        _("Digest of the ballots: %(digest)s") % {"digest": seal.digest},
        _("Digest of the result: %(digest)s") % {"digest": seal.report_digest},
    ]


def _lots(found: Sealed) -> list[str]:
    """From what the lots were drawn, where any were; the result's page and the bundle say how to repeat it."""
    seal, report = found.seal, found.report
    if not (seal.seed and report.result.lots):
        return []
    return [
        _("Commitment for drawing lots, published when voting opened: %(text)s")
        % {"text": found.election.lots_commitment},
        _("Secret, published after the close: %(text)s") % {"text": seal.lots_secret},
        _("Seed, derived from the secret and the ballots: %(text)s") % {"text": seal.seed},
    ]
