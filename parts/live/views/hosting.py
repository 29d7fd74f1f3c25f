"""Pages of a running session, for hosts and the room: projector, remote, scoreboard, steps, players."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts.access import public, requires
from accounts.models import User
from accounts.rules import Permission
from foundation.acts.links import absolute_url
from foundation.acts.refusals import LostRace, NotAllowed, NotNow, Refusal
from foundation.pages.client_address import client_network
from foundation.pages.forms import form_data, form_page, run_form
from foundation.pages.messages import confirm_page, run_action
from foundation.store.keys import fold
from parts.live import codes, names, repository, rules, seats, standings, steps
from parts.live.clock import PERCENTS
from parts.live.play import plays_of
from parts.live.rules import Game, State, Step
from parts.live.screens import rendering, snapshots
from parts.live.screens.access import Hosted, for_hosts, for_hosts_of_seat, push_urls, return_page
from parts.live.screens.formats import HOSTING, Role
from parts.live.screens.presence import PRESENCE
from parts.live.seats import Seat
from parts.live.services import hosting, joining, moving, seating
from parts.live.services.seating import SeatAction
from parts.live.snapshot import Snapshot

from .forms import HostForm
from .joining import FindPlayerForm

# --- screens ---


def _load_snapshot(game_id: str) -> Snapshot:
    snapshot = snapshots.current(game_id, counts=True)
    if snapshot is None:
        raise Http404
    return snapshot


def _show(request: HttpRequest, role: Role, snapshot: Snapshot, **more: Any) -> HttpResponse:
    """Renders a screen's page: its current content, and the URLs for updates."""
    game = snapshot.game
    if role in HOSTING:
        PRESENCE.host_looks(snapshot)
        codes.remember_host_address(game, client_network(request))
    context = {
        "game": game,
        "state": snapshot.state,
        "role": role,
        "screen": rendering.render_screen(role, snapshot),
        "status": rendering.render_status(role, snapshot),
        "beside": rendering.render_panel(role, snapshot),
        "links": _links(game),
        "has_texts": any(each.has_texts for each in plays_of(game, snapshot.questions)),
        "is_game": standings.is_scored(snapshot),
        "refreshes": role in (Role.SCREEN, Role.SCOREBOARD),
        **push_urls(role, snapshot),
        **more,
    }
    page = f"live/{role}.html" if role in HOSTING else "live/projector.html"
    return render(request, page, context)


def _links(game: Game) -> dict[str, str]:
    """Links for showing the session on other devices and for joining; none of them needs an account."""
    named = {"screen": [game.id, game.screen_token], "scoreboard": [game.id, game.screen_token]}
    links = {name: absolute_url(reverse(name, args=words)) for name, words in named.items()}
    return links if game.ended_at else links | {"join": rendering.join_link(game)}


@for_hosts
@require_safe
def host(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    """The projector with a bar of controls."""
    may_choose = _is_maker(request.user, hosted[0])
    return _show(request, Role.HOST, _load_snapshot(hosted[0].id), may_choose_hosts=may_choose)


@for_hosts
@require_safe
def remote(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    """Controls for a phone, used alongside the projector."""
    may_choose = _is_maker(request.user, hosted[0])
    return _show(request, Role.REMOTE, _load_snapshot(hosted[0].id), may_choose_hosts=may_choose)


@public
@require_safe
def screen(request: HttpRequest, game_id: str, token: str) -> HttpResponse:
    """The projector alone, for anyone with the link."""
    return _show(request, Role.SCREEN, _load_by_token(game_id, token))


@public
@require_safe
def scoreboard(request: HttpRequest, game_id: str, token: str) -> HttpResponse:
    return _show(request, Role.SCOREBOARD, _load_by_token(game_id, token))


def _load_by_token(game_id: str, token: str) -> Snapshot:
    snapshot = _load_snapshot(game_id)
    if not hmac.compare_digest(snapshot.game.screen_token.encode(), token.encode()):
        raise Http404
    return snapshot


# --- steps ---


def check_drives(user: User, found: Hosted) -> None:
    """Hosts of the session, and moderators, who may end any session."""
    if not (rules.hosts(found[0], user.name, user.role) or rules.moderates(user.role)):
        raise NotAllowed(rules.NOT_YOURS)


@requires(Permission.USE_APPLICATION, load=repository.find_shown, rule=check_drives)
@form_page
def drive(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    """Takes a step from the version shown on the page; irreversible steps need confirmation."""
    game, state = hosted
    step, version, item = _parse_step(request)
    is_host = rules.hosts(game, request.user.name, request.user.role)
    if not is_host and step != Step.END:
        raise NotAllowed(rules.NOT_YOURS)
    page = return_page(_parameters(request).get("from", ""), game)
    back = reverse(page, args=[game.id]) if is_host else reverse("games")
    try:
        if request.method != "POST":
            return _confirm(request, game, state, step, version)
        moving.drive(game.id, request.user.name, _required_step(step), version, item, hosted)
    except LostRace:
        return _refused(request, LostRace(rules.STALE), back)
    except NotNow as refusal:
        return _refused(request, refusal, back)
    return HttpResponse(status=204) if _is_by_script(request) else redirect(back)


def _parameters(request: HttpRequest) -> QueryDict:
    """The form's fields; a confirmation form has them in its URL."""
    return request.POST if "act" in request.POST else request.GET


def _parse_step(request: HttpRequest) -> tuple[Step | None, int, int | None]:
    """Buttons combine step, version and item: "next 7" or "next 7 3"; URLs have them as separate parameters."""
    sent = _parameters(request)
    act, _space, numbers = sent.get("act", "").partition(" ")
    version, _space, item = numbers.partition(" ")
    item = item or sent.get("item", "")
    step = Step(act) if act in set(Step) else None
    return step, _number(version or sent.get("version", "")), _number(item) if item else None


def _number(typed: str) -> int:
    is_number = typed.isascii() and typed.isdigit() and len(typed) < 10
    return int(typed) if is_number else -1


def _required_step(step: Step | None) -> Step:
    if step is None:
        raise NotNow(rules.NOT_NOW)
    return step


def _confirm(request: HttpRequest, game: Game, state: State, step: Step | None, version: int) -> HttpResponse:
    """A confirmation page with one button, which posts to its own URL."""
    step = _required_step(step)
    present = sum(each.is_there for each in seats.read_seats(game.id)) if step == Step.VOTE else 0
    lead = rendering.confirmation(game, step, present)
    if not lead and step != Step.VOTE:  # what it asks first may no longer hold
        raise NotNow(rules.NOT_NOW)
    if version < 0:
        return redirect(f"{request.path}?{urlencode({'act': step, 'version': state.version})}")
    if version != state.version:
        raise LostRace(rules.STALE)
    steps.check_offered(game, state, step)
    title = str(steps.step_label(step, game, state))
    return confirm_page(request, title, title, lead=lead, danger=True)


def _is_by_script(request: HttpRequest) -> bool:
    """Whether the page stays open and gets updates by itself."""
    return request.headers.get("X-Requested-With") == "fetch"


def _refused(request: HttpRequest, refusal: Refusal, back: str) -> HttpResponse:
    """Shows the reason on the session's current page, never on a page of its own."""
    if _is_by_script(request):
        return HttpResponse(str(refusal), status=409, content_type="text/plain; charset=utf-8")
    messages.warning(request, str(refusal))
    return redirect(back)


# --- hosts ---


def _is_maker(user: User, game: Game) -> bool:
    return fold(user.name) == fold(game.created_by)


def load_made(user: User, game_id: str) -> Game | None:
    """For the person who created the session."""
    found = repository.find_shown(game_id)
    if found is not None and not _is_maker(user, found[0]):
        raise NotAllowed(hosting.ONLY_THE_MAKER)
    return found[0] if found else None


@requires(Permission.USE_APPLICATION, load_for=load_made)
@form_page
def hosts(request: HttpRequest, game: Game) -> HttpResponse:
    form = HostForm(form_data(request) if "remove" not in request.POST else None)
    if request.method == "POST" and "remove" in request.POST:
        name = request.POST["remove"]
        done = _("%(name)s no longer runs this session.") % {"name": name}
        run_action(request, lambda: hosting.remove(request.user, game.id, name), done)
        return redirect("game_hosts", game.id)
    if run_form(
        request,
        form,
        lambda: hosting.add(request.user, game.id, form.cleaned_data["name"]),
        lambda name: _("%(name)s can now run this session, too.") % {"name": name},
        "name",
    ):
        return redirect("game_hosts", game.id)
    return render(request, "live/hosts.html", {"form": form, "game": game}, status=422 if form.errors else 200)


# --- players ---

PAGE_ROWS = 100  # players


@for_hosts
@form_page
def players(request: HttpRequest, hosted: Hosted) -> HttpResponse:
    game, state = hosted
    if game.format.people_page != "game_players":
        return redirect(game.format.people_page, game.id)
    if request.method == "POST":
        return _approve_shown(request, game)
    form = FindPlayerForm(request.GET)
    asked = form.cleaned_data["q"] if form.is_valid() else ""
    everybody = list(seats.read_seats(game.id))  # bypasses the cache, which may be slightly out of date
    found, after = seating.search(everybody, asked), request.GET.get("after", "")
    start = int(after) if after.isdecimal() and len(after) < 6 else 0
    rows = [  # a player, the possible actions, and the question from which they were there if they came late
        (each, {act.name for act in seating.offered(each, game)}, seats.late_since(state, each))
        for each in found[start : start + PAGE_ROWS]
    ]
    context = {
        "game": game,
        "form": form,
        "rows": rows,
        "playing": sum(each.plays and not each.left for each in everybody),
        "waiting": sum(not each.approved and not each.removed for each in everybody),
        "percents": PERCENTS,
        "older": _list_url(game, q=asked, after=start + PAGE_ROWS) if len(found) > start + PAGE_ROWS else "",
    }
    return render(request, "live/players/players.html", context)


def _approve_shown(request: HttpRequest, game: Game) -> HttpResponse:
    """Approves only the names that were on the page: hosts look at every name, and players may have joined since."""
    shown = request.POST.getlist("player")[:PAGE_ROWS]
    number = seating.approve_all(game.id, shown, request.user.name)
    sentence = ngettext("%(number)d player approved.", "%(number)d players approved.", number)
    messages.success(request, sentence % {"number": number})
    return redirect("game_players", game.id)


@for_hosts_of_seat
@require_POST
def change_player(request: HttpRequest, seated: tuple[Game, Seat]) -> HttpResponse:
    """Performs one of the list's actions, as given by the button."""
    game, seat = seated
    try:
        sentence, act = _parse_act(request, game, seat)
        act()
    except joining.SeatNameTaken as refusal:
        free = ", ".join(refusal.instead)
        available = _("Available: %(names)s.") % {"names": free} if free else ""
        messages.error(request, f"{refusal} {available}")
    except (Refusal, ValidationError) as refusal:
        messages.error(request, refusal.messages[0] if isinstance(refusal, ValidationError) else str(refusal))
    else:
        messages.success(request, sentence)
    asked = request.POST.get("q", "")[: names.MAX_CODE_POINTS]
    return redirect(_list_url(game, q=asked) if asked else _list_url(game))


def _list_url(game: Game, **words: Any) -> str:
    return reverse(game.format.people_page, args=[game.id]) + (f"?{urlencode(words)}" if words else "")


def _parse_act(request: HttpRequest, game: Game, seat: Seat) -> tuple[str, Callable[[], Any]]:
    """The requested action, and the message to show once it is done."""
    who, wanted, called = request.user.name, request.POST.get("act", ""), {"name": seat.name}
    if wanted == SeatAction.RENAME:
        name = names.clean(request.POST.get("name", ""))
        sentence = _("%(name)s is now called %(new)s.") % {**called, "new": name}
        return sentence, lambda: seating.rename(game.id, seat.player, who, name)
    if wanted == SeatAction.TIME:
        percent = next((each for each in PERCENTS if str(each) == request.POST.get("percent")), 0)
        sentence = _("%(name)s now has %(percent)d%% of the usual time.") % {**called, "percent": percent}
        return sentence, lambda: seating.give_time(game.id, seat.player, who, percent)
    simple = {
        SeatAction.APPROVE: (_("%(name)s can now play."), seating.approve),
        SeatAction.REMOVE: (_("%(name)s has been removed and is told so."), seating.remove),
        SeatAction.READMIT: (_("%(name)s may play again."), seating.readmit),
        SeatAction.CHECK_OUT: (_("%(name)s is no longer present."), seating.check_out),
        SeatAction.CHECK_IN: (_("%(name)s is present again."), seating.check_in),
    }
    if wanted not in simple:
        raise NotNow(seating.ALREADY_CHANGED)
    sentence, act = simple[SeatAction(wanted)]
    return sentence % called, lambda: act(game.id, seat.player, who)
