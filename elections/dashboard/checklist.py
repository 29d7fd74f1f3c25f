"""The checklist before opening: every setting with a link to change it, what is missing, and what becomes final."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from elections import rolls
from elections.invitations.reminders import REMINDER_TIMES
from elections.opening_rules import MIN_SECRET_GROUP, lacks_candidates, lacks_group
from elections.roll.list_summary import weights_text
from elections.rules import NO_SECRET_WEIGHTS, NO_WEIGHTS, Election, State
from foundation.acts.hooks import Hooks
from foundation.ranking.candidates import Candidate

from .next_step import Button

MAX_CHECKED_VOTERS = 90  # voters, who are looked at one by one; of more only their number is known

ABOUT_VOTERS = Hooks[[Election], list[str]]("what else an organiser should know of who may vote, before the opening")

METHOD_SUMMARIES = {
    "schulze": gettext_lazy("elects the candidate who would beat every other head to head"),
    "ranked-pairs": gettext_lazy("candidates are compared head to head, the clearest contests first"),
    "irv": gettext_lazy("the last candidate is dropped, round by round, until one has more than half"),
    "borda": gettext_lazy("points for every rank on a ballot"),
    "stv-scottish": gettext_lazy("seats in proportion, by the rules of Scottish council elections"),
    "stv-meek": gettext_lazy("seats in proportion, counted by Meek's rules"),
    "majority": gettext_lazy("the proposal is carried if enough voters say yes"),
    "most-votes": gettext_lazy("elects those whom most voters choose"),
    "approval": gettext_lazy("elects those whom most voters approve of"),
    "star": gettext_lazy("of the two with the highest totals, the one wins whom more voters scored higher"),
    "score": gettext_lazy("elects those with the highest totals"),
    "cumulative": gettext_lazy("elects those with most points"),
}


@dataclass(frozen=True, slots=True)
class ChecklistItem:
    """One setting. Without a button, this person cannot change it."""

    label: str
    lines: tuple[str, ...]
    page: str
    change: Button | None = None
    names: tuple[str, ...] = ()  # shown when asked for
    moments: tuple[tuple[str, datetime], ...] = ()
    is_missing: bool = False


def needs_accounts(election: Election) -> bool:
    """Whether a draft lists voters by address who would need an account; checks only the start of a long roll."""
    is_listed_draft = election.electorate == "listed" and election.stored_state == State.DRAFT
    if election.vote_by_link or not is_listed_draft or not election.voter_count:
        return False
    some = rolls.list_voters(election, limit=MAX_CHECKED_VOTERS)[0]
    return any(rolls.is_by_address(each["voter_name"]) for each in some)


def summarise_roll(election: Election) -> RollSummary:
    """How many are listed by address, and how many by an account that is gone; a long roll would take too long. And how
    many have each weight."""
    weights = rolls.weights(election)
    if election.electorate != "listed" or not 0 < election.voter_count <= MAX_CHECKED_VOTERS:
        return 0, 0, weights
    current = list(rolls.current_voters(election))
    return sum(map(rolls.is_by_address, current)), max(0, election.voter_count - len(current)), weights


RollSummary = tuple[int, int, Mapping[int, int]]


def checklist_items(
    election: Election,
    candidates: Mapping[int, Sequence[Candidate]],
    roll: RollSummary,
    offered: Collection[str],
    now: str,
) -> list[ChecklistItem]:
    """`candidates` are those of each question."""
    asked = [each for each in election.questions if election.more or each.kind != "yes-no"]
    who = _("anyone on the web") if election.results_public else _("all members")
    ways: tuple[str, ...] = (_("signed in, with an account here"),)
    if election.vote_by_link:
        ways = (
            _("with the link in their invitation, without an account; or signed in"),
            _("Anyone the mail is forwarded to can vote in that person's place."),
        )
    results = _("%(when)s, to %(who)s") % {"when": election.results_label, "who": who}
    items = (
        *(_candidates(each, candidates[each.number]) for each in asked),
        _voters(election, roll),
        _window(election, now),
        _ballots(election),
        *([] if election.more else [_counting(election)]),
        ChecklistItem(_("Results are shown"), (results,), "election_settings"),
        ChecklistItem(_("How people vote"), ways, "election_settings"),
        _mails(election),
    )
    return [replace(each, change=_change_button(election, each.page, offered)) for each in items]


def _change_button(election: Election, page: str, offered: Collection[str]) -> Button | None:
    """On the small page of the path, where it has one for this."""
    if {"candidates": "ADD_CANDIDATES", "roll": "ADD_VOTERS"}.get(page, "SET_UP") not in offered:
        return None
    of_path = page in ("when", "how") or (page == "candidates" and bool(election.more))
    address = reverse("election_step", args=[election.name, page]) if of_path else reverse(page, args=[election.name])
    return Button(_("Change"), address)


def _candidates(election: Election, candidates: Sequence[Candidate]) -> ChecklistItem:
    number, lacking = len(candidates), lacks_candidates(election, len(candidates))
    of_ranking = election.kind == "ranked"
    lines = list(_counting(election).lines[: -1 if of_ranking else None]) if election.more else []
    if election.kind != "yes-no":
        lines += [ngettext("%(number)d candidate", "%(number)d candidates", number) % {"number": number}]
    if number < 2:
        lines.append(_("At least two are needed."))
    elif lacking and number <= election.seats:
        lines.append(_("You need more candidates than seats (%(seats)d).") % {"seats": election.seats})
    elif lacking:
        lines.append(_("Voters may choose more than there are (%(most)d).") % {"most": election.most})
    lines += _for_groups(election) if election.more else []
    page = "candidates"
    names = tuple(each.name for each in candidates) if election.kind != "yes-no" else ()
    is_missing = lacking or (bool(election.more) and lacks_group(election))
    return ChecklistItem(election.title or _("Candidates"), tuple(lines), page, names=names, is_missing=is_missing)


def _for_groups(election: Election) -> list[str]:
    """For which voter groups it is, if not for all, and whether enough people are in them."""
    number, least = election.entitled, MIN_SECRET_GROUP if election.secret_ballot else 1
    values = {"groups": ", ".join(election.for_groups), "number": number}
    text = ngettext("only for: %(groups)s (%(number)d voter)", "only for: %(groups)s (%(number)d voters)", number)
    more = ngettext("At least %(count)d voter is needed.", "At least %(count)d voters are needed.", least)
    few = [more % {"count": least}] if lacks_group(election) else []
    return [text % values, *few] if election.for_groups else []


def _voters(election: Election, roll: RollSummary) -> ChecklistItem:
    number, (by_address, gone, weights) = election.voter_count, roll
    if election.electorate != "listed":
        label = election.roll_label if election.more else election.electorate_label
        has_weights = any(each.extra_votes for each in election.questions)
        lines = [str(label), *([str(NO_WEIGHTS)] if has_weights else [])]
        return ChecklistItem(_("Who may vote"), tuple(lines), "election_settings", is_missing=len(lines) > 1)
    lines = [ngettext("%(number)d voter on the roll", "%(number)d voters on the roll", number) % {"number": number}]
    if not number:
        lines.append(_("At least one is needed."))
    if by_address and not election.vote_by_link:
        sentence = ngettext(
            "%(count)d of them is listed by mail address and needs an account to vote: “Vote by link” is off.",
            "%(count)d of them are listed by mail address and need an account to vote: “Vote by link” is off.",
            by_address,
        )
        lines.append(sentence % {"count": by_address})
    lines += [line for tell in ABOUT_VOTERS for line in tell(election)]
    if gone:
        sentence = ngettext(
            "%(count)d of them cannot vote: the account no longer exists.",
            "%(count)d of them cannot vote: their accounts no longer exist.",
            gone,
        )
        lines.append(sentence % {"count": gone})
    lines += filter(None, [weights_text(weights)])
    lines += [] if election.more else _for_groups(election)
    is_missing = not number or (not election.more and lacks_group(election))
    return ChecklistItem(_("Who may vote"), tuple(lines), "roll", is_missing=is_missing)


def _window(election: Election, now: str) -> ChecklistItem:
    lines, moments = [], []
    if election.begins and election.no_voting_before and election.no_voting_before > now:
        moments.append((_("Voting begins"), election.begins))
    else:
        lines.append(_("Voting begins as soon as you open it."))
    if election.ends:
        moments.append((_("Voting ends"), election.ends))
    else:
        lines.append(_("No end is set: it stays open until an organiser closes it."))
    is_missing = election.no_voting_after is not None and election.no_voting_after <= now
    if is_missing:
        lines.append(_("This end is in the past. Choose a later one."))
    return ChecklistItem(_("When"), tuple(lines), "when", moments=tuple(moments), is_missing=is_missing)


def _ballots(election: Election) -> ChecklistItem:
    if election.secret_ballot:
        lines = [_("secret: nobody who uses this site can tell how a person voted")]
    else:
        lines = [str(election.openness)]
    if not election.changeable:
        lines.append(_("final: once cast, a ballot cannot be changed or withdrawn"))
    lines += election.safeguard_labels
    if election.paper_ballots:
        lines.append(_("You can also enter paper ballots; the person who enters one sees it."))
    if election.has_secret_weights:
        lines.append(str(NO_SECRET_WEIGHTS))
    return ChecklistItem(_("Ballots"), tuple(lines), "election_settings", is_missing=election.has_secret_weights)


def _counting(election: Election) -> ChecklistItem:
    lines = [f"{election.method_label}: {METHOD_SUMMARIES[election.method]}"]
    if election.seats > 1:
        lines.append(_("%(seats)d seats") % {"seats": election.seats})
    if election.kind == "ranked":
        lines.append(_("Candidates left out of a ranking count as: %(rule)s.") % {"rule": election.unranked_label})
    elif election.kind == "yes-no":
        lines.append(election.majority_sentence)
    else:
        lines.append(election.how_to_vote)
    return ChecklistItem(_("How it is counted"), tuple(lines), "how")


def _mails(election: Election) -> ChecklistItem:
    lines = [_("Opening sends no mail: invite voters afterwards, with a button.")]
    if election.remind_before:
        times = ", ".join(str(REMINDER_TIMES[hours]) for hours in election.remind_before)
        lines.append(_("People who were invited and have not voted are reminded: %(times)s.") % {"times": times})
        if election.secret_ballot:
            lines.append(_("While fewer than three people have voted, everybody who was invited is reminded."))
    if election.mail_votes:
        lines.append(_("Voters get a mail when a ballot is cast in their name."))
        if election.changeable and election.secret_ballot:
            lines.append(
                _("No email is sent when a secret ballot is changed or withdrawn, because nobody knows whose it is.")
            )
        elif election.changeable:
            lines.append(_("They also get one when it is changed or withdrawn."))
    if election.announces:
        lines.append(_("Voters get the result by mail as soon as it is counted."))
    return ChecklistItem(_("Mails"), tuple(lines), "election_settings")


def fixed_by_opening(election: Election) -> list[str]:
    """What can no longer be changed after opening."""
    candidates = _("Candidates can no longer be changed, unless you allow more below.")
    if election.more:
        candidates = _("Questions can no longer be changed, nor candidates, unless you allow more below.")
    return [
        _("The name and all settings above can no longer be changed."),
        _("Voters can be added, but not removed."),
        *([candidates] if election.more or election.kind != "yes-no" else []),
        _("The end can only be moved later.") if election.ends else _("No end can be set any more."),
    ]
