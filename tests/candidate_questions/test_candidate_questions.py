"""Questions to candidates: asked and upvoted by voters, reviewed by organisers, answered by candidates."""

from __future__ import annotations

import gzip
import random
import re
from dataclasses import replace
from functools import partial
from itertools import chain, count
from pydoc_data.topics import topics

import pytest
from django.apps import apps
from django.test import Client

from accounts import services as accounts
from accounts.rules import Role
from ballots import passes
from elections import actions, panels, repository
from elections.candidates import add_candidates
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.panels import AnswerShown
from elections.roll.services import add_voters
from elections.rules import Action, Election
from foundation.acts.hooks import Hooks
from foundation.acts.refusals import NotAllowed, NotNow, Refusal
from foundation.acts.storage import now_text, table
from foundation.mail import outbox as mails
from foundation.mail.emails import is_still_useful
from foundation.qa import store
from foundation.qa.rules import Fate
from foundation.ranking.candidates import Candidate
from foundation.store import keys, round_trips
from foundation.store.log import EventLog
from parts.candidate_questions import items, rules, services
from parts.candidate_questions import repository as asked
from parts.candidate_questions.rules import TO_ALL, Answer, CandidateQuestion
from parts.candidate_questions.views import load_asker
from tests.at_once import at_once
from tests.background import finish_background
from tests.ballots.test_by_letter import letter_of
from tests.clock import at_its_own_moment
from tests.people import sign_in
from tests.races.overtaken import lost, overtaken_by
from tests.switching import switch
from tests.voting import link_to

HERE = "/election/Board/questions/"
ODD = 'Who <b>pays</b> #1 & "why"? \u202eשלום 👩‍👩‍👧'


@pytest.fixture
def otto(person):
    return person("Otto", Role.USER)


@pytest.fixture
def opened(otto, person):
    """Bo stands and has an account, Cy stands without one; Ada, Ben and somebody by address vote."""
    for name in ("Ada", "Ben", "Bo"):
        person(name, Role.VOTER)
    made = drafts.create(otto, "Board", vote_by_link=True)
    add_candidates(otto, made, [Candidate("Bo"), Candidate("Cy")])
    add_voters(otto, board(), ["Ada", "Ben", "zoe@example.org"])
    actions.change(otto, board(), Action.SET_QUESTIONS, questions_from="voters")
    lifecycle.open_(otto, board())
    return board()


SHOWS_IT = re.compile(r"[Qq]uestions? to\b|Because\.|/questions/|can ask the candidates")


def turn(*, on: bool) -> None:
    switch("candidate_questions", on=on)


def board():
    return repository.find("Board")


def set_up(otto, **chosen):
    actions.change(otto, board(), Action.SET_QUESTIONS, **chosen)


def ask(name: str, text: str = "Why?", to: str = "", **more):
    return sign_in(name, Role.VOTER).post(HERE, {"text": text, "to": to, **more}, follow=True)


def questions() -> list[CandidateQuestion]:
    return list(asked.read("Board").questions)


def of(name: str) -> rules.AskedCandidate:
    return next(each for each in asked.candidates_of(board()) if each.name == name)


def number_of(name: str) -> int:
    return of(name).number


def shown(otto, text: str = "Why?", name: str = "Ada", to: str = "") -> CandidateQuestion:
    """A question that everybody sees."""
    ask(name, text, to)
    found = next(each for each in questions() if each.text == text)
    services.review(otto, board(), found.id, show=True)
    while asked.now_ms() <= asked.find_question("Board", found.id).shown_at:
        pass  # mails begin much later than in the same millisecond
    return found


def answer(question: CandidateQuestion, text: str = "Because.", name: str = "Bo", who=None) -> None:
    services.answer(who, board(), of(name), question.id, text, 1)


def text_of(response) -> str:
    return response.content.decode()


def page(name: str = "Ben", path: str = HERE, status: int = 200) -> str:
    response = sign_in(name, Role.VOTER).get(path)
    assert response.status_code == status
    return text_of(response)


def by_pass(voter: str) -> passes.Pass:
    return passes.Pass(link_to("Board", voter, voter))


def told() -> list[tuple[str, dict]]:
    kinds = ("CandidateQ", "CandidateAnsw", "AnswerLink")
    found = (each for each in EventLog(table()).since(0) if each["event_type"].startswith(kinds))
    return [(each["event_type"], each["event_data"]) for each in found]


# --- asking ---


def test_a_question_waits_is_approved_answered_and_shown_with_the_candidate_and_on_the_ballot(otto, opened):
    assert "The organisers review it first" in text_of(ask("Ada", ODD))
    assert "Who &lt;b&gt;pays" not in page()
    (found,) = questions()
    sign_in("Otto").post(f"{HERE}review/", {"act": f"show {found.id}"})
    assert "Who &lt;b&gt;pays&lt;/b&gt; #1" in page()
    bo = sign_in("Bo", Role.VOTER)
    assert "1 question has no answer yet" in text_of(bo.get(f"{HERE}answer/"))
    bo.post(f"{HERE}answer/?question={found.id}", {"text": "The <i>members</i>."})
    for path in (HERE, "/election/Board/", "/election/Board/ballot/"):
        assert "The &lt;i&gt;members&lt;/i&gt;." in page("Ben", path), path


def test_who_may_ask_is_the_organisers_choice(otto, opened, person):
    person("Guest", Role.VOTER)
    with pytest.raises(NotAllowed):
        services.upvote(load_asker(person("Guest", Role.VOTER), "Board"), None, on=True)
    assert ask("Guest").status_code == 422
    set_up(otto, questions_from="everyone")
    assert ask("Guest").status_code == 200
    assert len(questions()) == 1


def test_nobody_asks_where_the_organiser_chose_so_and_nothing_is_shown_any_more(otto, opened):
    answer(shown(otto), "Because.")
    set_up(otto, questions_from="")
    assert sign_in("Ada", Role.VOTER).get(HERE).status_code == 404
    assert sign_in("Bo", Role.VOTER).get(f"{HERE}answer/").status_code == 404
    assert "Because." not in page("Ben", "/election/Board/")
    assert "Because." not in page("Ben", "/election/Board/ballot/")


def test_questions_can_be_asked_before_voting_begins_and_not_after_it_ends(otto, opened, person):
    made = drafts.create(otto, "Later", no_voting_before="2100-01-01T00:00:00.000Z", questions_from="voters")
    add_candidates(otto, made, [Candidate("Bo"), Candidate("Cy")])
    add_voters(otto, repository.find("Later"), ["Ada"])
    lifecycle.open_(otto, repository.find("Later"))
    path = "/election/Later/questions/"
    assert sign_in("Ada", Role.VOTER).post(path, {"text": "Why?"}).status_code == 302
    found = shown(otto)
    closing.close(otto, board())
    assert ask("Ada", "And now?").status_code == 422
    with pytest.raises(NotNow):
        answer(found)
    assert "Why?" in page()


def test_what_cannot_be_asked_is_refused_and_stays_typed(opened):
    for text in ("", "x" * 301):
        response = ask("Ada", text)
        assert response.status_code == 422
        assert text in text_of(response)
    assert ask("Ada", "Why?", "99").status_code == 422
    assert questions() == []


def test_the_limits_of_one_person_and_of_all(otto, opened, person):
    for number in range(5):
        ask("Ada", f"Question {number}?")
    assert "waiting to be reviewed" in text_of(ask("Ada", "One more?"))
    ada = load_asker(person("Ada", Role.VOTER), "Board")
    with pytest.raises(NotNow, match="is full"):
        services.ask(ada, [], 2_000, "Why?", TO_ALL, 1)


def test_the_same_words_to_two_candidates_are_two_questions(opened):
    for name in ("Bo", "Cy", "Bo"):
        ask("Ada", "Why you?", str(number_of(name)))
    ask("Ada", "Why you?")
    assert sorted(each.to for each in questions()) == [TO_ALL, number_of("Bo"), number_of("Cy")]


def test_names_are_shown_only_if_chosen_and_only_after_it_was_said(otto, opened):
    ask("Ada", "Without a name?")
    set_up(otto, questions_named=True, questions_open=True)
    assert "Names are now shown" in text_of(ask("Ada", "Why?"))
    ask("Ada", "With a name?", named="yes")
    assert {each.text: each.name for each in questions()} == {"Without a name?": "", "With a name?": "Ada"}
    assert "asked by <bdi>Ada</bdi>" in page()


def test_nothing_stored_or_logged_names_an_unnamed_asker_and_the_log_has_no_words(otto, opened):
    found = shown(otto, "Unmistakable words?")
    ask("Ben", "Other words?")
    stored = [dict(item) for item in table().each(keys.candidate_questions("Board"))]
    for item in stored:
        assert all(re.fullmatch("[0-9a-f]{24}", item[name]) for name in ("author", "asker"))
        digests = ("text", "author", "asker", "id", "SK", "GSI1PK", "GSI1SK")
        assert "ada" not in repr({name: value for name, value in item.items() if name not in digests}).lower()
    answer(found, "Unmistakable answer.")
    assert "unmistakable" not in repr(list(EventLog(table()).since(0))).lower()
    assert told()[-1] == (
        "CandidateAnswered",
        {"election_name": "Board", "question": found.id, "candidate": number_of("Bo")},
    )


# --- upvoting ---


def test_everybody_upvotes_once_and_nobody_their_own(otto, opened, person):
    found = shown(otto)
    ben, ada = (load_asker(person(name, Role.VOTER), "Board") for name in ("Ben", "Ada"))
    now = asked.find_question("Board", found.id)
    assert sorted(at_once(*[partial(services.upvote, ben, now, on=True)] * 4)) == [False, False, False, True]
    with pytest.raises(NotNow):
        services.upvote(ada, now, on=True)
    assert asked.read("Board").upvotes == {found.id: 1}
    sign_in("Ben", Role.VOTER).post(HERE, {"back": found.id})
    assert asked.read("Board").upvotes == {}


def test_two_presses_that_look_at_once_upvote_once(otto, opened, person):
    found = shown(otto)
    ben, now = load_asker(person("Ben", Role.VOTER), "Board"), asked.find_question("Board", found.id)
    with overtaken_by(partial(services.upvote, ben, now, on=True)):
        assert not services.upvote(ben, now, on=True)
    assert asked.read("Board").upvotes == {found.id: 1}


def test_of_two_windows_that_answer_a_question_the_second_changes_the_answer(otto, opened):
    found = shown(otto)
    with overtaken_by(partial(answer, found, "Quick.")):
        answer(found, "Slow.")
    kept = asked.find_answer("Board", found.id, number_of("Bo"))
    assert (kept.text, kept.edited) == ("Slow.", True)


def test_an_answer_that_is_hidden_while_it_is_changed_stays_hidden(otto, opened):
    found, bo = shown(otto), number_of("Bo")
    answer(found)
    with overtaken_by(partial(services.review_answer, otto, board(), found.id, bo, show=False)):
        answer(found, "Something else.")
    kept = asked.find_answer("Board", found.id, bo)
    assert (kept.text, kept.hidden) == ("Something else.", True)


def test_a_question_that_is_hidden_meanwhile_is_not_answered(otto, opened):
    found = shown(otto)
    lost(partial(answer, found), to=partial(services.review, otto, board(), found.id, show=False))
    assert asked.find_answer("Board", found.id, number_of("Bo")) is None


def test_of_two_organisers_who_review_a_question_one_does(otto, opened):
    found = shown(otto)
    lost(*[partial(services.review, otto, board(), found.id, show=False)] * 2)
    assert [kind for kind, _data in told()].count("CandidateQuestionHidden") == 1


def test_the_best_question_comes_first_and_what_is_hidden_cannot_be_upvoted(otto, opened):
    first, second = shown(otto, "First?"), shown(otto, "Second?")
    sign_in("Ben", Role.VOTER).post(HERE, {"upvote": second.id})
    assert page("Bo").index("Second?") < page("Bo").index("First?")
    services.review(otto, board(), first.id, show=False)
    sign_in("Ben", Role.VOTER).post(HERE, {"upvote": first.id})
    assert asked.read("Board").upvotes == {second.id: 1}


def test_a_voter_with_a_voting_link_is_one_voter_whether_signed_in_or_not(otto, opened, person):
    found = shown(otto)
    now = asked.find_question("Board", found.id)
    guest = load_asker(by_pass("zoe@example.org"), "Board")
    assert guest.is_voter
    assert services.upvote(guest, now, on=True)
    zoe = load_asker(person("Zoe", Role.VOTER, "zoe@example.org"), "Board")
    assert not services.upvote(zoe, now, on=True)
    services.ask(guest, [], 0, "By link?", TO_ALL, 1)
    assert [each.name for each in questions()] == ["", ""]


def test_before_voting_begins_a_voting_link_leads_to_the_questions_and_not_to_the_ballot(otto, opened):
    later = {"no_voting_before": "2100-01-01T00:00:00.000Z", "vote_by_link": True}
    for name, chosen in (("Later", {"questions_from": "voters"}), ("Silent", {})):
        made = drafts.create(otto, name, **later, **chosen)
        add_candidates(otto, made, [Candidate("Bo"), Candidate("Cy")])
        add_voters(otto, repository.find(name), ["zoe@example.org"])
        lifecycle.open_(otto, repository.find(name))
    client, path = Client(), "/election/Later/questions/"
    door = f"/vote/{link_to('Later', 'zoe@example.org', 'zoe@example.org').token}/"
    assert "Voting has not begun yet" in text_of(client.get(door))
    assert client.post(door)["Location"] == path
    assert client.post(path, {"text": "By link?"}).status_code == 302
    assert "By link?" in text_of(client.get(path))
    assert client.get("/election/Later/ballot/").status_code == 403
    silent = f"/vote/{link_to('Silent', 'zoe@example.org', 'zoe@example.org').token}/"
    assert client.post(silent).status_code == 403


def test_while_the_part_is_off_a_voting_link_says_that_it_is_too_early(otto):
    made = drafts.create(
        otto, "Later", no_voting_before="2100-01-01T00:00:00.000Z", vote_by_link=True, questions_from="voters"
    )
    add_candidates(otto, made, [Candidate("Bo"), Candidate("Cy")])
    add_voters(otto, repository.find("Later"), ["zoe@example.org"])
    lifecycle.open_(otto, repository.find("Later"))
    door = f"/vote/{link_to('Later', 'zoe@example.org', 'zoe@example.org').token}/"
    turn(on=False)
    found = text_of(Client().get(door))
    assert not SHOWS_IT.search(found)
    assert "Go to the ballot" not in found
    assert Client().post(door).status_code == 403
    turn(on=True)
    assert Client().post(door)["Location"] == "/election/Later/questions/"


def test_a_voter_with_a_letter_asks_and_upvotes_as_a_voter(otto, opened):
    found = shown(otto)
    add_voters(otto, board(), ["4711@"])
    guest = load_asker(letter_of(board(), "4711@"), "Board")
    assert services.upvote(guest, asked.find_question("Board", found.id), on=True)
    services.ask(guest, [], 0, "By letter?", TO_ALL, 1)
    assert asked.read("Board").upvotes == {found.id: 1}
    assert [each.asker for each in questions() if each.text == "By letter?"] == [""]
    assert "4711" not in repr(list(table().each(keys.candidate_questions("Board"))))


# --- reviewing ---


@pytest.mark.parametrize(
    ("name", "role", "status"), [("Ada", Role.VOTER, 403), ("Olga", Role.USER, 403), ("Otto", Role.USER, 200)]
)
def test_only_organisers_review(otto, opened, name, role, status):
    client = sign_in(name, role)
    for query in ("", "?candidates", "?settings"):
        assert client.get(f"{HERE}review/{query}").status_code == status
    assert client.get(f"{HERE}answer/{number_of('Cy')}/").status_code == status


def test_the_dashboard_says_how_many_questions_wait(otto, opened):
    ask("Ada")
    assert "1 question to candidates is waiting for review." in text_of(
        sign_in("Otto").get("/election/Board/dashboard/")
    )


def test_two_organisers_who_decide_at_once_both_count_or_are_told(otto, opened):
    ask("Ada")
    (found,) = questions()
    done = at_once(*[partial(services.review, otto, board(), found.id, show=True)] * 3)
    assert sorted(isinstance(each, Refusal) for each in done) == [False, True, True]
    assert [kind for kind, _about in told()] == ["CandidateQuestionShown"]


def test_an_answer_is_hidden_and_shown_again_and_a_hidden_question_takes_its_answers_along(otto, opened):
    found = shown(otto)
    answer(found)
    client = sign_in("Otto")
    for act, is_there in ((f"hide {found.id} {number_of('Bo')}", False), (f"show {found.id} {number_of('Bo')}", True)):
        client.post(f"{HERE}review/", {"act": act})
        for path in (HERE, "/election/Board/", "/election/Board/ballot/"):
            assert ("Because." in page("Ben", path)) == is_there
    client.post(f"{HERE}review/", {"act": f"hide {found.id}"})
    assert "Because." not in page("Ben", "/election/Board/ballot/")


def test_the_text_of_what_is_hidden_can_be_deleted_for_good(site, otto, opened):
    set_up(otto, questions_named=True)
    ask("Ada", "Defamatory question?", named="yes")
    (found,) = questions()
    services.review(otto, board(), found.id, show=True)
    answer(found, "Defamatory answer.")
    client, number = sign_in("Otto"), number_of("Bo")
    for act in (f"erase {found.id}", f"erase {found.id} {number}"):
        client.post(f"{HERE}review/", {"act": act})
    assert "Defamatory" in repr(asked.read("Board")), "it is not hidden yet"
    for act in (f"hide {found.id} {number}", f"erase {found.id} {number}", f"hide {found.id}", f"erase {found.id}"):
        client.post(f"{HERE}review/", {"act": act})
    everything = repr(list(table().each(keys.all_of_election("Board"))))
    assert "Defamatory" not in everything
    client.post(f"{HERE}review/", {"act": f"show {found.id}"})
    assert [(each.fate, each.text, each.name, each.asker) for each in questions()] == [(Fate.HIDDEN, "", "", "")]
    assert "(text deleted)" in text_of(client.get(f"{HERE}review/"))


@pytest.mark.few(6)
@pytest.mark.parametrize(
    "act",
    [
        "",
        "show",
        "erase",
        "erase q1",
        "erase q1 7",
        "erase q1 x",
        "show q1",
        "hide q1 7",
        "link",
        "link 99",
        "revoke 0",
        "burn q1",
        "show " * 9,
    ],
)
def test_what_makes_no_sense_changes_nothing(opened, act):
    before = told()
    assert sign_in("Otto").post(f"{HERE}review/", {"act": act}).status_code == 302
    assert told() == before


def test_a_vote_on_a_proposal_takes_no_questions(otto):
    drafts.create(otto, "Plan", kind="yes-no")
    assert sign_in("Otto").get("/election/Plan/questions/review/").status_code == 404
    with pytest.raises(Refusal):
        actions.change(otto, repository.find("Plan"), Action.SET_QUESTIONS, questions_from="voters")


# --- answering ---


def test_an_answer_can_be_changed_and_says_so(otto, opened):
    found = shown(otto)
    bo = sign_in("Bo", Role.VOTER)
    for text in ("First.", "Second."):
        bo.post(f"{HERE}answer/?question={found.id}", {"text": text})
    assert "Second." in page()
    assert "First." not in page()
    assert "Edited." in page()
    assert bo.post(f"{HERE}answer/?question={found.id}", {"text": "x" * 1001}).status_code == 422
    assert bo.post(f"{HERE}answer/?question=q0", {"text": "Lost?"}).status_code == 422


def test_nobody_else_answers_and_nobody_what_is_not_to_them(otto, opened):
    found = shown(otto, to=str(number_of("Cy")))
    assert sign_in("Ada", Role.VOTER).get(f"{HERE}answer/").status_code == 404
    assert "No questions yet" in text_of(sign_in("Bo", Role.VOTER).get(f"{HERE}answer/"))
    with pytest.raises(NotNow):
        answer(found, name="Bo")
    answer(found, name="Cy")


def test_whoever_takes_the_name_of_a_candidate_after_the_opening_cannot_answer_for_them(otto, opened, person):
    found = at_its_own_moment(lambda: shown(otto))
    newcomer = person("Cy", Role.VOTER)
    assert sign_in(newcomer).get(f"{HERE}answer/").status_code == 404
    assert "Answer as a candidate" not in text_of(sign_in(newcomer).get(HERE))
    with pytest.raises(Refusal):
        answer(found, name="Cy", who=newcomer)
    finish_background("tell candidates")
    assert waiting_mails() == ["Bo@example.org"]


def test_an_organiser_answers_on_behalf_of_a_candidate_which_is_marked(otto, opened):
    found = shown(otto)
    path = f"{HERE}answer/{number_of('Cy')}/?question={found.id}"
    assert sign_in("Otto").post(path, {"text": "Cy says no."}).status_code == 302
    assert "Cy says no." in page()
    assert "Entered by the organisers." in page()


def test_a_link_answers_for_one_candidate_until_it_is_replaced_or_revoked(otto, opened):
    found, number = shown(otto), number_of("Cy")
    client = sign_in("Otto")

    def link() -> str:
        client.post(f"{HERE}review/", {"act": f"link {number}"})
        return re.findall(r"http://[^/]+(/answers/[^<]+)", text_of(client.get(f"{HERE}review/?candidates")))[0]

    first = link()
    response = Client().post(f"{first}?question={found.id}", {"text": "By link."})
    assert (response.status_code, response["Referrer-Policy"]) == (302, "strict-origin")
    assert "By link." in page()
    assert "Entered by the organisers." not in page()
    second = link()
    assert Client().get(first).status_code == 410
    assert Client().get(second).status_code == 200
    assert Client().get(f"{HERE}").status_code == 302, "the link opens nothing else"
    client.post(f"{HERE}review/", {"act": f"revoke {number}"})
    assert Client().post(f"{second}?question={found.id}", {"text": "Too late."}).status_code == 410
    assert Client().get("/answers/nonsense/").status_code == 410
    assert "Too late." not in page()


def test_after_the_close_a_link_shows_the_answers_and_changes_none(otto, opened):
    found, number = shown(otto), number_of("Cy")
    answer(found, "In time.", "Cy")
    services.make_link(otto, board(), number)
    link = f"/answers/{services.link_token(board(), number, asked.link_turn('Board', number))}/"
    assert "<textarea" in text_of(Client().get(f"{link}?question={found.id}"))
    closing.close(otto, board())
    late = Client().post(f"{link}?question={found.id}", {"text": "Too late."})
    assert late.status_code == 422
    assert "Too late." in text_of(late), "what was typed is not lost"
    page = text_of(Client().get(f"{link}?question={found.id}"))
    assert ("In time." in page, "<textarea" in page) == (True, False)


def test_a_candidate_who_is_added_while_people_vote_is_asked_what_is_asked_of_all(otto, opened, person):
    person("Dee", Role.VOTER)
    made = drafts.create(otto, "Club", questions_from="voters")
    add_candidates(otto, made, [Candidate("Bo"), Candidate("Cy")])
    add_voters(otto, repository.find("Club"), ["Ada"])
    lifecycle.open_(otto, repository.find("Club"), editable=True)
    sign_in("Ada", Role.VOTER).post("/election/Club/questions/", {"text": "Why?"})
    (found,) = asked.read("Club").questions
    services.review(otto, repository.find("Club"), found.id, show=True)
    add_candidates(otto, repository.find("Club"), [Candidate("Dee")])
    path = "/election/Club/questions/"
    dee = sign_in("Dee", Role.VOTER)
    assert dee.post(f"{path}answer/?question={found.id}", {"text": "I am new."}).status_code == 302
    assert "I am new." in page("Ada", "/election/Club/ballot/")


# --- mails ---


def waiting_mails() -> list[str]:
    return [each.to for each in mails.in_state("queued", 50)[0] if each.kind == "candidate_questions"]


def test_candidates_with_an_account_get_one_mail_about_several_questions(otto, opened):
    for number in range(3):
        shown(otto, f"Question {number}?")
    finish_background("tell candidates")
    assert waiting_mails() == ["Bo@example.org"]
    finish_background("tell candidates")
    assert len(waiting_mails()) == 1
    shown(otto, "To Cy?", to=str(number_of("Cy")))
    at_its_own_moment(lambda: finish_background("tell candidates"))
    assert len(waiting_mails()) == 1
    shown(otto, "One more?")
    finish_background("tell candidates")
    assert len(waiting_mails()) == 2


@pytest.mark.parametrize("when", ["while they are mailed", "when all are mailed"])
def test_a_question_shown_in_the_millisecond_in_which_mails_begin_is_told_with_the_next(
    otto, opened, monkeypatch, when
):
    shown(otto)
    moment = asked.now_ms()
    clock = chain([moment, moment], count(moment + 1))  # when the mails begin, when the second one is shown, and later
    ask("Ben", "And why now?")
    another = next(each for each in questions() if each.text == "And why now?")
    monkeypatch.setattr(asked, "now_ms", lambda: next(clock))
    touching = keys.candidate_qa("Board") if when == "when all are mailed" else None
    with overtaken_by(lambda: services.review(otto, board(), another.id, show=True), touching=touching):
        finish_background("tell candidates")
    finish_background("tell candidates")
    assert asked.find_question("Board", another.id).shown_at == moment
    assert len(waiting_mails()) == 2


# --- what is shown, and what it costs ---


def test_a_ballot_reads_nothing_more_without_questions_and_once_with_them(otto, opened):
    def trips(path: str) -> int:
        client = sign_in("Ben", Role.VOTER)
        client.get(path)
        with round_trips.count_round_trips() as count:
            assert client.get(path).status_code == 200
        return count.count

    paths = ("/election/Board/ballot/", "/election/Board/")
    without = [trips(path) for path in paths]
    for number in range(3):
        answer(shown(otto, f"Question {number}?"))
    assert [trips(path) for path in paths] == without


def test_as_many_answers_are_shown_with_candidates_as_fit_the_best_questions_first():
    some = [CandidateQuestion(f"q{number}", "Why?", "", 1, Fate.SHOWN) for number in range(3)]
    answers = {each.id: {number: Answer(each.id, number, "x" * 96, 1) for number in (0, 1)} for each in some}
    answers["q1"][1] = replace(answers["q1"][1], hidden=True)
    answers["hidden"] = {0: Answer("hidden", 0, "x" * 300, 1)}
    some = [CandidateQuestion("hidden", "Why?", "", 1, Fate.HIDDEN), *some]
    for room, expected in ((380, {0: 2, 1: 1}), (0, {0: 1, 1: 1})):
        found = rules.shown_answers(some, answers, room)
        assert {number: len(lines) for number, lines in found.items()} == expected


def test_what_several_parts_know_of_a_candidates_answers_is_shown_one_after_the_other(monkeypatch):
    one, two = (AnswerShown(text, "Yes.", False, False) for text in ("Why?", "When?"))
    hook = Hooks("ever")
    hook.install(lambda election: {1: (one,)}, lambda election: {1: (two,), 2: (two,)})
    monkeypatch.setattr(panels, "ANSWERS", hook)
    assert panels.answers_with_candidates(Election("Board", "Otto", now_text())) == {1: (one, two), 2: (two,)}


def much_answered(candidates: int, characters: int) -> None:
    """Each candidate answers twenty questions, in English that somebody wrote."""
    draw, prose = random.Random(1), " ".join(" ".join(topics.values()).split())

    def text(characters: int) -> str:
        return prose[(first := draw.randrange(len(prose) - characters)) : first + characters]

    for question in (f"q{number:02}" for number in range(20)):
        made = CandidateQuestion(question, text(80), "", 1, Fate.SHOWN)
        answers = [Answer(question, number, text(characters), 1) for number in range(candidates)]
        writes = [write for each in answers for write in asked.answering(board(), None, each)]
        table().write(*store.sending(asked.board("Board"), made), *writes)
    table().write(asked.counting_change(board()))


@pytest.mark.few(1)
@pytest.mark.parametrize("characters", [100, 300])
@pytest.mark.parametrize("candidates", [20, 50])
def test_with_answers_a_ballot_weighs_less_than_60_kilobytes_in_all(otto, person, candidates, characters):
    """Styles and scripts of a ballot weigh 37 kB: see tests/browser/test_rank.py."""
    person("Ben", Role.VOTER)
    made = drafts.create(otto, "Board", questions_from="voters")
    add_candidates(otto, made, [Candidate(f"Maria Magdalena {number}") for number in range(candidates)])
    add_voters(otto, board(), ["Ben"])
    lifecycle.open_(otto, board())
    much_answered(candidates, characters)
    response = sign_in("Ben", Role.VOTER).get("/election/Board/ballot/", HTTP_ACCEPT_ENCODING="gzip")
    assert response["Content-Encoding"] == "gzip"
    assert b"candidate-answers" in gzip.decompress(response.content)
    assert len(response.content) < 25_000


def test_answers_that_are_too_long_for_the_list_have_a_page_of_their_own(otto, opened):
    for number in range(3):
        question = CandidateQuestion(f"q{number}", f"Question {number}?", "", number, Fate.SHOWN)
        answers = [Answer(question.id, each, f"By {each}. " + "漢" * 5_000, 1) for each in (0, 1)]
        writes = [write for each in answers for write in asked.answering(board(), None, each)]
        table().write(*store.sending(asked.board("Board"), question), *writes)
    table().write(asked.counting_change(board()))
    table().increment(asked.board("Board").counter, "sent")
    for client, path in ((sign_in("Ben", Role.VOTER), HERE), (sign_in("Otto"), f"{HERE}review/")):
        every, one = (text_of(client.get(path + query)) for query in ("", "?question=q2"))
        assert (every.count("By 0."), every.count("<details"), every.count('href="?question=')) == (1, 1, 2)
        assert ("Question 0?" in one, "By 0." in one, "By 1." in one, "<details" in one) == (False, True, True, True)
        assert client.get(f"{path}?question=%23nonsense").status_code == 200


def test_a_button_leads_back_to_the_page_it_was_on(otto, opened):
    found = shown(otto)
    place = {"page": "3", "candidate": "1", "question": f'{found.id}"&x=1'}
    ben, organiser = sign_in("Ben", Role.VOTER), sign_in("Otto")
    voted, hidden = (
        ben.post(HERE, {"upvote": found.id, **place}),
        organiser.post(f"{HERE}review/", {"act": f"hide {found.id}", **place}),
    )
    query = f"?page=3&candidate=1&question={found.id}%22%26x%3D1"
    assert voted["Location"] == f"{HERE}{query}#{found.id}"
    assert hidden["Location"] == f"{HERE}review/{query}"
    assert ben.post(HERE, {"upvote": "q0", "page": "x", "candidate": "-1"})["Location"] == HERE


def test_the_page_of_one_candidate_has_only_their_questions_and_answers(otto, opened):
    answer(shown(otto, "To Cy?", to=str(number_of("Cy"))), "Cy here.", "Cy")
    answer(shown(otto, "To all?"), "Bo here.", "Bo")
    only = page("Ben", f"{HERE}?candidate={number_of('Bo')}")
    assert ("To Cy?" in only, "To all?" in only, "Bo here." in only) == (False, True, True)


# --- switching the part off ---


def test_while_the_part_is_off_nothing_shows_it_and_then_everything_is_back(otto, opened):
    found = shown(otto)
    answer(found, "Because.")
    services.make_link(otto, board(), number_of("Cy"))
    ask("Ada", "Shall we?")
    add_voters(otto, board(), ["Bo"])
    link = f"/answers/{services.link_token(board(), number_of('Cy'), asked.link_turn('Board', number_of('Cy')))}/"
    own = (HERE, f"{HERE}answer/", link), (f"{HERE}review/", f"{HERE}answer/{number_of('Cy')}/")
    others = ("/election/Board/", "/election/Board/ballot/", "/help/secrecy/"), ("/election/Board/dashboard/",)
    browsers = sign_in("Bo", Role.VOTER), sign_in("Otto", Role.USER)

    def each(paths):
        return [(path, client.get(path)) for client, some in zip(browsers, paths, strict=True) for path in some]

    assert all(SHOWS_IT.search(text_of(got)) for _path, got in each(others))
    turn(on=False)
    for path, got in each(others):
        assert (got.status_code, SHOWS_IT.findall(text_of(got))) == (200, []), path
    assert {got.status_code for _path, got in each(own)} == {404}
    turn(on=True)
    assert all(SHOWS_IT.search(text_of(got)) for _path, got in each(others))
    assert [path for path, got in each(others) if "Because." in text_of(got)] == list(others[0][:2])
    assert {got.status_code for _path, got in each(own)} == {200}


def test_while_the_part_is_off_candidates_get_no_mail_and_then_they_do(otto, opened):
    shown(otto)
    turn(on=False)
    finish_background("tell candidates")
    assert waiting_mails() == []
    turn(on=True)
    finish_background("tell candidates")
    (mail,) = (each for each in mails.in_state("queued", 50)[0] if each.kind == "candidate_questions")
    assert is_still_useful(mail, 0)
    turn(on=False)
    assert not is_still_useful(mail, 0), "its link would lead nowhere"


def test_who_leaves_while_the_part_is_off_is_forgotten_all_the_same(otto, opened, person):
    set_up(otto, questions_named=True, questions_open=True)
    ask("Ada", "Mine?", named="yes")
    turn(on=False)
    accounts.remove(person("Root", Role.OWNER), person("Ada", Role.VOTER))
    finish_background()
    assert [(each.text, each.name, each.asker) for each in questions()] == [("Mine?", "", "")]


def test_before_it_is_switched_off_its_owner_hears_where_questions_are_asked(otto, opened):
    part = apps.get_app_config("candidate_questions")
    assert list(part.running()) == ["In 1 open election, candidates can be asked questions."]
    set_up(otto, questions_from="")
    assert list(part.running()) == []


# --- copying, leaving, deleting ---


def test_a_copy_takes_the_settings_and_no_questions(otto, opened):
    answer(shown(otto))
    set_up(otto, questions_open=True, questions_named=True)
    copying.copy(otto, board(), "Board 2")
    copy = repository.find("Board 2")
    assert (copy.questions_from, copy.questions_open, copy.questions_named, copy.answers) == ("voters", True, True, 0)
    assert asked.read("Board 2").questions == ()


def test_a_person_finds_their_questions_in_their_data_and_leaves_them_without_a_name(otto, opened, person):
    set_up(otto, questions_named=True, questions_open=True)
    ask("Ada", "Mine?", named="yes")
    ada = person("Ada", Role.VOTER)
    expected = {"election": "Board", "text": "Mine?", "state": "shown", "name_shown": "Ada"}
    assert list(items.candidate_questions(ada)) == [expected]
    accounts.remove(person("Root", Role.OWNER), ada)
    finish_background()
    (found,) = questions()
    assert (found.text, found.name, found.asker) == ("Mine?", "", "")
    assert list(items.candidate_questions(ada)) == []


def test_a_deleted_election_leaves_nothing(otto, opened):
    found = shown(otto)
    answer(found)
    services.make_link(otto, board(), number_of("Cy"))
    sign_in("Ben", Role.VOTER).post(HERE, {"upvote": found.id})
    closing.close(otto, board())
    lifecycle.delete(otto, board())
    finish_background()
    assert list(table().each(keys.all_of_election("Board"))) == []


# --- several questions ---


def test_candidates_of_all_questions_of_an_election_are_asked_and_answer(otto, person):
    """Numbers of candidates repeat in each question; Bo stands in two."""
    for name in ("Ada", "Bo"):
        person(name, Role.VOTER)
    made = drafts.create(otto, "Board")
    add_candidates(otto, made, [Candidate("Cy"), Candidate("Bo")])
    made = drafts.add_question(otto, board(), "Budget", first_title="Chair", kind="yes-no", method="majority")
    made = drafts.add_question(otto, made.at(1), "Speaker")
    add_candidates(otto, made, [Candidate("Bo"), Candidate("Dee")])
    add_voters(otto, board(), ["Ada"])
    actions.change(otto, board(), Action.SET_QUESTIONS, questions_from="voters")
    lifecycle.open_(otto, board())
    labels = {each.label: each for each in asked.candidates_of(board())}
    assert [*labels] == ["Bo (Chair)", "Cy (Chair)", "Bo (Speaker)", "Dee (Speaker)"]
    form = page("Ada", f"{HERE}?ask")
    assert "Bo (Speaker)</option>" in form
    assert "(Budget)" not in form
    to_all = shown(otto)
    to_dee = shown(otto, "Why you?", to=str(labels["Dee (Speaker)"].number))
    left = rules.unanswered(questions(), {}, labels["Cy (Chair)"].number)
    assert [each.id for each in left] == [to_all.id]
    finish_background("tell candidates")
    assert waiting_mails() == ["Bo@example.org"]  # once, for both
    bo, speaker = sign_in("Bo", Role.VOTER), labels["Bo (Speaker)"].number
    assert f"{HERE}answer/as/{speaker}/" in text_of(bo.get(f"{HERE}answer/"))
    bo.post(f"{HERE}answer/?question={to_all.id}", {"text": "For the chair."})
    bo.post(f"{HERE}answer/as/{speaker}/?question={to_all.id}", {"text": "For the speaker."})
    assert bo.get(f"{HERE}answer/as/{labels['Dee (Speaker)'].number}/").status_code == 404
    services.make_link(otto, board(), labels["Dee (Speaker)"].number)
    token = services.link_token(board(), labels["Dee (Speaker)"].number, *asked.link_turns("Board").values())
    Client().post(f"/answers/{token}/?question={to_dee.id}", {"text": "By link."})
    organiser = sign_in("Otto")
    organiser.post(f"{HERE}answer/{labels['Cy (Chair)'].number}/?question={to_all.id}", {"text": "On behalf."})
    with_candidates = {
        (question.number, repository.candidate_names("Board", question.number)[number]): [each.text for each in own]
        for question in board().questions
        for number, own in panels.answers_with_candidates(question).items()
    }
    assert with_candidates == {
        (1, "Bo"): ["For the chair."],
        (1, "Cy"): ["On behalf."],
        (3, "Bo"): ["For the speaker."],
        (3, "Dee"): ["By link."],
    }
    assert "Bo (Speaker)" in page("Ada")
    assert "For the speaker." in page("Ada", "/election/Board/")
    assert "By link." in page("Ada", "/election/Board/ballot/")
    assert "Dee (Speaker)" in text_of(organiser.get(f"{HERE}review/?candidates"))
