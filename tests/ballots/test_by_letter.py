"""Ballots cast with a letter: nothing that the site can derive leads to them."""

from __future__ import annotations

import pytest
from django.test import Client

from ballots import passes, repository, services
from ballots.passes import Pass
from ballots.rules import HasVoted
from ballots.secret import ballot_id, new_secret, of_link
from elections.invitations.voting_link import LETTER, LINKS, Link, with_link
from foundation.acts.storage import log, table
from foundation.store import keys
from foundation.store.table import Update

from .conftest import ranks

VOTER = "4711@"


def letter_of(election, voter: str = VOTER) -> Pass:
    link = Link(election.name, election.created_at, voter, "derived from the key of the site")
    place = keys.voter(election.name, voter)
    table().write(Update(place, set={LINKS: with_link(table().get(place), LETTER, link)}))
    return Pass(link, channel=LETTER)


def test_a_secret_ballot_is_not_found_by_what_the_site_can_derive(opened):
    """Whoever has the key and the tables has the letter's secret, and everything made of it."""
    held = letter_of(opened(VOTER, "ann@example.org"))
    assert held.secret == ""
    services.cast(held, "Board", ranks(Ada=1), "form", secret=new_secret())
    (ballot,) = list(table().each(keys.ballots("Board")[0]))
    for known in (held.link.secret, of_link(held.link.secret), held.link.hash):
        assert ballot_id(known, "Board") not in ballot["SK"]
        assert services.voter_context(None, "Board", secret=known) is None


def test_it_is_changed_with_its_words_and_never_with_the_letter_again(opened):
    held, secret = letter_of(opened(VOTER, "ann@example.org")), new_secret()
    services.cast(held, "Board", ranks(Ada=1), "form", secret=secret)
    with pytest.raises(HasVoted, match="words on your receipt"):
        services.cast(held, "Board", ranks(Bo=1), "another form", secret=new_secret())
    services.cast(None, "Board", ranks(Bo=1), "a third form", secret=secret)
    assert [each.rankings for each in repository.every_ballot("Board")] == ["1"]


def test_the_same_form_sent_again_finds_its_ballot(opened):
    held, secret = letter_of(opened(VOTER)), new_secret()
    first = services.cast(held, "Board", ranks(Ada=1), "form", secret=secret)
    again = services.cast(held, "Board", ranks(Ada=1), "form", secret=secret)
    other = services.cast(held, "Board", ranks(Ada=1), "form 2", secret=secret)
    assert first.ballot == again.ballot == other.ballot
    assert again.repeated


def test_a_public_ballot_is_replaced_by_the_letter_and_not_shown(opened):
    held = letter_of(opened(VOTER, secret_ballot=False))
    services.cast(held, "Board", ranks(Ada=1), "form")
    services.cast(held, "Board", ranks(Bo=1), "another form")
    assert [each.rankings for each in repository.every_ballot("Board")] == ["1"]
    assert repository.ballots_of(services.voter_context(held, "Board")) == {}


def test_the_log_does_not_tell_how_somebody_came(opened):
    """Neither the letter nor a link: a ballot cast with one has the same event as any other."""
    election = opened(VOTER, "ann@example.org", vote_by_link=True)
    for voter in (VOTER, "ann@example.org"):
        services.cast(letter_of(election, voter), "Board", ranks(Ada=1), voter, secret=new_secret())
    first, second = (each for each in log().since(0) if each["event_type"] == "BallotCast")
    assert set(first["event_data"]) == set(second["event_data"]) == {"election_name", "voter_name", "changed"}
    assert LETTER not in str(first)


def test_the_channel_stays_in_the_cookie(opened, rf):
    held = letter_of(opened(VOTER))
    request = rf.get("/")
    request.user = Client().get("/").wsgi_request.user
    answer = Client().get("/")
    passes.issue_pass(
        request, answer, held.link, repository.context_of_entry(VOTER, repository.Lookup("Board")).election, LETTER
    )
    request.COOKIES[passes.COOKIE] = answer.cookies[passes.COOKIE].value
    assert [each.channel for each in passes.passes_in(request)] == [LETTER]


def test_a_link_that_is_replaced_ends_the_pass_at_once(opened):
    election = opened(VOTER)
    held = letter_of(election)
    place = keys.voter("Board", VOTER)
    table().write(Update(place, set={LINKS: with_link(table().get(place), LETTER, Link("Board", "", VOTER, "new"))}))
    with pytest.raises(services.Refusal, match="newer"):
        services.cast(held, "Board", ranks(Ada=1), "form", secret=new_secret())
