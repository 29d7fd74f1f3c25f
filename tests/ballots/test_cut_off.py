"""Where everybody here may vote: that is who could when it opened, unless the organiser lets people join."""

from __future__ import annotations

import html

import pytest

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from ballots import services
from ballots.rules import NotOnTheRoll
from elections import repository as elections
from elections.drafts import copying
from foundation.store import keys
from foundation.store.table import Update
from tests.clock import at_its_own_moment

from .conftest import ranks

SENTENCE = "Only people who could vote here when this election opened"
HERE = "/election/Board/"


def text_of(answer) -> str:
    return html.unescape(answer.content.decode())


def offers(client) -> list[bool]:
    """Whether home, the election's page and the ballot offer the vote."""
    home = "Board" in text_of(client.get("/")).split("<main", 1)[1]
    page = f'href="{HERE}ballot/"' in text_of(client.get(HERE))
    return [home, page, client.get(f"{HERE}ballot/").status_code == 200]


def test_whoever_registers_during_voting_may_not_vote(site, opened, signed_in):
    early = signed_in("Early", Role.VOTER)
    at_its_own_moment(lambda: opened(electorate="everyone"))
    late = signed_in("Late", Role.VOTER)
    assert offers(early) == [True] * 3
    assert offers(late) == [False] * 3
    assert SENTENCE in text_of(late.get(f"{HERE}ballot/"))
    with pytest.raises(NotOnTheRoll, match=SENTENCE):
        services.cast(people.find("Late"), "Board", ranks(Bo=1), "1")
    services.cast(people.find("Early"), "Board", ranks(Bo=1), "2")
    assert "everybody who could vote here when it opened" in text_of(early.get(HERE))


def test_nor_may_who_gets_the_right_during_voting(site, opened, person):
    owner = person("Boss", Role.OWNER)
    watching, voting = person("Otto", Role.OBSERVER), person("Vera", Role.VOTER)
    at_its_own_moment(lambda: opened(electorate="everyone"))
    accounts.change_role(owner, watching, Role.VOTER)
    accounts.change_role(owner, voting, Role.OBSERVER)
    accounts.change_role(owner, people.find("Vera"), Role.USER)
    for name in ("Otto", "Vera"):
        with pytest.raises(NotOnTheRoll, match=SENTENCE):
            services.cast(people.find(name), "Board", ranks(Bo=1), name)
    opened(electorate="everyone", name="Next")
    services.cast(people.find("Otto"), "Next", ranks(Bo=1), "3")


def test_a_higher_role_takes_nothing_from_who_could_vote(site, opened, person):
    owner, vera = person("Boss", Role.OWNER), person("Vera", Role.VOTER)
    opened(electorate="everyone")
    accounts.change_role(owner, vera, Role.ADMIN)
    services.cast(people.find("Vera"), "Board", ranks(Bo=1), "1")


def test_where_the_organiser_lets_people_join_they_may(site, opened, signed_in):
    opened(electorate="everyone", joining=True)
    late = signed_in("Late", Role.VOTER)
    assert offers(late) == [True] * 3
    assert "including people who join while it is open" in text_of(late.get(HERE))
    services.cast(people.find("Late"), "Board", ranks(Bo=1), "1")


def test_one_that_was_opened_before_this_was_kept_is_as_it_was(site, opened, signed_in):
    opened(electorate="everyone")
    site.write(Update(keys.election("Board"), remove=("opened_at", "joining"), set={"version": 9}))
    late = signed_in("Late", Role.VOTER)
    assert offers(late) == [True] * 3
    services.cast(people.find("Late"), "Board", ranks(Bo=1), "1")


def test_on_paper_the_same_people_vote(site, opened, person):
    person("Early", Role.VOTER)
    at_its_own_moment(lambda: opened(electorate="everyone", paper_ballots=True))
    person("Late", Role.VOTER)
    organiser = people.find("the organiser")
    services.enter_paper(organiser, "Board", "early", ranks(Bo=1), "1")
    with pytest.raises(NotOnTheRoll):
        services.enter_paper(organiser, "Board", "Late", ranks(Bo=1), "2")


def test_an_organiser_chooses_it_in_the_settings(site, signed_in, person):
    ada = signed_in("Ada")
    form = {"name": "Board", "electorate": "everyone", "joining": "on", "method": "schulze", "seats": "1"}
    form |= {"results_visible": "closed", "unranked": "below", "time_zone": "UTC"}
    assert ada.post("/elections/new/all/", form).status_code == 302
    assert elections.find("Board").joining
    assert "including people who join while it is open" in text_of(ada.get(f"{HERE}dashboard/"))
    ada.post(f"{HERE}settings/", {**form, "joining": ""})
    assert not elections.find("Board").joining
    assert "everybody here who may vote when it opens" in text_of(ada.get(f"{HERE}dashboard/"))


def test_a_copy_is_opened_anew(site, opened, person):
    opened(electorate="everyone", joining=True)
    copy = copying.copy(people.find("the organiser"), elections.find("Board"), "Again")
    assert (copy.joining, copy.opened_at) == (True, None)
