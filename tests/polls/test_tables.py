"""Polls as auditors see them in the tables: nothing of a vote before the result is sealed, and never who or when."""

from __future__ import annotations

import csv
import html
import io
from dataclasses import replace

import pytest
from django.test import Client

from accounts import repository as people
from accounts.rules import Role
from foundation.acts import storage
from foundation.store import keys
from operations.audit.tables import relations
from parts.polls import counting, repository, services, voters
from parts.polls.rules import Poll

from .conftest import by_ida, vote

TABLES = ("polls", "poll-options", "poll-votes")


@pytest.fixture
def auditor(signed_in) -> Client:
    return signed_in("the auditor", Role.AUDITOR)


def rows(client: Client, name: str, asked: str = "") -> list[list[str]]:
    answer = client.get(f"/admin/tables/{name}.csv", {"name": asked} if asked else {})
    assert answer.status_code == 200
    return list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))[1:]


def refusal(client: Client, poll: Poll, name: str = "poll-votes") -> str:
    page, file = (client.get(f"/admin/tables/{name}{end}", {"name": poll.id}) for end in ("/", ".csv"))
    assert (page.status_code, file.status_code) == (422, 422)
    assert "<tbody>" not in page.content.decode()
    return html.unescape(page.content.decode().partition("<main")[2].partition("</main>")[0])


def close(poll: Poll) -> None:
    services.close(by_ida(poll))
    counting.seal(poll.id)


@pytest.mark.parametrize("name", TABLES)
def test_only_auditors_open_them(made, client, signed_in, name):
    poll = made()
    for address in (f"/admin/tables/{name}/?name={poll.id}", f"/admin/tables/{name}.csv?name={poll.id}"):
        assert client.get(address)["Location"].startswith("/sign-in/")
        for somebody in (people.find("Ida"), signed_in("Root", Role.ADMIN)):
            reader = somebody if isinstance(somebody, Client) else signed_in(somebody)
            assert reader.get(address).status_code == 403


def test_public_polls_come_latest_first_and_those_of_a_person_by_name(made, auditor):
    made(title="A secret of Ida's")
    older = made(title="Lunch", listed=True)
    newer = made(title="Logo", listed=True, kind="score")
    public = rows(auditor, "polls")
    assert [row[:4] for row in public] == [[newer.id, "Logo", "score", "Ida"], [older.id, "Lunch", "ranked", "Ida"]]
    assert [row[1] for row in rows(auditor, "polls", "ida")] == ["Logo", "Lunch", "A secret of Ida's"]
    assert rows(auditor, "polls", "Nobody") == []
    page = auditor.get("/admin/tables/polls/").content.decode()
    for name in ("poll-options", "poll-votes"):
        assert f"/admin/tables/{name}/?name={newer.id}" in page


def test_options_are_listed_by_number(made, auditor):
    poll = made()
    assert rows(auditor, "poll-options", poll.id) == [
        [poll.id, "0", "Pizza"],
        [poll.id, "1", "Sushi"],
        [poll.id, "2", "Tacos"],
    ]
    assert rows(auditor, "poll-options") == rows(auditor, "poll-votes") == []


@pytest.mark.parametrize("name", ["poll-options", "poll-votes"])
@pytest.mark.parametrize("asked", ["no-such-poll", "é#/", "0" * 200])
def test_an_unknown_poll_gets_a_sentence(site, auditor, name, asked):
    answer = auditor.get(f"/admin/tables/{name}/", {"name": asked})
    assert answer.status_code == 422
    assert "This poll does not exist." in answer.content.decode()


def test_before_the_result_is_sealed_no_vote_is_shown_nor_counted(made, auditor):
    poll = made()
    empty = refusal(auditor, poll)
    vote(poll, "Ann", "Sushi>Pizza")
    assert "after it is closed and counted" in empty
    assert refusal(auditor, poll) == empty
    services.close(by_ida(poll))
    assert refusal(auditor, poll) == empty
    counting.seal(poll.id)
    assert len(rows(auditor, "poll-votes", poll.id)) == 1
    services.reopen(by_ida(poll), None)
    assert refusal(auditor, poll) == empty


def test_a_poll_whose_end_has_come_shows_its_votes_once_it_is_sealed(made, auditor):
    poll = made()
    vote(poll, "Ann", "Sushi")
    over = replace(poll, expires_at=poll.created_at)
    storage.table().write(*repository.change(poll, over))
    refusal(auditor, poll)
    counting.seal(poll.id)
    assert [row[2] for row in rows(auditor, "poll-votes", poll.id)] == ['[["Sushi"]]']


@pytest.mark.parametrize("shards", [1, 8])
def test_votes_come_by_id_in_names_without_voters_and_times(site, made, auditor, monkeypatch, shards):
    monkeypatch.setattr(repository, "new_poll_shards", lambda: shards)
    monkeypatch.setattr(relations, "PAGE_ROWS", 2)
    poll = made()
    cast = {voters.id_of(poll.id, name): ranking for name, ranking in (("Ann", "Sushi>Pizza=Tacos"), ("Bo", "Tacos"))}
    vote(poll, "Ann", "Sushi>Pizza=Tacos")
    vote(poll, "Bo", "Tacos")
    times = {each["votedAt"] for each in repository.each_vote(poll)}
    close(poll)
    shown = {"Sushi>Pizza=Tacos": '[["Sushi"], ["Pizza", "Tacos"]]', "Tacos": '[["Tacos"]]'}
    expected = [[poll.id, vote_id, shown[cast[vote_id]]] for vote_id in sorted(cast)]
    assert rows(auditor, "poll-votes", poll.id) == expected
    page = auditor.get("/admin/tables/poll-votes/", {"name": poll.id}).content.decode()
    assert not [each for each in (*times, "Ann", "VOTE%23") if each in page]


def test_many_votes_come_page_by_page(made, auditor, monkeypatch):
    monkeypatch.setattr(relations, "PAGE_ROWS", 2)
    poll = made()
    for name in ("Ann", "Bo", "Cy"):
        vote(poll, name, "Sushi")
    close(poll)
    page = auditor.get("/admin/tables/poll-votes/", {"name": poll.id})
    after = html.unescape(page.content.decode()).partition("after=")[2].partition('"')[0]
    first, last = rows(auditor, "poll-votes", poll.id), relations.decrypt_cursor(after)
    assert last
    rest = auditor.get(f"/admin/tables/poll-votes.csv?name={poll.id}&after={after}").content.decode().splitlines()[1:]
    assert (len(first), len(rest)) == (2, 1)
    forged = auditor.get("/admin/tables/poll-votes/", {"name": poll.id, "after": "nonsense"})
    assert forged.status_code == 422


def test_scores_are_shown_by_option(made, auditor):
    poll = made(kind="score")
    services.cast(poll.id, voters.id_of(poll.id, "Ann"), {"0": ["5"], "2": ["1"]}, "form")
    close(poll)
    assert [row[2] for row in rows(auditor, "poll-votes", poll.id)] == ['{"Pizza": 5, "Tacos": 1}']


def test_a_hidden_poll_is_not_in_the_public_list_and_shows_no_votes(made, auditor, person):
    poll = made(listed=True)
    vote(poll, "Ann", "Sushi")
    close(poll)
    services.hide(person("Root", Role.ADMIN), repository.find(poll.id))
    assert rows(auditor, "polls") == []
    assert "have hidden this poll" in refusal(auditor, poll)


def test_a_deleted_poll_is_gone_before_its_votes_are(site, made, auditor):
    poll = made(listed=True)
    vote(poll, "Ann", "Sushi")
    close(poll)
    services.delete(by_ida(poll))
    assert list(repository.each_vote(poll))
    assert rows(auditor, "polls") == rows(auditor, "polls", "Ida") == []
    for name in ("poll-options", "poll-votes"):
        assert "does not exist" in refusal(auditor, poll, name)


def test_the_raw_tables_still_hide_every_vote(made, auditor):
    poll = made()
    vote(poll, "Ann", "Sushi")
    close(poll)
    (cast,) = repository.each_vote(poll)
    item = auditor.get("/admin/tables/raw/item/", {"table": "data", "pk": cast["PK"], "sk": cast["SK"]})
    assert item.status_code == 404
    partition = auditor.get("/admin/tables/raw/", {"table": "data", "pk": keys.poll(poll.id).pk})
    assert partition.status_code == 200
    assert cast["id"] not in partition.content.decode()
