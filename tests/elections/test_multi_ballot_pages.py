"""Pages of several questions on one ballot: who makes and runs them, and what others see."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import quote

import pytest

from accounts import repository as people
from accounts.rules import Role
from elections import actions, repository
from elections.candidates.services import add_candidates
from elections.multi_ballot_pages import services as binding
from elections.multi_ballots import repository as multi_ballots
from elections.multi_ballots.rules import question_key
from elections.roll.services import add_voters
from elections.rules import Action, State
from foundation.ranking.candidates import Candidate
from tests.background import unfinished
from tests.fuzz.at_limits import cast_multi_ballot
from tests.people import enrol

LEADER, SECOND = "Spring: Chair", "Spring: Colour"


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())))


@pytest.fixture
def ada(signed_in):
    return signed_in("Ada")


@pytest.fixture
def multi_ballot(ada):
    made = ada.post("/books/new/", {"beginning": "several", "name": "Spring", "questions": "Chair\nColour"})
    return multi_ballots.find(made.url.split("/")[2])


def at(multi_ballot, where=""):
    return f"/book/{multi_ballot.id}/{where}"


def fields(multi_ballot, **more):
    """The form of all questions; `more` by the name of a question without the ballot's."""
    form = {}
    for name in multi_ballots.find(multi_ballot.id).questions:
        own = {"method": "schulze", "seats": "1", "unranked": "below"} | more.pop(multi_ballot.short(name), {})
        form |= {f"{question_key(name)}-{field}": value for field, value in own.items()}
    return form | more


def candidates(name):
    return sorted(each.name for each in repository.candidates(name))


def filled(multi_ballot):
    ada = people.find("Ada")
    for name in multi_ballot.questions:
        add_candidates(ada, repository.find(name), [Candidate("Bo"), Candidate("Cy")])
    enrol("Eve")
    add_voters(ada, repository.find(LEADER), ["Eve", "new@example.org"])
    actions.change(ada, repository.find(LEADER), Action.SET_UP, no_voting_after="2199-01-01T00:00:00.000Z")


def states(multi_ballot):
    return [each.stored_state for each in multi_ballots.questions(multi_ballots.find(multi_ballot.id))]


def test_strangers_see_the_results_only_if_every_question_shares_them(ada, multi_ballot, client):
    filled(multi_ballot)
    actions.change(people.find("Ada"), repository.find(LEADER), Action.SET_UP, results_public=True)
    assert client.get(at(multi_ballot, "result/")).status_code == 404  # drafts
    ada.post(at(multi_ballot, "open/"))
    ada.post(at(multi_ballot, "close/"))
    assert ada.get(at(multi_ballot, "results/")).status_code == 200
    shared = client.get(at(multi_ballot, "result/"))
    assert "Nobody voted." in text_of(shared)
    assert f'href="/result/{quote(SECOND, safe=":")}/"' in shared.content.decode()
    assert client.get(at(multi_ballot, "results/")).status_code == 302
    later = binding.make(people.find("Ada"), "Autumn", ["Chair"])
    assert client.get(at(later, "result/")).status_code == 404
    assert client.get("/book/no-such/result/").status_code == 404


def test_questions_are_added_moved_and_taken_out(ada, multi_ballot):
    added = ada.post(at(multi_ballot, "questions/"), fields(multi_ballot, questions="Song\nDish"))
    assert added.url == at(multi_ballot, "questions/")  # to go on with what is new
    ada.post(at(multi_ballot, "questions/"), fields(multi_ballot, up="Spring: Song"))
    ada.post(at(multi_ballot, "questions/"), fields(multi_ballot, down=LEADER))
    ada.post(at(multi_ballot, "questions/"), fields(multi_ballot, remove="Spring: Dish"))
    refused = ada.post(at(multi_ballot, "questions/"), fields(multi_ballot, remove=LEADER), follow=True)
    assert "Remove the others first" in text_of(refused)
    assert multi_ballots.find(multi_ballot.id).questions == ("Spring: Song", LEADER, SECOND)
    assert "Someone else changed this" in text_of(
        ada.post(at(multi_ballot, "questions/"), fields(multi_ballot, up="nobody's"), follow=True)
    )
    ada.post(at(multi_ballot, "rename/"), {"name": "Summer"})
    assert multi_ballots.find(multi_ballot.id).name == "Summer"
    for name in ("Spring: Song", SECOND):
        ada.post(at(multi_ballot, "questions/"), fields(multi_ballot, remove=name))
    assert ada.post(at(multi_ballot, "questions/"), fields(multi_ballot, remove=LEADER)).url == "/elections/"
    assert multi_ballots.find(multi_ballot.id) is None


def test_what_is_typed_wrong_is_said_at_the_form(ada, multi_ballot):
    for typed in ({"name": "", "questions": "A"}, {"name": "X", "questions": ""}):
        assert ada.post("/books/new/", {"beginning": "several"} | typed).status_code == 422
    many = {"beginning": "several", "name": "X", "questions": "\n".join(f"Q{n}" for n in range(21))}
    assert "A ballot has at most 20 questions." in text_of(ada.post("/books/new/", many))
    page = at(multi_ballot, "questions/")
    assert ada.post(page, fields(multi_ballot, questions="a" * 300)).status_code == 422
    both = {"Chair": {"names": "Bo\nCy"}, "Colour": {"method": "irv", "seats": "2"}}
    wrong = ada.post(page, fields(multi_ballot, **both))
    assert (wrong.status_code, candidates(LEADER)) == (422, [])  # nothing is saved before all of it is right
    assert "This method elects one winner." in text_of(wrong)
    assert "Bo\nCy" in unescape(wrong.content.decode())
    both["Colour"]["method"] = "stv-meek"
    assert ada.post(page, fields(multi_ballot, **both)).url == f"/election/{quote(LEADER, safe=':')}/steps/who/"
    assert (repository.find(SECOND).method, repository.find(SECOND).seats) == ("stv-meek", 2)
    assert candidates(LEADER) == ["Bo", "Cy"]
    refused = ada.post(at(multi_ballot, "open/"), follow=True)
    assert "Colour: Before it can open, it needs" in text_of(refused)


def test_pages_of_one_question_lead_to_where_it_is_done_for_all(ada, multi_ballot):
    here, leader = f"/election/{quote(SECOND)}/", f"/election/{quote(LEADER)}/"
    assert ada.get(f"{here}open/").url == at(multi_ballot, "open/")
    assert ada.post(f"{leader}rename/", {"name": "X"}).url == at(multi_ballot, "dashboard/")
    assert ada.get(f"{here}settings/").url == at(multi_ballot, "questions/")
    assert ada.get(f"{here}roll/").url == f"/election/{quote(LEADER, safe=':')}/roll/"
    assert ada.get(f"{leader}roll/").status_code == 200
    assert ada.get(f"{leader}settings/").status_code == 200
    for step in ("who", "when"):
        assert ada.get(f"{here}steps/{step}/").url == f"/election/{quote(LEADER, safe=':')}/steps/{step}/"
        assert ada.get(f"{leader}steps/{step}/").status_code == 200
    assert ada.get(f"{leader}steps/what/").url == at(multi_ballot, "rename/")
    assert (
        ada.get(f"{leader}steps/how/").url == ada.get(f"{here}steps/candidates/").url == at(multi_ballot, "questions/")
    )
    assert "See all questions" not in text_of(ada.get(f"{here}dashboard/"))  # candidates come first
    assert at(multi_ballot, "dashboard/") in ada.get(f"{here}dashboard/").content.decode()
    filled(multi_ballot)
    assert "See all questions" in text_of(ada.get(f"{here}dashboard/"))
    ada.post(at(multi_ballot, "open/"))
    assert ada.get(f"{here}close/").url == at(multi_ballot, "close/")
    assert ada.get(f"{here}end/").url == at(multi_ballot, "end/")
    assert f'href="/election/{quote(LEADER, safe=":")}/invite/"' in ada.get(at(multi_ballot, "dashboard/")).text
    alone = ada.get(f"{here}dashboard/").text
    assert not any(f"/{where}/" in alone for where in ("invite", "messages", "managers", "end", "close"))
    assert ada.get(f"{here}roll/").status_code == 200  # who has voted in this question
    assert ada.post(f"{here}roll/invite/").status_code == 302
    assert at(multi_ballot) in ada.get(here).content.decode()


def test_whose_it_is_not(ada, multi_ballot, signed_in, client):
    bea, zoe = signed_in("Bea"), signed_in("Zoe", Role.VOTER)
    for where in (
        "dashboard/",
        "questions/",
        "open/",
        "rename/",
        "close/",
        "end/",
        "",
        "results/",
    ):
        assert bea.get(at(multi_ballot, where)).status_code == 404, where  # a draft of somebody else's is not there
        assert client.get(at(multi_ballot, where)).status_code == 302
    assert bea.post(at(multi_ballot, "questions/"), fields(multi_ballot, remove=SECOND)).status_code == 404
    assert zoe.get("/books/new/").status_code == 403
    filled(multi_ballot)
    ada.post(at(multi_ballot, "open/"))
    assert bea.get(at(multi_ballot)).status_code == 200
    for where in ("dashboard/", "end/", "close/"):
        assert bea.get(at(multi_ballot, where)).status_code == 403, where
    assert bea.post(at(multi_ballot, "close/")).status_code == 403
    assert states(multi_ballot) == [State.OPEN] * 2
    admin = signed_in("Olga", Role.ADMIN)
    admin.post(at(multi_ballot, "close/"))
    assert states(multi_ballot) == [State.CLOSED] * 2
    for where, method in (("results/", "post"), ("", "post")):
        assert getattr(ada, method)(at(multi_ballot, where)).status_code == 405


def test_the_guided_setup_leads_through_all_questions_from_a_name_to_the_sealed_result(ada, settings):
    settings.SITE_TIME_ZONE = ""
    typed = {"beginning": "several", "name": "Summer", "zone": "Europe/Berlin", "token": "once"}
    asked = ada.post("/elections/new/", typed | {"questions": "Chair\nBoard"})
    assert (asked.status_code, asked.url) == (307, "/books/new/")  # the same form, sent again by the browser
    first, again = (ada.post(asked.url, typed | {"questions": "Chair\nBoard"}).url for _click in range(2))
    assert first == again
    assert first.endswith("/questions/")
    multi_ballot = multi_ballots.find(first.split("/")[2])
    assert multi_ballot.questions == ("Summer: Chair", "Summer: Board")
    leader = repository.find(multi_ballot.leader)
    assert (leader.time_zone, leader.remind_before) == ("Europe/Berlin", (24,))
    assert leader.no_voting_after.endswith(("T16:00:00.000Z", "T17:00:00.000Z"))  # at six in Berlin
    page = text_of(ada.get(first))
    assert "What it is Questions Who votes When Open it" in page
    board = {"names": "Bo\nCy\nDi", "method": "stv-scottish", "seats": "2"}
    who = ada.post(first, fields(multi_ballot, Chair={"names": "1. Bo\n2. Cy"}, Board=board))
    enrol("Eve")
    when = ada.post(
        who.url, {"electorate": "listed", "voters": "Eve", "ballots": "secret", "changes": "final", "joining": "before"}
    )
    assert "Elections Summer When What it is" in text_of(ada.get(when.url))  # no question in between
    last = ada.post(when.url, {"opens": "pressed", "lasts": "week", "time_zone": "Europe/Berlin"})
    assert last.url == at(multi_ballot, "open/")
    assert ada.post(last.url).url == at(multi_ballot, "dashboard/")
    for what in ("invitation", "reminder"):
        mail = ada.get(f"/election/Summer: Chair/invite/?what={what}").text
        assert "• Chair\n• Board\n\n" in mail
    sent = ada.post("/election/Summer: Chair/invite/", {"send": "1", "what": "invitation"})
    assert sent.url == at(multi_ballot, "dashboard/")
    cast_multi_ballot(people.find("Eve"), multi_ballot.id, multi_ballot.questions, 2)
    dashboard = ada.get(at(multi_ballot, "dashboard/"))
    assert "Invitations are on their way: 1 of 1 still to go." in text_of(dashboard)
    assert "100% 1 of 1 voter has voted" in text_of(dashboard)
    assert all(f'href="{at(multi_ballot, where)}"' in dashboard.content.decode() for where in ("end/", "close/"))
    ada.post(at(multi_ballot, "close/"))
    assert "Chair Winner Cy" in text_of(ada.get(at(multi_ballot, "results/")))
    over = ada.get(at(multi_ballot, "dashboard/"))
    assert "Tell the voters the result by email." in text_of(over)
    assert f'href="/book/{multi_ballot.id}/results/"' in over.content.decode()
    assert "See the result" in text_of(ada.get("/election/Summer: Board/dashboard/"))


def test_the_list_has_one_row_for_all_questions_on_a_ballot(ada, multi_ballot, signed_in):
    rows = ada.get("/elections/")
    assert text_of(rows).count("Spring 2 questions on one ballot Draft You run it") == 1
    assert f'href="{at(multi_ballot, "dashboard/")}"' in rows.text
    assert "Spring: Chair" not in rows.text
    ada.post(at(multi_ballot, "questions/"), fields(multi_ballot, remove=SECOND))
    assert "1 question on one ballot" in text_of(ada.get("/elections/"))
    assert SECOND in ada.get("/elections/").text
    ada.post(at(multi_ballot, "questions/"), fields(multi_ballot, questions="Colour"))
    filled(multi_ballot)
    ada.post(at(multi_ballot, "open/"))
    eve = signed_in("Eve", Role.VOTER)
    assert f'href="{at(multi_ballot, "ballot/")}"' in eve.get("/elections/").text
    for show in ("open", "all"):
        assert f'href="{at(multi_ballot)}"' in eve.get(f"/elections/?show={show}").text


def test_another_kind_chosen_on_its_page_makes_one_election(ada):
    sent = ada.post("/books/new/", {"beginning": "board", "name": "Board", "questions": ""})
    assert (sent.status_code, sent.url) == (307, "/elections/new/")
    assert 'value="several" required checked' in ada.get("/books/new/").content.decode().replace(
        ' id="id_beginning_5"', ""
    )


def test_each_button_of_the_questions_saves_all_of_them(ada, multi_ballot):
    page = at(multi_ballot, "questions/")
    assert ada.post(page, fields(multi_ballot, Chair={"names": "Bo\nCy"}, stay="yes")).url == page
    assert ada.post(page, fields(multi_ballot, Colour={"names": "Red"}, down=LEADER)).url == page
    assert (candidates(LEADER), candidates(SECOND)) == (["Bo", "Cy"], ["Red"])
    assert multi_ballots.find(multi_ballot.id).questions == (SECOND, LEADER)
    ada.post(page, fields(multi_ballot, Chair={"names": "Di"}, remove=SECOND))
    assert candidates(LEADER) == ["Bo", "Cy", "Di"]
    assert multi_ballots.find(multi_ballot.id).questions == (LEADER,)


def test_two_tabs_never_mix_up_questions(ada, multi_ballot):
    """A page that was loaded before the order changed, or before the ballot was opened elsewhere."""
    page, old = at(multi_ballot, "questions/"), fields(multi_ballot, Chair={"names": "Bo\nCy"}, Colour={"names": "Red"})
    ada.post(at(multi_ballot, "questions/"), fields(multi_ballot, down=LEADER))
    ada.post(page, old)
    assert (candidates(LEADER), candidates(SECOND)) == (["Bo", "Cy"], ["Red"])
    ada.post(at(multi_ballot, "questions/"), fields(multi_ballot, remove=SECOND))
    assert ada.post(page, old).status_code == 302
    assert candidates(SECOND) == ["Red"]
    enrol("Eve")
    add_voters(people.find("Ada"), repository.find(LEADER), ["Eve"])
    ada.post(at(multi_ballot, "open/"))
    for where in ("questions/", "rename/"):
        late = ada.post(at(multi_ballot, where), old | {"name": "Late"})
        assert (late.status_code, "already open" in text_of(late)) == (409, True)
    assert (candidates(LEADER), multi_ballots.find(multi_ballot.id).name) == (["Bo", "Cy"], "Spring")


@pytest.mark.deep
def test_the_page_of_questions_takes_what_a_ballot_may_have(ada):
    names = [f"{number:02} " + "q" * 150 for number in range(20)]
    made = ada.post("/books/new/", {"beginning": "several", "name": "n" * 200, "questions": "\n".join(names)})
    multi_ballot = multi_ballots.find(made.url.split("/")[2])
    assert len(multi_ballot.questions) == 20
    many = "\n".join(f"{number:02} " + "c" * 100 for number in range(50))
    sent = fields(multi_ballot) | {f"{question_key(name)}-names": many for name in multi_ballot.questions}
    assert ada.post(made.url, sent).status_code == 302
    assert {len(candidates(name)) for name in multi_ballot.questions} == {50}
    assert "Add questions" not in text_of(ada.get(made.url))
    refused = ada.post(made.url, fields(multi_ballot, questions="One more"))
    assert "A ballot has at most 20 questions." in text_of(refused)


def test_while_it_is_at_work_the_dashboard_says_so(ada, multi_ballot, site):
    site.write(multi_ballots.ACTING.begin(multi_ballot.id, act="open", by="Ada"))
    assert "Please try again in a moment" in text_of(ada.get(at(multi_ballot, "dashboard/")))
    assert "Please try again in a moment" in text_of(
        ada.post(at(multi_ballot, "questions/"), fields(multi_ballot, up=SECOND), follow=True)
    )
    assert unfinished("act on ballot")
