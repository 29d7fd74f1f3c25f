"""What stays of an assembly: sealed at its end, read by those who were there, added to and never changed."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from accounts import repository as people
from accounts.rules import Role
from elections import repository as elections
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from foundation.acts.background import wait
from foundation.acts.storage import now_text, table
from foundation.store import keys
from foundation.store.log import EventLog
from operations.upkeep import jobs
from parts.assembly import roll
from parts.assembly.minutes import services as minutes
from parts.assembly.minutes import views
from parts.live import repository, seats
from parts.live.rules import Step
from parts.live.seats import Seat
from parts.live.services import deleting, follow_ups, moving
from parts.questions.question import Type
from results import repository as results
from tests.background import finish_background
from tests.live.conftest import drive, give

ISOLATES = {0x2068: None, 0x2069: None}  # around names


def events(site, kind: str) -> list[dict]:
    return [each["event_data"] for each in EventLog(site).since(0) if each["event_type"] == kind]


def attend(game, *names: str) -> None:
    """Checked in with accounts of these names."""
    for name in names:
        table().write(*seats.seating(game, Seat(name.lower(), name, now_text(), own={"account": name})))


def decide(game, place: int, **said: str) -> None:
    moving.drive(game.id, "Hana", Step.NEXT, repository.read_state(game.id).version, place)
    drive(game, Step.VOTE)
    for name, vote in said.items():
        give(game, seats.find(game.id, name), vote)
    drive(game, Step.CLOSE)


@pytest.fixture
def held(made, person):
    """An assembly that has decided three things: openly, in secret, and by ranking amendments."""
    game = made(Type.ASSEMBLY, entitled=8, quorum="1/4")
    for name in ("Ada", "Ben", "Cem"):
        person(name)
    attend(game, "Ada", "Ben", "Cem")
    drive(game, Step.NEXT)
    drive(game, Step.CLOSE)
    decide(game, 1, ada="yes", ben="yes", cem="abstain")
    decide(game, 2, ada="0", ben="0", cem="1")
    decide(game, 3, ada="1>0>2", ben="1>2>0", cem="2>1>0")
    return game


def ended(game):
    drive(game, Step.END)
    return minutes.find(game.id)


def views_of(found):
    return [views.point_view(found, each) for each in found.points]


def text(answer) -> str:
    return answer.content.decode()


def test_minutes_tell_votes_with_counts_and_majorities_and_keep_secrets(held):
    told = views_of(ended(held).minutes)
    outcomes = [each.outcome.translate(ISOLATES) for each in told]
    assert outcomes == ["Discussed", "Carried", "Chosen: Ines", "Carried: Thirty"]
    motion, secret = told[1], told[2]
    assert motion.lines == (
        *("Open vote.", "2 yes, 0 no, 1 abstention"),
        "2 of 2 voted yes; 2 were needed: more than half of the votes cast.",
        *("3 of 8 eligible voters were present.", "The quorum was met."),
    )
    assert motion.votes == (("Yes", ("Ada", "Ben")), ("Abstention", ("Cem",)))
    assert secret.votes == ()
    assert secret.lines[:2] == ("Secret vote.", "0 abstentions")
    assert (secret.options, secret.point.round.result["chosen"]) == (("Ines", "Jo"), [2, 1])
    assert motion.present == secret.present == ("Ada", "Ben", "Cem")
    assert told[3].lines[1] == "2 for it, 1 for no change, 0 abstentions"
    assert [(each.sign.letter, each.place, each.over_none, each.over_best) for each in told[3].versions] == [
        *(("B", 1, "2 : 1", ""), ("C", 2, "", "1 : 2"), ("A", 3, "1 : 2", "0 : 3"))
    ]


def test_minutes_stay_when_the_session_is_gone(site, held):
    before = ended(held)
    deleting.delete(held.id, "Hana")
    finish_background()
    assert repository.find(held.id) is None
    assert minutes.find(held.id) == before
    (event,) = events(site, "LiveMinutesSealed")
    assert event["digest"] == before.minutes.head.digest
    assert "Ada" not in json.dumps(event)


def test_what_runs_has_minutes_as_far_as_it_is(site, held):
    found = minutes.find(held.id).minutes
    assert not found.head.is_sealed
    assert (len(found.points), [each.title for _number, each, called in found.agenda if not called]) == (
        4,
        ["Where next?"],
    )
    assert not events(site, "LiveMinutesSealed")


def test_whoever_is_cut_off_before_sealing_leaves_it_to_the_worker(site, held, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(minutes.SEALING, "do", lambda task: wait(60))
        drive(held, Step.END)
    assert not minutes.find(held.id).minutes.head.is_sealed
    assert finish_background("seal minutes") == 1
    assert minutes.find(held.id).minutes.head.is_sealed
    assert finish_background("seal minutes") == 0


def test_a_rehearsal_and_other_sessions_leave_no_minutes(site, made):
    for game in (made(Type.ASSEMBLY, debug_mode=5), made(Type.TRIVIA)):
        drive(game, Step.NEXT)
        drive(game, Step.CLOSE)
        drive(game, Step.END)
        assert table().get(keys.minutes(game.id)) is None
    assert minutes.find(game.id) is None


def test_notes_are_added_and_nothing_is_changed(site, held, signed_in):
    found = ended(held)
    client = signed_in(people.find("Hana"))
    page = f"/live/{held.id}/minutes/"
    assert client.post(page, {"text": "Ada's proxy was missing."}).status_code == 302
    assert client.post(page, {"text": "  "}).status_code == 422
    after = minutes.find(held.id)
    assert [(each.text, each.by) for each in after.minutes.notes] == [("Ada's proxy was missing.", "Hana")]
    assert replace(after.minutes, notes=()) == found.minutes
    shown = text(client.get(page))
    assert "Ada&#x27;s proxy was missing." in shown
    assert "unchanged since they were sealed" in shown
    (event,) = events(site, "LiveMinutesNoted")
    assert "proxy" not in json.dumps(event)


def test_a_change_in_the_table_is_told_by_the_page(site, held, signed_in):
    ended(held)
    place = keys.minutes_part(held.id, "ROUND#002#000")
    part = table().get(place)
    table().put_all([part | {"result": part["result"] | {"yes": 3}}])
    client = signed_in(people.find("Hana"))
    assert "have been changed since they were sealed" in text(client.get(f"/live/{held.id}/minutes/"))


def test_who_was_there_reads_and_nobody_else(held, client, person, signed_in):
    ended(held)
    page = f"/live/{held.id}/minutes/"
    assert client.get(page).status_code == 302, "A stranger is asked to sign in."
    client = signed_in(person("Zoe"))
    assert client.get(page).status_code == 403
    assert client.get(page + "minutes.json").status_code == 403
    client = signed_in(people.find("Ben"))
    assert client.get(page).status_code == 200
    assert client.post(page, {"text": "No."}).status_code == 403
    assert client.put(page).status_code == 405
    told = json.loads(client.get(page + "minutes.json").content)
    assert told["facts"]["title"] == "Friday"
    assert told["parts"][0][0] == "PEOPLE#00"
    assert client.get("/live/none/minutes/").status_code == 404


def test_those_who_look_after_the_site_remove_minutes_whole(site, held, signed_in, person):
    ended(held)
    page = f"/live/{held.id}/minutes/delete/"
    assert signed_in(people.find("Hana")).get(page).status_code == 403
    admin = signed_in(person("Olga", Role.ADMIN))
    assert "Friday" in text(admin.get(page))
    assert admin.post(page).status_code == 302
    assert not list(table().each(keys.all_of_minutes(held.id)))
    assert len(events(site, "LiveMinutesDeleted")) == 1
    assert admin.get(page).status_code == 404
    deleting.delete(held.id, "Hana")
    assert minutes.find(held.id) is None


def test_what_came_of_an_assembly_stays_in_its_minutes_with_its_digest(site, held, signed_in, person):
    hana, dora = people.find("Hana"), roll.player_of(held.id, "Dora", person("Dora").created_at)
    table().write(*seats.seating(held, Seat(dora, "Dora", now_text(), own={"account": "Dora"})))
    follow_ups.make_election(hana, held.id, 4, of_those_present=True)
    finish_background("fill election")
    ended(held)
    election = elections.find("The fee")
    lifecycle.open_(hana, election, editable=False)
    closing.close(hana, elections.find("The fee"))
    jobs.BALLOTS.work()
    digest = results.find_seal("The fee")[1].digest
    deleting.delete(held.id, "Hana")
    finish_background()
    page = text(signed_in(hana).get(f"/live/{held.id}/minutes/"))
    assert "The fee</a>" in page
    assert digest in page


def test_ideas_of_an_assembly_are_on_its_agenda_and_in_its_minutes(site, made, signed_in):
    game = made(Type.ASSEMBLY, entitled=4)
    attend(game, "Ada", "Ben", "Cem")
    item = {"kind": "ideas", "title": "What next?", "secrecy": "open", "share": "1/2", "of": "cast", "seconds": "0"}
    assert signed_in(people.find("Hana")).post(f"/live/{game.id}/agenda/", item).status_code == 302
    moving.drive(game.id, "Hana", Step.NEXT, repository.read_state(game.id).version, 5)
    for name, idea in {"ada": "A bus", "ben": "A boat", "cem": "A boat"}.items():
        give(game, seats.find(game.id, name), [idea])
    drive(game, Step.CLOSE)
    drive(game, Step.VOTE)
    for name in ("ada", "ben", "cem"):
        give(game, seats.find(game.id, name), "0>1")
    drive(game, Step.CLOSE)
    (told,) = views_of(ended(game).minutes)
    assert told.outcome.translate(ISOLATES) == "Chosen: A boat"
    assert [told.options[option] for option, _place in told.point.round.result["places"]] == ["A boat", "A bus"]
    assert told.laps == [["3", "0"]]
    assert told.votes == ()
    assert told.present == ("Ada", "Ben", "Cem")
