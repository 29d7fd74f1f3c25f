"""What makers and voters do to a poll, each change with its event; and the moments at which it is too late."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.urls import reverse

from accounts import repository as people
from accounts.rules import Role
from foundation.acts.queues import SomeFailed
from foundation.acts.refusals import NotAllowed, NotNow, NotThere, TooMany
from foundation.acts.storage import now_text, use_table
from foundation.ranking.marks import BadRanking
from foundation.store import keys
from foundation.store.log import as_text, utc_now
from foundation.store.log.seal import Sealer, verify
from foundation.store.table import Delete, Refused
from parts.polls import demo, repository, services, voters
from parts.polls.counting import Disagreement, MethodComparison, anything_over, seal, seal_what_is_over, try_seal
from parts.polls.rules import PollAction, PollRelation
from tests.background import finish_background
from tests.ballots.held import Held
from tests.clock import at_its_own_moment, stands_at

from .conftest import CHOSEN, NAMES, by_ida, events, in_hours, ranks, vote


def rankings(poll) -> list[str]:
    return sorted(item["rankings"] for item in repository.each_vote(poll))


def voted(poll) -> int:
    return repository.with_gates(poll.id)[1]


# --- making ---


def test_a_poll_is_stored_as_the_specification_names_it(site, made):
    poll = made(expires_at=in_hours(2), listed=True)
    item = site.get(keys.poll(poll.id))
    assert (item["PK"], item["SK"]) == (f"POLL#{poll.id}", "METADATA")
    assert item["title"] == "Lunch on Friday"
    assert item["expiresAt"] == poll.expires_at
    assert item["candidates"] == [{"number": number, "name": name} for number, name in enumerate(NAMES)]
    assert repository.find(poll.id) == poll
    assert events(site, "PollCreated") == [repository.event_data(poll)]


def test_all_of_it_disappears_at_one_moment_after_its_end(site, made):
    poll = made(expires_at=in_hours(24), days=90, listed=True)
    vote(poll, "a", "Pizza")
    items = [*site.each(keys.all_of_poll(poll.id)), site.get(keys.short_code(poll.code))]
    assert {item["ttl"] for item in items} == {poll.ttl}
    assert abs(poll.ttl - utc_now().timestamp() - 91 * 24 * 3600) < 10


def test_a_code_is_drawn_again_if_another_poll_has_it(site, made, monkeypatch):
    drawn = iter(["AAAAAA", "AAAAAA", "BBBBBB"])
    monkeypatch.setattr(services, "new_code", lambda: next(drawn))
    assert [made().code, made().code] == ["AAAAAA", "BBBBBB"]
    assert len(events(site, "PollCreated")) == 2


def test_a_code_has_a_letter_in_it(monkeypatch):
    drawn = iter("449384" + "4493B4")
    monkeypatch.setattr(services.secrets, "choice", lambda _symbols: next(drawn))
    assert services.new_code() == "4493B4"


def test_a_code_may_be_typed_as_it_was_misread():
    assert services.normalised_code("o1-i l7q") == "0111" + "7Q"


# --- voting ---


def test_a_vote_is_stored_as_the_specification_names_it(site, made):
    poll = made()
    vote(poll, "a", "Sushi>Pizza=Tacos")
    (item,) = repository.each_vote(poll)
    assert item["SK"] == f"VOTE#{item['id']}"
    assert item["rankings"] == "1>0=2"
    assert item["votedAt"] <= as_text(utc_now())
    told = {"poll_id": poll.id, "vote_id": item["id"], "rankings": "1>0=2", "votedAt": item["votedAt"]}
    assert events(site, "PollVoteCast") == [told | {"changed": False}]


def test_a_changed_vote_takes_the_place_of_the_earlier_one(site, made):
    poll = made()
    vote(poll, "a", "Pizza")
    vote(poll, "b", "Sushi")
    assert vote(poll, "a", "Tacos>Pizza") == 1
    assert rankings(poll) == ["1", "2>0"]
    assert voted(poll) == 2
    assert [each["changed"] for each in events(site, "PollVoteCast")] == [False, False, True]


def test_the_same_form_twice_is_one_vote(site, made):
    poll = made()
    assert vote(poll, "a", "Pizza", "form") is not None
    assert vote(poll, "a", "Pizza", "form") is None
    assert len(events(site, "PollVoteCast")) == 1


def test_somebody_elses_form_token_stops_nobody(made):
    poll = made()
    vote(poll, "a", "Pizza", "form")
    assert vote(poll, "b", "Sushi", "form") is not None
    assert voted(poll) == 2


def test_a_form_sent_again_after_the_close_is_still_the_vote_it_was(made):
    poll = made()
    vote(poll, "a", "Pizza", "form")
    services.close(by_ida(poll))
    assert vote(poll, "a", "Pizza", "form") is None


@pytest.mark.parametrize("said", [{"7": ["1"]}, {"Pizza": ["1"]}, {"0": ["1"], "-1": ["2"]}, {"": ["1"]}])
def test_what_is_not_in_the_poll_cannot_be_voted_for(made, said):
    poll = made()
    with pytest.raises(BadRanking, match="not in this poll"):
        services.cast(poll.id, "a", said, "form")
    assert rankings(poll) == []


@pytest.mark.parametrize("said", [{}, {"0": [""]}, {"0": [" "], "1": []}])
def test_a_vote_for_nobody_is_refused(made, said):
    with pytest.raises(BadRanking, match="at least one"):
        services.cast(made().id, "a", said, "form")


@pytest.mark.parametrize("typed", [["1", "2"], ["0"], ["-1"], ["1.5"], ["one"], ["9" * 5000]])
def test_a_rank_that_is_none_is_refused(made, typed):
    with pytest.raises(BadRanking):
        services.cast(made().id, "a", {"0": typed}, "form")


def test_there_is_no_voting_in_a_poll_that_does_not_exist(site):
    with pytest.raises(NotThere):
        services.cast("f0f0f0f0-0000-4000-8000-000000000000", "a", {"0": ["1"]}, "form")
    assert not list(site.each(*keys.votes("f0f0f0f0-0000-4000-8000-000000000000")))


def test_the_end_itself_is_too_late(made, monkeypatch):
    poll = made(expires_at=in_hours(1))
    just_before = as_text(poll.ends - timedelta(milliseconds=1))
    stands_at(monkeypatch, just_before)
    vote(poll, "a", "Pizza")
    stands_at(monkeypatch, poll.expires_at)
    with pytest.raises(NotNow, match="closed"):
        vote(poll, "b", "Pizza")
    assert voted(poll) == 1


def test_the_gate_keeps_a_close_also_from_somebody_who_looked_before_it(made):
    poll = made()
    context = repository.voter_context(poll.id, "a", 0, "form")
    services.close(by_ida(poll))
    with pytest.raises(Refused):
        services._record_vote(context, "0", in_hours(0), "form")


def test_nor_does_one_who_looked_before_it_get_in_when_it_is_open_again(made):
    """The vote would have a lower number in the log than the close, and be in no result of it."""
    poll = made()
    context = repository.voter_context(poll.id, "a", 0, "form")
    services.close(by_ida(poll))
    services.reopen(by_ida(poll), None)
    with pytest.raises(Refused):
        services._record_vote(context, "0", in_hours(0), "form")
    vote(poll, "a", "Pizza")


def test_whoever_comes_late_with_a_close_leaves_one_open_that_is_open_again(made):
    poll = made()
    begun = services.CLOSING.begin(by_ida(poll).poll, "Ida")
    services.CLOSING.finish(begun)
    services.reopen(by_ida(poll), None)
    services.CLOSING.finish(begun)
    for number in range(10):
        vote(poll, f"voter {number}", "Pizza")


def test_a_full_poll_says_so_and_lets_votes_be_changed(made, monkeypatch):
    monkeypatch.setattr(repository, "MAX_VOTES", 8)
    poll = made()
    for number in range(repository.gates_of(poll).count):
        vote(poll, f"voter {number}", "Pizza")
    with pytest.raises(TooMany):
        vote(poll, "one more", "Pizza")
    assert vote(poll, "voter 0", "Sushi") == 1
    assert voted(poll) == repository.gates_of(poll).count


def test_a_vote_lies_under_a_name_that_tells_nothing(made):
    one, other = made(), made()
    same = {voters.id_of(poll.id, "browser x") for poll in (one, other)}
    assert len(same) == 2
    vote(one, "browser x", "Pizza")
    assert "browser x" not in str(list(repository.each_vote(one)))


# --- running it ---


def test_closing_and_opening_again(site, made):
    poll = made()
    services.close(by_ida(poll))
    with pytest.raises(NotNow):
        vote(poll, "a", "Pizza")
    services.reopen(by_ida(poll), None)
    vote(poll, "a", "Pizza")
    assert voted(poll) == 1
    assert len(events(site, "PollClosed")) == len(events(site, "PollReopened")) == 1


def test_a_close_that_was_cut_short_is_finished_by_whoever_comes_next(site, made):
    poll = made()
    services.CLOSING.begin(poll, "Ida")
    with pytest.raises(NotNow):
        vote(poll, "a", "Pizza")
    assert seal(poll.id)
    assert len(events(site, "PollClosed")) == 1
    assert repository.find(poll.id).closing is None


def test_an_end_moves_later_only_and_not_beyond_the_day_it_disappears(site, made):
    poll = made(expires_at=in_hours(2))
    later = in_hours(5)
    services.extend(by_ida(poll), later)
    assert events(site, "PollUpdated") == [{"poll_id": poll.id, "expiresAt": later}]
    for end in (in_hours(3), in_hours(-1), in_hours(24 * 60)):
        with pytest.raises(NotNow):
            services.extend(by_ida(poll), end)
    assert repository.find(poll.id).expires_at == later


def test_one_that_ran_out_is_opened_again_with_a_new_end(made, monkeypatch):
    poll = made(expires_at=in_hours(1))
    vote(poll, "a", "Pizza")
    late = in_hours(2)
    stands_at(monkeypatch, late)
    assert seal(poll.id)
    with pytest.raises(NotNow):
        services.reopen(by_ida(poll), poll.expires_at)
    services.reopen(by_ida(poll), in_hours(5))
    assert not repository.find_sealed(poll.id)
    vote(poll, "b", "Pizza")
    assert voted(poll) == 2


def test_lists_show_it_as_it_is(site, made):
    poll = at_its_own_moment(lambda: made(listed=True))
    hidden = made(title="Only by link")
    mine = [each.id for each in repository.list_page(keys.made_by("ida"), limit=9)[0]]
    assert mine == [hidden.id, poll.id], "the newest first"
    assert [each.id for each in repository.list_page(keys.PUBLIC_POLLS, limit=9)[0]] == [poll.id]
    services.close(by_ida(poll))
    assert not repository.list_page(keys.PUBLIC_POLLS, limit=9)[0][0].is_open(in_hours(0))
    services.list_publicly(by_ida(poll), listed=False)
    services.list_publicly(by_ida(hidden), listed=True)
    assert [each.id for each in repository.list_page(keys.PUBLIC_POLLS, limit=9)[0]] == [hidden.id]
    assert [len(events(site, kind)) for kind in ("PollUnlisted", "PollListed")] == [1, 1]


def test_nothing_of_a_deleted_poll_is_left_but_its_events(site, made):
    poll = made(listed=True, expires_at=in_hours(1))
    for number in range(100):
        vote(poll, f"voter {number}", "Pizza")
    services.delete(by_ida(poll))
    assert finish_background() == 1
    assert list(site.each(keys.all_of_poll(poll.id))) == []
    assert repository.id_of_code(poll.code) is None
    assert len(events(site, "PollVoteCast")) == 100
    with pytest.raises(NotThere):
        vote(poll, "late", "Pizza")


def test_who_may_do_what(made, person):
    poll = made()
    admin, other = person("Root", Role.ADMIN), person("Eve")
    assert services.relation(poll, people.find("Ida"), "") == PollRelation.MAKER
    assert services.relation(poll, admin, "") == PollRelation.MODERATOR
    assert services.relation(poll, other, "") == services.relation(poll, AnonymousUser(), "") == PollRelation.NOBODY
    services.find_runner(poll.id, admin, "").check(PollAction.CLOSE)
    with pytest.raises(NotNow):
        services.find_runner(poll.id, admin, "").check(PollAction.EXTEND)
    with pytest.raises(NotAllowed):
        services.find_runner(poll.id, other, "").check(PollAction.CLOSE)


def test_a_maker_who_lost_the_role_no_longer_runs_it(made):
    poll, ida = made(), people.find("Ida")
    ida.role_name = Role.VOTER.name
    assert services.relation(poll, ida, "") == PollRelation.NOBODY


def test_without_an_account_the_key_of_the_private_link_runs_it(site):
    poll, key = services.make(AnonymousUser(), NAMES, 30, **CHOSEN)
    assert services.relation(poll, AnonymousUser(), key) == PollRelation.MAKER
    assert services.relation(poll, AnonymousUser(), key + "x") == PollRelation.NOBODY
    assert services.relation(poll, AnonymousUser(), "") == PollRelation.NOBODY
    assert key not in str(list(site.everything()))
    assert poll.key not in str(events(site, "PollCreated"))


def test_polls_of_somebody_who_is_removed_pass_to_the_owner(site, made, person):
    person("Olga", Role.OWNER)
    poll, ida = made(), people.find("Ida")
    services.pass_on(ida)
    assert repository.find(poll.id).maker == "Olga"
    assert services.relation(repository.find(poll.id), ida, "") == PollRelation.NOBODY
    assert [each.id for each in repository.list_page(keys.made_by("Olga"), limit=9)[0]] == [poll.id]
    assert repository.list_page(keys.made_by("Ida"), limit=9)[0] == []


def test_whoever_takes_a_free_name_has_a_vote_of_their_own(person):
    ida = person("Ida")
    before = voters.account_id(ida)
    ida.created_at = "2031-01-01T00:00:00.000Z"
    assert voters.account_id(ida) != before


# --- the demo ---


def test_the_demo_is_loaded_once(site, person):
    person(demo.MAKER)
    assert demo.load() == len(demo.PLANNED)
    assert demo.load() == 0
    listed, _cursor = repository.list_page(keys.PUBLIC_POLLS, limit=9)
    assert [voted(each) for each in reversed(listed)] == [planned.votes for planned in demo.PLANNED]


def test_the_demo_has_a_poll_that_ended_in_a_circle(site, person):
    person(demo.MAKER)
    demo.load()
    over = next(each for each in repository.list_page(keys.made_by(demo.MAKER), limit=9)[0] if each.closed_at)
    schulze = MethodComparison.from_bytes(repository.find_sealed(over.id)["report"]).by("schulze").result
    above = dict(zip(schulze.candidates, schulze.pairwise, strict=True))
    place = {name: number for number, name in enumerate(schulze.candidates)}
    for one, other in (("Thursday", "Friday"), ("Friday", "Saturday"), ("Saturday", "Thursday")):
        assert above[one][place[other]] > above[other][place[one]]


# --- when it is over ---


def test_the_worker_finds_what_is_over_seals_it_once_and_forgets_it(site, made, monkeypatch):
    poll, endless = made(expires_at=in_hours(1)), made()
    vote(poll, "a", "Pizza>Sushi")
    assert not anything_over()
    assert seal_what_is_over() == 0
    late = in_hours(2)
    stands_at(monkeypatch, late)
    assert anything_over()
    assert seal_what_is_over() == 1
    assert not anything_over()
    assert repository.find_sealed(poll.id)
    assert not repository.find_sealed(endless.id)
    assert [each["votes"] for each in events(site, "PollResultSealed")] == [1]
    assert [each["closedAt"] for each in events(site, "PollClosed")] == [poll.expires_at]


def test_a_sealed_poll_that_is_listed_anew_does_not_keep_the_worker_busy(made):
    poll = made()
    services.close(by_ida(poll))
    assert seal(poll.id)
    services.list_publicly(by_ida(poll), listed=True)
    seal_what_is_over()
    assert not anything_over()


def test_votes_that_do_not_fit_the_gates_are_not_sealed(site, made):
    poll = made()
    vote(poll, "a", "Pizza")
    vote(poll, "b", "Pizza")
    services.close(by_ida(poll))
    site.write(Delete(keys.vote(poll.id, voters.id_of(poll.id, "a"))))
    with pytest.raises(Disagreement, match="1 votes"):
        seal(poll.id)
    assert not try_seal(poll.id)
    with pytest.raises(SomeFailed):
        seal_what_is_over()


def test_a_poll_that_cannot_be_counted_is_shown_and_can_be_opened_again_or_deleted(site, made, client, monkeypatch):
    def fails(*_words):
        raise KeyError("a ranking it did not foresee")

    poll, other = made(), made()
    for each in (poll, other):
        vote(each, "a", "Pizza")
        services.close(by_ida(each))
    monkeypatch.setattr(MethodComparison, "of", fails)
    assert client.get(reverse("poll_results", args=[poll.id])).status_code == 202, "It is still being counted."
    with pytest.raises(SomeFailed):
        seal_what_is_over()
    services.reopen(by_ida(poll), None)
    assert repository.find(poll.id).is_open(now_text())
    services.delete(by_ida(other))
    assert repository.find(other.id) is None


def test_a_refused_vote_leaves_no_event(site, made):
    poll = made()
    services.close(by_ida(poll))
    with pytest.raises(NotNow):
        services.cast(poll.id, "a", ranks(poll, "Pizza"), "form")
    Sealer(site).seal()
    assert verify(site).flaw is None
    assert events(site, "PollVoteCast") == []


@pytest.mark.parametrize("act", ["close", "extend", "delete"])
def test_no_act_needs_more_than_a_few_gates_at_once(site, made, act):
    """In a table in which others always have some."""
    poll = made(expires_at=in_hours(2))
    vote(poll, "a", "Pizza")
    with use_table(Held(site, seconds=0, most=2)):
        getattr(services, act)(by_ida(poll), *([in_hours(3)] if act == "extend" else []))
