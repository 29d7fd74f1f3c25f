"""Lots that nobody can choose: a commitment at the opening, and from the close a seed that hangs on every ballot."""

from __future__ import annotations

import hashlib
import html
import secrets
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest

from accounts import repository as people
from ballots.sealing import CannotSeal
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import Election
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.table import Delete, Item, Put, Update
from foundation.tally import lots
from foundation.tally.result import Lot
from operations.upkeep import replay
from results import incoming as live
from results import proof, repository, services
from results.checks import job_of
from results.exports import verify
from results.exports.files import as_text
from results.repository import report_on
from results.views import context_of_lots
from tests import voting
from tests.ballots.conftest import opened, ranks  # noqa: F401 - a fixture
from tests.results.test_bundle import run, taken
from tests.results.test_sealing import close, sealed, voted  # noqa: F401 - fixtures

THREE = ({"Ada": 1}, {"Bo": 1}, {"Cy": 1})  # an instant runoff must draw two lots
SECRET = "5e" * 32
check = partial(replay.check, report=replay.quietly)


@pytest.fixture
def drawn(voted, close) -> Callable[..., repository.Found]:  # noqa: F811
    """A sealed election whose outcome was drawn by lot."""

    def hold(*ballots: dict[str, int], **settings) -> repository.Found:
        voted(*(ballots or THREE), **{"method": "irv"} | settings)
        close()
        return services.find("Board")

    return hold


def flaw() -> str | None:
    return proof.check_sealed(elections.find("Board"))


# --- nobody can choose ---


def texts_in(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from texts_in(each)
    elif isinstance(value, str):
        yield value


def known_to_organisers(site, name: str) -> set[str]:
    """Every text of the election and of its events: all that pages are made of, but for what no page shows."""
    item = site.get(keys.election(name))
    events = (event["event_data"] for event in site.each(keys.events()))
    return {*texts_in(item), *(text for said in events for text in texts_in(said))}


def test_copying_until_the_lots_suit_is_of_no_use(site, person, opened, close):  # noqa: F811
    """An organiser knows how three will vote, copies the draft a few times, and works out whom each copy favours."""
    owner, voters = person("the organiser"), [person(f"voter {number}") for number in range(3)]
    draft = drafts.create(owner, "Draft", method="irv")
    add_candidates(owner, draft, [Candidate("Ada"), Candidate("Bo"), Candidate("Cy")])
    add_voters(owner, elections.find("Draft"), [voter.name for voter in voters])
    for number in range(8):
        name = f"Copy {number}"
        copying.copy(owner, elections.find("Draft"), name)
        lifecycle.open_(owner, elections.find(name), editable=False)
        for voter, ranking in zip(voters, THREE, strict=True):
            voting.cast(voter, name, ranks(**ranking), f"{voter.name} {number}")
        known = known_to_organisers(site, name)
        close(name)
        found = services.find(name)
        assert found.report.result.lots
        assert found.report.result.seed not in known, "whoever knows the seed has known the winner"


def test_a_draft_and_its_copies_have_nothing_to_draw_from(site, person, signed_in):
    owner = person("the organiser")
    client = signed_in(owner)
    drafts.create(owner, "Board")
    copying.copy(owner, elections.find("Board"), "Council")
    for name in ("Board", "Council"):
        election = elections.find(name)
        assert (election.lots_commitment, elections.lots_secret(name)) == ("", "")
        assert "lots must be drawn" not in client.get(f"/election/{name}/dashboard/").content.decode()


def test_a_copy_of_a_closed_election_takes_none_of_its_lots_along(site, drawn):
    drawn()
    copying.copy(people.find("the organiser"), elections.find("Board"), "Next")
    again = elections.find("Next")
    assert (again.lots_commitment, elections.lots_secret("Next")) == ("", "")


def test_every_opening_has_a_secret_of_its_own(site, opened):  # noqa: F811
    one, other = opened("Eve"), opened("Eve", name="Council")
    assert one.lots_commitment != other.lots_commitment
    for each in (one, other):
        assert lots.commitment(elections.lots_secret(each.name)) == each.lots_commitment
        assert len(elections.lots_secret(each.name)) == 64


def test_while_it_is_open_the_secret_is_in_one_place_only(site, voted, close):  # noqa: F811
    voted(*THREE, method="irv")
    secret = elections.lots_secret("Board")
    close()
    places = [(item["PK"], item["SK"]) for _, item in site.everything() if secret in set(texts_in(item))]
    assert places == [tuple(keys.lots("Board")[:2])]


# --- the seal tells ---


@pytest.mark.parametrize("secret", [True, False])
def test_the_seal_tells_the_secret_and_the_seed_follows_from_it(site, drawn, secret):
    found = drawn(secret_ballot=secret)
    seal, commitment = found.seal, found.election.lots_commitment
    two, three = f"plenum: commitment to lots\n{seal.lots_secret}", f"plenum: seed of lots\n{seal.lots_secret}"
    assert hashlib.sha256(two.encode()).hexdigest() == commitment
    assert hashlib.sha256(f"{three}\n{seal.digest}".encode()).hexdigest() == seal.seed
    assert seal.seed == found.report.result.seed
    (said,) = sealed(site)
    assert (said["lots_secret"], said["seed"]) == (seal.lots_secret, seal.seed)
    assert site.get(keys.lots("Board")) is None
    assert flaw() is None


def test_the_seed_hangs_on_every_ballot(site, opened, close, person, monkeypatch):  # noqa: F811
    monkeypatch.setattr(secrets, "token_hex", lambda size: SECRET)
    seeds = []
    for number, last in enumerate(("Ada", "Ada", "Bo")):
        opened("Eve", "Flo", name=f"Board {number}")
        for name, first in (("Eve", "Cy"), ("Flo", last)):
            voting.cast(people.find(name) or person(name), f"Board {number}", ranks(**{first: 1}), f"{name} {number}")
        close(f"Board {number}")
        seeds.append(services.find(f"Board {number}").seal.seed)
    assert seeds[0] == seeds[1] != seeds[2]


def test_what_is_supposed_after_the_close_is_drawn_from_the_same_seed(site, drawn):
    found = drawn()
    supposed = job_of(found, repository.counted(found.election, found.seal.candidates).without(["Ada"])).run().result
    assert supposed.lots
    assert supposed.seed == found.seal.seed


def test_one_who_seals_when_another_just_has_changes_nothing(site, voted, close, monkeypatch):  # noqa: F811
    """The other's seal comes between the look whether there is one and the look at the secret."""
    voted(*THREE, method="irv")
    close()
    election, came = elections.find("Board"), services.final_turnout
    there: list[list[Item]] = []

    def meanwhile(election: Election):
        monkeypatch.setattr(services, "final_turnout", came)
        services.seal_result(election)
        there.append([*site.each(keys.result_parts("Board")), site.get(keys.result("Board"))])
        return came(election)

    monkeypatch.setattr(services, "final_turnout", meanwhile)
    services.seal_result(election)
    assert there == [[*site.each(keys.result_parts("Board")), site.get(keys.result("Board"))]]
    assert len(sealed(site)) == 1


# --- a secret that was exchanged, or lost ---


def test_with_another_secret_nothing_is_sealed(site, voted, close):  # noqa: F811
    voted(*THREE, method="irv")
    site.write(elections.lots("Board", SECRET))
    close()
    with pytest.raises(services.Disagreement, match="not the one to which the election is committed"):
        services.seal_result(elections.find("Board"))
    assert services.find("Board").report is None


def test_without_the_secret_no_lot_is_drawn(site, voted, close):  # noqa: F811
    voted(*THREE, method="irv")
    site.write(Delete(keys.lots("Board")))
    close()
    with pytest.raises(CannotSeal, match="the secret to which the election is committed is gone"):
        services.seal_result(elections.find("Board"))
    assert services.find("Board").report is None


def test_without_the_secret_a_result_that_needs_no_lot_is_sealed(site, voted, close, tmp_path):  # noqa: F811
    voted({"Ada": 1}, {"Ada": 1}, {"Bo": 1}, method="irv")
    site.write(Delete(keys.lots("Board")))
    close()
    assert services.find("Board").report.result.winners == ("Ada",)
    assert flaw() is None
    assert check(site).first == ()
    status, said = run(bundle_file(site, tmp_path))
    assert (status, "the secret to which the election was committed was lost" in said) == (0, True)


# --- whoever changes anything is found out ---

CHANGES = {
    "commitment of its lots is not the one with which it was opened": (keys.election("Board"), "lots_commitment"),
    "secret and the seed of its lots are not those": (keys.result("Board"), "lots_secret"),
    "secret and the seed of its lots are not those ": (keys.result("Board"), "seed"),
}


@pytest.mark.parametrize("words", CHANGES)
def test_what_was_changed_in_the_store_is_named_by_verify(site, drawn, words):
    drawn()
    place, name = CHANGES[words]
    site.write(Update(place, set={name: "0" * 64}))
    assert words.strip() in flaw()


def change_events(site, **fields: str) -> None:
    """As somebody would who also writes the log anew: what was said at the opening and at the close."""
    for event in [
        each for each in site.each(keys.events()) if each["event_type"] in ("ElectionOpened", "ResultSealed")
    ]:
        said = event["event_data"]
        changed = {name: value for name, value in fields.items() if name in said}
        site.write(Put(event | {"event_data": said | changed}, table=keys.events().table))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("lots_commitment", "secret of its lots is not the one to which it was committed"),
        ("lots_secret", "secret of its lots is not the one to which it was committed"),
        ("seed", "seed of its lots does not follow from the secret and the ballots"),
    ],
)
def test_what_was_changed_everywhere_still_does_not_fit_together(site, drawn, name, words):
    drawn()
    change_events(site, **{name: "0" * 64})
    place = keys.election("Board") if name == "lots_commitment" else keys.result("Board")
    site.write(Update(place, set={name: "0" * 64}))
    assert words in flaw()


def test_a_lot_that_was_drawn_otherwise_is_named(site, drawn):
    found = drawn()
    counted = repository.counted(found.election, ("Ada", "Bo", "Cy"))
    others = (report_on(counted, "irv", seed=f"another {number}") for number in range(100))
    other = next(each for each in others if each.result.lots != found.report.result.lots)
    text = other.as_json()
    digest = hashlib.sha256(text.encode()).hexdigest()
    change_events(site, report_digest=digest)
    site.write(Update(keys.result_part("Board", 0), set={"text": text}))
    site.write(Update(keys.result("Board"), set={"report_digest": digest}))
    assert "does not follow from the seed of its lots" in flaw()


# --- the bundle's own program ---


def bundle_file(site, tmp_path):
    from foundation.store.log.seal import Sealer

    Sealer(site).seal()
    path = tmp_path / "bundle.zip"
    path.write_bytes(taken())
    return path


@pytest.fixture
def opened_bundle(site, drawn, tmp_path) -> tuple[verify.Bundle, verify.History]:
    drawn()
    bundle = verify.Bundle(bundle_file(site, tmp_path))
    return bundle, verify.History(bundle.events)


def test_the_bundle_tells_how_the_seed_came_about(site, opened_bundle, tmp_path):
    bundle, history = opened_bundle
    found = services.find("Board")
    assert bundle.rules["lots_commitment"] == found.election.lots_commitment
    assert (bundle.rules["lots_secret"], bundle.rules["seed"]) == (found.seal.lots_secret, found.seal.seed)
    said = bundle.check_lots(history, bundle.counted())
    assert said == "the seed of the lots (2 drawn) follows from the commitment at the opening and the ballots"
    assert run(tmp_path / "bundle.zip")[0] == 0


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("lots_commitment", "The secret of the lots is not the one to which"),
        ("lots_secret", "The secret of the lots is not the one to which"),
        ("seed", "The seed of the lots does not follow"),
    ],
)
def test_what_was_changed_is_named_by_the_program(opened_bundle, name, words):
    bundle, history = opened_bundle
    history.settings[name] = "0" * 64
    with pytest.raises(verify.Wrong, match=words):
        bundle.check_lots(history, bundle.counted())
    with pytest.raises(verify.Wrong, match=f"rules.json says that {name} is"):
        bundle.check_rules(history, bundle.counted())


def test_with_another_ballot_the_program_comes_to_another_seed(opened_bundle):
    bundle, history = opened_bundle
    bundle.ballots[0]["rankings"] = "1>0"
    with pytest.raises(verify.Wrong, match="The seed of the lots does not follow"):
        bundle.check_lots(history, bundle.counted())


def test_lots_without_a_secret_are_named_by_the_program(opened_bundle):
    bundle, history = opened_bundle
    history.settings |= {"lots_secret": "", "seed": ""}
    with pytest.raises(verify.Wrong, match="never told"):
        bundle.check_lots(history, bundle.counted())


def test_a_seed_that_only_the_seal_names_counts_for_nothing(opened_bundle):
    bundle, _ = opened_bundle
    for event in bundle.events:
        event["event_data"].pop("lots_commitment", None)
    assert verify.History(bundle.events).settings.get("seed", "") == ""


# --- replay ---


def test_replay_draws_the_same_lots_again(site, voted, close):  # noqa: F811
    voted(*THREE, method="irv")
    assert check(site).first == ()
    close()
    assert check(site).first == ()
    assert services.find("Board").report is not None
    assert check(site).first == ()


def test_replay_names_a_secret_to_which_nobody_was_committed(site, drawn):
    drawn()
    change_events(site, lots_secret=SECRET)
    assert "not the one to which the election is committed" in str(check(site).first[0])


# --- pages ---


def test_while_it_is_open_the_page_shows_the_commitment_and_no_secret(site, voted, signed_in):  # noqa: F811
    election = voted(*THREE, method="irv")
    client, secret = signed_in(people.find("the organiser")), elections.lots_secret("Board")
    for address in ("", "dashboard/", "history/"):
        page = client.get(f"/election/Board/{address}").content.decode()
        assert secret not in page
        assert election.lots_commitment in page or address == "history/"


def test_the_result_says_that_a_lot_was_drawn_and_how_to_draw_it_again(site, drawn, signed_in):
    found = drawn()
    client = signed_in("a guest")
    page = client.get("/election/Board/results/").content.decode()
    assert "No organiser or voter could choose or predict this" in page
    for text in (found.election.lots_commitment, found.seal.lots_secret, found.seal.digest, found.seal.seed):
        assert text in page
    first = found.report.result.lots[0]
    marks = {name: lots.lot_hash(found.seal.seed, "irv", first.where, first.round, name) for name in first.names}
    assert min(marks, key=marks.__getitem__) == first.chosen
    for name in first.names:
        typed = f"printf '%s\\n%s\\n%s\\n%s\\n%s' {found.seal.seed} irv elimination 1 {name} | sha256sum"
        assert typed in html.unescape(page)


def test_the_commands_on_the_page_do_what_it_says(site, drawn, person):
    """Also where somebody has a name that a shell would rather carry out."""
    found = drawn()
    evil = 'Eve\'; echo $(id) `id` "x" \\n'
    lot = Lot("elimination", ("Ada", evil), "Ada", 1)
    result = replace(found.report.result, lots=(lot,))
    said = context_of_lots(replace(found, report=replace(found.report, result=result)))
    typed = [said["commitment_command"], said["seed_command"], *said["lot_commands"]]
    expected = [found.election.lots_commitment, found.seal.seed]
    expected += [lots.lot_hash(found.seal.seed, "irv", "elimination", 1, name) for name in ("Ada", evil)]
    for command, digest in zip(typed, expected, strict=True):
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
        assert done.stdout.split() == [digest, "-"]


def test_the_result_as_text_says_from_what_the_lots_were_drawn(site, drawn):
    found = drawn()
    for text in (found.election.lots_commitment, found.seal.lots_secret, found.seal.seed):
        assert text in as_text(found)


def test_a_result_without_lots_has_it_among_what_was_sealed(site, drawn, signed_in):
    found = drawn({"Ada": 1}, {"Ada": 1})
    page = signed_in("a guest").get("/election/Board/results/").content.decode()
    assert "How ties would have been broken" in page
    assert found.seal.lots_secret in page


LIVE = {"secret_ballot": False, "results_visible": "live", "method": "irv"}


@pytest.fixture
def watched(monkeypatch, signed_in) -> Callable[[], str]:
    monkeypatch.setattr(live, "cache", live.ElectionCountCache())
    # Of three who are tied, one in three hundred secrets gives one of them no example lot.
    monkeypatch.setattr("elections.lifecycle.services.secrets", SimpleNamespace(token_hex=lambda size: SECRET))
    client = signed_in("a guest")

    def look() -> str:
        return client.get("/election/Board/live/").content.decode()

    return look


def test_a_running_count_shows_what_a_lot_would_decide_as_a_tie(site, voted, watched):  # noqa: F811
    voted(*THREE, **LIVE)
    page = watched()
    assert "Tied at the moment" in page
    assert "These are tied: Ada, Bo, Cy." in page
    assert "The lots below are only an example." in page
    assert " won." not in page
    assert elections.lots_secret("Board") not in page


def test_a_running_count_of_several_seats_says_who_is_sure_of_one(site, voted, watched):  # noqa: F811
    voted({"Ada": 1}, {"Ada": 1}, {"Bo": 1}, {"Cy": 1}, **LIVE | {"method": "stv-scottish", "seats": 2})
    page = watched()
    assert "Would be elected now" in page
    assert "These are tied: Bo, Cy." in page


def test_a_running_count_that_hangs_on_no_lot_is_as_it_was(site, voted, watched):  # noqa: F811
    voted({"Ada": 1}, {"Ada": 1}, {"Bo": 1}, **LIVE)
    page = watched()
    assert "Leading at the moment" in page
    assert "are only an example" not in page
