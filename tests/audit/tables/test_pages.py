"""The raw tables and their relational view, as an auditor opens them."""

from __future__ import annotations

import base64
import csv
import html
import io
import re
from urllib.parse import urlencode

import pytest

from accounts import repository as people
from accounts.rules import Role
from ballots import repository as ballot_items
from ballots import services as ballots
from ballots.sealing import seal_closed
from elections import repository, rolls
from elections.groups import services as groups
from elections.lifecycle import closing
from foundation.store import keys
from foundation.store.log import EventLog
from foundation.store.log.seal import Sealer
from foundation.store.schema import SCHEMA
from foundation.store.table import LOG, Key, Put, Span
from operations.audit.tables import raw, relations
from parts.live import follow_up_store
from parts.live import repository as live
from parts.live.follow_up_store import FollowUp
from parts.live.services import making
from parts.news import services as news
from parts.news.services import Written
from parts.polls import counting as poll_counting
from parts.polls import services as polls
from parts.questions import services as question_sets
from parts.questions.question import Kind, Question, Type
from parts.skills import services as skills
from parts.skills.endorsements import Ground
from parts.skills.needed import needs
from parts.skills.needed.needs import Agreement, Need
from results.front_page import site_page
from tests.skills.conftest import have

from .conftest import CANDIDATES, ranks

NAMES = list(SCHEMA.sheets)
NEXT = re.compile(r'href="([^"]*)" rel="next"')


def text_of(answer) -> str:
    return html.unescape(answer.content.decode())


def lines_of(answer) -> list[list[str]]:
    return list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))


def trips(answer) -> int:
    return int(re.search(r'desc="(\d+) trips"', answer["Server-Timing"])[1])


def partition(pk: str, **words: str) -> str:
    return f"/admin/tables/raw/?{urlencode({'table': 'data', 'pk': pk, **words})}"


def item(key: Key) -> str:
    return raw.item_href(key)


def close(site, name: str) -> None:
    closing.close(people.find("the organiser"), repository.find(name))
    seal_closed()
    Sealer(site).seal()


# --- the relational view ---


@pytest.mark.few(6)
@pytest.mark.parametrize("name", NAMES)
def test_an_empty_site_has_every_table(auditor, name):
    assert auditor.get(f"/admin/tables/{name}/").status_code == 200


@pytest.mark.needs
def test_every_table_marks_its_natural_key(site, auditor, person, opened):
    vera = person("Vera")
    opened("Board", "Vera", secret_ballot=False)
    ballots.cast(vera, "Board", ranks(0), "1")
    ann = person("Ann", Role.ADMIN)
    have(vera, skills.add(ann, "Python", "Programming", "").id)
    skills.endorse(ann, vera, "python", (Ground.SAW,), "form")
    agreement = Agreement("Ada", "Ann", "long ago", ("python",))
    site.write(*needs.setting("Board", Need("python", 3, 1)), *needs.agreeing(repository.find("Board"), agreement))
    news.publish(ann, news.write(ann, Written("We have moved", "To Mill Lane.", tags=("office",))))
    links = [{"title": "Shop", "address": "https://shop.example.org"}]
    site.write(*site_page.writing(site_page.changed(site_page.BLANK, {"links": links}), site_page.BLANK))
    shared = question_sets.make(ann, "Evening")
    question_sets.add(ann, shared.id, [Question("How was it?")])
    question_sets.share(ann, shared.id, on=True)
    groups.make(vera, "Club")
    where = Question("Where?", Kind.RANKING, options=("Here", "There"))
    game = making.make(vera, Type.POLL, [where], title="Friday")
    followed = FollowUp(1, "poll", "p", "Where?", 1, game.created_at, "Vera")
    site.write(*follow_up_store.making(game, live.read_state(game.id), followed))
    lunch, _key = polls.make(vera, ("Pizza", "Sushi"), 30, title="Lunch", expires_at=None, listed=True)
    polls.cast(lunch.id, "a digest", {"1": ["1"]}, "form")
    polls.close(polls.find_runner(lunch.id, vera, ""))
    poll_counting.seal(lunch.id)
    names = {"skill": {"name": "Vera"}, "set_id": {"name": shared.id}, "game": {"name": game.id}}
    names["poll"] = {"name": lunch.id}
    for relation in SCHEMA.sheets.values():
        if relation.name in ("live-history", "groups"):
            names["id"] = {"name": "Vera"}
        else:
            names.pop("id", None)
        by_name = next((asked for word, asked in names.items() if word in relation.key), {})
        asked = {"election": "Board"} if relation.of_election else by_name
        text = text_of(auditor.get(f"/admin/tables/{relation.name}/", asked))
        assert tuple(re.findall(r'<code>(\w+)</code> <span class="badge">key</span>', text)) == relation.key


def test_rows_lead_along_their_foreign_keys(site, auditor, person, opened):
    name = "Böard #1/🗳"
    vera = person("Vera #")
    opened(name, "Vera #", secret_ballot=False)
    ballots.cast(vera, name, ranks(2, 0), "token")
    row = f"election={urlencode({'': name})[1:]}"
    elections = text_of(auditor.get("/admin/tables/elections/"))
    assert all(f"/admin/tables/{each}/?{row}" in elections for each in ("candidates", "voters", "ballots", "rankings"))
    assert "/admin/tables/users/?name=the+organiser" in elections
    assert "/admin/tables/users/?name=Vera+%23" in text_of(auditor.get("/admin/tables/voters/", {"election": name}))
    seen = text_of(auditor.get("/admin/tables/ballots/", {"election": name}))
    assert f"/admin/tables/rankings/?{row}&question=1&ballot=Vera+%23" in seen
    events = text_of(auditor.get("/admin/tables/events/"))
    assert "/admin/tables/users/?name=Vera+%23" in events
    assert f"/admin/tables/elections/?{urlencode({'name': name})}" in events


def test_rankings_are_one_row_for_each_ballot_and_candidate(site, auditor, person, opened):
    vera, vik = person("Vera"), person("Vik 🦜")
    opened("Board", "Vera", "Vik 🦜", secret_ballot=False)
    ballots.cast(vera, "Board", ranks(2, 0), "1")
    ballots.cast(vik, "Board", {"0": ["1"], "1": ["1"], "2": ["2"]}, "2")
    _, *rows = lines_of(auditor.get("/admin/tables/rankings.csv", {"election": "board"}))
    ada, bo, cy = CANDIDATES
    assert [row[2:] for row in rows] == [
        ["Vera", cy, "1"],
        ["Vera", ada, "2"],
        ["Vera", bo, ""],
        ["Vik 🦜", ada, "1"],
        ["Vik 🦜", bo, "1"],
        ["Vik 🦜", cy, "2"],
    ]
    _, *only = lines_of(auditor.get("/admin/tables/rankings.csv", {"election": "Board", "ballot": "vik"}))
    assert {row[2] for row in only} == {"Vik 🦜"}


@pytest.mark.parametrize("secret", [True, False])
def test_every_question_has_rows_of_its_own(site, auditor, person, opened, secret):
    vera = person("Vera")
    opened("Board", "Vera", questions=["Colour"], secret_ballot=secret)
    ballots.cast(vera, "Board", ranks(0) | {"2:1": ["1"]}, "1")
    close(site, "Board")
    _, *asked = lines_of(auditor.get("/admin/tables/election-questions.csv", {"election": "Board"}))
    assert [row[:4] for row in asked] == [["Board", "1", "Board", "ranked"], ["Board", "2", "Colour", "ranked"]]
    leads = text_of(auditor.get("/admin/tables/election-questions/", {"election": "Board"}))
    for sheet in ("candidates", "ballots", "rankings"):
        assert f"/admin/tables/{sheet}/?election=Board&question=2" in leads
    about = {"election": "Board", "question": 2}
    _, *names = lines_of(auditor.get("/admin/tables/candidates.csv", about))
    assert {tuple(row[:3]) for row in names} == {("Board", "2", f"{each} in Colour") for each in CANDIDATES}
    _, (*known, rankings, _when) = lines_of(auditor.get("/admin/tables/ballots.csv", about))
    assert (known[:2], rankings) == (["Board", "2"], "1")
    _, *places = lines_of(auditor.get("/admin/tables/rankings.csv", about))
    assert places[0][3:] == [f"{CANDIDATES[1]} in Colour", "1"]
    assert "does not ask" in text_of(refused(auditor, "/admin/tables/ballots/?", election="Board", question="3"))


def test_ballots_of_an_open_secret_election_get_a_sentence_and_no_count(site, auditor, person, opened):
    vera = person("Vera")
    opened("Board", "Vera")
    ballots.cast(vera, "Board", ranks(0), "1")
    for name in ("ballots", "rankings"):
        answer = auditor.get(f"/admin/tables/{name}/", {"election": "Board"})
        assert answer.status_code == 422
        assert "after it closes" in text_of(answer)
        assert "rows in total" not in text_of(answer)


def test_ballots_of_a_closed_secret_election_are_found_by_code(site, auditor, person, opened, monkeypatch):
    monkeypatch.setattr(relations, "PAGE_ROWS", 3)
    voters = [person(f"Voter {number}") for number in range(7)]
    opened("Board", *(voter.name for voter in voters))
    for voter in voters:
        ballots.cast(voter, "Board", ranks(1, 2), voter.name)
    close(site, "Board")
    codes = [each["confirmation"] for each in ballot_items.every_published("Board")]
    assert leafed_through(auditor, "ballots", "Board") == codes
    assert [code for code, _ in grouped(leafed_through(auditor, "rankings", "Board"))] == codes
    (found,) = lines_of(auditor.get("/admin/tables/ballots.csv", {"election": "Board", "ballot": codes[4].lower()}))[1:]
    assert found == ["Board", "1", codes[4], "", "1>2", ""]


def leafed_through(client, name: str, election: str) -> list[str]:
    """The third column of every page, from link to link."""
    address, found = f"/admin/tables/{name}/?{urlencode({'election': election})}", []
    while address:
        answer = client.get(address)
        assert answer.status_code == 200
        found += [row[2] for row in lines_of(client.get(address.replace(f"{name}/", f"{name}.csv")))[1:]]
        on = NEXT.search(answer.content.decode())
        address = f"/admin/tables/{name}/{html.unescape(on[1])}" if on else ""
    return found


def grouped(values: list[str]) -> list[tuple[str, int]]:
    return [(value, values.count(value)) for value in dict.fromkeys(values)]


def test_who_has_voted_is_hidden_while_so_few_have_that_it_would_tell_how(site, auditor, person, opened):
    voters = [person(f"Voter {number}") for number in range(4)]
    opened("Board", *(voter.name for voter in voters))
    for number, voter in enumerate(voters[:3]):
        told = [row[4:] for row in lines_of(auditor.get("/admin/tables/voters.csv", {"election": "Board"}))[1:]]
        assert told == [["hidden", "hidden"]] * 4
        assert "voted" not in text_of(auditor.get(item(keys.voter("Board", voters[0].name))))
        ballots.cast(voter, "Board", ranks(0), str(number))
    told = [row[4] for row in lines_of(auditor.get("/admin/tables/voters.csv", {"election": "Board"}))[1:]]
    assert told == ["True", "True", "True", "False"]


def test_a_table_of_one_election_offers_elections_to_choose_from(site, auditor, opened):
    opened("Board & <Club>", "Vera")
    text = text_of(auditor.get("/admin/tables/candidates/"))
    assert "/admin/tables/candidates/?election=Board+%26+%3CClub%3E" in text
    answer = auditor.get("/admin/tables/candidates/", {"election": "Bored"})
    assert answer.status_code == 422
    assert "No election has this name." in text_of(answer)
    assert 'value="Bored"' in text_of(answer)


def test_people_are_found_by_the_beginning_of_their_name_or_by_address(site, auditor, person):
    person("Ada", email="ada@example.org")
    person("Adam")
    person("Bo")

    def found(typed: str) -> list[str]:
        return [row[0] for row in lines_of(auditor.get("/admin/tables/users.csv", {"name": typed}))[1:]]

    assert found("ad") == ["Ada", "Adam"]
    assert found("ADA@example.org") == ["Ada"]


def test_a_file_holds_no_formula(site, auditor, person):
    person("=1+1")
    rows = lines_of(auditor.get("/admin/tables/users.csv"))
    assert rows[0] == ["name", "email", "role", "created_at"]
    assert "'=1+1" in [row[0] for row in rows]


def test_counts_that_are_kept_are_shown(site, auditor, person):
    from operations.upkeep.figures import site_sealer

    site_sealer().seal()
    assert "1 row in total" in text_of(auditor.get("/admin/tables/users/"))


def test_the_sync_state_says_how_far_the_log_is_followed(site, auditor):
    Sealer(site).seal()
    rows = {row[0]: row[1] for row in lines_of(auditor.get("/admin/tables/sync.csv"))[1:]}
    assert rows["SYNC"] == rows["EVENTS"] == "1"


def test_an_event_is_found_in_the_partition_where_it_lies(site, monkeypatch, person, signed_in):
    """As on DynamoDB, but in fewer partitions."""
    monkeypatch.setattr(type(site), "log_partitions", 4)
    for name in ("Ada", "Bo", "Cy"):
        person(name)
    reader = signed_in(person("Aki", Role.AUDITOR))
    place = keys.event(2, EventLog(site).find(2)["when_occurred"], 4)
    assert place.pk == "EVENTS#02"
    assert "EVENTS%2302" in reader.get("/admin/tables/events/?number=2").content.decode()
    item = reader.get("/admin/tables/raw/item/", {"table": "log", "pk": place.pk, "sk": place.sk})
    assert item.status_code == 200
    whole = reader.get("/admin/tables/raw/", {"table": "log", "pk": "EVENTS"}).content.decode()
    assert all(f"EVENTS%230{part}" in whole for part in range(4))
    found = reader.get("/admin/tables/raw/", {"table": "log", "pk": "EVENTS", "prefix": keys.sequence(2)})
    assert place.sk in found.content.decode()


def test_events_are_shown_up_to_a_number(site, auditor, person):
    for number in range(4):
        person(f"P{number}")
    rows = lines_of(auditor.get("/admin/tables/events.csv", {"number": "3"}))[1:]
    assert [row[0] for row in rows] == ["3", "2", "1"]


# --- the raw tables ---


def test_somebody_without_keys_begins_with_links_and_names(site, auditor, opened):
    opened("Böard #1", "Vera")
    text = text_of(auditor.get("/admin/tables/raw/"))
    for name in ("PEOPLE", "ELECTIONS", "METADATA", "EVENTS", "CHECKPOINTS"):
        (address,) = re.findall(rf'href="(/admin/tables/raw/\?[^"]*pk={name}[^"]*)"', text)
        assert auditor.get(address).status_code == 200
    answer = auditor.get("/admin/tables/raw/", {"kind": "election", "name": "BÖARD #1"}, follow=True)
    assert "CANDIDATE#ada %231" in text_of(answer)
    answer = auditor.get("/admin/tables/raw/", {"kind": "person", "name": "The Auditor"}, follow=True)
    assert "USER#the auditor" in text_of(answer)


def test_an_item_shows_its_attributes_and_where_they_lead(site, auditor, opened):
    opened("Böard #1", "Vera")
    text = text_of(auditor.get(item(keys.voter("Böard #1", "Vera"))))
    assert "<code>voter_name</code>" in text
    assert partition(keys.election("Böard #1").pk) in text
    assert partition(keys.user("Vera").pk) in text
    assert raw.href(Span(keys.elections_of_voter("Vera").pk, index=True)) in text
    (event,) = [each for each in site.each(keys.events()) if each["event_type"] == "ElectionOpened"]
    text = text_of(auditor.get(item(Key(event["PK"], event["SK"], LOG))))
    assert partition(keys.election("Böard #1").pk) in text
    assert partition(keys.user("the organiser").pk) in text


def test_a_person_is_shown_without_secrets(site, auditor, person):
    vera = person("Vera")
    stored = site.get(keys.user("Vera"))
    text = text_of(auditor.get(item(keys.user("Vera"))))
    assert vera.email in text
    assert not any(stored[name] in text for name in ("hash", "salt", "session_salt", "lineage"))
    assert text.count('<span class="hint">hidden</span>') == 4


def test_a_prefix_narrows_a_partition(site, auditor, opened):
    opened("Board", "Vera")
    text = text_of(auditor.get(partition(keys.election("Board").pk, prefix="CANDIDATE#b")))
    assert "CANDIDATE#bo" in text
    assert "CANDIDATE#ada" not in text


def test_lists_of_the_index_are_opened_too(site, auditor, opened):
    opened("Board", "Vera")
    text = text_of(auditor.get(partition(keys.elections_of_voter("Vera").pk, index="on")))
    assert item(keys.voter("Board", "Vera")) in text
    assert "voted" not in text.partition("<tbody>")[2]


def test_a_hidden_item_stands_in_its_list_without_a_name_and_has_no_page(site, auditor, monkeypatch):
    monkeypatch.setattr(raw, "PAGE_ROWS", 1)
    pk = keys.election("Board").pk
    site.write(Put({"PK": pk, "SK": "DIGEST#0123456789abcdef", "secret": "s"}), Put({"PK": pk, "SK": "EVERYONE"}))
    answer = auditor.get(partition(pk))
    (address,) = NEXT.findall(answer.content.decode())
    assert '<span class="hint">hidden</span>' in text_of(answer)
    assert "0123456789abcdef" not in text_of(answer)
    assert "EVERYONE" in text_of(auditor.get(html.unescape(address)))
    assert auditor.get(item(Key(pk, "DIGEST#0123456789abcdef"))).status_code == 404


def test_the_ballots_of_a_secret_election_have_no_pages(site, auditor, person, opened):
    vera = person("Vera")
    opened("Board", "Vera")
    ballots.cast(vera, "Board", ranks(0), "1")
    (ballot,) = site.each(*keys.ballots("Board"))
    for sort_key in (ballot["SK"], "BALLOT#" + "0" * 64, "SALT"):
        assert auditor.get(item(Key(ballot["PK"], sort_key))).status_code == 404
    assert auditor.get(partition(ballot["PK"], prefix=ballot["SK"][:10])).status_code == 422


def test_a_ballot_without_a_voter_among_public_ones_is_shown_nowhere(site, auditor, person, opened, monkeypatch):
    """Left over, say, from a secret election of the same name that is still being deleted."""
    for module in (raw, relations):
        monkeypatch.setattr(module, "PAGE_ROWS", 1)
    opened("Board", "Vera", secret_ballot=False)
    place = keys.ballot("Board", "f" * 64)
    site.write(Put({"PK": place.pk, "SK": place.sk, "rankings": "2>1>0", "confirmation": "K7QM"}))
    ballots.cast(person("Vera"), "Board", ranks(0), "1")
    for address in (partition(place.pk), "/admin/tables/ballots/?election=Board", item(place)):
        answer = auditor.get(address)
        text = text_of(answer)
        shown = text + "".join(as_it_was_encoded(text))
        assert not any(secret in shown.replace(address, "") for secret in ("f" * 64, "2>1>0", "K7QM")), address
    assert [row[1] for row in lines_of(auditor.get("/admin/tables/ballots.csv", {"election": "Board"}))[1:]] == []


def as_it_was_encoded(text: str) -> list[str]:
    cursors = re.findall(r"after=([\w-]+)", text)
    return [base64.urlsafe_b64decode(each + "=" * (-len(each) % 4)).decode(errors="replace") for each in cursors]


# --- bad input ---


@pytest.mark.few(3)
@pytest.mark.parametrize("after", ["nonsense", "0.0.0", "-1.0", "9" * 12 + ".0", "WyJQRU9QTEUiLCJ6Il0", "é"])
def test_forged_cursors_get_a_sentence(site, auditor, opened, after):
    opened("Board", "Vera", secret_ballot=False)
    for name in ("voters", "candidates", "ballots", "rankings"):
        assert "Go back to the start" in text_of(
            refused(auditor, f"/admin/tables/{name}/?", election="Board", after=after)
        )
    for name in ("elections", "events"):
        assert "Go back to the start" in text_of(refused(auditor, f"/admin/tables/{name}/?", after=after))
    assert "Go back to the start" in text_of(refused(auditor, partition("PEOPLE") + "&", after=after))


def refused(client, address: str, **words: str):
    answer = client.get(address + urlencode(words))
    assert answer.status_code == 422
    return answer


def test_a_cursor_of_another_list_gets_a_sentence(site, auditor, person, monkeypatch):
    monkeypatch.setattr(raw, "PAGE_ROWS", 1)
    person("Bo")
    (address,) = NEXT.findall(auditor.get(partition("PEOPLE")).content.decode())
    after = re.search(r"after=([^&]*)", html.unescape(address))[1]
    assert "Go back to the start" in text_of(refused(auditor, partition("ELECTIONS") + f"&after={after}&"))


def test_unknown_tables_and_half_questions_get_a_sentence(site, auditor):
    assert auditor.get("/admin/tables/no-such-table/").status_code == 404
    assert auditor.get("/admin/tables/no-such-table.csv").status_code == 404
    assert "Select a valid choice" in text_of(refused(auditor, "/admin/tables/raw/?", table="other", pk="PEOPLE"))
    assert "Only the data table" in text_of(
        refused(auditor, "/admin/tables/raw/?", table="log", pk="EVENTS", index="on")
    )
    assert "hidden" in text_of(refused(auditor, "/admin/tables/raw/?", table="data", pk="SESSIONS#vera"))
    assert "Choose an item by table" in text_of(refused(auditor, "/admin/tables/raw/item/?", table="data"))
    assert refused(auditor, "/admin/tables/events/?", number="many")
    assert refused(auditor, "/admin/tables/candidates.csv?", election="Bored")


# --- large tables ---


def fill(site, name: str, number: int, secret: bool) -> None:
    """So many voters with their ballots, of a closed election if they are secret."""
    election = repository.find(name)
    writes = []
    for each in range(number):
        voter, code = f"Voter {each:05d}", f"{each:04d}-0000-0000-0000"
        writes.append(rolls.new_voter(election, voter))
        place = keys.ballot(name, voter)
        if not secret:
            cast = {"rankings": "0>1", "confirmation": code, "voter_name": voter, "when_cast": election.created_at}
            writes.append(Put({"PK": place.pk, "SK": place.sk, **cast}))
    for start in range(0, len(writes), 100):
        site.write(*writes[start : start + 100])
    if secret:
        closing.close(people.find("the organiser"), election)
        lines = [{"confirmation": f"{each:05d}-0000", "rankings": "0>1"} for each in range(number)]
        for part, start in enumerate(range(0, number, 2000)):
            site.write(ballot_items.publishing_part(election, part, lines[start : start + 2000]))
