"""A roll follows a source: previewed, applied, every night; nobody who has voted is removed, no mishap empties it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from html import escape
from typing import Any

import pytest
from django.core import mail as sent
from django.test import Client

from accounts import repository as people
from accounts import services as accounts
from accounts.connectors import identities, registry
from accounts.connectors.providers import Identity
from accounts.models import User
from accounts.rules import Role
from ballots import services as voting
from elections import repository, rolls
from elections.candidates import add_candidates
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.managers import add_manager
from elections.roll.services import add_voters, remove_voters
from elections.rules import Election
from elections.voter_lists import VoterRow
from foundation import parts
from foundation.acts.queues import SomeFailed
from foundation.acts.refusals import LostRace
from foundation.acts.storage import table, use_table
from foundation.mail.emails import compose
from foundation.mail.sending import send_waiting
from foundation.pages import lists
from foundation.pages.lists import Verdict
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import EventLog
from foundation.store.table import Exists, Item, Update
from operations.upkeep.jobs import JOBS, Leases, Outcome, run_job
from parts.roll_sources import sources
from tests.accounts.providers import GitHub, OpenIDProvider, serving
from tests.api.program import Program, program_of
from tests.markup import hidden
from tests.people import make_owner, sign_in
from tests.receiver import LOOPBACK, Receiver, receiver
from tests.switching import switch
from tests.test_interruptions import Interrupted, Killed

NAME = "Board 2027"
PAGE = "/election/Board%202027/roll/source/"
PAST = "2020-01-01T00:00:00.000000+00:00"
ROLL = ["ann@example.org", "bea@example.org", "cid@example.org"]


@pytest.fixture
def otto(person: Any) -> User:
    return person("Otto")


@pytest.fixture
def draft(otto: User) -> Election:
    election = drafts.create(otto, NAME)
    add_candidates(otto, election, [Candidate("Ada"), Candidate("Bo")])
    add_voters(otto, election, ROLL)
    return now()


@pytest.fixture
def server(settings: Any) -> Iterator[Receiver]:
    settings.OUTGOING_ALLOWED = LOOPBACK
    with receiver() as found:
        yield found


@pytest.fixture
def client(otto: User) -> Client:
    return sign_in(otto)


def now() -> Election:
    election = repository.find(NAME)
    assert election is not None
    return election


def on_roll() -> list[str]:
    return sorted(voter.name for voter in rolls.every_voter(NAME))


def listing(*voters: str) -> bytes:
    return "\n".join(("email", *voters)).encode()


def text(response: Any) -> str:
    return response.content.decode()


def preview(client: Client, url: str, **more: str) -> tuple[dict[str, str], str]:
    """What the button of the preview sends, and the page."""
    sent = {"source": "file", "url": url, **more}
    response = client.post(PAGE, sent)
    assert response.status_code == 200, text(response)
    return {**sent, "seen": hidden(response, "seen")}, text(response)


# --- the difference ---


def row(value: str, verdict: Verdict) -> VoterRow:
    return VoterRow(1, value, value, verdict)


def test_the_difference_is_decided_without_the_store():
    rows = [row("new", Verdict.NEW), row("Ann", Verdict.THERE), row("new", Verdict.REPEATED)]
    found = sources.difference(["ANN", "bea", "cid"], [*rows, row("cid", Verdict.INVALID)])
    assert (found.added, found.removed, found.unchanged) == (["new"], ["bea"], 1)
    for nobody in ([], [row("cid", Verdict.INVALID)]):
        with pytest.raises(sources.SourceError, match="nobody"):
            sources.difference(["ann"], nobody)


# --- a file behind an address ---


def test_a_file_is_previewed_and_applied(client, draft, server):
    server.body = listing("ann@example.org", "dora@example.org", "Nobody Here", "dora@example.org")
    sent, page = preview(client, server.url)
    assert "1 new · 2 to be removed · 1 already on the roll · 1 duplicate · 1 cannot be used" in page
    assert "Nobody Here" in page
    assert on_roll() == ROLL
    assert sources.find(NAME) is None  # nothing is stored before it is applied
    assert client.post(PAGE, sent)["Location"] == "/election/Board%202027/roll/"
    assert on_roll() == ["ann@example.org", "dora@example.org"]
    assert now().voter_count == 2
    assert sources.find(NAME).place == server.url
    assert "2 voters removed." in text(client.get("/election/Board%202027/roll/"))
    again, page = preview(client, server.url)
    assert "Nothing to change" in page
    client.post(PAGE, again)
    assert on_roll() == ["ann@example.org", "dora@example.org"]


def test_what_is_followed_counts_who_each_of_several_questions_is_for(client, draft, otto, server):
    drafts.add_question(otto, now(), "Speaker", first_title="Chair", for_groups=("Students",))
    add_candidates(otto, now().at(2), [Candidate("Kim"), Candidate("Lou")])
    server.body = (
        b"email,group\nann@example.org,Students\nbea@example.org,Students\ncid@example.org,Students\ndora@example.org,"
    )
    sent, _page = preview(client, server.url)
    client.post(PAGE, sent)
    lifecycle.open_(otto, now(), editable=True)
    assert [each.entitled for each in now().questions] == [4, 3]
    server.body += b"\neve@example.org,Students\nfay@example.org,"
    sent, _page = preview(client, server.url)
    client.post(PAGE, sent)
    assert [each.entitled for each in now().questions] == [6, 4]
    assert now().electors == 6


def test_only_what_was_seen_is_applied(client, draft, server):
    server.body = listing(*ROLL, "dora@example.org")
    sent, _page = preview(client, server.url)
    server.body = listing("eve@example.org")
    page = text(client.post(PAGE, sent))
    assert "has changed since you looked" in page
    assert on_roll() == ROLL


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"", "lists nobody"),
        (b"email\n", "lists nobody"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00", "text"),
        (b"x" * (lists.MAX_BYTES + 1), "too large"),
        (b"Nobody Here\nNor Me\n", "lists nobody"),
    ],
    ids=["empty", "header", "garbage", "huge", "strangers"],
)
def test_a_source_without_a_list_changes_nothing(client, draft, server, body, sentence):
    server.body = body
    response = client.post(PAGE, {"source": "file", "url": server.url})
    assert response.status_code == 422
    assert sentence in text(response)
    assert (on_roll(), sources.find(NAME)) == (ROLL, None)


def test_an_error_is_no_list(client, draft, server):
    server.body, server.statuses = listing("eve@example.org"), [404]
    assert "answers with an error" in text(client.post(PAGE, {"source": "file", "url": server.url}))


@pytest.mark.parametrize("url", ["", "https://", "file:///etc/passwd", "http://127.0.0.1/x", "https://127.0.0.1/x"])
def test_other_addresses_are_refused(client, draft, settings, url):
    settings.OUTGOING_ALLOWED = ([], [])
    response = client.post(PAGE, {"source": "file", "url": url})
    assert response.status_code == 422
    assert sources.find(NAME) is None


@pytest.mark.deep
def test_nobody_reads_sources_without_end(client, draft, server, monkeypatch):
    server.body = listing(*ROLL)
    for _ in range(60):
        client.post(PAGE, {"source": "group", "url": ""})  # not counted: it is not even a source
    assert preview(client, server.url)
    count = 0
    while client.post(PAGE, {"source": "file", "url": server.url}).status_code == 200:
        count += 1
    assert count == 59


# --- who may ---


def test_it_ends(client, draft, server):
    server.body = listing("eve@example.org")
    client.post(PAGE, preview(client, server.url, nightly="on")[0])
    assert sources.next_due() is not None
    client.post(PAGE, {"drop": "yes"})
    assert (sources.find(NAME), sources.next_due(), on_roll()) == (None, None, ["eve@example.org"])


def test_a_renamed_draft_keeps_its_source_and_a_copy_has_none(client, draft, otto, server):
    server.body = listing("eve@example.org")
    client.post(PAGE, preview(client, server.url, nightly="on")[0])
    copying.copy(otto, now(), "Copy")
    assert sources.find("Copy") is None
    drafts.rename(otto, now(), "Council")
    assert sources.find("Council").election_name == "Council"
    assert sources.find(NAME) is None


# --- once it is open ---


@pytest.fixture
def opened(draft, otto) -> Election:
    lifecycle.open_(otto, draft, editable=False)
    return now()


def test_an_open_election_only_grows(client, opened, server):
    server.body = listing("dora@example.org")
    sent, page = preview(client, server.url)
    assert "nobody is removed" in page
    client.post(PAGE, sent)
    assert on_roll() == [*ROLL, "dora@example.org"]


def test_who_votes_between_preview_and_button_stays(client, draft, otto, server):
    server.body = listing("dora@example.org")
    sent, page = preview(client, server.url)
    assert "3 to be removed" in page
    lifecycle.open_(otto, draft, editable=False)
    assert "has changed since you looked" in text(client.post(PAGE, sent))
    assert on_roll() == ROLL


def test_who_votes_between_reading_and_writing_stays(draft, otto, person):
    """The draft was read; then it is opened and somebody votes."""
    add_voters(otto, draft, [person("Vera").name])
    read = now()
    found = sources.compare(read, [row("dora@example.org", Verdict.NEW)])
    assert "Vera" in found.removed
    lifecycle.open_(otto, read, editable=False)
    voting.cast(people.find("Vera"), NAME, {"0": ["1"], "1": ["2"]}, "form")
    with pytest.raises(LostRace):
        sources.follow(otto, read, found)
    assert on_roll() == ["Vera", *ROLL]


def test_a_vote_alone_is_enough_to_stay(draft, otto, person):
    """Even if whoever removes people did not notice that the election is open."""
    add_voters(otto, draft, [person("Vera").name, person("Uma").name])
    lifecycle.open_(otto, now(), editable=False)
    voting.cast(people.find("Vera"), NAME, {"0": ["1"], "1": ["2"]}, "form")
    with pytest.raises(LostRace):
        remove_voters(otto, now(), ["Uma", "Vera"])
    assert on_roll() == ["Uma", "Vera", *ROLL]
    remove_voters(otto, now(), ["Uma"])
    assert on_roll() == ["Vera", *ROLL]


# --- groups and teams ---


@pytest.fixture
def uni(settings: Any) -> Any:
    provider = OpenIDProvider().configured(rolls=("staff", "board"), issuer="https://uni.example")
    settings.SIGN_IN_PROVIDERS = [provider]
    return provider


def signed_in(provider: Any, user: User, *groups: str) -> None:
    identity = Identity(provider.issuer, user.name, groups=provider.relevant(groups))
    identities.link(user, provider, identity)
    identities.person_of(provider, identity)


def listed(place: str) -> sources.Difference:
    return sources.compare(now(), sources.read(sources.GROUP, place))


def test_a_group_is_who_was_in_it_at_their_last_sign_in(client, draft, uni, person):
    ann, bea, cid = person("Ann"), person("Bea"), person("Cid")
    signed_in(uni, ann, "staff", "unheard-of")
    signed_in(uni, bea, "staff", "board")
    signed_in(uni, cid)
    client.post(PAGE, {"source": "uni staff", "seen": listed("uni staff").digest})
    assert on_roll() == ["Ann", "Bea"]
    identities.person_of(uni, Identity(uni.issuer, "Bea", groups=("board",)))
    assert listed("uni staff").removed == ["Bea"]
    assert "1 to be removed" in text(client.post(PAGE, {"source": "uni staff"}))
    assert [each["group"] for each in identities.export_groups(people.find("Bea"))] == ["board"]
    accounts.remove_self(people.find("Ann"))
    assert client.post(PAGE, {"source": "uni staff"}).status_code == 422  # nobody is left in it
    assert client.post(PAGE, {"source": "uni other"}).status_code == 422
    assert on_roll() == ["Bea"]


def test_a_group_that_is_no_longer_offered(draft, uni, settings):
    settings.SIGN_IN_PROVIDERS = []
    with pytest.raises(sources.SourceError, match="group"):
        sources.read(sources.GROUP, "uni staff")


class Teams(GitHub):
    """With the members of a team, for those who have the token."""

    members: Any = ()

    def answer(self, path: str, form: dict[str, str], headers: Any) -> Any:
        if "/teams/" not in path:
            return super().answer(path, form, headers)
        if headers["Authorization"] != "Bearer team-token" or "/api/v3/orgs/example/teams/board/members?" not in path:
            return 404, {}
        page = int(path.rpartition("page=")[2])
        return 200, self.members[100 * (page - 1) : 100 * page] if isinstance(self.members, list) else self.members


@pytest.fixture
def github(settings: Any) -> Iterator[Teams]:
    there = Teams()
    with serving(there.answer) as there.issuer:
        registry.connector_of.cache_clear()
        settings.SIGN_IN_PROVIDERS = [there.configured(rolls=("example/board",), team_token="team-token")]
        yield there


def test_a_team_is_asked_of_github(client, draft, github, person, settings):
    (provider,) = settings.SIGN_IN_PROVIDERS
    identities.link(person("Ann"), provider, Identity(provider.issuer, "4711"))
    github.members = [{"id": 4711, "login": "ann"}] + [{"id": each, "login": f"x{each}"} for each in range(150)]
    found = listed("github example/board")
    assert (found.added, found.removed) == (["Ann"], ROLL)
    refused = [each for each in found.rows if each.verdict == Verdict.INVALID]
    assert len(refused) == 150
    assert "linked" in refused[0].reason
    for nonsense in ({"id": 1}, [{"id": "x"}], ["x"], None):
        github.members = nonsense
        assert client.post(PAGE, {"source": "github example/board"}).status_code == 422
        assert on_roll() == ROLL


# --- every night ---


@pytest.fixture
def nightly(otto: User, draft: Election, server: Receiver) -> Receiver:
    sources.choose(otto, draft, sources.FILE, server.url, nightly=True)
    server.body = listing("ann@example.org", "bea@example.org", "dora@example.org")
    return server


def come_night() -> None:
    table().write(Update(keys.roll_source(NAME), set={"due": PAST, "GSI1SK": PAST}, when=Exists()))
    assert sources.next_due() == 0


def pass_night() -> int:
    """Answers how many rolls followed their source."""
    come_night()
    return sources.follow_due()


def events(kind: str) -> list[Item]:
    return [each for each in EventLog(table()).since(0) if each["event_type"] == kind]


def test_it_is_followed_once_a_night_as_who_chose_it(nightly):
    assert sources.follow_due() == 0
    assert 0 < (sources.next_due() or 0) <= 25 * 3600
    assert pass_night() == 1
    assert on_roll() == ["ann@example.org", "bea@example.org", "dora@example.org"]
    assert [(each["actor"], each["event_data"]["voters"]) for each in events("VotersRemoved")] == [("Otto", [ROLL[2]])]
    assert sources.follow_due() == 0
    assert (len(nightly.received), sources.find(NAME).failed) == (1, "")


def test_it_is_followed_to_the_end_after_a_kill(nightly, site):
    writes, at = 1, 1
    while at <= writes:
        come_night()
        nightly.body = listing("ann@example.org", "bea@example.org", f"dora{at}@example.org")
        meddled = Interrupted(site, at, "before")
        with use_table(meddled), suppress(Killed):
            sources.follow_due()
        sources.follow_due()
        assert on_roll() == ["ann@example.org", "bea@example.org", f"dora{at}@example.org"]
        assert now().voter_count == 3
        writes, at = max(writes, meddled.writes), at + 1
    assert writes >= 3  # who is removed, who is added, the next night


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        (listing(*ROLL), 500, "status"),
        (b"", 200, "nobody"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", 200, "list"),
        (b"Nobody Here\n", 200, "nobody"),
        (listing(ROLL[0]), 200, "many"),
    ],
    ids=["error", "empty", "garbage", "strangers", "less than half"],
)
def test_a_bad_night_removes_nobody_and_is_on_the_dashboard(client, nightly, body, status, reason):
    nightly.body, nightly.statuses = body, [status]
    assert pass_night() == 1
    assert (sources.find(NAME).failed, on_roll()) == (reason, ROLL)
    sentence = escape(str(sources.SourceError(reason)))
    assert sentence in text(client.get("/election/Board%202027/dashboard/"))
    assert sentence in text(client.get(PAGE))
    nightly.body = listing(*ROLL)
    pass_night()
    assert sentence not in text(client.get("/election/Board%202027/dashboard/"))


@pytest.mark.parametrize("editable", [True, False])
def test_at_night_the_roll_of_an_open_election_grows_by_a_tenth_at_most(nightly, otto, draft, client, editable):
    lifecycle.open_(otto, draft, editable=editable)
    more = [f"puppet.{number}@example.org" for number in range(sources.ALWAYS_ADDED + 1)]
    nightly.body = listing(*ROLL, *more)
    pass_night()
    assert (sources.find(NAME).failed, on_roll()) == ("more", ROLL)
    nightly.body = listing(*ROLL, *more[1:])
    pass_night()
    assert (sources.find(NAME).failed, on_roll()) == ("", sorted([*ROLL, *more[1:]]))
    preview(client, nightly.url)  # what stops at night can be looked at and applied by hand


def test_a_large_roll_grows_by_a_tenth(nightly, otto, draft):
    add_voters(otto, draft, [f"voter.{number}@example.org" for number in range(97)])
    lifecycle.open_(otto, now(), editable=False)
    for more, is_followed in ((11, False), (10, True)):
        nightly.body = listing(*(f"puppet.{number}@example.org" for number in range(more)))
        pass_night()
        assert (now().voter_count == 110) == is_followed


def test_organisers_are_mailed_what_an_open_roll_gained_and_once_that_it_did_not_follow(nightly, otto, draft, person):
    add_manager(otto, draft, person("Mona").name)
    nightly.body = listing(*ROLL, "dora@example.org")
    pass_night()
    assert arrived() == [], "a draft is looked at before it opens"
    lifecycle.open_(otto, now(), editable=False)
    nightly.body = listing("eve@example.org", "fay@example.org")
    pass_night()
    mails = arrived()
    assert sorted(to for to, _text in mails) == sorted(people.find(name).email for name in ("Otto", "Mona"))
    assert all("2 voters added." in text for _to, text in mails)
    pass_night()
    assert arrived() == [], "nothing has changed"
    nightly.body = b""
    pass_night()
    assert all("The source lists nobody" in text for _to, text in arrived())
    pass_night()
    assert arrived() == [], "for the same reason again"


def arrived() -> list[tuple[str, str]]:
    """The mails about the source that are sent now."""
    sent.outbox.clear()
    send_waiting(compose)
    return [(each.to[0], each.body) for each in sent.outbox if "source" in each.subject]


def test_what_nobody_expected_of_one_source_holds_up_no_other(nightly, otto, caplog):
    other = drafts.create(otto, "Council")
    sources.choose(otto, other, sources.FILE, nightly.url, nightly=True)
    before = "2019-01-01T00:00:00.000000+00:00"
    broken = {"due": before, "GSI1SK": before, "kind": "carrier pigeon"}
    table().write(Update(keys.roll_source("Council"), set=broken, when=Exists()))
    assert pass_night() == 2
    assert "dora@example.org" in on_roll()
    assert [each.error for each in caplog.records if each.name == "plenum.queues"] == ["KeyError"]
    found = sources.find("Council")
    assert (found.failed, found.due > PAST) == ("error", True), "it is tried again next night, not at once"


def test_a_source_that_cannot_even_be_put_off_holds_up_no_other(nightly, otto):
    sources.choose(otto, drafts.create(otto, "Council"), sources.FILE, nightly.url, nightly=True)
    before = "2019-01-01T00:00:00.000000+00:00"
    table().write(Update(keys.roll_source("Council"), set={"due": before, "GSI1SK": before}, when=Exists()))
    table().write(Update(keys.election("Council"), set={"time_zone": "Mars/Crater"}, when=Exists()))
    with pytest.raises(SomeFailed):
        pass_night()
    assert "dora@example.org" in on_roll()


def test_a_private_address_is_refused_at_night_too(nightly, settings):
    settings.OUTGOING_ALLOWED = ([], [])
    pass_night()
    assert (sources.find(NAME).failed, on_roll()) == ("scheme", ROLL)


def test_it_ends_when_its_organiser_may_no_longer(nightly, otto, person):
    accounts.change_role(make_owner(), people.find("Otto"), Role.VOTER)
    pass_night()
    found = sources.find(NAME)
    assert (found.failed, found.set_by, found.due) == ("organiser", "", "")
    assert (on_roll(), nightly.received, sources.next_due()) == (ROLL, [], None)


def test_it_ends_with_the_election(nightly, otto, draft):
    lifecycle.open_(otto, draft, editable=False)
    closing.close(otto, now())
    pass_night()
    assert (sources.find(NAME).due, nightly.received) == ("", [])


# --- by the API ---


@pytest.fixture
def api(otto: User, draft: Election) -> Program:
    return program_of(otto)


WHOLE = {"voters": [{"voter": "ann@example.org"}, {"voter": "dora@example.org", "name": "Dora"}, {"voter": "Nobody"}]}
VOTERS = "elections/Board%202027/voters"


def test_a_program_replaces_the_roll(api):
    seen = api.put(VOTERS, {**WHOLE, "preview": True}).json()
    assert on_roll() == ROLL
    for _ in range(2):
        answer = api.put(VOTERS, WHOLE, **{"Idempotency-Key": "one"})
        assert answer.status_code == 200
        assert on_roll() == ["ann@example.org", "dora@example.org"]
    assert (seen["added"], seen["removed"], seen["unchanged"]) == (["dora@example.org"], ROLL[1:], 1)
    assert [each["voter"] for each in seen["refused"]] == ["Nobody"]
    assert len(events("VotersRemoved")) == 1
    assert api.put(VOTERS, {"voters": []}).status_code == 422
    assert api.put(VOTERS, {"voters": [{"voter": "Nobody"}]}).status_code in (409, 422)
    assert on_roll() == ["ann@example.org", "dora@example.org"]


def test_a_program_removes_nobody_from_an_open_election(api, otto, draft):
    lifecycle.open_(otto, draft, editable=False)
    assert api.put(VOTERS, WHOLE).json()["removed"] == []
    assert on_roll() == [*ROLL, "dora@example.org"]


# --- weights ---


def weights() -> dict[str, int]:
    return {voter.name: voter.weight for voter in rolls.every_voter(NAME) if voter.weight != 1}


def test_a_secret_election_takes_a_source_without_its_weights_and_says_so(client, draft, server):
    server.body = b"email,weight\nann@example.org,7\nbea@example.org,1\ndora@example.org,7\n"
    sent, page = preview(client, server.url, nightly="on")
    assert "2 voters have 7 votes each: 15 votes in all. But ballots here are secret" in page
    client.post(PAGE, sent)
    pass_night()
    assert (on_roll(), weights()) == (["ann@example.org", "bea@example.org", "dora@example.org"], {})
    table().write(Update(keys.election(NAME), set={"secret_ballot": False}))
    sent, page = preview(client, server.url)
    assert ("15 votes in all" in page, "are secret" in page) == (True, False)
    server.body = server.body.replace(b"dora@example.org,7", b"dora@example.org,99")
    assert "has changed since you looked" in text(client.post(PAGE, sent))
    client.post(PAGE, preview(client, server.url)[0])
    assert weights() == {"ann@example.org": 7, "dora@example.org": 99}


def test_a_program_is_refused_weights_in_a_secret_election_and_a_secret_election_with_weights(api):
    heavy = {"voters": [{"voter": "ann@example.org", "weight": 7}]}
    for answer in (api.post(VOTERS, heavy), api.put(VOTERS, heavy), api.put(VOTERS, {**heavy, "preview": True})):
        assert (answer.status_code, answer.json()["type"]) == (409, "urn:plenum:problem:not-now")
        assert "Make the ballots public, or remove the weights." in answer.json()["detail"]
    assert (on_roll(), weights()) == (ROLL, {})
    assert api.patch("elections/Board%202027", {"secret_ballot": False}).status_code == 200
    assert api.post(VOTERS, heavy).status_code == 200
    assert api.patch("elections/Board%202027", {"secret_ballot": True}).status_code == 409
    assert (weights(), now().secret_ballot) == ({"ann@example.org": 7}, False)
    light = {"voters": [{"voter": "ann@example.org", "weight": 1}]}
    assert api.post(VOTERS, light).status_code == 200
    assert api.patch("elections/Board%202027", {"secret_ballot": True}).status_code == 200


# --- switched off ---


def turn(*, on: bool) -> None:
    switch("roll_sources", on=on)


def test_while_it_is_switched_off_nothing_offers_or_follows_a_source_and_nothing_is_lost(client, nightly):
    dashboard, roll, history = (f"/election/Board%202027/{page}/" for page in ("dashboard", "roll", "history"))
    nightly.statuses = [500]
    pass_night()
    sentence, voters = escape(str(sources.SourceError("status"))), "/elections/{name}/voters"
    assert sentence in text(client.get(dashboard))
    kept, received = sources.find(NAME), len(nightly.received)
    turn(on=False)
    come_night()
    (job,) = [each for each in JOBS if each.name == "rolls"]
    assert run_job(job, Leases(table())).outcome == Outcome.NOTHING
    assert len(nightly.received) == received
    assert client.get(PAGE).status_code == 404
    assert PAGE not in text(client.get(roll))
    assert sentence not in text(client.get(dashboard))
    assert sorted(client.get("/api/v1/openapi.json").json()["paths"][voters]) == ["get", "post"]
    assert "chose a source" in text(client.get(history))
    turn(on=True)
    assert (replace(sources.find(NAME), due=""), on_roll()) == (replace(kept, due=""), ROLL)
    assert PAGE in text(client.get(roll))
    assert sentence in text(client.get(dashboard))
    nightly.statuses = [200]
    assert run_job(job, Leases(table())).done == 1
    assert on_roll() == ["ann@example.org", "bea@example.org", "dora@example.org"]


def test_while_it_is_switched_off_a_program_cannot_replace_a_roll_but_add_to_it(api):
    turn(on=False)
    refused = api.put(VOTERS, {"voters": [{"voter": "dora@example.org"}]})
    assert (refused.status_code, refused["Allow"]) == (405, "GET, POST, HEAD")
    assert api.post(VOTERS, {"voters": [{"voter": "dora@example.org"}]}).status_code == 200
    assert on_roll() == [*ROLL, "dora@example.org"]


def test_what_switching_it_off_would_interrupt_is_named(otto, nightly, monkeypatch):
    (part,) = [each for each in parts.parts() if each.label == "roll_sources"]
    assert list(part.running()) == ["The roll of “Board 2027” follows its source every night."]
    sources.choose(otto, drafts.create(otto, "Council"), sources.FILE, nightly.url, nightly=True)
    monkeypatch.setattr(sources, "MAX_NAMED", 1)
    assert list(part.running())[1:] == ["Other rolls follow a source every night, too."]
    for name in (NAME, "Council"):
        sources.drop(otto, repository.find(name))
    assert list(part.running()) == []
