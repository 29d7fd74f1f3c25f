"""The assembly format of live sessions: what differs from an ordinary session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.models import User
from foundation.acts.refusals import NotNow
from foundation.pages.fragments import fragment
from foundation.store import keys
from foundation.store.table import Item, Key, Put, Write
from parts.live import seats, steps
from parts.live.clock import Lifetime
from parts.live.follow_up_store import FollowUp, as_item
from parts.live.formats import Format
from parts.live.rounds import MIN_ANONYMOUS_ANSWERS, may_be_shown
from parts.live.rules import Game, Names, Phase, State, Step
from parts.live.screens.formats import HOSTING, Fragment, Role, Screens
from parts.live.seats import Seat
from parts.live.services.follow_ups import FollowUps
from parts.live.services.formats import Hooks
from parts.live.snapshot import Snapshot
from parts.live.views.formats import Pages, TypedForm
from parts.questions.question import Question

from . import attendance, check_in, check_in_views, roll, speakers, wording
from .agenda import TOO_MANY_ITEMS, parse_agenda
from .attendance import Entitlement, own_of
from .electorate import MAX_ADDRESSES_CHARS, Electorate, electorate_of, read_addresses
from .forms import BY_NUMBER, FIELDS, NO_NUMBER, ItemForm
from .minutes import services as minutes
from .speakers import NOBODY, Speakers, speakers_of
from .wording import QUORUMS

SLOTS = (  # of pages and screens of live sessions
    *("status", "beside_head", "beside_form", "parts/count", "own_step", "prepare", "mine/waiting"),
    *("mine/talking", "player/ended", "projector/ended", "remote/question", "remote/results", "remote/calls"),
    *("links", "election", "hall", "hall/fields", "hall/make", "join/leave", "history/kept", "report_head"),
)
HELP_SLOTS = ("help", "help/type", "help/deciding", "help/ending", "help/voters")
MAX_BREAK = timedelta(hours=36)  # assemblies may pause overnight
MAX_RECENT_ASSEMBLIES = 3  # on the page of all sessions; the others are on a page of their own

ASKS_FIRST: dict[Step, str | Promise] = {
    Step.VOID: _("This decision will no longer stand, and the minutes will say so."),
    Step.REPEAT: _("The item will be discussed and decided again. The earlier decision will no longer stand."),
    Step.END: _("Nobody can vote after that. Anything still open is closed first, and everyone sees what was decided."),
}
TOO_FEW_PRESENT = _(
    "A secret vote needs at least %(least)d people present, not counting robots. Wait for "
    "more people, or hold an open vote."
)
WEIGHTS_REVEAL = _(
    "Some votes count several times, which would reveal who cast them: a secret vote needs a roll on which every "
    "vote counts once. Hold an open vote."
)


class Assembly(Format):
    checks_in = any_order = True
    has_scoreboard = False
    joining_page, first_page = "check_in", "agenda"
    questions_page, people_page = "agenda", "game_roll"
    own = Entitlement
    record_page, record_label = "minutes", pgettext_lazy("record", "Minutes")
    record_of_session, read_record = _("Minutes of the assembly"), _("Read the minutes")
    questions_label, people_label = _("Agenda"), _("Roll, codes and who is present")
    all_asked = _("All items have been called.")
    voided = voided_for_players = _("This decision is void.")
    voided_aloud = _("This is void.")
    not_a_question = _("This cannot be an item of an assembly.")
    no_such_question = _("This item is not on the agenda.")
    too_many = TOO_MANY_ITEMS
    opens_at_once = _(
        "This item is already being discussed and cannot become a collection of ideas. Add a new item instead."
    )
    keeps_its_place = _(
        "A later item has already been called, so this one stays on the agenda. The minutes will list it as not "
        "reached."
    )
    all_but_record_goes = _(
        "This deletes everything about “%(title)s” except its minutes: the roll, all answers, and the "
        "report. You still find the minutes in your history."
    )
    origin_text = _("Called for by the assembly “%(title)s” of %(when)s.")
    templates = {
        "make": "assembly/parts/make.html",
        "question": "assembly/question.html",
        "player/status": "assembly/parts/present.html",
        "join/left": "assembly/left.html",
        "join/elsewhere": "assembly/elsewhere.html",
        **dict.fromkeys(SLOTS, "assembly/slots.html"),
        **dict.fromkeys(HELP_SLOTS, "assembly/help.html"),
    }

    def idle(self, lifetime: Lifetime) -> timedelta:
        return MAX_BREAK


class AssemblyHooks(Hooks):
    def copied(self, source: Game) -> dict[str, Any]:
        """Those entitled by a roll are counted as the roll is copied."""
        return {"quorum": source.own.quorum, "entitled": 0 if source.own.has_roll else source.own.entitled}

    def copy(self, source: Game, made: Game, host: User) -> None:
        """Copies the roll. Check-in codes are derived from the session, so the copy has new ones."""
        if source.own.has_roll:
            listed = list(roll.each_entry(source.id))
            addresses = {each.folded: each.email for each in listed if each.email}
            weights = {each.folded: each.weight for each in listed if each.weight != 1}
            roll.add(made.id, host.name, [each.name for each in listed], addresses, weights)

    def on_left(self, game: Game, player: str) -> None:
        speakers.player_left(game, player)

    def open_vote(self, game: Game, state: State) -> dict[str, Any]:
        """Robots may rehearse a secret vote among themselves."""
        there = [each for each in seats.read_seats(game.id) if each.is_there]
        if state.secret and not may_be_shown(len(there), sum(each.robot for each in there)):
            raise NotNow(TOO_FEW_PRESENT % {"least": MIN_ANONYMOUS_ANSWERS})
        if state.secret and game.own.extra_votes:
            raise NotNow(WEIGHTS_REVEAL)
        return attendance.quorum_data(game, len(there))

    def weights(self, seated: Iterable[Seat]) -> dict[str, int]:
        weights = {each.player: own_of(each).weight for each in seated}
        return {player: weight for player, weight in weights.items() if weight != 1}

    def stepped(self, game: Game, before: State, after: State) -> None:
        """A debate ends when its item is closed or put to the vote."""
        if before.phase == Phase.SHOWN:
            speakers.end_debate(game)

    def ending(self, game: Game, state: State) -> list[Write]:
        return minutes.opening(game, state)

    def finish_ending(self, game_id: str, *, surely: bool = False) -> None:
        if surely:
            minutes.SEALING.advance(game_id)
        else:
            minutes.SEALING.start(game_id)


class AssemblyFollowUps(FollowUps):
    has_hall = True

    def hall(self, game: Game, typed: Any = None) -> Electorate:
        """`typed` are the addresses of people who checked in by code, if not those on the roll."""
        electorate = electorate_of(game)
        if typed is None:
            return electorate
        return replace(electorate, coded={name: typed.get(name, "") for name in electorate.coded})

    def typed(self, game: Game, post: QueryDict) -> dict[str, str] | None:
        """Addresses typed for people who checked in by code; `None` if the page does not request them."""
        if "addresses" not in post:
            return None
        return read_addresses(post["addresses"][:MAX_ADDRESSES_CHARS], electorate_of(game).coded)

    def page_context(self, game: Game, post: QueryDict) -> dict[str, Any]:
        electorate = electorate_of(game)
        return {"hall": electorate, "lines": post.get("addresses", electorate.lines)}

    def making(self, game: Game, made: FollowUp) -> list[Write]:
        """It stays with the minutes when the session is gone."""
        if game.debug_mode:
            return []
        return [Put({**keys.minutes_onward(game.id, made.number).item, **as_item(made)})]


class AssemblyScreens(Screens):
    def extra_key(self, game_id: str) -> Key:
        return keys.game_speakers(game_id)

    def panel_data(self, item: Item | None, known: Speakers | None) -> Speakers:
        """Read from the item once for each version of it."""
        known = known or NOBODY
        return known if item and known.version == item["version"] else speakers_of(item)

    def screen(self, role: Role, snapshot: Snapshot) -> dict[str, Any]:
        """Presence, the speakers' list and takeovers; for hosts and the projector also the agenda."""
        presence = attendance.presence(snapshot.game, len(snapshot.playing))
        context = {
            "presence": presence,
            "floor": speakers.floor_of(snapshot),
            **check_in.takeover_names(snapshot.seats.values(), snapshot.state),
        }
        if role != Role.PLAYER:
            state, items, called = snapshot.state, wording.agenda(snapshot), steps.calls(snapshot.game, snapshot.state)
            has_result = state.phase == Phase.RESULTS and state.counts(state.round)
            sealed = snapshot.rounds.get(state.round) if has_result else None
            return context | {
                "items": items,
                "calls": [(each, called[each.place]) for each in items if each.place in called],
                "must_prepare": not items and state.phase == Phase.WAITING,
                "own_step": wording.run_off_label(snapshot, sealed) if sealed else "",
            }
        return context | ({"items": wording.agenda(snapshot)} if snapshot.state.phase == Phase.ENDED else {})

    def panel(self, role: Role, snapshot: Snapshot, values: Mapping[str, Any]) -> Fragment | None:
        """The speakers' list: it has buttons and no secrets, and its key follows the list, not the time."""
        if role == Role.SCOREBOARD:
            return None
        floor = speakers.floor_of(snapshot)
        listed = floor.visible_to(role) if floor else ()
        unlisted = len(floor.waiting) - len(listed) if floor else 0
        own = {"listed": listed, "unlisted": unlisted, "hosts": role in HOSTING}
        content = (floor.closed, floor.minutes, floor.speaking, floor.began, floor.waiting) if floor else ()
        mark = sha256(repr(content).encode()).hexdigest()[:12]
        key = f"{translation.get_language()}-{snapshot.state.round}-{mark}"
        return Fragment(key, fragment("assembly/parts/speakers.html", {**values, **own}))

    def consent(self, snapshot: Snapshot, seat: Seat) -> Fragment:
        """Tells people about a new code and how many times their vote counts, and asks whether another device may have
        their seat."""
        state, own = snapshot.state, own_of(seat)
        number, is_renewed = check_in.claim_number(seat, state), own.renewed_in == state.round
        key = f"{translation.get_language()}-{number}-{int(is_renewed)}-{own.weight}"
        if not (number or is_renewed or own.weight > 1):
            return Fragment(key, "")
        context = {"game": snapshot.game, "number": number, "is_renewed": is_renewed, "weight": own.weight}
        return Fragment(key, fragment("assembly/parts/consent.html", context))

    def own_version(self, snapshot: Snapshot, player: str) -> str:
        return speakers.position_of(snapshot, player)

    def left_context(self, seat: Seat, state: State) -> dict[str, Any]:
        return {"number": check_in.claim_number(seat, state)}

    def other_device_page(self, request: HttpRequest, game: Game, state: State) -> HttpResponse:
        return check_in_views.of_another_device(request, game, state)

    def may_get_seat(self, request: HttpRequest, game: Game, state: State) -> bool:
        return check_in_views.is_asking(request, game, state)

    def confirmation(self, game: Game, step: Step, present: int) -> str | Promise:
        return attendance.presence(game, present).warning if step == Step.VOTE else ASKS_FIRST.get(step, "")


class AssemblyPages(Pages):
    fields = FIELDS
    seat_acts = {"allow": check_in_views.allow, "refuse": check_in_views.refuse}

    def typed_questions(self, form: TypedForm) -> tuple[Question, ...]:
        """Checks the quorum and the agenda, which take the place of a question set."""
        typed, errors = form.cleaned_data, form.errors
        if typed.get("quorum") == BY_NUMBER and not typed.get("quorum_number") and "quorum_number" not in errors:
            form.add_error("quorum_number", NO_NUMBER)
        if typed.get("quorum") in QUORUMS and not typed.get("entitled") and "entitled" not in errors:
            problem = _("Enter how many people are entitled to vote: the quorum is a share of them.")
            form.add_error("entitled", problem)
        try:
            return tuple(parse_agenda(typed.get("agenda", "")))
        except forms.ValidationError as error:
            form.add_error("agenda", error)
            return ()

    def settings_from(self, typed: Mapping[str, Any]) -> dict[str, Any]:
        """People check in by account or code, so there are no names to choose."""
        quorum = str(typed["quorum_number"]) if typed["quorum"] == BY_NUMBER else typed["quorum"]
        return {"names": Names.TYPED, "entitled": typed["entitled"] or 0, "quorum": quorum}

    def question_form(self, game: Game, question: Question, typed: QueryDict | None) -> ItemForm:
        return ItemForm(typed, game=game, initial=ItemForm.initial_of(question))

    def reported(self, game: Game) -> dict[str, Any]:
        return {"entitled": game.own.entitled, "quorum": game.own.quorum}

    def visitor_html(self, user: User) -> str:
        attended, _older = minutes.attended_by(user.name, limit=MAX_RECENT_ASSEMBLIES)
        return fragment("assembly/parts/attended.html", {"attended": attended}) if attended else ""
