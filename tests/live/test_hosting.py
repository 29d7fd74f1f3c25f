"""Hosting: every type from lobby to end, who may drive, steps that come too late, screens by a link, who runs it."""

from __future__ import annotations

import re
from functools import partial

import pytest
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from accounts.rules import Role
from foundation.acts.storage import table
from foundation.store.log import EventLog
from parts.live import repository, seats
from parts.live.plays import best_answer
from parts.live.rules import MAX_HOSTS, Names, Phase, Step
from parts.live.screens import rendering, snapshots
from parts.live.screens.formats import Role as Screen
from parts.live.services import hosting
from parts.questions.question import Kind, Question, Type
from tests.at_once import at_once
from tests.live.conftest import drive, give, seated
from tests.rows import every_row

STALE = "The session has already moved on. This is where it is now."


def text(answer) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def address(game, page: str, *words: str) -> str:
    return reverse(page, args=[game.id, *words])


def take(client: Client, game, step: Step, version: int | None = None, **more):
    """As the button of a page that shows this version does."""
    version = repository.read_state(game.id).version if version is None else version
    return client.post(address(game, "drive"), {"act": f"{step} {version}", **more})


def events(site, kind: str) -> list[dict]:
    return [each["event_data"] for each in EventLog(site).since(0) if each["event_type"] == kind]


def shown(client: Client, game, page: str = "host_game") -> str:
    answer = client.get(address(game, page))
    assert answer.status_code == 200
    return text(answer)


# --- from the lobby to the end ---


def test_a_lobby_fills(hana, made):
    game = made(names=Names.APPROVED)
    page = shown(hana, game)
    assert "Nobody is here yet" in page
    assert f'<p class="lobby-code" dir="ltr">{game.code}</p>' in page
    assert f'<p class="lobby-address" dir="ltr">{rendering.join_context(game)["join_address"]}</p>' in page
    assert not rendering.join_context(game)["join_address"].startswith("http")
    assert "<svg" in page
    seated(game, "Ada", "Zoë <b>")
    seated(game, "Rude", approved=False)
    seats.count_change(game)
    page = shown(hana, game)
    assert "<b>2</b> people are here" in page
    assert "Zoë &lt;b&gt;" in page
    assert "1 is waiting to be let in" in page
    assert "<bdi>Rude" not in page


def test_a_full_lobby_names_as_many_as_fit(made):
    game = made()
    names = [f"Somebody with a long name {number:03d}" for number in range(300)]
    lobby = rendering.lobby([seats.Seat(name, name, f"{number:03d}") for number, name in enumerate(names)])
    assert lobby.players == 300
    assert len(lobby.visible) + lobby.more == 300
    assert lobby.visible[0].name == names[-1], "The newest is seen to come."
    assert len(lobby.visible) < 30
    titled = rendering.lobby([*lobby.visible], "A title that takes a second line on the wall of a hall")
    assert 0 < len(titled.visible) < len(lobby.visible), "The code stays in sight."
    assert game.code


def test_trivia_from_its_first_question_to_the_podium(hana, made):
    game = made()
    ada, ben = seated(game, "Ada", "Ben")
    assert "Start with the first question" in shown(hana, game)
    assert take(hana, game, Step.NEXT)["Location"] == address(game, "host_game")
    page = shown(hana, game)
    assert "Who proposed the Schulze method?" in page
    assert "Question 1 of 2" in page
    assert '<li class="show-option on-option option-2">' in page
    assert "<b>0</b> of 2 have answered" in page
    give(game, ada, [0])
    give(game, ben, [1])
    snapshots.SESSIONS.forget(game.id)  # which counts answers again only every second
    assert "<b>2</b> of 2 have answered" in shown(hana, game)
    take(hana, game, Step.CLOSE)
    page = shown(hana, game)
    assert "<b>2</b> answers are in" in page
    assert "live-result" not in page, "Nobody sees a result before it is revealed, not even on the host's page."
    take(hana, game, Step.REVEAL)
    page = shown(hana, game)
    assert "is-right" in page
    assert 'board-gained">+1000<' in page
    take(hana, game, Step.NEXT)
    take(hana, game, Step.CLOSE)
    take(hana, game, Step.REVEAL)
    assert "Next question" not in shown(hana, game)
    take(hana, game, Step.END)
    page = shown(hana, game)
    assert "Final places" in page
    assert 'class="step step-1"' in page
    assert address(game, "game_report") in page
    assert 'name="act"' not in page


def test_answers_are_voted_on_in_the_hall(hana, made):
    game = made(Type.CALL_AND_ANSWER)
    players = seated(game, "Ada", "Ben", "Cem")
    take(hana, game, Step.NEXT)
    assert "Answer in your own words" in shown(hana, game)
    for seat in players:
        give(game, seat, f"A boat for {seat.name}")
    assert "Close the answers" in shown(hana, game)
    take(hana, game, Step.CLOSE)
    page = shown(hana, game)
    assert "Now vote" in page
    assert "3 answers are in." in page
    assert "A boat for" not in page, "Whose and what it is stays on the phones until the results."
    gathered = best_answer.read_gathered(game.id, 1)
    first = gathered.shown_to("ada")[0]
    give(game, players[0], {"ranks": {str(first): 1}, "shown": list(gathered.shown_to("ada"))})
    take(hana, game, Step.CLOSE)
    take(hana, game, Step.REVEAL)
    page = shown(hana, game)
    assert gathered.answers[first].text in page
    assert 'board-gained">+3<' in page


def test_a_poll_and_a_survey_have_no_points(hana, made):
    poll, survey = made(Type.POLL), made(Type.SURVEY, title="How was it all?")
    for game, said in ((poll, "0>1>2"), (survey, {"0": 4, "3": "Thanks"})):
        players = seated(game, "Ada", "Ben", "Cem")
        take(hana, game, Step.NEXT)
        page = shown(hana, game)
        assert ("Rank them on your phone" in page) == (game is poll)
        assert ("have sent theirs" in page) == (game is survey)
        assert (f'lobby-code" dir="ltr">{game.code}' in page) == (game is survey)
        for seat in players:
            give(game, seat, said)
        take(hana, game, Step.CLOSE)
        take(hana, game, Step.REVEAL)
        page = shown(hana, game)
        assert ("Sea" in page and "wins" in page) == (game is poll)
        assert ("Thanks" in page) == (game is survey)
        assert 'class="board"' not in page
        take(hana, game, Step.END)
        assert "Thank you for taking part" in shown(hana, game)
        board = text(Client().get(address(game, "scoreboard", game.screen_token)))
        assert "Nobody gets points in this session." in board


def test_a_pause_stops_the_clock_and_a_void_does_not_count(hana, made):
    game = made()
    seated(game, "Ada")
    take(hana, game, Step.NEXT)
    take(hana, game, Step.PAUSE)
    page = shown(hana, game)
    assert "Paused. The clock has stopped" in page
    assert ">Resume</button>" in page
    take(hana, game, Step.RESUME)
    assert "Paused" not in shown(hana, game)
    take(hana, game, Step.VOID)
    assert "This question does not count." in shown(hana, game)
    take(hana, game, Step.REPEAT)
    assert "Question 1 of 2" in shown(hana, game)
    assert repository.read_state(game.id).round == 2


def test_the_remote_shows_what_only_hosts_may_know(hana, made):
    game = made(context="Ask Ben first.", custom_instructions="Speak up")
    seated(game, "Ada")
    page = shown(hana, game, "remote")
    assert "Ask Ben first." in page
    assert "Speak up" in page
    assert "Who proposed the Schulze method?" in page, "What comes next."
    assert take(hana, game, Step.NEXT, **{"from": "remote"})["Location"] == address(game, "remote")
    page = shown(hana, game, "remote")
    assert re.search(r"Schulze</span> <b[^>]*>right</b>", page)
    assert "Which of these are primes?" in page
    assert address(game, "game_players") in page
    assert "Ask Ben first." not in shown(hana, game), "A hall reads along on the wall."


# --- who may ---


def test_those_who_look_after_the_site_may_end_it_and_nothing_else(made, signed_in, person):
    game = made()
    assert take(signed_in("Otto"), game, Step.END).status_code == 403
    admin = signed_in(person("Adam", Role.ADMIN))
    for step in (Step.NEXT, Step.REVEAL, Step.VOID, "nonsense"):
        assert take(admin, game, step).status_code == 403
    asked = admin.get(address(game, "drive"), {"act": "end"}, follow=True)
    assert "Nobody can answer after that." in text(asked)
    sent = admin.post(asked.redirect_chain[-1][0])
    assert sent["Location"] == "/live/"
    assert repository.read_state(game.id).phase == Phase.ENDED


def test_one_who_was_asked_to_help_drives_until_they_are_removed(site, hana, made, signed_in, person):
    game, cleo = made(), signed_in(person("Cleo"))
    assert cleo.get(address(game, "host_game")).status_code == 403
    page = text(hana.post(address(game, "game_hosts"), {"name": "cleo"}, follow=True))
    assert "Cleo can now run this session, too." in page
    assert events(site, "LiveHostAdded") == [{"game_id": game.id, "name": "Cleo"}]
    (past,), _cursor = repository.history("Cleo", limit=5)
    assert past.id == game.id
    assert "Friday" in text(cleo.get("/live/"))
    take(cleo, game, Step.NEXT)
    assert "Who proposed" in shown(hana, game), "Each finds the session where it is, on any device."
    assert cleo.get(address(game, "game_hosts")).status_code == 403
    assert cleo.post(address(game, "game_hosts"), {"name": "Cleo"}).status_code == 403
    page = text(hana.post(address(game, "game_hosts"), {"remove": "Cleo"}, follow=True))
    assert "Cleo no longer runs this session." in page
    assert [each["name"] for each in events(site, "LiveHostRemoved")] == ["Cleo"]
    assert repository.history("Cleo", limit=5) == ([], None)
    assert take(cleo, game, Step.CLOSE).status_code == 403


@every_row(
    ("name", "sentence"),
    [
        ("", "This field is required."),
        ("Nobody", "Nobody with that name may run live sessions here."),
        ("Vera", "Nobody with that name may run live sessions here."),
        ("hana", "Hana already runs this session."),
        ("Cleo", "Cleo already runs this session."),
        ("a@b", "A name cannot contain @"),
    ],
)
def test_who_cannot_help_is_told_why(hana, made, person, name, sentence):
    for each, role in (("Vera", Role.VOTER), ("Cleo", Role.USER)):
        if people.find(each) is None:
            person(each, role)
    answer = hana.post(address(made(hosts=("Cleo",)), "game_hosts"), {"name": name})
    assert answer.status_code == 422
    assert sentence in text(answer)


def test_a_session_has_so_many_hosts_and_none_are_added_at_its_end(hana, made, person):
    person("Cleo")
    full = made(hosts=tuple(f"Host {number}" for number in range(MAX_HOSTS)))
    assert "at most 10 other hosts" in text(hana.post(address(full, "game_hosts"), {"name": "Cleo"}))
    over = made()
    drive(over, Step.END)
    assert "The session has ended." in text(hana.post(address(over, "game_hosts"), {"name": "Cleo"}))
    assert hana.post(address(over, "game_hosts"), {"remove": "Nobody"}).status_code == 302


def test_two_hosts_added_at_once_are_both_there(made, person):
    game, hana = made(), people.find("Hana")
    for name in ("Cleo", "Dan"):
        person(name)
    at_once(*(partial(hosting.add, hana, game.id, name) for name in ("Cleo", "Dan")))
    assert set(repository.find(game.id)[0].hosts) == {"Cleo", "Dan"}


# --- steps that cannot be taken ---


def test_a_step_from_a_page_that_is_old_changes_nothing_and_says_so(hana, made):
    game = made()
    old = repository.read_state(game.id).version
    take(hana, game, Step.NEXT, old)
    answer = hana.post(address(game, "drive"), {"act": "next", "version": str(old)}, follow=True)
    assert answer.redirect_chain == [(address(game, "host_game"), 302)]
    assert STALE in text(answer)
    assert "Question 1 of 2" in text(answer)
    assert repository.read_state(game.id).round == 1


def test_a_script_is_told_without_a_page(hana, made):
    game = made()
    version = repository.read_state(game.id).version
    by_script = {"X-Requested-With": "fetch"}
    first, second = (
        hana.post(address(game, "drive"), {"act": f"next {version}"}, headers=by_script) for _each in range(2)
    )
    assert (first.status_code, first.content) == (204, b"")
    assert (second.status_code, second.content.decode()) == (409, STALE)


@pytest.mark.deep
@every_row("act", ["", "dance 2", "next", "next x", "next -1", f"next {'9' * 30}", "next ²", "reveal 2", "resume 2"])
def test_nonsense_is_answered_with_the_session_as_it_is(hana, made, act):
    game = made()
    drive(game, Step.NEXT)
    answer = hana.post(address(game, "drive"), {"act": act, "from": "//evil"}, follow=True)
    assert answer.redirect_chain == [(address(game, "host_game"), 302)]
    assert 'class="message warning"' in text(answer)
    assert repository.read_state(game.id).round == 1
    drive(game, Step.END)


@every_row("step", [Step.VOID, Step.REPEAT, Step.END])
def test_what_cannot_be_undone_is_asked_first(hana, made, step):
    game = made()
    drive(game, Step.NEXT)
    page = shown(hana, game)
    (link,) = re.findall(rf'href="([^"]+act={step}[^"]+)"', page)
    assert f'<dialog id="ask-{step}"' in page
    link = link.replace("&amp;", "&")
    asked = hana.get(link)
    assert str(rendering.CONFIRMATIONS[step]) in text(asked)
    assert repository.read_state(game.id).phase == Phase.QUESTION, "A link alone does nothing."
    assert hana.post(link)["Location"] == address(game, "host_game")
    assert repository.read_state(game.id).version > 2
    assert STALE in text(hana.get(link, follow=True))
    if step != Step.END:
        drive(game, Step.END)


def test_a_link_to_a_step_that_needs_no_asking_does_nothing(hana, made):
    game = made()
    for act in ("next", "dance", ""):
        answer = hana.get(address(game, "drive"), {"act": act, "version": "1"}, follow=True)
        assert answer.redirect_chain == [(address(game, "host_game"), 302)]
    assert repository.read_state(game.id).version == 1
    assert hana.delete(address(game, "drive")).status_code == 405
    assert hana.post(address(game, "host_game")).status_code == 405


def test_after_the_end_nothing_is_offered(hana, made):
    game = made()
    drive(game, Step.END)
    assert take(hana, game, Step.NEXT).status_code == 302
    assert repository.read_state(game.id).phase == Phase.ENDED
    assert hana.get("/live/no-such-session/host/").status_code == 404


# --- screens by a link ---


def test_the_projector_alone_needs_its_link_and_drives_nothing(made):
    game, other = made(), made()
    seated(game, "Ada")
    drive(game, Step.NEXT)
    for page in ("screen", "scoreboard"):
        answer = Client().get(address(game, page, game.screen_token))
        assert answer.status_code == 200
        assert 'name="act"' not in text(answer)
        assert f"token={game.screen_token}" in text(answer), "By which it hears what comes."
        for wrong in (game.token, game.screen_token[:-1], other.screen_token):
            assert Client().get(address(game, page, wrong)).status_code == 404
        assert Client().post(address(game, page, game.screen_token)).status_code == 405
    assert "Who proposed" in text(Client().get(address(game, "screen", game.screen_token)))


def test_a_scoreboard_counts_only_what_is_revealed(made):
    game = made()
    ada, _ben = seated(game, "Ada", "Ben")
    board = address(game, "scoreboard", game.screen_token)
    assert "No points yet" in text(Client().get(board))
    drive(game, Step.NEXT)
    give(game, ada, [0])
    drive(game, Step.CLOSE)
    assert "<b>1000</b>" not in text(Client().get(board))
    drive(game, Step.REVEAL)
    assert "<b>1000</b>" in text(Client().get(board))
    drive(game, Step.VOID)
    assert "<b>1000</b>" not in text(Client().get(board))


def test_two_sessions_never_see_each_other(hana, made):
    one, other = made(title="One"), made(title="Other")
    seated(one, "Ada")
    seated(other, "Ben")
    page = shown(hana, one)
    assert "<bdi>Ada</bdi>" in page
    assert "<bdi>Ben</bdi>" not in page
    assert f'dir="ltr">{one.code}<' in page
    assert f'dir="ltr">{other.code}<' not in page


# --- what is pushed ---


def test_a_screen_is_another_one_when_a_step_or_a_name_on_it_is(made):
    game = made()
    ada, ben = seated(game, "Ada", "Ben")
    drive(game, Step.NEXT)

    def key(role: Screen) -> str:
        return rendering.render_screen(role, snapshots.current(game.id)).key

    before = {role: key(role) for role in (Screen.HOST, Screen.SCREEN, Screen.REMOTE)}
    drive(game, Step.PAUSE)
    assert key(Screen.HOST) != before[Screen.HOST], "Its buttons leave another version."
    assert key(Screen.REMOTE) != before[Screen.REMOTE]
    assert key(Screen.SCREEN) == before[Screen.SCREEN]
    give(game, ada, [0])
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    named = key(Screen.SCREEN)
    table().write(*seats.change(game, ben, seats.replace(ben, removed=True)))
    seats.count_change(game)
    assert key(Screen.SCREEN) != named
    assert not re.search(r"\bBen\b", rendering.render_screen(Screen.SCREEN, snapshots.current(game.id)).html)


def test_no_form_and_no_secret_is_in_what_is_sent_to_all_hosts(made):
    game = made()
    drive(game, Step.NEXT)
    html = rendering.render_screen(Screen.HOST, snapshots.current(game.id)).html
    assert "csrf" not in html
    assert 'form="drive"' in html
    assert game.screen_token not in html


def test_words_grow_smaller_only_when_they_must():
    short = Question("Yes?", Kind.CHOICE, options=("Yes", "No"))
    many = Question("Which?", Kind.CHOICE, options=tuple(str(number) for number in range(10)))
    assert [rendering.text_size(each) for each in (None, short, many)] == ["large", "large", "small"]
    assert rendering.text_size(Question("x" * 80)) == "medium"
    assert rendering.text_size(Question("x" * 200)) == "small"
    assert (rendering.spaced_code("1234"), rendering.spaced_code("123456")) == ("1234", "123 456")
