"""A story in which everything happens that can happen to people, elections, ballots, results and webhooks."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

import pytest
from django.contrib.auth import SESSION_KEY
from django.core.mail import EmailMessage
from django.test import Client, override_settings

from accounts import api_tokens, emails, policy, setup_link
from accounts import repository as people
from accounts import services as accounts
from accounts.connectors import flows, identities
from accounts.connectors.providers import Identity, Provider, SignedOut
from accounts.models import User
from accounts.rules import Role
from accounts.second_factor import authenticator_apps, factors
from accounts.sessions import SessionStore
from accounts.visitors import Visitor
from ballots import sealing
from ballots import services as ballots
from ballots.sealing import seal_closed
from elections import actions, link_requests, rolls, sharding, voter_lists
from elections import repository as elections
from elections import rules as of_elections
from elections.candidates import add_candidates, change_picture, edit_candidate, remove_candidates
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.groups import services as groups
from elections.invitations import emails as voter_emails
from elections.invitations import mailing as invitations
from elections.invitations import messages, recipients, reminders, wording
from elections.invitations.voting_link import new_token
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.lifecycle.closing import CLOSING, close_ended_elections
from elections.managers import add_manager, hand_over, remove_manager
from elections.roll import imports
from elections.roll.services import add_voters, list_by_letter, remove_voter
from elections.rules import Action, Election
from elections.voter_lists import Details
from foundation.acts import background
from foundation.acts.background import TaskType
from foundation.acts.storage import now_text, table
from foundation.acts.tokens import create_token
from foundation.mail import bounces, outages, undelivered
from foundation.mail import outbox as mail
from foundation.mail.emails import compose
from foundation.mail.sending import send_waiting
from foundation.pages import markdown
from foundation.photos.changing import PictureChange
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.connect import connect
from foundation.store.log import as_text, utc_now
from foundation.store.table import Delete, Key, Put, Table, Update
from parts.candidate_questions import services as candidate_questions
from parts.candidate_questions.rules import TO_ALL, person_key
from parts.candidate_questions.services import Asker
from parts.help_desk import repository as requests
from parts.help_desk import services as help_desk
from parts.help_desk.rules import Asker as HelpSeeker
from parts.letters import services as letters
from parts.roll_sources import sources
from parts.skills import services as skills
from parts.skills.needed import services as skills_needed
from parts.skills.needed.needs import Need
from parts.skills.needed.services import ask_candidates, drop_need, set_need
from parts.stations import repository as polling
from parts.stations import services as stations
from parts.webhooks import repository as repository_of_webhooks
from parts.webhooks import services as webhooks
from parts.webhooks.rules import TYPES
from results import mailing as mailing
from tests import voting
from tests.accounts.test_factors import SITE, asked, with_passkey
from tests.background import finish_background, queue_mailings
from tests.ballots.conftest import ranks
from tests.clock import stands_at
from tests.photos.drawing import kept
from tests.stories.front_page import tell_of_the_site_page
from tests.webhooks.sites import Network
from tests.webhooks.sites import send as send_webhooks

APPS = (
    *("accounts", "elections", "ballots", "results"),
    *("parts/roll_sources", "parts/candidate_questions", "parts/help_desk", "parts/webhooks"),
)
PASSWORD = "correct horse battery"
UNIVERSITY = Provider(
    "university",
    "oidc",
    "University",
    "https://login.example.org",
    "plenum",
    "secret",
    roles=(("board", Role.ADMIN),),
    rolls=("board",),
)


@pytest.fixture(scope="module")
def told(tmp_path_factory) -> Table:
    """A store in which the story has happened."""
    url = f"sqlite://{tmp_path_factory.mktemp('story')}/plenum.sqlite3"
    with override_settings(STORE_URL=url):
        connect(url).create()
        tell()
    return connect(url)


def tell() -> None:
    people_come()
    second_steps()
    providers_are_linked()
    people_change()
    a_public_election()
    mails()
    people_ask_for_help()
    mails_that_did_not_arrive()
    a_secret_election()
    an_election_has_shards()
    elections_change_hands()
    a_roll_follows_a_source()
    groups_are_kept()
    several_questions_in_one_election()
    candidates_are_asked()
    what_can_never_be_finished()
    ends_by_the_clock()
    other_systems_are_told()
    tell_of_the_site_page(someone("Olga"))
    somebody_leaves()
    background_work_fails()
    a_backup_is_restored()


def a_backup_is_restored() -> None:
    """Which holds back a mailing that was under way."""
    invitations.stop("nobody")


def someone(name: str) -> User:
    user = people.find(name)
    assert user is not None
    return user


def election(name: str) -> Election:
    found = elections.find(name)
    assert found is not None
    return found


@contextmanager
def later(**by: int) -> Iterator[None]:
    """So much later, as organisers' services see it."""
    then = as_text(utc_now() + timedelta(**by))
    with pytest.MonkeyPatch.context() as patched:
        stands_at(patched, then)
        yield


def send_mails() -> None:
    queue_mailings()
    send_waiting(compose)


# --- a roll that follows a source ---


def a_roll_follows_a_source() -> None:
    """At night by a group that the site does not offer; then by hand, until it does no longer."""
    ada, made = someone("Ada"), drafts.create(someone("Ada"), "Members")
    leaver = someone("voter 4").email
    add_voters(ada, made, [leaver], {leaver: Details("Lee")})
    sources.choose(ada, election("Members"), sources.GROUP, "university board", nightly=True)
    sources.follow_due(now=lambda: as_text(utc_now() + timedelta(days=2)))
    rows = voter_lists.read_voters(f"Bo\n{leaver}".encode())
    sources.follow(ada, election("Members"), sources.compare(election("Members"), rows))
    sources.drop(ada, election("Members"))


# --- groups ---


def groups_are_kept() -> None:
    ada, made = someone("Ada"), drafts.create(someone("Ada"), "First of the club")
    gone = groups.make(ada, "Gone")
    groups.add(ada, gone.id, ["Cy"])
    groups.delete(ada, gone.id)
    finish_background("delete group")
    add_voters(ada, made, ["Bo", "a@example.org"])
    club = groups.save_roll(ada, election("First of the club"), "form")
    for _twice in range(2):
        groups.add(ada, club.id, ["Cy", "b@example.org", "a@example.org"])
    groups.remove(ada, club.id, "a@example.org")
    groups.rename(ada, club.id, "Club")
    following = drafts.create(ada, "Next of the club")
    for _twice in range(2):
        begun = groups.put_on_roll(ada, election("Next of the club"), club.id)
        imports.resume(ada, following, begun, 60)
    stays = groups.make(someone("Olga"), "Those who stay")
    groups.add(someone("Olga"), stays.id, ["voter 0", "c@example.org"])


# --- people ---


def people_come() -> None:
    link = setup_link.new_link()
    assert link is not None
    accounts.make_owner_by_link(link.split("/")[-2], "Olga", "olga@example.org", PASSWORD)
    accounts.register("Ada", "ada@example.org", PASSWORD, "192.0.2.1")
    (waiting,) = (each for each in mail.in_state(mail.QUEUED, 9)[0] if each.kind == "confirm_registration")
    accounts.confirm_registration(create_token("registration", waiting.about["number"]))
    accounts.register("Adele", "ada@example.org", PASSWORD, "192.0.2.1")
    accounts.invite(someone("Olga"), "bo@example.org", Role.USER)
    accounts.accept_invitation(create_token("invitation", "bo@example.org"), "Bo", PASSWORD)
    accounts.make_demo_person("Cy", Role.USER, "I count.", PASSWORD)
    accounts.make_demo_person("Di", Role.USER, "", PASSWORD)
    for number in range(6):
        accounts.make_demo_person(f"voter {number}", Role.VOTER, "", PASSWORD)


def second_steps() -> None:
    di, now = someone("Di"), time.time()
    app_added(di, now)
    codes = factors.make_codes(di)
    factors.use_code(di, codes[0], now)
    key = with_passkey(di)
    challenge, options = asked(di)
    factors.use_passkey(di, key.get(options), challenge, SITE)
    factors.remove_app(di)
    api_tokens.authenticate(api_tokens.create(di, "A program", ["read"], 7))
    api_tokens.create(di, "Another", ["read"], 7)
    api_tokens.revoke(di, api_tokens.tokens_of(di)[0].id)
    factors.reset_for(someone("Olga"), someone("Di"))
    app_added(di, now)
    with_passkey(di)
    factors.remove_passkey(di, factors.load_factors(di).passkeys[0].short_id)


def providers_are_linked() -> None:
    """And groups at a provider give roles, and take them back."""
    di = someone("Di")
    identities.link(di, UNIVERSITY, Identity(UNIVERSITY.issuer, "di", groups=("board",)))
    identities.unlink(someone("Di"), UNIVERSITY.id, UNIVERSITY.label, "")
    identities.link(someone("Di"), UNIVERSITY, Identity(UNIVERSITY.issuer, "di"))
    newcomer = Identity(UNIVERSITY.issuer, "eli", "Eli", "eli@example.org", groups=("board",))
    identities.join(UNIVERSITY, newcomer, "Eli")
    identities.person_of(UNIVERSITY, replace(newcomer, groups=()))
    identities.person_of(UNIVERSITY, newcomer)
    session = SessionStore()
    session.update({SESSION_KEY: "Eli", "source": {"key": newcomer.key}})
    session.save()
    assert identities.end_sessions(SignedOut("", newcomer.key, "")) == 1
    assert [flows.spend("once"), flows.spend("once")] == [True, False]


def app_added(user: User, now: float) -> None:
    secret, step = authenticator_apps.new_secret(), authenticator_apps.step_at(now)
    factors.add_app(user, secret, authenticator_apps.code_at(secret, step), now)
    factors.use_code(user, authenticator_apps.code_at(secret, step + 1), now)


def people_change() -> None:
    olga, ada = someone("Olga"), someone("Ada")
    accounts.change_role(olga, ada, Role.VOTER)
    accounts.change_role(olga, someone("Ada"), Role.USER)
    accounts.change_role(olga, someone("Bo"), Role.ADMIN)
    accounts.change_role(olga, someone("Bo"), Role.OWNER)
    accounts.change_role(someone("Bo"), someone("Olga"), Role.OWNER)
    whom_the_site_lets_mail(someone("Olga"))
    accounts.change_profile(someone("Ada"), "Ada L.", "I *count*.")
    accounts.change_profile(someone("Ada"), "", "I count.")
    for name in ("Ada", "Bo"):
        accounts.change_picture(someone(name), PictureChange(kept()))
    accounts.remove_picture(someone("Olga"), someone("Bo"))
    accounts.ask_for_reset("ada@example.org", Visitor("203.0.113.7"))
    accounts.reset_password("Ada", emails.reset_token.make_token(someone("Ada")), PASSWORD)
    accounts.change_password(someone("Ada"), PASSWORD)
    accounts.send_reset_link(someone("Olga"), someone("Ada"))
    accounts.reset_link_of_owner(someone("Olga"))
    policy.require_provider("Olga")
    policy.allow_passwords("operator")
    policy.require_provider("Olga")
    accounts.ask_for_proof(someone("Ada"), "a session", "/me/")
    accounts.ask_for_new_email(someone("Ada"), "lovelace@example.org")
    accounts.confirm_email("Ada", emails.email_token(someone("Ada"), "lovelace@example.org"))
    accounts.ask_for_new_email(someone("Ada"), "bo@example.org")
    sessions_come_and_go(someone("Ada"))


def whom_the_site_lets_mail(olga: User) -> None:
    for most in (300, None, 400):
        accounts.change_mail_limit(olga, someone("Ada"), most)
    for name in ("Ada", "Bo"):
        accounts.ask_for_confirmation(someone(name))
        accounts.confirm_organiser(olga, someone(name))
    accounts.confirm_organiser(olga, someone("Bo"), confirmed=False)


def sessions_come_and_go(ada: User) -> None:
    here, there = Client(), Client()
    for client in (here, there):
        answer = client.post("/sign-in/", {"name_or_email": ada.name, "password": PASSWORD})
        assert answer.status_code == 302, answer.content.decode()
    assert here.get("/").status_code == 200, "and that this was a visit is noted"
    here.post("/me/sessions/", {"end": "others"})
    accounts.sign_out_everywhere(ada)
    here.post("/sign-out/")
    accounts.end_sessions(ada, except_for="")


# --- elections ---


def a_newer_renderer(name: str) -> None:
    """Somebody looks after an upgrade."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(markdown, "VERSION", markdown.VERSION + 1)
        markdown.description_html(elections.description_of(name))
        elections.candidates_with_html(name)


def a_public_election() -> None:
    ada = someone("Ada")
    end = as_text(utc_now() + timedelta(days=2))
    settings = {"secret_ballot": False, "results_visible": "live", "paper_ballots": True, "no_voting_after": end}
    made = drafts.create(ada, "Bord", description="Who?", **settings)
    add_candidates(ada, made, [Candidate("Ada"), Candidate("Bo", "Vote for me."), Candidate("Cy")])
    add_candidates(ada, made, [Candidate("Nobody")])
    edit_candidate(ada, election("Bord"), Candidate("Ada", "I can count.", "https://example.org/"))
    change_picture(ada, election("Bord"), "Nobody", PictureChange(kept()))
    change_picture(ada, election("Bord"), "Ada", PictureChange(kept()))
    seen = elections.find_candidate("Bord", "Ada").photo
    change_picture(ada, election("Bord"), "Ada", PictureChange(seen=seen, alt="Ada, counting"))
    remove_candidates(ada, election("Bord"), "Nobody")
    what_it_needs(ada)
    weights = {"voter 0": Details(weight=3), "voter 2": Details(weight=2)}
    add_voters(ada, election("Bord"), [f"voter {number}" for number in range(4)], weights)
    add_voters(
        ada, election("Bord"), ["voter 0", "voter 2"], {"voter 0": Details(weight=1), "voter 2": Details(weight=7)}
    )
    leaver = someone("voter 4").email
    listed = ["voter 0", "wrong@example.org", "paper@example.org", "late@example.org", "typo@example.org", leaver]
    the_list = imports.start(
        ada, election("Bord"), listed, known={"late@example.org": Details("Lea Late"), leaver: Details("Lee")}
    )
    imports.resume(ada, election("Bord"), the_list, 5)
    imports.resume(ada, election("Bord"), imports.start(ada, election("Bord"), ["voter 0", "voter 1"]), 5)
    remove_voter(ada, election("Bord"), "wrong@example.org")
    add_manager(ada, election("Bord"), "Cy")
    drafts.rename(ada, election("Bord"), "Board")
    drafts.rename(ada, election("Board"), "BOARD")
    actions.change(ada, election("Board"), Action.SET_UP, unranked="no-opinion", managers=())
    add_manager(ada, election("Board"), "Cy")
    reminders.choose(ada, election("Board"), [24, 3])
    lifecycle.open_(ada, election("Board"), editable=True)
    a_newer_renderer("Board")
    add_candidates(ada, election("Board"), [Candidate("Di")])
    actions.change(ada, election("Board"), Action.DESCRIBE, description="Who, then?")
    lifecycle.fix(ada, election("Board"))
    lifecycle.extend(ada, election("Board"), as_text(utc_now() + timedelta(days=60)))
    public_votes(ada)


def what_it_needs(ada: User) -> None:
    for name in ("Counting", "Tea"):
        skills.add(someone("Olga"), name, "All", "")
        set_need(ada, election("Bord"), Need(name.casefold(), 3, 1))
    drop_need(ada, election("Bord"), "tea")
    ask_candidates(ada, election("Bord"))
    agreed(ada, "Bord")
    skills_needed.disagree(ada, election("Bord"), Candidate("Ada"))
    agreed(ada, "Bord")


def agreed(person: User, to: str) -> None:
    skills_needed.agree(person, election(to), Candidate(person.name))


def public_votes(ada: User) -> None:
    for number in range(4):
        voted(f"voter {number}", "Board", Ada=number + 1, Bo=2)
    voted("voter 0", "Board", Cy=1)
    voting.withdraw(someone("voter 1"), "Board", "voter 1 withdraws")
    ballots.enter_paper(ada, "Board", "paper@example.org", ranks(Bo=1), "paper")
    voting.withdraw(someone("voter 2"), "Board", "voter 2 withdraws")
    voted("voter 2", "Board", Ada=1, Cy=1)
    a_polling_station(ada)


def a_polling_station(ada: User) -> None:
    """Two are opened, and one of them is closed; in the other, somebody is still in the booth when voting ends."""
    for name in ("Booth 1", "Booth 2"):
        stations.open_(ada, election("Board"), name, name)
    first, second = polling.every("Board")
    device = stations.pair(polling.code_for(first))
    stations.let_in(ada, election("Board"), first.id, "late@example.org")
    stations.pick_up(device, now_text())
    stations.take_back(ada, election("Board"), first.id)
    stations.let_in(ada, election("Board"), first.id, "late@example.org")
    stations.leave(device, polling.code_for(first))
    stations.renew_code(ada, election("Board"), first.id)
    stations.close(ada, election("Board"), second.id)


def voted(name: str, in_: str, **typed: int) -> None:
    acts = sum(1 for _ in table().each(keys.events()))
    voting.cast(someone(name), in_, ranks(**typed), f"{name} {acts}")


def mails() -> None:
    ada = someone("Ada")
    invitations.invite(ada, election("Board"))
    send_mails()
    invitations.resend_invitation(ada, election("Board"), "late@example.org")
    invitations.unsubscribe("BOARD", "late@example.org")
    invitations.remind(ada, election("Board"))
    messages.send(ada, election("Board"), "The room", "It is *another* one.")
    wording.change_own_text(ada, election("Board"), "Please come *early*.", "me", "Come and vote")
    voter_emails.send_test(ada, election("Board"), "invited")
    link_requests.request_links("late@example.org", "203.0.113.7", "Board")
    finish_background(link_requests.ANSWERING.name)
    send_mails()


def people_ask_for_help() -> None:
    """Of the common cases each once; who is added is on the roll, and whoever leaves leaves nothing."""
    ada, leaver = someone("Ada"), someone("voter 4")
    senders = [HelpSeeker("Zoë", f"zoe.{number}@example.net") for number in range(5)]
    senders += [HelpSeeker("Lee", leaver.email, leaver.name, leaver.created_at)]
    for number, each in enumerate(senders):
        help_desk.ask(election("Board"), each, "Help!", network="203.0.113.7", mark=f"asked {number}")
    first, second, third, fourth, *_ = requests.list_requests("Board", "waiting", limit=9)[0]
    help_desk.reply(ada, election("Board"), first, "Here you are.")
    help_desk.add(ada, election("Board"), second, "zoe.1@example.net", "new member")
    help_desk.correct_address(ada, election("Board"), third, "typo@example.org", "right@example.org")
    help_desk.dismiss(ada, election("Board"), fourth)
    background.resume_due()


def mails_that_did_not_arrive() -> None:
    """What a person decides about them, and what is heard of one that was sent."""

    def broken(email: mail.Mail) -> EmailMessage:
        raise RuntimeError

    emails = [mail.queued("trial", f"{name}@example.org") for name in "abc"]
    table().write(*emails)
    send_waiting(broken)
    first, second, _third = [mail.find(email.item["number"]) for email in emails]
    undelivered.retry("Olga", first)
    undelivered.put_aside("Olga", second)
    undelivered.retry_all("Olga")
    outages.record_failure(outages.BULK, "421 not now", time.time())
    undelivered.carry_out(lambda: True)
    send_mails()
    bounces.record_report(bounces.Report(first.number, bounces.COMPLAINED, "abuse"))
    bounces._store_position("7", 1, True)
    bounces._store_state("out of reach", [{"mail": "8", "reason": "RecursionError", "at": "2026-11-15"}])
    unknown = [mail.queued("trial", f"{name}@example.org") for name in "de"]
    table().write(*unknown)
    for email in unknown:
        mail.move(mail.find(email.item["number"]), mail.QUEUED, mail.UNKNOWN, reason="unknown")
    undelivered.settle_unknown("Olga", undelivered.AS_SENT, "")
    undelivered.carry_out(lambda: True)


def a_secret_election() -> None:
    bo = someone("Bo")
    made = drafts.create(bo, "Prize", electorate="everyone", paper_ballots=True)
    add_candidates(bo, made, [Candidate("Ada"), Candidate("Bo"), Candidate("Cy")])
    add_voters(bo, made, ["by.post@example.org"])
    lifecycle.open_(bo, election("Prize"), editable=False)
    for number in range(5):
        voted(f"voter {number}", "Prize", Ada=1, Bo=number + 1)
    voted("voter 4", "Prize", Cy=1)
    voting.withdraw(someone("voter 3"), "Prize", "voter 3 withdraws")
    ballots.enter_paper(bo, "Prize", "by.post@example.org", ranks(Cy=1), "by post")
    closing.close(bo, election("Prize"))
    closing.close(someone("Ada"), election("Board"))
    for name in ("Prize", "Board"):
        seal_closed(name)  # as whoever opens its page does
        table().write(Delete(elections.SEALING.key(name)))  # the box is the worker's to empty, who never comes
    recipients.opt_out("by.post@example.org")
    recipients.opt_out("late@example.org")
    recipients.opt_in("late@example.org")
    mailing.mail_result(bo, election("Prize"))
    send_mails()


def an_election_has_shards() -> None:
    """As on a distant store: it is copied, and voted in; and secret with weights, as earlier versions opened some."""
    bo, names = someone("Bo"), [f"voter {number}" for number in range(5)]
    everybody = {name: someone(name).created_at for name in names} | {"far@example.org": copying.BY_ADDRESS}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sharding, "shards_of_new", lambda: 4)
        made = copying.make(bo, "Crowd", ["Ada", "Bo", "Cy"], everybody, weights=dict.fromkeys(everybody, 2))
        finish_background()
        copying.copy(bo, made, "Crowd again")
    lifecycle.open_now(bo, rolls.as_it_would_open(election("Crowd")), editable=False)
    for name in names:
        voted(name, "Crowd", Ada=1, Bo=2)
    voting.withdraw(someone("voter 3"), "Crowd", "voter 3 withdraws there too")
    closing.close(bo, election("Crowd"))
    seal_closed("Crowd")


def elections_change_hands() -> None:
    ada, bo = someone("Ada"), someone("Bo")
    copying.copy(bo, election("Prize"), "Prize again")
    add_voters(bo, election("Prize again"), ["voter 4"])
    hand_over(bo, election("Prize again"), "Ada")
    add_manager(ada, election("Prize again"), "Bo")
    remove_manager(ada, election("Prize again"), "Bo")
    copying.copy(ada, election("Board"), "Short-lived")
    add_voters(ada, election("Short-lived"), [f"{number}@example.org" for number in range(3)])
    lifecycle.open_(ada, election("Short-lived"), editable=False)
    voted("voter 0", "Short-lived", Ada=1)
    invitations.invite(ada, election("Short-lived"))
    queue_mailings()
    lifecycle.delete(ada, election("Short-lived"))
    finish_background("delete election")
    send_mails()


def ends_by_the_clock() -> None:
    ada = someone("Ada")
    made = drafts.create(ada, "Soon over", announces=True, no_voting_after=as_text(utc_now() + timedelta(hours=4)))
    add_candidates(ada, made, [Candidate("Ada"), Candidate("Bo"), Candidate("Cy")])
    change_picture(ada, made, "Bo", PictureChange(kept()))
    add_voters(ada, made, ["voter 0", "voter 1"])
    lifecycle.open_(ada, election("Soon over"), editable=False)
    reminders.choose(ada, election("Soon over"), [3])
    voted("voter 0", "Soon over", Ada=1)
    with later(hours=2):
        assert reminders.send_due_reminders() == 1
    imports.start(ada, election("Soon over"), ["late@example.org"])
    with later(hours=5):
        assert close_ended_elections() == 1
        finish_background("import voters")
        seal_closed("Soon over")
    list(sealing.empty(election("Soon over")))


def several_questions_in_one_election() -> None:
    """Of a draft one comes and goes, and two change places; one is for a group, and voters skip some."""
    ada = someone("Ada")
    for name, is_secret in (("Spring", False), ("Spring in secret", True)):
        made = drafts.create(ada, name, secret_ballot=is_secret)
        for title in ("Budget", "Dish", "Song"):
            kind = "yes-no" if title == "Budget" else "ranked"
            made = drafts.add_question(ada, made, title, first_title="Chair", kind=kind)
        drafts.remove_question(ada, made.at(3))
        drafts.move_question(ada, election(name).at(4), up=True)
        song = actions.change(ada, election(name).at(4), Action.SET_UP, title="A song", for_groups=("Staff",))
        add_candidates(ada, song, [Candidate("Ada"), Candidate("Bo"), Candidate("Cy")])
        edit_candidate(ada, song, Candidate("Bo", statement="*I* sing."))
        change_picture(ada, song, "Bo", PictureChange(kept()))
        remove_candidates(ada, election(name).at(4), "Cy")
        add_candidates(ada, election(name), [Candidate("Ada"), Candidate("Bo")])
        staff = {f"voter {number}": Details(groups=("Staff",)) for number in (0, 2, 3)}
        add_voters(ada, election(name), [*staff, "voter 1"], staff)
        add_voters(ada, election(name), ["voter 1"], {"voter 1": Details(groups=("Guests",))})
        lifecycle.open_(ada, election(name), editable=False)
        add_voters(ada, election(name), ["late@example.org"], {"late@example.org": Details(groups=("Staff",))})
        for number, said in enumerate(({"0": ["1"], "4:1": ["1"]}, {"2:0": ["1"]}, {"1": ["1"], "2:2": ["1"]})):
            voting.cast(someone(f"voter {number}"), name, said, f"voter {number} in {name}")
        voting.cast(someone("voter 0"), name, {"2:1": ["1"]}, f"changed in {name}")
        voting.withdraw(someone("voter 1"), name, f"withdrawn in {name}")
        closing.close(ada, election(name))
        seal_closed(name)
        list(sealing.empty(election(name)))


def candidates_are_asked() -> None:
    """By somebody who leaves later."""
    ada, voter = someone("Ada"), someone("voter 4")
    made = drafts.create(ada, "Asked", questions_from="voters")
    add_candidates(ada, made, [Candidate("Ada"), Candidate("Bo")])
    add_voters(ada, made, [voter.name])
    lifecycle.open_(ada, election("Asked"), editable=False)
    asker = Asker(election("Asked"), person_key(voter.name, voter.created_at), True, voter)
    asked = candidate_questions.ask(asker, (), 0, "Why?", TO_ALL, 1).id
    asker = Asker(election("Asked"), person_key(ada.name, ada.created_at), True, ada)
    other = candidate_questions.ask(asker, (), 0, "When?", TO_ALL, 1).id
    for show in (True, False, True):
        candidate_questions.review(ada, election("Asked"), asked, show=show)
    candidate_questions.answer(ada, election("Asked"), Candidate("Ada"), asked, "Because.", 1)
    for show in (False, True):
        candidate_questions.review_answer(ada, election("Asked"), asked, 0, show=show)
    candidate_questions.review_answer(ada, election("Asked"), asked, 0, show=False)
    candidate_questions.erase(ada, election("Asked"), asked, 0)
    finish_background("tell candidates")
    candidate_questions.review(ada, election("Asked"), other, show=False)
    candidate_questions.erase(ada, election("Asked"), other)
    candidate_questions.make_link(ada, election("Asked"), 1)
    candidate_questions.revoke_link(ada, election("Asked"), 1)
    closing.close(ada, election("Asked"))
    table().write(Delete(elections.SEALING.key("Asked")))  # as an earlier version closed it
    assert sealing.take_over() > 0
    seal_closed("Asked")
    list(sealing.empty(election("Asked")))


def what_can_never_be_finished() -> None:
    """A copy for which there is no room any more; and an election that is deleted while it is being closed."""
    ada = someone("Ada")
    add_candidates(ada, drafts.create(ada, "Hasty"), [Candidate("Ada"), Candidate("Bo")])
    add_voters(ada, election("Hasty"), ["voter 0"])
    with pytest.MonkeyPatch.context() as cut_off:
        cut_off.setattr(copying.FILLING, "start", lambda name: False)
        copying.copy(ada, election("Hasty"), "Never whole")
    with pytest.MonkeyPatch.context() as full:
        full.setattr(of_elections, "MAX_CANDIDATES", 1)
        assert finish_background("fill election") == 1
    lifecycle.open_(ada, election("Hasty"), editable=False)
    CLOSING.begin(election("Hasty"), "Ada")
    lifecycle.delete(ada, election("Hasty"))
    unknown = TaskType("unknown", "Unknown")
    table().write(unknown.begin("anything", due=now_text()))
    background.resume_due()
    assert unknown.find("anything").attempts == 1
    table().write(Delete(unknown.key("anything")))


def other_systems_are_told() -> None:
    ada, types = someone("Ada"), list(TYPES)
    endpoint, _secret = webhooks.add(ada, ada.name, "https://hooks.example/", types)
    webhooks.change(ada, endpoint, "https://other.example/", types[:1])
    webhooks.pause(ada, endpoint)
    webhooks.resume(ada, endpoint)
    webhooks.renew_secret(ada, endpoint)
    webhooks.send_test(endpoint)
    for task in repository_of_webhooks.DELIVERING.unfinished():  # as an earlier version queued it
        listed = {"GSI1PK": keys.DELIVERIES_WITHOUT_TASK.pk, "GSI1SK": f"{task.due}#{task.subject}"}
        table().write(Delete(task.key), Update(Key(task.data["pk"], task.data["sk"]), set=listed))
    assert repository_of_webhooks.take_over() > 0
    for answers in ([500], [204, 204], [410]):
        for _ in range(2):
            webhooks.send_test(endpoint)
        send_webhooks(Network(answers), timedelta(hours=1))
    now = repository_of_webhooks.find("Ada", endpoint.id)
    assert now is not None
    webhooks.delete(ada, now)
    webhooks.add(someone("Cy"), "Cy", "https://hooks.example/", types)


def somebody_leaves() -> None:
    olga, cy = someone("Olga"), someone("Cy")
    made = drafts.create(cy, "Still open", vote_by_link=True)
    add_candidates(cy, made, [Candidate("Ada"), Candidate("Bo"), Candidate("Cy")])
    add_voters(cy, made, ["voter 0", "voter 5", "Cy", "by.link@example.org"])
    set_need(cy, election("Still open"), Need("counting", 1, 2))
    agreed(cy, "Still open")
    lifecycle.open_(cy, election("Still open"), editable=False, shows_skills=True)
    voted("voter 5", "Still open", Ada=1)
    voted("voter 0", "Still open", Ada=1)
    add_manager(someone("Ada"), election("Prize again"), "Cy")
    signed_in = keys.session("voter 5", "digest")
    table().write(Put({"PK": signed_in.pk, "SK": signed_in.sk}))
    api_tokens.create(someone("voter 5"), "A program", ["read"], 7)
    accounts.remove(olga, someone("voter 5"))
    accounts.remove(olga, cy)
    set_need(someone("Ada"), election("Prize again"), Need("tea", 2, 1))
    agreed(someone("Ada"), "Prize again")
    accounts.remove_self(someone("voter 4"))
    rolls.forget_display_names("late@example.org")
    tell_of_letters(someone("Ada"))
    assert new_token("Still open", "by.link@example.org", "by.link@example.org", "1")
    accounts.make_demo_person("Late", Role.VOTER, "", PASSWORD)


def tell_of_letters(ada: User) -> None:
    """Somebody whom the organiser knows by a member number."""
    made = drafts.create(ada, "By letter", secret_ballot=False)
    for street in ("Main Street 1", "Main Street 2"):
        add_voters(ada, made, ["4711@"], {"4711@": Details("Ada", postal=(street,), language="de", check="mark")})
    list_by_letter(ada, made, "4711@", Details("Ada", postal=("Main Street 3",), language="de"), is_new=False)
    add_candidates(ada, made, [Candidate("Ada"), Candidate("Bo")])
    made = lifecycle.open_(ada, election("By letter"), editable=False)
    letters.print_batch(ada, made, 1, 10)
    letters.reissue(ada, made, "4711@")


def background_work_fails() -> None:
    table().write(TaskType("unheard of", "").begin("anything", due=now_text()))
    background.resume_due()
    background.retry("unheard of", "anything")
