"""Letters: printing a batch, reissuing, and whom a code leads to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import islice
from typing import Any
from unicodedata import east_asian_width

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.models import User
from ballots.services import LinkTarget, resolve_link
from elections import repository as elections
from elections import rolls, sharding
from elections.actions import check
from elections.invitations.voting_link import Link, LinkRefused
from elections.rolls import Voter
from elections.rules import Action, Election, WrongState
from foundation.acts import storage
from foundation.acts.rate_limits import SECONDS_PER_DAY, TEN_MINUTES_IN_SECONDS, Limit, count_each, uncount
from foundation.acts.refusals import NotAllowed
from foundation.acts.retry import retry_lost_race
from foundation.acts.storage import now_text, table
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.splitting import by_count
from foundation.store.table import Equals, Item, Missing, Put, Update, Write

from . import repository, rules
from .repository import LetterBatch

MAX_PRINTED = 500  # letters of one page to print
MAX_EXPORTED = 10_000  # letters of one file for a print shop
TRANSACTION_LETTERS = 40  # two items each
IN_WINDOW = {"": (38, 7), "small": (52, 10)}  # characters of a line and lines in the window, by the size of letters
MAX_LINES_EACH = 2  # that a name or a line of an address is folded into; the rest is cut off
PAGE, FILE = "page", "file"  # how a batch was printed
NONE_WAITING = _("No letters are waiting to be printed.")
PRINTED_MEANWHILE = _(
    "This batch has been printed already. Its codes are shown only once: if it is lost, reissue its letters below."
)
NOT_PRINTED = _("This letter has not been printed yet, so there is nothing to replace.")
PER_NETWORK = Limit("letter-network", 8, TEN_MINUTES_IN_SECONDS)  # wrong tries with one code from one network
PER_CODE = Limit("letter-code", 60, SECONDS_PER_DAY)  # wrong tries with one code
STRANGER = rolls.Voter("-@")
NOBODY = {"election_name": "-", "created_at": "", "voter_name": STRANGER.name}
WRONG = _(
    "This code does not work, or the date of birth or member number does not match it. Please compare it with your "
    "latest letter: a newer letter replaces an older one."
)


class WrongCode(NotAllowed):
    """A code that opens nothing, or not with this answer."""


@dataclass(frozen=True, slots=True)
class Letter:
    """Somebody's letter, with the code that is shown once."""

    voter: Voter
    code: str

    @property
    def address(self) -> tuple[str, ...]:
        return self.voter.display_name, *self.voter.postal

    @property
    def size(self) -> str:
        """The largest letters in which the address fits the window of an envelope."""
        widths = [sum(2 if east_asian_width(sign) in "WF" else 1 for sign in line) for line in self.address]

        def lines(chars: int) -> int:
            return sum(min(1 + width // chars, MAX_LINES_EACH) for width in widths)

        return next((size for size, (chars, most) in IN_WINDOW.items() if lines(chars) <= most), "tiny")


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many letters can be printed, and how many lack a date of birth that voters are asked for."""

    letters: int = 0
    unchecked: int = 0


def waiting(election: Election) -> Waiting:
    if not election.by_letter:
        return Waiting()
    can_print = Counter(rules.is_waiting(election, voter) for voter in _each_asked(election) if not voter.letter_batch)
    return Waiting(can_print[True], can_print[False])


def _each_asked(election: Election) -> Iterator[Voter]:
    """Everybody listed by member number whom a question is for."""
    voters = map(rolls.voter_of, repository.each_numbered(election))
    return (voter for voter in voters if election.questions_for(voter.groups))


# --- printing ---


def print_batch(
    actor: User, election: Election, number: int, most: int, how: str = PAGE, sender: str = ""
) -> list[Letter]:
    """Print so many letters that wait, as the batch of this number, which is printed once. The log says who printed how
    many, without names or codes. One transaction takes some of them, as their turn comes: what is cut short waits, and
    what nobody got to see is reissued with its batch."""
    check(actor, election, Action.INVITE)
    last = repository.batches(election, 1)
    if number != (last[0].number if last else 0) + 1:
        raise WrongState(PRINTED_MEANWHILE)
    batch = LetterBatch(number, 0, actor.name, now_text(), how, sender)
    waiting_names = (voter.name for voter in _each_asked(election) if rules.is_waiting(election, voter))
    letters = list[Letter]()
    for some in by_count(list(islice(waiting_names, most)), TRANSACTION_LETTERS):
        letters += retry_lost_race(partial(_print_some, election, batch, some, is_first=not letters))
    if not letters:
        raise WrongState(NONE_WAITING)
    return letters


def _print_some(election: Election, batch: LetterBatch, names: Sequence[str], *, is_first: bool) -> list[Letter]:
    entries = [each for each in _entries(election, names) if rules.is_waiting(election, rolls.voter_of(each))]
    if not entries:
        return []
    place, refusals = keys.letter_batch(election.name, batch.number), dict[int, WrongState]()
    counted: Write = Update(place, add={"letters": len(entries)}, when=Equals("printed_at", batch.printed_at))
    if is_first:
        counted = Put({**place.item, **asdict(replace(batch, letters=len(entries)))}, when=Missing())
        refusals = {0: WrongState(PRINTED_MEANWHILE)}
    writes = [write for entry in entries for write in repository.printing(election, entry, batch.number)]
    data = {"election_name": election.name, "batch": batch.number, "letters": len(entries), "how": batch.how}
    storage.record(Event(batch.printed_by, "LettersPrinted", data), counted, *writes, refusals=refusals)
    voters = map(rolls.voter_of, entries)
    return [Letter(each, rules.letter_code(election, each.name, each.letter_turn)) for each in voters]


def _entries(election: Election, names: Sequence[str]) -> list[Item]:
    return list(table().get_many([sharding.voter_key(election, name) for name in names]).values())


# --- reissuing ---


def reissue(actor: User, election: Election, voter: str, extra: Sequence[Write] = ()) -> Voter:
    """The voter's letter no longer opens anything, nor does any pass from it; another waits to be printed. `extra` is
    written with it."""
    check(actor, election, Action.INVITE)
    found = rolls.on_roll(election, [voter]).get(keys.fold(voter))
    if found is None or not rolls.is_by_number(found.name):
        raise WrongState(_("Nobody with this member number is on the roll."))
    if not retry_lost_race(partial(_reissue_some, actor, election, [found.name], extra=extra)):
        raise WrongState(NOT_PRINTED)
    return found


def reissue_batch(actor: User, election: Election, number: int) -> int:
    """All letters of a batch that was lost; returns how many. Repeating it continues."""
    check(actor, election, Action.INVITE)
    names = [each["voter_name"] for each in repository.each_numbered(election) if each.get("letter_batch") == number]
    parts = by_count(names, TRANSACTION_LETTERS)
    return sum(retry_lost_race(partial(_reissue_some, actor, election, some, number)) for some in parts)


def _reissue_some(
    actor: User, election: Election, names: Sequence[str], batch: int = 0, extra: Sequence[Write] = ()
) -> int:
    found = [(rolls.voter_of(entry), entry) for entry in _entries(election, names)]
    printed = [each for each in found if each[0].letter_batch and batch in (0, each[0].letter_batch)]
    if printed:
        writes = [write for voter, entry in printed for write in repository.reissuing(election, voter, entry)]
        data: Item = {"voters": [voter.name for voter, _entry in printed]}
        data["turns"] = [voter.letter_turn + 1 for voter, _entry in printed]
        storage.record(Event(actor.name, "LetterReissued", {"election_name": election.name, **data}), *writes, *extra)
    return len(printed)


# --- whom a code leads to ---


def find_by_code(election_name: str, code: str) -> Voter | None:
    """The voter on the roll of this election whose letter has this code, if it was not replaced."""
    holder = repository.find_holder(code)
    if holder is None or keys.fold(holder["election_name"]) != keys.fold(election_name):
        return None
    link = rules.link_of(code, holder["election_name"], holder["created_at"], holder["voter_name"])
    election = elections.find(election_name)
    entry = table().get(sharding.voter_key(election, link.voter)) if election else None
    is_valid = election and entry and election.created_at == link.created_at and link.mail_on(entry)
    return rolls.voter_of(entry) if entry and is_valid else None


# --- voting with the code ---


def open_letter(code: str, answer: str, network: str) -> tuple[Link, LinkTarget]:
    """What the code opens, for somebody who also knows what is asked for besides it.

    A wrong code and a wrong date of birth are answered alike, after the same reads and writes. Tries are counted for
    one code from one network, and for one code: nobody is locked out by what others try, and a stolen letter gives few
    guesses at a date of birth. Codes themselves need no limit: there are too many. Nothing is left of a try that
    succeeds: with the site's key one could tell whose letter was used, and that the others voted by other means.
    """
    counted = count_each((PER_NETWORK, f"{code} from {network}"), (PER_CODE, code))
    holder = repository.find_holder(code) or NOBODY  # somebody in any case, so that the rest is read, too
    link = rules.link_of(code, holder["election_name"], holder["created_at"], holder["voter_name"])
    try:
        found = resolve_link(link)
    except LinkRefused:
        found = None
    asked, voter = (found.election.letter_check, rolls.voter_of(found.entry)) if found else ("", STRANGER)
    if not rules.answers_check(asked, voter, answer) or found is None:
        raise WrongCode(WRONG)
    uncount(counted, forget=True)
    return link, found


# --- what pages of the core say ---


def way_back(channel: str) -> tuple[Any, str] | None:
    """For somebody who came with a code, and has left."""
    sentence = _("This browser has forgotten your code. To vote again, enter it once more.")
    return (sentence, "enter_code") if channel else None


def about_voters(election: Election) -> list[str]:
    """Before the opening."""
    if not election.by_letter:
        return []
    sentence = ngettext(
        "%(count)d of them gets a letter, which you print once it is open.",
        "%(count)d of them get letters, which you print once it is open.",
        election.by_letter,
    )
    return [sentence % {"count": election.by_letter}]
