"""Sealed rounds: receipts that players keep, who may look, what is shown, and what the log proves."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from acts.storage import table
from live import counting, repository, seats
from live.rounds import Entry, Round
from live.rules import Step
from live.screens import snapshots
from live.sealed import proofs, verifying
from live.services import answering, deleting
from questions.question import Kind, Question, Type
from ranking import codes
from store import keys
from store.log import EventLog, utc_now
from store.log import rewriting as forgotten
from store.log.publish import Publisher
from store.log.seal import Sealer, verify
from store.table import LOG, Delete, Key, Put
from tests.assembly.test_assembly import call, vote
from tests.live.conftest import AGENDA, drive, give, seated
from tests.live.test_play import Phone, text_of
from tests.people import sign_in

BOARD = (Question("Who chairs?", Kind.CHOICE, options=("Ines", "Jo"), secret=True, seconds=0), *AGENDA)
RECEIPT = re.compile(r'data-receipt="([0-9A-Z]{4}(?:-[0-9A-Z]{4}){2})"')


def at(name: str, game, round_: int = 1) -> str:
    return reverse(name, args=[game.id, round_])


def files(client, game, round_: int = 1) -> tuple[bytes, dict]:
    """The round and its proof, as a browser gets them."""
    answers = [client.get(at(name, game, round_)) for name in ("sealed_round_json", "sealed_round_proof")]
    assert [each.status_code for each in answers] == [200, 200]
    return answers[0].content, json.loads(answers[1].content)


def sha(text: bytes | str) -> str:
    return hashlib.sha256(text if isinstance(text, bytes) else text.encode()).hexdigest()


def publish() -> None:
    """Everything so far is sealed and public, as if a quarter of an hour had gone by."""
    Sealer(table()).seal()
    Publisher(table(), lambda: utc_now() + timedelta(minutes=15)).publish()


@pytest.fixture
def polled(made):
    """A poll of three phones that is sealed and revealed; with what each was told."""
    game = made(Type.POLL)
    phones = [Phone(game, name) for name in ("Ada", "Ben", "Cem")]
    drive(game, Step.NEXT)
    told = [phone.tell(round=1, **{f"rank-{place}": 1}) for place, phone in enumerate(phones)]
    receipts = [RECEIPT.search(each.content.decode())[1] for each in told]
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    return game, phones, receipts


# --- receipts ---


def test_whoever_is_told_that_it_counts_gets_a_receipt_and_sees_it_again_while_it_is_open(made):
    game = made(Type.POLL)
    ada = Phone(game, "Ada")
    drive(game, Step.NEXT)
    first, last = (RECEIPT.search(ada.tell(round=1, **{f"rank-{place}": 1}).content.decode())[1] for place in (0, 1))
    assert first != last, "Each time another one."
    page = ada.page()
    assert RECEIPT.search(page)[1] == last
    assert f'data-keeps="{game.id} 1 question"' in page
    now = ada.client.get(f"/live/{game.id}/now/player/").json()
    assert any(last in data["html"] for name, data in now["said"] if name == "mine")
    drive(game, Step.CLOSE)
    assert last not in ada.page(), "Once it is sealed, nobody can tell whose it is."


def test_a_game_gives_no_receipts_and_offers_no_proof(made, signed_in):
    """Nobody asks for them where answers are no votes; what was sealed can still be checked after the end."""
    game = made(Type.TRIVIA)
    phones = [Phone(game, name) for name in ("Ada", "Ben")]
    drive(game, Step.NEXT)
    for phone in phones:
        told = phone.tell(round=1, option=0).content.decode()
        assert "Your answer is in." in told
        assert not RECEIPT.search(told)
    assert not RECEIPT.search(phones[0].page())
    drive(game, Step.CLOSE)
    assert len(repository.read_receipts(game.id, 1, "question")) == 2
    drive(game, Step.REVEAL)
    host = signed_in(people.find("Hana"))
    for page in (
        phones[0].page(),
        *(host.get(f"/live/{game.id}/{each}/").content.decode() for each in ("host", "remote")),
    ):
        assert "Check this result" not in page
    drive(game, Step.END)
    assert "Check the results" in phones[0].page()


def test_what_does_not_count_has_no_receipt(made):
    game = made(Type.TRIVIA)
    ada = Phone(game, "Ada")
    drive(game, Step.NEXT)
    drive(game, Step.CLOSE)
    assert not RECEIPT.search(ada.tell(round=1, option=0).content.decode())


# --- what the log says ---


def test_the_event_has_digests_of_round_receipts_and_question_and_the_round_knows_its_number(site, polled):
    game, phones, receipts = polled
    content, proof = files(phones[0].client, game)
    (event,) = (each for each in EventLog(site).since(0) if each["event_type"] == "LiveRoundSealed")
    said = event["event_data"]
    assert (
        sha(content)
        == said["digest"]
        == counting.round_digest(counting.round_from_parts(repository.round_items(game.id, 1)))
    )
    assert (sha(proof["heard"]), sha(proof["asked"])) == (said["heard"], said["asked"])
    assert json.loads(proof["heard"]) == sorted(receipts)
    assert json.loads(proof["asked"])[0]["options"] == ["Sea", "Hills", "Town"]
    assert proof["event_id"] == event["event_id"]
    assert sha(proof["event"]) == proof["event_digest"]
    assert json.loads(proof["event"]) == event
    assert proof["checkpoint"] is None, "Nothing is public yet."
    assert proof["public_by"][14:] in ("00:00Z", "15:00Z", "30:00Z", "45:00Z")
    entries = json.loads(content)["entries"]
    assert [each["receipt"] for each in entries] == sorted(receipts)
    assert {each["receipt"]: each["said"] for each in entries} == dict(zip(receipts, "012", strict=True))
    assert not any(each["player"] for each in entries)


def test_a_proof_says_nothing_of_who_voted_how(polled):
    game, phones, _receipts = polled
    told = b"".join(phones[0].client.get(at(f"sealed_round_{name}", game)).content for name in ("json", "proof"))
    for seat in seats.read_seats(game.id):
        assert seat.player.encode() not in told
        assert seat.name.encode() not in told


def test_bytes_are_the_same_however_they_were_stored():
    entries = tuple(Entry("", f"{place % 3}>{(place + 1) % 3}", receipt=f"R{place:04d}") for place in range(2000))
    sealed = Round(7, 2, 2000, {"winners": [1], "places": [[1, 1]], "text": "Überall", "no": 0}, entries)
    again = counting.round_from_parts(json.loads(json.dumps(counting.round_as_parts(sealed))))
    assert counting.round_as_bytes(again) == counting.round_as_bytes(sealed)
    canonical = json.dumps(
        json.loads(counting.round_as_bytes(sealed)), ensure_ascii=False, separators=(",", ":"), sort_keys=True
    )
    assert counting.round_as_bytes(sealed) == canonical.encode()


def test_the_recipe_in_the_documents_checks_a_round_and_finds_what_was_changed(polled, tmp_path, capsys):
    game, phones, _receipts = polled
    publish()
    content, proof = files(phones[0].client, game)
    page = Path(__file__).parents[2].joinpath("docs/how-to/live-sessions.md").read_text()
    recipe = re.search(r"```python\n(# check_round.*?)```", page, re.DOTALL)[1]

    def checked(round_: bytes, told: dict) -> str:
        (tmp_path / "round.json").write_bytes(round_)
        (tmp_path / "proof.json").write_text(json.dumps(told))
        named = {f'"{name}"': f'"{tmp_path / name}"' for name in ("round.json", "proof.json")}
        program = recipe
        for name, path in named.items():
            program = program.replace(name, path)
        exec(program, {})
        return capsys.readouterr().out

    assert f"checkpoint {proof['checkpoint']['event_id']}:{proof['checkpoint']['hash']}" in checked(content, proof)
    public = phones[0].client.get(reverse("checkpoint", args=[proof["event_id"]]))
    assert proof["checkpoint"]["hash"] in public.content.decode(), "Everybody sees the same one."
    with pytest.raises(AssertionError, match="round"):
        checked(content.replace(b'"winners":[', b'"winners":[9,'), proof)
    with pytest.raises(AssertionError, match="receipts"):
        checked(content, proof | {"heard": json.dumps(json.loads(proof["heard"])[:-1])})
    another = content.replace(b'"said":"0"', b'"said":"1"')
    forged = proof["event"].replace(sha(content), sha(another))
    with pytest.raises(AssertionError, match="event"):
        checked(another, proof | {"event": forged})
    with pytest.raises(AssertionError, match="checkpoint"):
        checked(another, proof | {"event": forged, "event_digest": sha(forged)})


def test_once_a_proof_is_whole_it_is_remembered(polled, monkeypatch):
    game, phones, _receipts = polled
    publish()
    first = files(phones[0].client, game)
    monkeypatch.setattr(proofs, "ranges_over", lambda *_asked: pytest.fail("It was read before."))
    assert files(phones[1].client, game) == first


def test_an_event_that_has_forgotten_a_name_tells_its_digest_alone(site, polled):
    game, phones, _receipts = polled
    _content, before = files(phones[0].client, game)
    event = EventLog(site).find(before["event_id"])
    rewritten = forgotten.rewritten(event, "somebody", event["event_data"])
    site.write(Put(rewritten, table=LOG))
    _content, after = files(phones[0].client, game)
    assert (after["event"], after["event_digest"]) == ("", before["event_digest"])


def test_the_log_holds_and_keeps_the_digest_when_the_session_is_gone(site, polled):
    game, phones, _receipts = polled
    content, _proof = files(phones[0].client, game)
    drive(game, Step.END)
    deleting.delete(game.id, "Hana")
    assert phones[0].client.get(at("sealed_round", game)).status_code == 404
    events = [each["event_data"] for each in EventLog(site).since(0) if each["event_type"] == "LiveRoundSealed"]
    assert [each["digest"] for each in events] == [sha(content)], "Whoever kept the file can still show it."
    Sealer(site).seal()
    assert verify(site).flaw is None


# --- the page ---


def test_a_player_sees_what_came_of_a_round_by_receipts_and_where_the_log_says_so(polled):
    game, phones, receipts = polled
    page = text_of(phones[0].client.get(at("sealed_round", game)))
    assert "Where do we go?" in page
    assert [row for row in re.findall(r"<code>([0-9A-Z-]{14})</code>", page) if row in receipts] == sorted(receipts)
    assert counting.round_digest(counting.round_from_parts(repository.round_items(game.id, 1))) in page
    assert "due by" in page
    assert "Recount now" in page
    publish()
    page = text_of(phones[0].client.get(at("sealed_round", game)))
    assert "due by" not in page
    assert "up to event" in page


def test_among_few_votes_no_character_of_a_receipt_is_asked_for_or_taken(polled):
    game, phones, receipts = polled
    page = text_of(phones[0].client.get(at("sealed_round", game), {"code": sorted(receipts)[-1][:2]}))
    assert 'name="code"' not in page
    assert "<mark>" not in page


def test_the_beginning_of_a_receipt_leads_to_it_where_hundreds_begin_alike(polled, monkeypatch):
    monkeypatch.setattr(codes, "prefix_length", lambda votes: 4)
    game, phones, receipts = polled
    wanted = sorted(receipts)[-1]
    page = text_of(phones[0].client.get(at("sealed_round", game), {"code": wanted[:4].lower()}))
    assert f"<mark>{wanted}</mark>" in page
    whole = phones[0].client.get(at("sealed_round", game), {"code": wanted})
    assert whole.status_code == 422
    assert "Nobody but you needs to know the rest" in text_of(whole)
    assert phones[0].client.get(at("sealed_round", game), {"code": "!"}).status_code == 422
    assert phones[0].client.get(at("sealed_round", game), {"after": "x"}).status_code == 404


def test_long_lists_come_in_pages(made, monkeypatch):
    monkeypatch.setattr("live.sealed.round_view.PAGE_ROWS", 2)
    game = made(Type.POLL)
    phone = Phone(game, "Ada")
    drive(game, Step.NEXT)
    for seat in seated(game, "Ben", "Cem", "Dan"):
        assert give(game, seat, "0>1") == answering.AnswerStatus.COUNTED
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    page = text_of(phone.client.get(at("sealed_round", game)))
    assert "?after=2#votes" in page
    page = text_of(phone.client.get(at("sealed_round", game), {"after": "2"}))
    assert "Next votes" not in page
    assert page.count("Sea &gt; Hills") == 1


@pytest.mark.deep
def test_only_who_was_there_may_look_and_only_at_what_is_revealed(made):
    game = made(Type.POLL)
    phone, hana, stranger, other = Phone(game, "Ada"), sign_in("Hana"), Client(), sign_in("Otto")
    pages = [at(name, game) for name in ("sealed_round", "sealed_round_json", "sealed_round_proof")]
    drive(game, Step.NEXT)
    for seat in seated(game, "Ben", "Cem", "Dan"):
        give(game, seat, "1")

    def answers() -> dict[str, set[int]]:
        clients = {"phone": phone.client, "host": hana, "stranger": stranger, "other": other}
        found = {name: {client.get(page).status_code for page in pages} for name, client in clients.items()}
        tokens = {"screen": game.screen_token, "wrong": "made-up"}
        return found | {
            name: {stranger.get(page, {"token": each}).status_code for page in pages} for name, each in tokens.items()
        }

    nobody = {name: {404} for name in ("phone", "host", "stranger", "other", "screen", "wrong")}
    assert answers() == nobody, "It is open."
    drive(game, Step.CLOSE)
    assert answers() == nobody, "It is not revealed, to its host no more than to others."
    drive(game, Step.REVEAL)
    assert answers() == nobody | {"phone": {200}, "host": {200}, "screen": {200}}
    assert {hana.get(at("sealed_round", game, number)).status_code for number in (0, 2, 401)} == {404}
    assert {hana.post(page).status_code for page in pages} == {405}
    seat = phone.seat
    table().write(*seats.change(game, seat, seats.replace(seat, removed=True)))
    assert answers() == nobody | {"host": {200}, "screen": {200}}, "Whom the host has removed is not there."


def test_a_round_that_does_not_count_says_so_and_nothing_else(made):
    game = made(Type.TRIVIA)
    ada = Phone(game, "Ada")
    drive(game, Step.NEXT)
    ada.answer(option=0)
    drive(game, Step.CLOSE)
    drive(game, Step.VOID)
    drive(game, Step.NEXT)
    drive(game, Step.VOID)
    for number, words in ((1, "the host voided it"), (2, "before it was closed")):
        page = text_of(ada.client.get(at("sealed_round", game, number)))
        assert words in page
        assert "Schulze" not in page
        assert ada.client.get(at("sealed_round_json", game, number)).status_code == 404
        assert ada.client.get(at("sealed_round_proof", game, number)).status_code == 404


def test_of_trivia_players_see_their_own_answer_and_hosts_all(made):
    game = made(Type.TRIVIA)
    ada, ben = Phone(game, "Ada"), Phone(game, "Ben")
    drive(game, Step.NEXT)
    ada.answer(option=0)
    ben.answer(option=1)
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    page = text_of(ada.client.get(at("sealed_round", game)))
    assert "Ada" in page
    assert not re.search(r"\bBen\b", page)
    page = text_of(sign_in("Hana").get(at("sealed_round", game)))
    assert "Ben" in page
    assert "Borda" in page


def test_an_assembly_shows_who_voted_how_only_in_open_votes(made):
    game = made(Type.ASSEMBLY, questions=BOARD, entitled=10, quorum="1/4")
    seated(game, "Ada", "Ben", "Cem", "Dan")
    hana = sign_in("Hana")
    call(game, 0)
    vote(game, ada="0", ben="0", cem="1", dan="abstain")
    page = text_of(hana.get(at("sealed_round", game, 1)))
    assert not re.search(r"\b(Ada|Ben|Cem|Dan)\b", page)
    assert "Chosen" in page
    assert "Abstention" in page
    call(game, 2)
    vote(game, ada="yes", ben="no", cem="yes")
    page = text_of(hana.get(at("sealed_round", game, 2)))
    assert "Who voted how" in page
    assert re.search(r"Ben</th><td[^>]*>No</td>", page)
    assert "2 of 3 voted yes; 2 were needed" in page
    call(game, 1)
    drive(game, Step.CLOSE)
    page = text_of(hana.get(at("sealed_round", game, 3)))
    assert "Discussed" in page
    assert "Check now" in page


def test_surveys_and_answers_can_be_compared_with_the_log_and_not_be_counted_again(made):
    game = made(Type.SURVEY)
    phone = Phone(game, "Ada")
    drive(game, Step.NEXT)
    for seat in seated(game, "Ben", "Cem", "Dan"):
        give(game, seat, {"0": 4, "3": "Fine"})
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    page = text_of(phone.client.get(at("sealed_round", game)))
    assert "Check now" in page
    content, proof = files(phone.client, game)
    assert sha(content) == json.loads(proof["event"])["event_data"]["digest"]
    assert len(json.loads(proof["asked"])) == 4, "All questions."
    assert "receipt" in content.decode()
    assert not any(each["receipt"] for each in json.loads(content)["entries"]), "No text has a receipt beside it."


def test_what_was_asked_cannot_be_swapped_afterwards(site, polled):
    game, phones, _receipts = polled
    item = next(iter(site.each(keys.game_questions(game.id))))
    site.write(Put(item | {"questions": [item["questions"][0] | {"options": ["Hills", "Sea", "Town"]}]}))
    snapshots.SESSIONS.forget(game.id)
    _content, proof = files(phones[0].client, game)
    assert sha(proof["asked"]) != json.loads(proof["event"])["event_data"]["asked"]


def test_verify_names_a_round_that_was_changed_and_knows_what_is_gone_by_itself(site, polled):
    game, _phones, _receipts = polled
    assert verifying.check_rounds() == (1, [])
    head, entries = repository.round_items(game.id, 1)
    heard = site.get(keys.round_heard(game.id, 1, "question"))
    where = f"Round 1 of the live session {game.id}: "
    changes = {
        "its result or what was given in it is not what was sealed.": [Put(head | {"count": 4})],
        "the receipts of what counts are not those that were sealed.": [Put(heard | {"receipts": []})],
        "the list of receipts that was sealed is gone.": [Delete(Key(heard["PK"], heard["SK"]))],
        "the round that was sealed is gone.": [Delete(Key(each["PK"], each["SK"])) for each in (head, entries)],
    }
    for words, writes in changes.items():
        site.write(*writes)
        assert verifying.check_rounds() == (1, [where + words])
        site.write(Put(head), Put(entries), Put(heard))
    drive(game, Step.END)
    deleting.delete(game.id, "Hana")
    assert verifying.check_rounds() == (0, [])
