"""The log forgets who somebody was: nothing of the name is left, the chain fits, and what is replayed is the same."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from ballots import services as voting
from ballots.sealing import seal_closed
from elections import repository as elections
from elections import rolls
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters, remove_voter
from elections.voter_lists import Details
from foundation.acts.storage import log
from foundation.acts.tokens import create_token
from foundation.photos.changing import PictureChange as Picture
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import Event, utc_now
from foundation.store.log.rewriting import event_digest, is_rewritten
from foundation.store.log.seal import verify
from foundation.store.log.search import Query, search
from foundation.store.table import LOG, Delete, Key, Update
from operations.upkeep import erasure, replay
from operations.upkeep.figures import site_sealer
from parts.polls import services as polls
from results import repository as results
from results.exports import verify as program
from results.exports.bundle import bundle
from tests.background import finish_background
from tests.people import PASSWORD
from tests.photos.drawing import kept
from tests.polls.conftest import CHOSEN, NAMES
from tests.stories.groups import tell_of_groups
from tests.stories.news import tell_of_news
from tests.stories.sets import tell_of_sets

ADA = ("Ada Lovelace", "ada@engine.example", "ada.l@engine.example")


def later(days: int = 31):
    return lambda: utc_now() + timedelta(days=days)


@pytest.fixture
def boss(person):
    return person("Boss", Role.OWNER)


@pytest.fixture
def ada(boss, person):
    """Came by an invitation, changed her address, wrote about herself, ran things, managed people and voted."""
    accounts.invite(boss, ADA[1], Role.USER)
    ada = accounts.accept_invitation(create_token("invitation", ADA[1]), ADA[0], PASSWORD)
    accounts.change_role(boss, ada, Role.ADMIN)
    log().record(
        Event(ada.name, "UserEmailChanged", {"name": ada.name, "email": ADA[2]}), *people.email_change(ada, ADA[2])
    )
    ada = people.find(ada.name)
    accounts.change_profile(ada, "Countess Lovelace", "I wrote the first program.")
    eve = person("Eve", Role.VOTER)
    accounts.change_role(ada, eve, Role.USER)
    polls.make(ada, NAMES, 30, **CHOSEN)
    return people.find(ada.name)


def an_election(ada, name: str, *, secret: bool = True):
    draft = drafts.create(ada, f"Draft of {name}", secret_ballot=secret)
    add_candidates(ada, draft, [Candidate("Bo"), Candidate("Cy")])
    add_voters(ada, elections.find(draft.name), [ada.name, "Eve", ADA[1]])
    drafts.rename(ada, elections.find(draft.name), name)
    lifecycle.open_(ada, elections.find(name), editable=False)
    voting.cast(ada, name, {"0": ["1"]}, f"form of {name}")
    return elections.find(name)


def removed(boss, ada):
    finish_background("tell webhooks")  # of their elections, which a worker does at once
    accounts.remove(boss, ada)
    site_sealer().seal()


def forgotten(days: int = 31) -> int:
    """Until there is nothing left to do."""
    done = 0
    while erasure.is_due(later(days)):
        done += erasure.erase_names(later(days))
        site_sealer().seal()
    return done


def everything_but_mails(table) -> str:
    return "\n".join(
        json.dumps(item, default=bytes.hex, ensure_ascii=False).casefold()
        for _, item in table.everything()
        if not item["PK"].startswith("MAIL#")
    )


def is_named(table, *words: str) -> list[str]:
    return [word for word in words if word.casefold() in everything_but_mails(table)]


def is_whole(table) -> None:
    verdict = verify(table)
    assert (verdict.flaw, verdict.index_flaw) == (None, None)
    assert replay.check(table).first == ()


# --- what is forgotten ---


@pytest.mark.needs("polls", "skills")
def test_nothing_of_somebody_is_left_and_everything_still_fits(site, boss, ada):
    lifecycle.delete(ada, an_election(ada, "Board"))
    finish_background("delete election")
    removed(boss, ada)
    before = verify(site)
    assert not erasure.is_due(later(29)), "not before the time has come"
    assert forgotten() == 15
    assert is_named(site, *ADA, "Countess", "first program") == []
    after = verify(site, (before.sealed, before.hash))
    assert (after.flaw, after.index_flaw) == (None, None)
    assert after.rewritten == 15
    assert list(site.each(keys.NAMES_TO_FORGET)) == list(site.each(keys.NAMES_KEPT)) == []
    is_whole(site)


@pytest.mark.needs("polls", "skills")
def test_an_election_that_is_kept_keeps_its_record_until_it_is_deleted(site, boss, ada):
    election = an_election(ada, "Board", secret=False)
    closing.close(ada, election)
    seal_closed()
    removed(boss, ada)
    forgotten()
    assert is_named(site, ADA[2], "Countess", "first program") == []
    made, cast = (search(site, Query(event_type=kind)).events[0] for kind in ("ElectionCreated", "BallotCast"))
    assert made["actor"] == cast["event_data"]["voter_name"] == ADA[0]
    assert (ADA[0], True) in [(voter.name, voter.voted) for voter in rolls.every_voter("Board")]
    (mark,) = site.each(keys.NAMES_KEPT)
    assert not any("removed" in str(alias) for alias in mark["aliases"]), "whom words stand for is known no more"
    call_command("verify", stdout=StringIO())
    is_whole(site)
    lifecycle.delete(boss, drafts.create(boss, "Another"))
    site_sealer().seal()
    assert forgotten() == 0, "another election kept nothing of hers"
    lifecycle.delete(boss, elections.find("Board"))
    finish_background("delete election")
    site_sealer().seal()
    assert forgotten() >= 6
    assert is_named(site, *ADA) == []
    assert list(site.each(keys.NAMES_KEPT)) == []
    is_whole(site)


def test_whoever_has_the_name_or_the_address_later_is_somebody_else(site, boss, ada, person):
    removed(boss, ada)
    other = person(ADA[0], email=ADA[2])
    accounts.change_profile(other, "", "Another.")
    site_sealer().seal()
    assert forgotten() == 8
    ours = search(site, Query(actor=ADA[0])).events
    assert [event["event_type"] for event in ours] == ["ProfileChanged", "UserRegistered"]
    assert ours[1]["event_data"]["email"] == ADA[2]
    is_whole(site)


@pytest.mark.needs("polls", "skills")
def test_what_somebody_looked_like_is_forgotten_with_the_name(site, boss, ada):
    accounts.change_picture(ada, Picture(kept("Countess in blue")))
    accounts.change_picture(ada, Picture(kept("Countess in green")))
    accounts.remove_picture(boss, people.find(ADA[0]))
    removed(boss, ada)
    forgotten()
    assert is_named(site, *ADA, "Countess in") == []
    is_whole(site)


def test_an_address_that_two_have_had_is_forgotten_where_it_is_theirs(site, boss, ada, person):
    eve = person("Eve")
    log().record(Event("Eve", "UserEmailChanged", {"name": "Eve", "email": ADA[1]}), *people.email_change(eve, ADA[1]))
    removed(boss, ada)
    forgotten()
    invited, registered = (search(site, Query(event_type=kind)).events for kind in ("PersonInvited", "UserRegistered"))
    assert invited[0]["event_data"]["email"] == ADA[1], "nobody can say whose it was"
    assert ADA[1] not in [event["event_data"]["email"] for event in registered]
    is_whole(site)


@pytest.mark.needs("polls", "skills")
def test_bundles_made_before_and_after_fit(site, boss, ada, person, tmp_path):
    """Her events lie between those of an election that was not hers."""
    eve = person("Eve")
    add_candidates(boss, drafts.create(boss, "Board"), [Candidate("Bo"), Candidate("Cy")])
    add_voters(boss, elections.find("Board"), ["Eve"])
    accounts.change_profile(ada, "Countess again", "")
    lifecycle.open_(boss, elections.find("Board"), editable=False)
    voting.cast(eve, "Board", {"0": ["1"]}, "form")
    closing.close(boss, elections.find("Board"))
    seal_closed()
    removed(boss, ada)
    paths = [tmp_path / "before.zip", tmp_path / "after.zip"]
    for path in paths:
        path.write_bytes(bundle(results.find("Board")).read())
        forgotten()
    assert is_named(site, *ADA) == []
    assert [program.main(path) for path in paths] == [0, 0]


def test_long_statements_are_rewritten_in_several_steps(site, boss, ada, monkeypatch):
    monkeypatch.setattr(erasure, "TRANSACTION_BYTES", 1000)
    removed(boss, ada)
    forgotten()
    assert len(search(site, Query(event_type="NamesForgotten")).events) > 1
    is_whole(site)


@pytest.mark.needs("polls", "skills")
def test_what_became_of_a_former_address_on_a_roll_is_forgotten_to_its_end(site, boss, ada):
    draft = drafts.create(boss, "Board")
    add_voters(boss, draft, [ADA[1]])
    removed(boss, ada)
    remove_voter(boss, elections.find("Board"), ADA[1])
    lifecycle.delete(boss, elections.find("Board"))
    finish_background("delete election")
    site_sealer().seal()
    forgotten()
    assert is_named(site, *ADA) == []
    is_whole(site)


@pytest.mark.parametrize("days", [0, 3650])
def test_it_happens_when_the_setting_says(site, boss, ada, settings, days):
    settings.FORGET_AFTER_DAYS = days
    removed(boss, ada)
    assert not erasure.is_due(later(3649))
    assert erasure.is_due(later(3651)) == bool(days)


def test_what_is_not_sealed_yet_waits(site, boss, ada):
    accounts.remove(boss, ada)
    assert not erasure.is_due(later())
    site_sealer().seal()
    assert erasure.is_due(later())


def test_a_void_number_at_the_end_of_the_log_keeps_nobody_from_being_forgotten(site, boss, ada):
    removed(boss, ada)
    (mark,) = site.each(keys.NAMES_TO_FORGET)
    site.write(Update(Key(mark["PK"], mark["SK"]), set={"upto": mark["upto"] + 1}))
    assert forgotten() == 8


# --- killed, and several at once ---


class Killed(BaseException):
    pass


@pytest.mark.needs("polls", "skills")
def test_killed_at_any_write_it_goes_on(site, boss, ada, monkeypatch):
    monkeypatch.setattr(erasure, "TRANSACTION_EVENTS", 1)
    removed(boss, ada)
    true, step, killed = type(site).write, 0, 0

    def dying(self, *writes, **options):
        nonlocal left
        left -= 1
        if left == 0:
            raise Killed
        true(self, *writes, **options)

    while erasure.is_due(later()):
        step, left = step + 1, 2 + step % 3
        with monkeypatch.context() as patched:
            patched.setattr(type(site), "write", dying)
            try:
                erasure.erase_names(later())
            except Killed:
                killed += 1
        assert verify(site).flaw is None
        if erasure.is_at_work(site):
            with pytest.raises(CommandError, match="is being erased"):
                call_command("replay", stdout=StringIO())
    site_sealer().seal()
    assert killed > 1
    assert is_named(site, *ADA) == []
    is_whole(site)


# --- told from tampering ---


def place_of(site, number: int) -> Key:
    (event,) = site.each(keys.events(number, number))
    return Key(event["PK"], event["SK"], LOG)


def test_a_change_that_the_log_says_nothing_of_is_named(site, boss, ada):
    removed(boss, ada)
    forgotten()
    rewritten = [event["event_id"] for event in log().since(0) if is_rewritten(event)]
    kept = next(event for event in log().since(0) if not is_rewritten(event))
    site.write(Update(place_of(site, rewritten[2]), set={"actor": "Mallory"}))
    assert verify(site).flaw == f"Event {rewritten[2]} is not what was sealed, nor what the log says that became of it."
    site.write(Update(place_of(site, kept["event_id"]), set={"digest": event_digest(kept).hex(), "actor": "Mallory"}))
    assert f"Event {min(rewritten[2], kept['event_id'])} is not" in verify(site).flaw


def test_the_pages_say_that_an_event_has_forgotten(site, boss, ada, signed_in):
    removed(boss, ada)
    forgotten()
    page, number = signed_in(boss), next(event["event_id"] for event in log().since(0) if is_rewritten(event))
    shown = page.get(f"/admin/log/{number}/").content.decode()
    assert "has been erased from this event" in shown
    assert "removed person" in page.get("/admin/log/?event_type=UserRemoved").content.decode()
    out = StringIO()
    call_command("verify", stdout=out)
    assert "Names were erased from 8 of them" in out.getvalue()


# --- after a restore ---


def test_who_was_removed_since_a_backup_is_removed_again(site, boss, ada, person, tmp_path, settings):
    person("Eve")
    site_sealer().seal()
    run("backup", str(tmp_path / "backup"))
    sealed = log().newest_checkpoint()["event_id"]
    removed(boss, ada)
    (tmp_path / "list").write_text(run("removals", since=sealed))
    settings.STORE_URL = f"sqlite://{tmp_path}/restored.sqlite3"
    restored = run("restore", str(tmp_path / "backup"))
    assert "are back. See “plenum removals”" in restored
    assert people.find(ada.name) is not None
    assert "Removed again: 1 of 1." in run("removals", again=str(tmp_path / "list"))
    assert people.find(ada.name) is None
    assert "Removed again: 0 of 1." in run("removals", again=str(tmp_path / "list"))
    site_sealer().seal()
    assert erasure.is_due(later())
    (tmp_path / "list").write_text("no list")
    with pytest.raises(CommandError, match="separated by tabs"):
        run("removals", again=str(tmp_path / "list"))
    with pytest.raises(CommandError, match="cannot be read"):
        run("removals", again=str(tmp_path / "nowhere"))


def test_whom_the_log_has_forgotten_no_list_names(site, boss, ada):
    removed(boss, ada)
    forgotten()
    assert run("removals") == ""


def run(*words: str, **options: object) -> str:
    said = StringIO()
    call_command(*words, stdout=said, stderr=said, **options)
    return said.getvalue()


# --- when somebody asks for it ---


@pytest.mark.needs("polls", "skills")
def test_who_was_removed_by_an_earlier_version_is_forgotten_when_asked(site, boss, ada, person):
    removed(boss, ada)
    (mark,) = site.each(keys.NAMES_TO_FORGET)
    site.write(Delete(Key(mark["PK"], mark["SK"])))  # which left no marks
    assert "Marked" in run("forget", ADA[0].upper())
    assert forgotten() == 8
    assert is_named(site, *ADA) == []
    is_whole(site)
    with pytest.raises(CommandError, match="nobody of that name was removed"):
        run("forget", ADA[0])


def test_an_address_that_never_had_an_account_is_forgotten_when_asked(site, boss, person):
    accounts.invite(boss, ADA[1], Role.USER)
    site.write(Delete(keys.invitation(ADA[1])))
    board = drafts.create(boss, "Board")
    add_voters(boss, board, [ADA[1], "Boss"])
    site_sealer().seal()
    run("forget", ADA[1])
    run("forget", ADA[1])
    assert forgotten() == 1, "the invitation, but not the roll of what is kept"
    lifecycle.delete(boss, elections.find("Board"))
    finish_background("delete election")
    site_sealer().seal()
    assert forgotten() == 1
    assert is_named(site, ADA[1]) == []
    is_whole(site)


def test_the_name_from_a_file_is_forgotten_with_its_address(site, boss):
    """Even on a roll that is kept, and once more if it was listed again since."""
    for name in ("Board", "Fee"):
        board = drafts.create(boss, name)
        add_voters(
            boss,
            board,
            [ADA[1], "kofi@example.org"],
            {ADA[1]: Details("Ada from a file"), "kofi@example.org": Details("Kofi")},
        )
        run("forget", ADA[1].upper())
        listed = {each.name: each.display_name for each in rolls.every_voter(elections.find(name))}
        assert listed == {ADA[1]: "", "kofi@example.org": "Kofi"}


def test_what_cannot_be_forgotten_is_said(site, boss, settings):
    with pytest.raises(CommandError, match="An account has it"):
        run("forget", boss.email)
    settings.FORGET_AFTER_DAYS = 0
    with pytest.raises(CommandError, match="keeps names"):
        run("forget", ADA[1])


# --- what other parts say of somebody ---


@pytest.mark.needs("news", "questions")
@pytest.mark.parametrize(
    ("tell_of", "name", "of_whom"),
    [(tell_of_groups, "Ida", "Group"), (tell_of_sets, "Ida", "Question"), (tell_of_news, "Ada", "Post")],
)
def test_the_log_forgets_who_made_things(site, person, tell_of, name, of_whom):
    tell_of(person)
    site_sealer().seal()
    said = [event for event in site.each(keys.events()) if event["event_type"].startswith(of_whom)]
    assert [event for event in said if name in repr(event)]
    forgotten()
    is_whole(site)
    said = [event for event in site.each(keys.events()) if event["event_type"].startswith(of_whom)]
    assert [event for event in said if name in repr(event)] == []
