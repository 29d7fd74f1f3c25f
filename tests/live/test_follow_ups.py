"""Turn it into a poll or an election: what goes along, what is refused, and that two clicks make one thing."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

import pytest

from accounts import repository as people
from accounts.rules import Role
from ballots import services as voting
from elections import repository as elections
from elections import rolls
from elections.convening import Convened
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.acts.background import wait
from foundation.acts.rate_limits import TooOften
from foundation.acts.refusals import NotAllowed
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.log import seal
from operations.features.services import find, switch_off
from parts.assembly import roll
from parts.assembly.electorate import electorate_of
from parts.live import follow_up_store, repository, rounds, seats
from parts.live.rules import Step
from parts.live.services import deleting, follow_ups
from parts.polls import repository as polls
from parts.polls import services as polling
from parts.questions.question import Kind, Question, Type
from results import services as results
from results.exports import verify
from tests.background import finish_background
from tests.people import enrol, make_owner, sign_in
from tests.races.overtaken import overtaken_by
from tests.results.test_bundle import unpacked

from .conftest import drive, give, made, seated  # noqa: F401 - a fixture

PLACES = Question("Where do we go?", Kind.RANKING, options=("Sea", "Hills", "sea ", "Town"), seconds=0)
CHAIR = Question("Who chairs?", Kind.CHOICE, options=("Ines", "Jo"), seconds=0)
FEE = Question("The fee", Kind.ALTERNATIVES, options=("Twenty", "Thirty", "No change"), seconds=0)


@pytest.fixture
def hana(person):
    return person("Hana")


def asked(game, said=("0>1>2", "1>0", "0"), *, reveal=True):
    """A round of a poll from its question to its result."""
    players = seated(game, *(f"P{number}" for number in range(len(said))))
    drive(game, Step.NEXT)
    for seat, each in zip(players, said, strict=True):
        give(game, seat, each)
    drive(game, Step.CLOSE)
    if reveal:
        drive(game, Step.REVEAL)
    return game


@pytest.fixture
def ranked(made):  # noqa: F811
    return asked(made(Type.POLL, [PLACES]))


@pytest.fixture
def assembly(made):  # noqa: F811
    """Five are there, of whom three have an account; one more has left, and one was removed."""
    game = made(Type.ASSEMBLY, [CHAIR, FEE], title="Spring meeting", entitled=12, quorum="1/3")
    enrol("Ada", "Bo", "Cy", "Dee", "Eve")
    for name in ("Ada", "Bo", "Cy"):
        sit(game, name)
    sit(game, "Dee", left=True)
    sit(game, "Eve", removed=True)
    for name in ("By code", "By another"):
        sit(game, name, account="")
    return game


def sit(game, name, account=None, weight=1, **more):
    """As somebody checks in; by a code without an account."""
    person = people.find(name)
    own = {"account": name if account is None else account, "weight": weight}
    player = roll.player_of(game.id, name, person.created_at if person else "")
    seat = seats.Seat(player, name, game.created_at, own=own, **more)
    table().write(*seats.seating(game, seat))
    return seat


def talked(game):
    """The next item is called and closed without a vote."""
    drive(game, Step.NEXT)
    drive(game, Step.CLOSE)
    return repository.read_state(game.id).round


def events(kind):
    return [each["event_data"] for each in table().each(keys.events()) if each["event_type"] == kind]


def voters_of(name):
    return sorted(each.name for each in rolls.every_voter(name))


# --- a quick poll ---


def test_a_poll_has_the_question_and_its_options_each_once(ranked, hana):
    made_ = follow_ups.make_poll(hana, "10.0.0.1", ranked.id, 1)
    poll = polls.find(made_.what)
    assert (poll.title, poll.maker) == ("Where do we go?", "Hana")
    assert [each.name for each in poll.candidates] == ["Sea", "Hills", "Town"]
    assert "Friday" in poll.description
    assert follow_up_store.read_follow_ups(ranked.id) == [made_]
    assert events("LiveOutcomeCarriedOn") == [
        {"game_id": ranked.id, "number": 1, "kind": "poll", "what": poll.id, "title": poll.title, "round": 1}
        | {"at": poll.created_at}
    ]


def test_where_polls_are_switched_off_none_is_made_nor_linked(ranked, hana):
    made_ = follow_ups.make_poll(hana, "10.0.0.1", ranked.id, 1)
    switch_off(make_owner(), find("polls"))
    browser = sign_in(hana)
    page = browser.get(f"/live/{ranked.id}/onward/1/").content.decode()
    assert "Where do we go?" in page
    assert 'value="poll"' not in page
    assert f"/poll/{made_.what}/" not in page
    refused = browser.post(f"/live/{ranked.id}/onward/1/", {"make": "poll"}, follow=True).content.decode()
    assert "This site has no quick polls." in refused
    assert browser.get(f"/join/{polls.find(made_.what).code}/").status_code == 404


def test_a_choice_stays_a_choice_in_the_poll_and_in_the_election(made, hana):  # noqa: F811
    game = asked(made(Type.POLL, [CHAIR]), ("0", "1", "0"))
    poll = polls.find(follow_ups.make_poll(hana, "10.0.0.1", game.id, 1).what)
    assert (poll.kind, poll.most) == ("choose", 1)
    draft = elections.find(follow_ups.make_election(hana, game.id, 1).what)
    assert (draft.kind, draft.method, draft.most) == ("choose", "most-votes", 1)


def test_polls_have_their_own_limits_which_are_said(ranked, hana, monkeypatch):
    monkeypatch.setattr(polling, "MADE", replace(polling.MADE, most=0))
    with pytest.raises(TooOften):
        follow_ups.make_poll(hana, "10.0.0.1", ranked.id, 1)
    assert follow_up_store.read_follow_ups(ranked.id) == []


# --- a draft election ---


def test_a_draft_has_the_options_as_its_candidates_and_nobody_on_its_roll(ranked, hana):
    made_ = follow_ups.make_election(hana, ranked.id, 1)
    draft = elections.find("Where do we go?")
    assert made_ == follow_up_store.FollowUp(1, "election", draft.name, draft.name, 1, draft.created_at, "Hana")
    standing = sorted(elections.candidates(draft.name), key=lambda each: each.number)
    assert [each.name for each in standing] == ["Sea", "Hills", "Town"]
    assert (draft.owner_name, draft.voter_count, draft.convened) == ("Hana", 0, None)
    assert draft.stored_state.name == "DRAFT"
    assert "Friday" in elections.description_of(draft.name).description


def test_a_name_that_is_taken_gets_a_number(ranked, hana, person):
    drafts.create(person("Ida"), "WHERE do we go?")
    drafts.create(person("Ida"), "Where do we go? (2)")
    assert follow_ups.make_election(hana, ranked.id, 1).what == "Where do we go? (3)"


def test_a_title_longer_than_a_name_is_cut_also_before_its_number(made, hana, person):  # noqa: F811
    game = asked(made(Type.POLL, [replace(PLACES, title="x" * 300)]))
    first, second, *_others = follow_ups.candidate_names(follow_ups.subject(*repository.find(game.id), 1).title)
    assert (len(first), first[-1]) == (200, "…")
    assert (len(second), second[-5:]) == (200, "… (2)")
    drafts.create(person("Ida"), first)
    assert follow_ups.make_election(hana, game.id, 1).what == second


def test_where_many_have_the_name_one_is_made_all_the_same(ranked, hana, person):
    for number in range(1, 41):
        drafts.create(person("Ida"), "Where do we go?" + f" ({number})" * (number > 1))
    assert re.fullmatch(r"Where do we go\? \([0-9a-f]{8}\)", follow_ups.make_election(hana, ranked.id, 1).what)


@pytest.mark.needs("assembly")
def test_that_nothing_changes_stays_an_option(assembly, hana):
    talked(assembly)
    made_ = follow_ups.make_election(hana, assembly.id, talked(assembly))
    assert [each.name for each in elections.candidates(made_.what)] == ["No change", "Thirty", "Twenty"]


def test_who_may_not_make_elections_is_told_so(ranked, person):
    with pytest.raises(NotAllowed, match="permission to create elections"):
        follow_ups.make_election(person("Vera", Role.VOTER), ranked.id, 1)


# --- an assembly's electorate ---


@pytest.mark.needs("assembly")
def test_those_present_are_its_electorate_and_how_many_they_were_is_kept(assembly, hana):
    number = talked(assembly)
    made_ = follow_ups.make_election(hana, assembly.id, number, of_those_present=True)
    draft = elections.find(made_.what)
    assert voters_of(draft.name) == ["Ada", "Bo", "Cy"]
    digest = rounds.round_digest(rounds.round_from_parts(repository.round_items(assembly.id, number)))
    said = {"present": 5, "entitled": 12, "quorum": "1/3", "quorate": True, "listed": 3, "unlisted": 2}
    at = draft.convened.at
    assert draft.convened == Convened("Spring meeting", assembly.id, at, **said, round_digest=digest)
    assert assembly.created_at <= at <= draft.created_at


@pytest.mark.needs("assembly")
def test_votes_that_count_several_times_in_the_room_do_so_in_the_election(assembly, hana):
    for name, account, weight in (("Fay", "Fay", 7), ("By weight", "", 3)):
        enrol(*([name] if account else []))
        sit(assembly, name, account=account, weight=weight)
    typed = {"By weight": "weight@example.org", "By code": "code@example.org"}
    made_ = follow_ups.make_election(hana, assembly.id, talked(assembly), of_those_present=True, typed=typed)
    found = {each.name: each.weight for each in rolls.every_voter(made_.what)}
    assert found == {"Ada": 1, "Bo": 1, "Cy": 1, "Fay": 7, "weight@example.org": 3, "code@example.org": 1}
    assert elections.find(made_.what).weighted


@pytest.mark.needs("assembly")
def test_without_its_electorate_it_still_says_who_was_there(assembly, hana):
    made_ = follow_ups.make_election(hana, assembly.id, talked(assembly))
    draft = elections.find(made_.what)
    assert (draft.voter_count, draft.convened.present, draft.convened.listed, draft.convened.unlisted) == (0, 5, 0, 0)


@pytest.mark.needs("assembly")
def test_of_an_assembly_as_a_whole_there_is_the_electorate_alone(assembly, hana):
    made_ = follow_ups.make_election(hana, assembly.id, 0, of_those_present=True)
    draft = elections.find("Spring meeting")
    assert made_.round == 0
    assert voters_of(draft.name) == ["Ada", "Bo", "Cy"]
    assert elections.candidates(draft.name) == []
    assert draft.convened.round_digest == ""
    with pytest.raises(follow_ups.NoFollowUp, match="needs the options"):
        follow_ups.make_poll(hana, "10.0.0.1", assembly.id, 0)


@pytest.mark.needs("assembly")
def test_without_a_quorum_the_draft_is_made_and_says_so(assembly, hana, made):  # noqa: F811
    game = made(Type.ASSEMBLY, [CHAIR], title="Autumn", entitled=12, quorum=">1/2")
    sit(game, "Ada")
    draft = elections.find(follow_ups.make_election(hana, game.id, 0, of_those_present=True).what)
    assert voters_of(draft.name) == ["Ada"]
    assert (draft.convened.quorate, draft.convened.summary) == (
        False,
        "1 of 12 present · quorum of more than 1/2 of those entitled NOT met · 1 of them was added to the roll",
    )


@pytest.mark.needs("assembly")
def test_of_an_assembly_that_is_over_it_says_what_was_so_at_its_end(assembly, hana):
    drive(assembly, Step.END)
    draft = elections.find(follow_ups.make_election(hana, assembly.id, 0, of_those_present=True).what)
    assert draft.convened.at == repository.find(assembly.id)[0].ended_at
    assert draft.convened.present == 5


@pytest.mark.needs("assembly")
def test_an_account_of_the_same_name_made_later_is_somebody_else(assembly, hana, monkeypatch):
    sit(assembly, "Fay")
    enrol("Fay")
    assert electorate_of(assembly).accounts.keys() == {"Ada", "Bo", "Cy"}
    assert electorate_of(assembly).present == 6


@pytest.mark.needs("assembly")
def test_robots_are_nobody(assembly):
    sit(assembly, "Robot", account="", robot=True)
    assert electorate_of(assembly).present == 5


@pytest.mark.needs("assembly")
def test_from_the_room_to_the_proof(assembly, hana, tmp_path, capsys):
    """The election is held, and its own program says what the room was when it called for it."""
    name = follow_ups.make_election(hana, assembly.id, talked(assembly), of_those_present=True).what
    lifecycle.open_(hana, elections.find(name), editable=False)
    for voter in ("Ada", "Bo", "Cy"):
        voting.cast(people.find(voter), name, {"0": ["1"]}, f"form of {voter}")
    closing.close(hana, elections.find(name))
    assert results.find(name).report is not None
    seal.Sealer(table()).seal()
    for file, content in unpacked(name).items():
        (tmp_path / file).write_bytes(content)
    assert verify.main(tmp_path) == 0
    said = capsys.readouterr().out
    assert "5 of 12 present, quorum of 1/3 met" in said
    assert "3 are on the roll, and 3 of them have voted" in said


# --- what is refused ---


def refused(game, number, hana, match):
    for make in (
        lambda: follow_ups.make_poll(hana, "10.0.0.1", game.id, number),
        lambda: follow_ups.make_election(hana, game.id, number),
    ):
        with pytest.raises(follow_ups.NoFollowUp, match=match):
            make()
    assert follow_up_store.read_follow_ups(game.id) == []


def test_nothing_is_made_of_what_is_not_there_or_not_closed_or_not_shown(made, hana):  # noqa: F811
    game = made(Type.POLL, [PLACES])
    refused(game, 1, hana, "not in this session")
    refused(game, 99, hana, "not in this session")
    drive(game, Step.NEXT)
    refused(game, 1, hana, "Close this question")
    asked_ = asked(made(Type.POLL, [PLACES]), reveal=False)
    refused(asked_, 1, hana, "Close this question")


def test_nor_of_what_was_taken_back(ranked, hana):
    drive(ranked, Step.VOID)
    refused(ranked, 1, hana, "does not count")


def test_nor_of_what_so_few_have_said_that_it_is_not_told(made, hana):  # noqa: F811
    refused(asked(made(Type.POLL, [PLACES]), ("0", "1")), 1, hana, "Too few")


@pytest.mark.needs("assembly")
def test_nor_of_a_secret_vote_of_an_assembly_that_so_few_gave(made, hana):  # noqa: F811
    game = made(Type.ASSEMBLY, [replace(CHAIR, secret=True)])
    seated(game, "Ada", "Bo", "Cy")
    drive(game, Step.NEXT)
    drive(game, Step.VOTE)
    drive(game, Step.CLOSE)
    refused(game, 1, hana, "Too few")


@pytest.mark.needs("assembly")
@pytest.mark.parametrize(
    "question", [Question("The budget", Kind.MOTION, seconds=0), replace(CHAIR, options=("a", "A"))]
)
def test_nor_of_what_has_no_options(made, hana, question):  # noqa: F811
    game = made(Type.ASSEMBLY, [question])
    refused(game, talked(game), hana, "no options")


def test_only_an_assembly_is_an_electorate(ranked, made, hana):  # noqa: F811
    refused(ranked, 0, hana, "do not check in")
    with pytest.raises(follow_ups.NoFollowUp, match="do not check in"):
        follow_ups.make_election(hana, ranked.id, 1, of_those_present=True)
    trivia = asked(made(Type.TRIVIA), ([0], [0], [1]))
    refused(trivia, 1, hana, "no options")


def test_there_is_an_end_to_it(ranked, hana, monkeypatch):
    monkeypatch.setattr(follow_ups, "MAX_FOLLOW_UPS", 1)
    follow_ups.make_election(hana, ranked.id, 1)
    with pytest.raises(follow_ups.NoFollowUp, match="at most 1"):
        follow_ups.make_poll(hana, "10.0.0.1", ranked.id, 1)


# --- once ---


def test_a_second_click_finds_what_the_first_one_made(ranked, hana):
    first = follow_ups.make_poll(hana, "10.0.0.1", ranked.id, 1)
    assert follow_ups.make_poll(hana, "10.0.0.1", ranked.id, 1) == first
    draft = follow_ups.make_election(hana, ranked.id, 1)
    assert follow_ups.make_election(hana, ranked.id, 1) == draft
    assert [each.kind for each in follow_up_store.read_follow_ups(ranked.id)] == ["poll", "election"]
    assert len(events("LiveOutcomeCarriedOn")) == 2


def test_two_who_look_at_once_make_one_thing(ranked, hana):
    make, first = partial(follow_ups.make_election, hana, ranked.id, 1), []
    with overtaken_by(lambda: first.append(make().what)):
        assert [make().what] == first
    assert len(events("ElectionCreated")) == len(events("LiveOutcomeCarriedOn")) == 1


def test_what_has_another_name_by_now_is_found_and_what_is_gone_is_made_again(ranked, hana):
    first = follow_ups.make_election(hana, ranked.id, 1)
    drafts.rename(hana, elections.find(first.what), "Summer")
    assert follow_ups.make_election(hana, ranked.id, 1) == first
    (linked,) = follow_up_store.linked(ranked.id, hana)
    assert (linked.title, linked.address) == ("Summer", "/election/Summer/dashboard/")
    lifecycle.delete(hana, elections.find("Summer"))
    assert follow_up_store.linked(ranked.id, hana)[0].address == ""
    assert follow_ups.make_election(hana, ranked.id, 1).number == 2


def test_a_poll_that_is_gone_can_be_made_again(ranked, hana):
    first = follow_ups.make_poll(hana, "10.0.0.1", ranked.id, 1)
    polling.delete(polling.find_runner(first.what, hana, ""))
    assert follow_ups.make_poll(hana, "10.0.0.1", ranked.id, 1).what != first.what
    assert [bool(each.address) for each in follow_up_store.linked(ranked.id, hana)] == [False, True]


def test_a_draft_is_linked_for_those_who_run_it(ranked, hana, person):
    made_ = follow_ups.make_election(hana, ranked.id, 1)
    ida = person("Ida")
    assert follow_up_store.linked(ranked.id, ida)[0].address == ""
    add_voters(hana, elections.find(made_.what), ["Ida"])
    lifecycle.open_(hana, elections.find(made_.what), editable=False)
    assert follow_up_store.linked(ranked.id, ida)[0].address == "/election/Where%20do%20we%20go%3F/"


def test_a_round_that_is_taken_back_at_the_same_moment_is_not_made_into_anything(ranked, hana, monkeypatch):
    make = follow_ups.copying.make

    def meanwhile(*arguments, **words):
        if repository.read_state(ranked.id).counts(1):
            drive(ranked, Step.VOID)
        return make(*arguments, **words)

    monkeypatch.setattr(follow_ups.copying, "make", meanwhile)
    with pytest.raises(follow_ups.NoFollowUp, match="does not count"):
        follow_ups.make_election(hana, ranked.id, 1)
    assert elections.find("Where do we go?") is None


def test_of_a_session_that_goes_at_the_same_moment_nothing_is_made(ranked, hana, monkeypatch):
    make = follow_ups.polls.make

    def meanwhile(*arguments, **words):
        deleting.delete(ranked.id, "Hana")
        return make(*arguments, **words)

    monkeypatch.setattr(follow_ups.polls, "make", meanwhile)
    with pytest.raises(Exception, match="does not exist"):
        follow_ups.make_poll(hana, "10.0.0.1", ranked.id, 1)
    assert events("PollCreated") == []


def test_what_was_not_told_the_worker_tells_once(ranked, hana, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(follow_up_store.RECORDING, "do", lambda task: wait(60))
        made_ = follow_ups.make_poll(hana, "10.0.0.1", ranked.id, 1)
    assert events("LiveOutcomeCarriedOn") == []
    assert follow_up_store.read_follow_ups(ranked.id) == [made_]
    assert [finish_background("tell live outcome") for _ in range(2)] == [1, 0]
    assert len(events("LiveOutcomeCarriedOn")) == 1


# --- pages ---


def text(answer) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def test_the_page_says_what_would_be_made_and_makes_it(ranked, hana, signed_in):
    browser, page = signed_in(hana), f"/live/{ranked.id}/onward/1/"
    shown = text(browser.get(page))
    assert all(f">{option}<" in shown for option in ("Sea", "Hills", "Town"))
    assert shown.count('name="make"') == 2
    assert 'value="electorate"' not in shown
    answer = browser.post(page, {"make": "poll"})
    (poll,) = follow_up_store.read_follow_ups(ranked.id)
    assert answer["Location"] == f"/poll/{poll.what}/manage/"
    answer = browser.post(page, {"make": "election"})
    assert answer["Location"] == "/election/Where%20do%20we%20go%3F/dashboard/"
    assert "The draft election “Where do we go?” has been created." in text(browser.get(answer["Location"]))
    for report in (page, f"/live/{ranked.id}/report/"):
        shown = text(browser.get(report))
        assert "Follow-ups" in shown
        assert f'href="/poll/{poll.what}/"' in shown
    assert f'href="{page}"' in shown


def test_from_the_wall_and_the_remote_one_click_makes_it_and_the_session_goes_on(ranked, hana, signed_in):
    browser = signed_in(hana)
    for page in ("host", "remote"):
        shown = text(browser.get(f"/live/{ranked.id}/{page}/"))
        assert shown.count(f'form="follow-up" formaction="/live/{ranked.id}/onward/1/"') == 2
        assert 'id="follow-up"' in shown
    answer = browser.post(f"/live/{ranked.id}/onward/1/", {"make": "election", "from": "host_game"})
    assert answer["Location"] == f"/live/{ranked.id}/host/"
    assert "has been created." in text(browser.get(answer["Location"]))
    assert "onward/1" not in text(browser.get(f"/live/{ranked.id}/screen/{ranked.screen_token}/"))


@pytest.mark.needs("assembly")
def test_an_assembly_offers_its_electorate_and_says_how_many_that_is(assembly, hana, signed_in):
    browser, number = signed_in(hana), talked(assembly)
    shown = text(browser.get(f"/live/{assembly.id}/onward/{number}/"))
    assert "<b>5</b> are present. 12 are entitled to vote. That is a quorum." in shown
    assert "3 of those present have an account here" in shown
    assert "2 have neither an account nor an address." in shown
    assert shown.count('name="make"') == 3
    whole = text(browser.get(f"/live/{assembly.id}/onward/0/"))
    assert whole.count('name="make"') == 1
    browser.post(f"/live/{assembly.id}/onward/0/", {"make": "electorate"})
    assert voters_of("Spring meeting") == ["Ada", "Bo", "Cy"]
    told = text(browser.get("/election/Spring%20meeting/dashboard/"))
    assert "5 of 12 present · quorum of 1/3 of those entitled met" in told


def test_a_question_of_which_nothing_can_be_made_is_said_and_has_no_button(made, hana, signed_in):  # noqa: F811
    game, browser = asked(made(Type.POLL, [PLACES]), ("0", "1")), signed_in(hana)
    answer = browser.get(f"/live/{game.id}/onward/1/")
    assert answer.status_code == 409
    assert "Too few people answered" in text(answer)
    assert 'name="make"' not in text(answer)
    assert "onward/1" not in text(browser.get(f"/live/{game.id}/host/"))
    assert "onward/1" not in text(browser.get(f"/live/{game.id}/report/"))
    answer = browser.post(f"/live/{game.id}/onward/1/", {"make": "poll"}, follow=True)
    assert "Too few people answered" in text(answer)


def test_what_nobody_can_make_is_asked_again(ranked, hana, signed_in):
    answer = signed_in(hana).post(f"/live/{ranked.id}/onward/1/", {"make": "money"})
    assert answer.status_code == 422
    assert "Choose what to create." in text(answer)


def test_other_methods_and_sessions_that_are_not_there(ranked, hana, signed_in):
    browser = signed_in(hana)
    assert browser.put(f"/live/{ranked.id}/onward/1/").status_code == 405
    assert browser.get("/live/no-such-session/onward/1/").status_code == 404
    assert browser.get(f"/live/{ranked.id}/onward/-1/").status_code == 404


def test_what_came_of_it_goes_with_the_session(ranked, hana):
    follow_ups.make_poll(hana, "10.0.0.1", ranked.id, 1)
    deleting.delete(ranked.id, "Hana")
    finish_background()
    assert follow_up_store.read_follow_ups(ranked.id) == []


# --- those who checked in by a code ---


@pytest.mark.needs("assembly")
def test_those_who_checked_in_by_code_vote_by_link_to_the_address_of_the_roll(made, hana):  # noqa: F811
    game = made(Type.ASSEMBLY, [CHAIR])
    enrol("Ada")
    roll.add(game.id, "Hana", ["Ada", "Zita", "Yves"], {"zita": "zita@example.org"})
    for entry in roll.each_entry(game.id):
        own = {"account": entry.name if entry.account else "", "entry": entry.name}
        seat = seats.Seat(roll.player_of_entry(game.id, entry), entry.name, game.created_at, own=own)
        table().write(*seats.seating(game, seat))
    made_ = follow_ups.make_election(hana, game.id, 0, of_those_present=True)
    election = elections.find(made_.what)
    assert (voters_of(election.name), election.vote_by_link) == (["Ada", "zita@example.org"], True)
    assert (election.convened.listed, election.convened.unlisted) == (2, 1)


@pytest.mark.needs("assembly")
def test_a_host_adds_addresses_on_the_page(assembly, signed_in):
    client = signed_in(people.find("Hana"))
    way = f"/live/{assembly.id}/onward/0/"
    page = client.get(way).content.decode()
    assert "By another &lt;&gt;\nBy code &lt;&gt;" in page
    for typed, words in (
        ("By code <nobody>", "Not an email address: By code &lt;nobody&gt;"),
        ("Stranger <s@example.org>", "Nobody without an account has this name: Stranger"),
        ("By code <c@example.org>\nBy another <C@example.org>", "An address appears twice"),
    ):
        refused = client.post(way, {"make": "electorate", "addresses": typed})
        assert refused.status_code == 422
        assert words in refused.content.decode()
        assert typed.splitlines()[0].replace("<", "&lt;").replace(">", "&gt;") in refused.content.decode()
    done = client.post(way, {"make": "electorate", "addresses": "By code <code@example.org>\nBy another <>"})
    assert done.status_code == 302
    assert voters_of("Spring meeting") == ["Ada", "Bo", "Cy", "code@example.org"]


@pytest.mark.needs("assembly")
def test_an_election_of_accounts_alone_asks_them_to_sign_in(made, hana):  # noqa: F811
    game = made(Type.ASSEMBLY, [CHAIR], title="Small meeting")
    enrol("Ada")
    sit(game, "Ada")
    assert not elections.find(follow_ups.make_election(hana, game.id, 0, of_those_present=True).what).vote_by_link
