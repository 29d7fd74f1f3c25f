"""Pages of question sets: making, typing, moving, files; strangers, wrong roles, bad input, two tabs."""

from __future__ import annotations

import csv
import io
import json
import re
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.rules import Role
from foundation.acts.background import wait
from foundation.acts.rate_limits import SECONDS_PER_HOUR, Limit
from parts.questions import repository, services
from parts.questions.formats.exports import questions_csv
from parts.questions.question import SET_KIND_LABELS, Kind, Question
from parts.questions.repository import SLICE_QUESTIONS
from tests.people import sign_in

from .conftest import CAPITAL, MANY, MEET
from .foreign_files import AIKEN, GIFT

TYPED = {"kind": "choice", "title": "Who won?", "detail": "", "category": "Sport", "seconds": "30", "seen": ""}
OPTIONS = {"option1": "Ada", "option2": "", "option3": "Bo", "right3": "on"}


def text(answer) -> str:
    return re.sub(r"\s+", " ", unescape(answer.content.decode()))


def seen(answer) -> str:
    return re.search(r'name="seen" value="([^"]*)"', answer.content.decode())[1]


def followed(client, address, sent=None) -> str:
    return text(client.post(address, sent or {}, follow=True))


def uploaded(client, set_id, raw: bytes | str):
    content = raw.encode() if isinstance(raw, str) else raw
    file = SimpleUploadedFile("questions.csv", content, "text/csv")
    return client.post(f"/live/sets/{set_id}/import/", {"file": file})


def sent_back(answer) -> str:
    return unescape(re.search(r'name="questions" value="([^"]*)"', answer.content.decode())[1])


@pytest.fixture
def hers(ida) -> Client:
    return sign_in(ida)


@pytest.fixture
def his(person) -> Client:
    return sign_in(person("Bo"))


# --- lists and making ---


def test_a_set_is_made_and_listed(site, hers):
    assert "No question sets here" in text(hers.get("/live/sets/"))
    words = {"name": " Quiz  night ", "description": "For all.", "custom_instructions": "Be\r\nquick."}
    page = followed(hers, "/live/sets/new/", words)
    assert "Quiz night" in page
    assert "No questions yet" in page
    (set_,) = repository.owned_by("Ida", limit=9)[0]
    assert (set_.name, set_.custom_instructions, set_.version) == ("Quiz night", "Be\nquick.", 1)
    assert "Quiz night" in text(hers.get("/live/sets/"))


def test_a_set_needs_a_name_and_its_words_have_an_end(site, hers):
    answer = hers.post("/live/sets/new/", {"name": "", "description": "x" * 2001})
    assert answer.status_code == 422
    assert "Ensure this value has at most 2000 characters (it has 2001)." in text(answer)
    assert repository.owned_by("Ida", limit=9)[0] == []


def test_too_many_sets_in_an_hour_are_refused(site, ida, hers, made, monkeypatch):
    monkeypatch.setattr("parts.questions.services.MADE", Limit("question-sets", 1, SECONDS_PER_HOUR))
    hers.post("/live/sets/new/", {"name": "One"})
    assert "tried too often" in text(hers.post("/live/sets/new/", {"name": "Two"}))
    assert "tried too often" in followed(hers, f"/live/sets/{made}/copy/")
    assert len(repository.owned_by("Ida", limit=9)[0]) == 2


def test_a_set_says_for_what_it_serves_and_shows_all_it_has(site, hers, made):
    page = text(hers.get(f"/live/sets/{made}/"))
    assert "4 questions: 1 for best answer, 1 for trivia, 2 for polls, 3 for surveys" in page
    for words in (*(each.title for each in MANY), *CAPITAL.options, "Towns", "Without a category", "20 s", "Be quick."):
        assert words in page
    assert page.count("</svg> right") == 1


# --- whose it is ---

PAGES = ("", "edit/", "delete/", "import/", "questions/new/", "questions/1/", "questions/1/remove/", "categories/1/")
FILES = ("questions.csv", "questions.json", "set.gift")
HOOKS = ("active/", "share/", "copy/", "questions/1/move/", "categories/1/move/")


def answers(client, set_id) -> dict[str, int]:
    pages = {each: client.get(f"/live/sets/{set_id}/{each}").status_code for each in (*PAGES, *FILES)}
    return pages | {each: client.post(f"/live/sets/{set_id}/{each}").status_code for each in HOOKS}


@pytest.mark.deep
def test_a_private_set_is_there_for_its_owner_alone(site, hers, his, made):
    assert set(answers(his, made).values()) == {404}
    assert set(answers(sign_in("Olga", Role.ADMIN), made).values()) == {404}
    assert set(answers(Client(), made).values()) == {302}
    assert set(answers(sign_in("Vera", Role.VOTER), made).values()) == {403}
    assert repository.find_set(made).version == 2


def test_a_shared_one_can_be_used_and_copied_and_not_changed(site, ida, his, made):
    services.share(ida, made, on=True)
    assert "Evening" in text(his.get("/live/sets/?show=shared"))
    found = answers(his, made)
    assert {each for each, status in found.items() if status == 403} == {*PAGES[1:], *HOOKS} - {"copy/"}
    assert {found[each] for each in ("", *FILES)} == {200}
    assert found["copy/"] == 302
    (copied,) = repository.owned_by("Bo", limit=9)[0]
    assert (copied.name, copied.total_questions) == ("Copy of Evening", 4)
    page = text(his.get(f"/live/sets/{made}/"))
    assert "Make my own copy" in page
    assert "Add a question" not in page


def test_who_looks_after_the_site_takes_a_shared_set_away(site, ida, made):
    services.share(ida, made, on=True)
    boss = sign_in("Olga", Role.ADMIN)
    page = text(boss.get(f"/live/sets/{made}/"))
    assert "Stop sharing" in page
    assert "Name and instructions" not in page
    assert boss.post(f"/live/sets/{made}/share/", {"on": "yes"}).status_code == 302
    assert "no longer shared" in followed(boss, f"/live/sets/{made}/share/", {"on": "no"})
    assert boss.get(f"/live/sets/{made}/").status_code == 404
    services.share(ida, made, on=True)
    assert "for good" in text(boss.get(f"/live/sets/{made}/delete/"))
    assert "Evening is deleted." in followed(boss, f"/live/sets/{made}/delete/")
    assert repository.find(made) is None


def test_it_is_put_away_and_shared_and_taken_back(site, hers, made):
    assert "archived" in followed(hers, f"/live/sets/{made}/active/", {"on": "no"})
    assert not repository.find_set(made).is_active
    followed(hers, f"/live/sets/{made}/active/", {"on": "yes"})
    assert "Everyone who can host" in followed(hers, f"/live/sets/{made}/share/", {"on": "yes"})
    assert repository.find_set(made).is_offered


# --- typing questions ---


def test_a_question_is_added_by_its_kind(site, hers, made):
    answer = hers.post(f"/live/sets/{made}/questions/new/", TYPED | OPTIONS)
    assert answer["Location"] == f"/live/sets/{made}/#question-5"
    question = repository.find_full(made).find(5).question
    assert question == Question("Who won?", Kind.CHOICE, category="Sport", options=("Ada", "Bo"), right=(1,))
    text_ = TYPED | OPTIONS | {"kind": "text", "title": "Why?"}
    hers.post(f"/live/sets/{made}/questions/new/", text_)
    assert repository.find_full(made).find(6).question == Question("Why?", category="Sport"), "a text has no options"


def test_the_next_question_keeps_kind_and_category(site, hers, made):
    answer = hers.post(f"/live/sets/{made}/questions/new/", TYPED | OPTIONS | {"another": "yes"}, follow=True)
    assert "The question is added." in text(answer)
    assert '<option value="choice" selected>' in answer.content.decode()
    assert 'value="Sport"' in answer.content.decode()


def test_a_set_says_how_many_questions_are_still_being_added(site, ida, hers, monkeypatch):
    made = services.make(ida, "Long").id
    monkeypatch.setattr(repository.FILLING, "do", lambda task: wait(60))
    services.add(ida, made, [Question(f"Number {number}") for number in range(SLICE_QUESTIONS + 5)])
    assert "5 more questions are being added." in text(hers.get(f"/live/sets/{made}/"))


WRONG = [
    ({"title": ""}, "This field is required."),
    ({"title": "x" * 301}, "Ensure this value has at most 300 characters (it has 301)."),
    ({"option3": ""}, "Enter 2 to 10 options; there are 1."),
    ({"option3": "ada"}, "The same as option 1."),
    ({"seconds": "soon"}, "Enter a whole number."),
    ({"seconds": "4000"}, "less than or equal to 3600"),
    ({"kind": "dance"}, "Select a valid choice."),
    ({"category": "x" * 101}, "at most 100 characters"),
]


@pytest.mark.parametrize(("typed", "sentence"), WRONG)
def test_what_is_wrong_is_said_and_nothing_is_lost(site, hers, made, typed, sentence):
    answer = hers.post(f"/live/sets/{made}/questions/new/", TYPED | OPTIONS | typed)
    assert answer.status_code == 422
    assert sentence in text(answer)
    assert 'value="Ada"' in answer.content.decode()
    assert repository.find_set(made).total_questions == 4


def test_a_full_set_takes_no_more(site, ida, hers, made):
    services.add(ida, made, [Question(f"Number {number}") for number in range(196)])
    assert "A set has at most 200 questions" in text(hers.post(f"/live/sets/{made}/questions/new/", TYPED | OPTIONS))


def test_a_question_is_changed_and_moved_to_another_category(site, hers, made):
    answer = hers.get(f"/live/sets/{made}/questions/2/")
    assert 'id="q2_title"' in answer.content.decode(), "several forms may stand open on one page"
    typed = {"kind": "ranking", "title": "Where now?", "category": "towns", "seconds": "0", "seen": seen(answer)}
    typed |= {"option1": "Library", "option2": "Park", "option3": "Zoo"}
    assert hers.post(f"/live/sets/{made}/questions/2/", typed)["Location"].endswith("#question-2")
    placed = repository.find_full(made).find(2)
    assert (placed.question.title, placed.question.category, placed.category) == ("Where now?", "Towns", 1)
    assert placed.question.options == ("Library", "Park", "Zoo")


def test_of_two_tabs_the_second_is_told_and_loses_nothing(site, hers, made):
    old = seen(hers.get(f"/live/sets/{made}/questions/1/"))
    words = TYPED | OPTIONS | {"seen": old}
    hers.post(f"/live/sets/{made}/questions/1/", words | {"title": "First tab?"})
    answer = hers.post(f"/live/sets/{made}/questions/1/", words | {"title": "Second tab?"})
    page = text(answer)
    assert answer.status_code == 422
    assert "This was changed in another window or by someone else" in page
    assert 'value="Second tab?"' in answer.content.decode()
    assert "Saved version" in page
    assert "First tab?" in page
    hers.post(f"/live/sets/{made}/questions/1/", words | {"title": "Second tab?", "seen": seen(answer)})
    assert repository.find_full(made).find(1).question.title == "Second tab?"


def test_words_for_a_question_that_is_gone_can_become_a_new_one(site, ida, hers, made):
    old = seen(hers.get(f"/live/sets/{made}/questions/3/"))
    services.remove_question(ida, made, 3, old)
    answer = hers.post(f"/live/sets/{made}/questions/3/", TYPED | OPTIONS | {"seen": old})
    assert "removed in the meantime" in text(answer)
    assert f'action="/live/sets/{made}/questions/new/"' in answer.content.decode()
    assert hers.get(f"/live/sets/{made}/questions/3/").status_code == 404
    assert "no longer in the set" in followed(hers, f"/live/sets/{made}/questions/3/remove/")


def test_the_words_of_a_set_too_are_not_written_over(site, hers, made):
    page = hers.get(f"/live/sets/{made}/edit/")
    words = {"name": "Night", "description": "", "custom_instructions": "", "seen": seen(page)}
    followed(hers, f"/live/sets/{made}/edit/", words)
    answer = hers.post(f"/live/sets/{made}/edit/", words | {"name": "Other"})
    assert answer.status_code == 422
    assert "changed in another window" in text(answer)
    assert 'value="Other"' in answer.content.decode()
    hers.post(f"/live/sets/{made}/edit/", words | {"name": "Other", "seen": seen(answer)})
    assert repository.find_set(made).name == "Other"


def test_questions_move_once_for_two_clicks(site, hers, made):
    version = str(repository.find_set(made).version)
    click = {"way": "down", "version": version}
    hers.post(f"/live/sets/{made}/questions/2/move/", click)
    assert "Check what it says now" in followed(hers, f"/live/sets/{made}/questions/2/move/", click)
    assert [each.number for each in repository.find_full(made).placed] == [1, 3, 2, 4]


def test_a_question_is_removed_after_a_question(site, hers, made):
    page = hers.get(f"/live/sets/{made}/questions/2/remove/")
    assert MEET.title in text(page)
    token = re.search(r'name="token" value="([^"]*)"', page.content.decode())[1]
    assert "changed in another window" in followed(hers, f"/live/sets/{made}/questions/2/remove/", {"token": "old"})
    assert "is removed." in followed(hers, f"/live/sets/{made}/questions/2/remove/", {"token": token})
    assert [each.number for each in repository.find_full(made).placed] == [1, 3, 4]


def test_categories_are_named_and_moved(site, hers, made):
    page = hers.get(f"/live/sets/{made}/categories/2/")
    words = {"name": "towns", "description": "Later.", "seen": seen(page)}
    assert "already has a category called" in text(hers.post(f"/live/sets/{made}/categories/2/", words))
    followed(hers, f"/live/sets/{made}/categories/2/", words | {"name": "Ideas"})
    assert "changed in another window" in text(hers.post(f"/live/sets/{made}/categories/2/", words | {"name": "More"}))
    version = str(repository.find_set(made).version)
    hers.post(f"/live/sets/{made}/categories/2/move/", {"way": "up", "version": version})
    assert repository.find_set(made).categories == ("Ideas", "Towns", "")
    assert hers.get(f"/live/sets/{made}/categories/9/").status_code == 404


# --- files ---


def test_a_file_is_judged_row_by_row_and_written_only_when_confirmed(site, hers, made):
    raw = "title;kind;points\nNew one?;text;3\n;text;\nWhat is the capital of Peru?;text;\nnew ONE?;;\n"
    answer = uploaded(hers, made, raw)
    page = text(answer)
    assert "Is this right?" in page
    for words in ("title: Enter a question.", "The same question is on line 2.", "points", "Add 2 questions"):
        assert words in page
    assert repository.find_set(made).version == 2, "nothing is written yet"
    assert "Questions added: 2." in followed(hers, f"/live/sets/{made}/import/", {"questions": sent_back(answer)})
    assert repository.find_set(made).total_questions == 6
    again = followed(hers, f"/live/sets/{made}/import/", {"questions": sent_back(answer)})
    assert "Questions added: 0." in again
    assert "Skipped, because the set already has them: 2." in again
    assert repository.find_set(made).total_questions == 6


@pytest.mark.parametrize("raw", [b"", b"no header\n", b"\x00\x01\x02", b"title\n" + b"x\n" * 201])
def test_what_is_no_table_is_refused_with_a_sentence(site, hers, made, raw):
    answer = uploaded(hers, made, raw)
    assert answer.status_code == 422
    assert repository.find_set(made).version == 2


def test_files_of_other_programs_are_previewed_and_added(site, hers, made):
    for name, content, label, new in (("lakes.txt", AIKEN, "Aiken", 2), ("rivers.gift", GIFT, "GIFT", 9)):
        answer = hers.post(f"/live/sets/{made}/import/", {"file": SimpleUploadedFile(name, content.encode())})
        assert f"<dt>Read as</dt><dd>{label}</dd>" in text(answer)
        back = {"questions": sent_back(answer)}
        assert f"Questions added: {new}." in followed(hers, f"/live/sets/{made}/import/", back)
    assert repository.find_set(made).total_questions == len(MANY) + 11


def test_a_text_is_pasted_and_each_question_has_its_verdict(site, hers, made):
    page = text(hers.post(f"/live/sets/{made}/import/", {"text": GIFT.replace("\n", "\r\n")}))
    assert "Matching questions are not supported." in page
    assert 'New<br><span class="hint">Its feedback is left out' in page
    assert "Add 9 questions" in page
    chosen = {"text": "Is {this} so?", "format": "csv"}
    assert "must name the columns" in text(hers.post(f"/live/sets/{made}/import/", chosen))


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({}, "Choose a file or paste text, but not both."),
        ({"text": " \n "}, "Choose a file or paste text, but not both."),
        ({"text": "See you on Monday."}, "This does not look like a file of questions."),
        ({"text": "Well? {}", "format": "morse"}, "Select a valid choice."),
        ({"text": "<quiz/>"}, "This does not look like a file of questions."),
    ],
)
def test_what_cannot_be_read_is_refused_and_stays_typed(site, hers, made, sent, sentence):
    answer = hers.post(f"/live/sets/{made}/import/", sent)
    assert answer.status_code == 422
    assert sentence in text(answer)
    assert sent.get("text", "").strip() in text(answer)


def test_a_file_and_a_text_are_one_too_many(site, hers, made):
    both = {"text": GIFT, "file": SimpleUploadedFile("rivers.gift", GIFT.encode())}
    assert "but not both" in text(hers.post(f"/live/sets/{made}/import/", both))


def test_a_set_goes_out_as_gift_and_comes_in_again(site, hers, made):
    answer = hers.get(f"/live/sets/{made}/set.gift")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="questions.gift.txt"'
    raw = b"".join(answer.streaming_content).decode()
    assert f"// Ranking: {MEET.title}" in raw
    other = hers.post("/live/sets/new/", {"name": "Again"})["Location"].strip("/").split("/")[-1]
    page = hers.post(f"/live/sets/{other}/import/", {"text": raw})
    followed(hers, f"/live/sets/{other}/import/", {"questions": sent_back(page)})
    assert repository.find(other)[1] == tuple(each for each in MANY if each.kind in (Kind.CHOICE, Kind.TEXT))
    assert f"/live/sets/{made}/set.gift" in hers.get(f"/live/sets/{made}/").content.decode()


def test_what_was_tampered_with_on_the_way_back_is_judged_again(site, hers, made):
    assert "must name the columns" in followed(hers, f"/live/sets/{made}/import/", {"questions": "nonsense"})
    back = "title,kind\nFine?,text\nBad?,dance\n"
    assert "Questions added: 1." in followed(hers, f"/live/sets/{made}/import/", {"questions": back})


def test_a_whole_set_goes_out_and_comes_in_again(site, hers, made):
    answer = hers.get(f"/live/sets/{made}/questions.csv")
    raw = b"".join(answer.streaming_content)
    assert answer["Content-Disposition"] == 'attachment; filename="questions.csv"'
    other = hers.post("/live/sets/new/", {"name": "Again"})["Location"].strip("/").split("/")[-1]
    followed(hers, f"/live/sets/{other}/import/", {"questions": sent_back(uploaded(hers, other, raw))})
    assert repository.find(other)[1] == MANY
    told = json.loads(hers.get(f"/live/sets/{made}/questions.json").content)
    assert (told["name"], told["total_questions"], told["categories"][0]["name"]) == ("Evening", 4, "Towns")


def test_the_page_of_the_import_says_how_and_has_a_template(site, hers, made):
    page = text(hers.get(f"/live/sets/{made}/import/"))
    for words in ("option1 … option10", "custom_instruction", "title,kind,detail"):
        assert words in page
    raw = b"".join(hers.get("/live/sets/template.csv").streaming_content).decode("utf-8-sig")
    kinds = [row["kind"] for row in csv.DictReader(io.StringIO(raw))]
    assert sorted(kinds) == sorted(SET_KIND_LABELS)


def test_words_that_look_like_html_are_words(site, ida, hers):
    set_ = services.make(ida, "<b>Bold</b>", "<script>1</script>")
    nasty = Question("<i>?</i>", Kind.CHOICE, "<img>", "<u>", "<s>", "<a>", ("<1>", "<2>"), (0,))
    services.add(ida, set_.id, [nasty])
    for address in ("", "questions/1/", "questions/1/remove/", "edit/", "import/"):
        page = hers.get(f"/live/sets/{set_.id}/{address}").content.decode()
        assert not any(mark in page for mark in ("<b>Bold", "<script>1", "<i>?", "<img>", "<u>", "<1>"))
    page = uploaded(hers, set_.id, "".join(questions_csv([Question("<i>new</i>")]))).content.decode()
    assert "<i>new" not in page
