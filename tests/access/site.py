"""A site with something of everything, and a look at every page of it by somebody who may."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import unquote

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core import mail as sent
from django.test import Client
from django.urls import reverse

from accounts import repository, services
from accounts.connectors import identities
from accounts.connectors.providers import Identity, Provider
from accounts.models import User
from accounts.rules import Role
from accounts.second_factor import authenticator_apps, factors
from ballots import services as voting
from ballots.sealing import seal_closed
from elections import repository as elections
from elections import setup_steps
from elections.candidates import add_candidates, change_picture
from elections.drafts import services as drafts
from elections.groups import services as groups
from elections.invitations import mailing, messages, reminders
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll import imports
from elections.roll.services import add_voters
from elections.rules import Election
from foundation.acts.storage import log
from foundation.acts.tokens import create_token
from foundation.mail import outbox
from foundation.mail.emails import compose
from foundation.mail.sending import send_waiting
from foundation.pages import logo
from foundation.pages.site_views import colours_edition
from foundation.photos.changing import PictureChange
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import as_text, utc_now
from operations.upkeep.doctor import network_checks as doctor
from operations.upkeep.figures import site_sealer
from parts.help_desk import repository as requests
from parts.help_desk import services as help_desk
from parts.help_desk.rules import WAITING, Asker, HelpRequest
from parts.news import access
from parts.news import mailing as news_mailing
from parts.news import repository as posts
from parts.news import services as news_services
from parts.news.likes import member, set_like
from parts.news.rules import Post
from parts.news.services import Written
from parts.polls import counting as poll_sealing
from parts.polls import services as polling
from parts.polls import voters
from parts.polls.rules import Poll
from parts.questions import services as question_sets
from parts.questions.question import Kind, Question
from parts.skills import merging
from parts.skills import services as skills
from parts.skills.endorsements import Ground
from parts.skills.needed import services as skills_needed
from parts.skills.needed.needs import Need
from parts.skills.needed.services import set_need
from parts.webhooks import services as webhooks
from parts.webhooks.rules import TYPES
from results import repository as results
from results.waiting import token_for
from tests.accounts.test_factors import Authenticator
from tests.background import queue_mailings
from tests.markup import attribute, hidden
from tests.people import PASSWORD, confirm, enrol, somebody
from tests.photos.drawing import kept

from .words import MIN_TAG_CHARS, filled, known, note, text

CHOSEN = {"description": "", "time_zone": "UTC", "expires_at": None}
NAMES = ("Ann", "Ben", "Cleo", "Dan", "Eve")
RANKS = {"0": ["1"], "1": ["2"]}
TYPED = {"rank-0": "1", "rank-1": "2"}
SECRET = "5" * 32  # of the last voter's ballot
FORGE = Provider("forge", "github", "Our forge", "https://forge.example.org", "plenum", "secret")
PRESENTED: dict[str, Any] = {"SITE_LOGO": str(settings.BASE_DIR / "static" / "img" / "mark.svg")}
PRESENTED |= {"SITE_COLOUR": "#0b5394", "SIGN_IN_PROVIDERS": [FORGE]}
PASSERS_BY = (
    "half in",
    "stranger",
    "passer-by",
    "guest",
    "changer",
    "booth",
    "asker",
)  # who has given a password and no code; nobody; who has voted in a poll; who votes by a link; who has words; a booth;
# who asks for help


@dataclass(frozen=True, slots=True)
class Look:
    """A page, and who opens it; `of` says what it is about where that matters. With a form it is sent."""

    page: str
    who: str
    words: tuple[Any, ...] = ()
    of: str = ""
    asked: dict[str, str] = field(default_factory=dict)
    form: dict[str, str] | None = None
    gone: bool = False  # a door that is shut on a site such as this

    @property
    def address(self) -> str:
        """What is good for a minute only is made when it is asked for."""
        words = [word() if callable(word) else word for word in self.words]
        return reverse(self.page, args=[known(word) if isinstance(word, str) else word for word in words])


@dataclass
class Site:
    browsers: dict[str, Client]
    looks: list[Look]  # which change nothing that others see
    acts: list[Look]  # each once, in this order


def build() -> Site:
    """On the empty table that `settings.STORE_URL` names."""
    from .assembling import acts_of_assembling, looks_at_assembling
    from .by_link import acts_by_link, looks_by_link
    from .candidate_questions import looks_at_candidate_questions
    from .hosting import acts_of_hosting, looks_at_hosting
    from .joining import acts_of_joining, looks_at_joining
    from .listening import looks_of_listeners
    from .playing import acts_of_playing, looks_at_playing
    from .program import looks_of_programs, program_of
    from .questions import looks_at_questions
    from .records import looks_at_records
    from .voting_here import acts_at_stations, looks_at_stations

    people = _people()
    _draft(people["organiser"])
    _open(people["organiser"], "Board", secret_ballot=True, paper_ballots=True)
    _open(people["organiser"], "Prize", secret_ballot=False, results_visible="live")
    _past(people["organiser"])
    _mailed(people["organiser"])
    _asked(people["organiser"])
    lunch, dinner = _polls(people["organiser"])
    _skills(people["owner"], people["voter"])
    _needs(people["organiser"], people["voter"])
    site_sealer().seal()
    browsers = {name: Client(headers={"host": "localhost:8000"}) for name in (*people, *PASSERS_BY)}
    for name, user in people.items():
        _sign_in(browsers[name], user.name)
    browsers["program"] = program_of(people["organiser"])
    browsers["owner's program"] = program_of(people["owner"], "audit")
    links = _links(people)
    mark = _second_factors(people["voter"], browsers["voter"])
    _sign_in(browsers["half in"], people["voter"].name)
    identities.link(_person(people["newcomer"].name), FORGE, Identity(FORGE.issuer, "4711"))
    browsers["voter"].post("/me/factors/passkey/", {"name": text("Phone", MIN_TAG_CHARS), "present": PASSWORD})
    browsers["passer-by"].post(reverse("poll", args=[lunch.id]), _vote(browsers["passer-by"], lunch))
    browsers["changer"].post(reverse("change", args=[known("Board")]), {"secret": SECRET})
    browsers["changer"].post(reverse("change_ballot", args=[known("Board")]), TYPED)
    looks = [
        *_looks_of_everybody(links),
        *_looks_of_the_voter(mark),
        *_looks_of_the_organiser(),
        *_looks_at_results(),
        *_looks_at_polls(lunch, dinner),
        *_looks_of_the_owner(lunch),
        *_looks_at_skills(),
        *_looks_at_news(*_posts(people["owner"])),
        Look("post", "voter", ((liked := _liked(people["owner"], people["voter"])).slug,), of="which one likes"),
        *_looks_at_feeds(),
        *_looks_at_the_site_page(),
        *_looks_at_sets(set_id := _question_set(people["organiser"])),
        *_looks_at_groups(_group(people["organiser"])),
        *_looks_at_webhooks(_webhook(people["organiser"])),
        *looks_at_joining(people["organiser"], browsers["passer-by"], browsers["half in"]),
        *looks_at_playing(people["organiser"], browsers["passer-by"]),
        *looks_of_listeners(people["organiser"], browsers["passer-by"]),
        *looks_at_hosting(people["organiser"]),
        *looks_at_assembling(people["organiser"], people["voter"], browsers["voter"]),
        *looks_at_records(people["organiser"]),
        *looks_at_questions(people["organiser"], people["voter"]),
        *looks_by_link(people["organiser"], browsers["guest"]),
        *looks_at_stations(people["organiser"], browsers["booth"]),
        *looks_at_candidate_questions(people["organiser"], people["voter"]),
        *looks_of_programs(lunch, liked, set_id),
    ]
    acts = [*acts_of_joining(people["organiser"]), *acts_of_playing(people["organiser"], browsers["passer-by"])]
    acts += [*acts_of_hosting(people["organiser"]), *_acts_of_likers(liked)]
    acts += acts_of_assembling(people["organiser"], people["voter"], browsers["voter"])
    acts += [*acts_by_link(), *acts_at_stations()]
    return Site(browsers, looks, [*acts, *_acts(people, lunch, browsers["stranger"])])


# --- what there is ---


def _webhook(otto: User) -> str:
    """To which a test event is on its way; answers its id."""
    made, _secret = webhooks.add(otto, otto.name, "https://hooks.example/", list(TYPES))
    webhooks.send_test(made)
    return made.id


def _people() -> dict[str, User]:
    people = {
        "owner": somebody(text("Olga"), Role.OWNER),
        "organiser": somebody(text("Otto")),
        "voter": somebody(text("Ann")),
        "newcomer": somebody(text("Ben")),
        "nobody yet": somebody(text("Nico"), Role.NO_ACCESS),
    }
    for user in people.values():
        services.create_account(user, *([repository.first_owner(user)] if user.role == Role.OWNER else []))
    confirm(people["organiser"])
    enrol(*map(text, NAMES))
    return people


def _sign_in(client: Client, name: str) -> None:
    assert client.post("/sign-in/", _signing_in(name)).status_code == 302


def _signing_in(name_or_email: str) -> dict[str, str]:
    return {"name_or_email": name_or_email, "password": PASSWORD}


def _set_up(otto: User, name: str, **chosen: Any) -> Election:
    end = as_text(utc_now() + timedelta(days=30))
    election = drafts.create(otto, text(name), no_voting_after=end, description=text("Who is to do it."), **chosen)
    candidates = (Candidate("Ada", statement="*I* will."), Candidate("Bo"), Candidate("C"))
    add_candidates(otto, election, [filled(each) for each in candidates])
    add_voters(otto, _now(name), [known(each) for each in NAMES])
    return _now(name)


def _now(name: str) -> Election:
    found = elections.find(known(name))
    assert found is not None
    return found


def _draft(otto: User) -> None:
    _set_up(otto, "Draft")
    change_picture(otto, _now("Draft"), known("Ada"), PictureChange(kept(), alt=text("A face")))
    imports.start(otto, _now("Draft"), ["flo@example.org", "gus@example.org"])


def _open(otto: User, name: str, **chosen: Any) -> None:
    """Ann, and those after Ben, have voted in it."""
    lifecycle.open_(otto, _set_up(otto, name, **chosen), editable=False)
    for voter in NAMES[:1] + NAMES[2:]:
        secret = SECRET if voter == NAMES[-1] else ""
        voting.cast(_person(voter), known(name), RANKS, f"form of {voter} in {name}", secret=secret)


def _person(name: str) -> User:
    found = repository.find(known(name))
    assert found is not None
    return found


def _past(otto: User) -> None:
    for name, is_secret in (("Past", True), ("Past prize", False)):
        _open(otto, name, secret_ballot=is_secret, results_public=True)
        closing.close(otto, _now(name))
    seal_closed()


def _mailed(otto: User) -> None:
    reminders.choose(otto, _now("Board"), [24])
    mailing.invite(otto, _now("Board"))
    messages.send(otto, _now("Board"), text("A room"), text("It is **upstairs**."))
    queue_mailings()


def _asked(otto: User) -> None:
    """A request that was answered, and three that wait."""
    board, voter = _now("Board"), Asker(known("Ben"), "ben@example.org", voter=known("Ben"))
    for number, asker in enumerate([voter, voter, STRANGER, STRANGER]):
        help_desk.ask(board, asker, text("Where is my mail?"), network="203.0.113.7", mark=f"asked {number}")
    help_desk.reply(otto, board, requests_waiting()[0], text("It is on its way."))


STRANGER = Asker("Zoë", "zoe@example.net")


def requests_waiting() -> list[HelpRequest]:
    return requests.list_requests(known("Board"), WAITING, limit=9)[0]


def _polls(otto: User) -> tuple[Poll, Poll]:
    chosen, options = CHOSEN | {"description": text("For all of us")}, (text("Pizza"), text("Sushi"))
    made = [polling.make(otto, options, 30, title=text(title), **chosen)[0] for title in ("Lunch", "Dinner")]
    for poll in made:
        for voter in NAMES:
            polling.cast(poll.id, voters.id_of(poll.id, voter), RANKS, f"form of {voter}")
        polling.list_publicly(_runner(poll, otto), listed=True)
    polling.close(_runner(made[1], otto))
    poll_sealing.seal(made[1].id)
    return made[0], made[1]


def _skills(olga: User, ann: User) -> None:
    """Ann has the two that are there, another became part of one, and one is proposed."""
    python, cake = (skills.add(olga, text(name), text("Programming"), text("Well")) for name in ("Python", "Cake"))
    for each in (python, cake):
        skills.hold(
            ann, each.id, f"form {each.id}", level=3, years=7, last_used="2026-10", notes=text("Often"), interest=True
        )
    note("python", python.id)
    note("cake", cake.id)
    old = skills.add(olga, text("Snakes"), text("Programming"), "")
    note("snakes", old.id)
    merging.merge(olga, old, merging.follow_merges(python.id) or python)
    skills.propose(ann, text("Whistling"), text("Music"), text("Loudly"))
    skills.add_alias(olga, cake, text("Gâteau"))
    skills.hold(olga, cake.id, "form", level=2, years=1, last_used="", notes="", interest=False)
    skills.endorse(olga, ann, python.id, (Ground.WORKED,), "another form")


def _needs(otto: User, ann: User) -> None:
    """Ann stands in a draft that needs Python, and was elected where it was needed before."""
    for name in ("Skilled", "Past skilled"):
        drafts.create(otto, text(name))
        add_candidates(otto, _now(name), [Candidate(ann.name), Candidate(text("Zoe"))])
        add_voters(otto, _now(name), [ann.name])
        set_need(otto, _now(name), Need(known("python"), 3, 1))
        skills_needed.agree(ann, _now(name), Candidate(ann.name))
    lifecycle.open_(otto, _now("Past skilled"), editable=False, shows_skills=True)
    voting.cast(ann, known("Past skilled"), RANKS, "form")
    closing.close(otto, _now("Past skilled"))
    seal_closed()


def _posts(olga: User) -> tuple[Post, Post]:
    """One that everybody can read, and one that nobody can yet."""
    seen, draft = (
        news_services.write(olga, filled(Written(title, "*Words*", ("board",)))) for title in ("Seen", "Post")
    )
    news_services.publish(olga, seen)
    prize = results.find(known("Past prize"))
    assert prize is not None
    note("result-past-prize", news_services.announce(olga, prize)[0].slug)
    return seen, draft


def _liked(olga: User, ann: User) -> Post:
    liked = news_services.write(olga, filled(Written("Liked", "*Words*")))
    news_services.publish(olga, liked)
    set_like(member(ann, liked.id), on=True)
    return liked


def _question_set(otto: User) -> str:
    """Shared, with two questions; answers its id."""
    made = question_sets.make(otto, text("Evening"))
    choice = Question("Who won?", Kind.CHOICE, options=("Ada", "Bo"), right=(0,))
    question_sets.add(otto, made.id, [filled(choice), filled(Question("What is next?", category="Plans"))])
    question_sets.share(otto, made.id, on=True)
    return made.id


def _group(otto: User) -> str:
    """With two members; answers its id."""
    made = groups.make(otto, text("Club"))
    groups.add(otto, made.id, [known("Ann"), "club@example.org"])
    return made.id


def _runner(poll: Poll, otto: User) -> polling.Runner:
    found = polling.find_runner(poll.id, otto, "")
    assert found is not None
    return found


# --- doors that open once ---


def _links(people: dict[str, User]) -> dict[str, tuple[str, ...]]:
    """The words of the addresses in mailed links, by page."""
    services.register(text("Zoe"), "zoe@example.org", PASSWORD, "192.0.2.1")
    services.invite(people["owner"], "yan@example.org", Role.VOTER)
    services.send_reset_link(people["owner"], people["newcomer"])
    services.ask_for_new_email(people["voter"], "ann.new@example.org")
    send_waiting(compose)
    found: dict[str, tuple[str, ...]] = {}
    for page, words in (("register", 1), ("invited", 1), ("password/reset", 2), ("me/email", 2)):
        body = next(each.body for each in sent.outbox if f"{settings.SITE_URL}/{page}/" in each.body)
        rest = body.split(f"{settings.SITE_URL}/{page}/")[1].split()[0]
        found[page] = tuple(map(unquote, rest.split("/")[:words]))
    return found


def _second_factors(ann: User, client: Client) -> str:
    """An app and a passkey; answers the mark of the passkey."""
    secret = authenticator_apps.new_secret()
    code = authenticator_apps.code_at(secret, authenticator_apps.step_at(time.time()))
    factors.add_app(_person(ann.name), secret, code, time.time())
    client.post("/me/factors/passkey/", {"name": text("Phone", MIN_TAG_CHARS), "present": PASSWORD})
    options = attribute(client.get("/me/factors/passkey/new/"), "data-options")
    client.post("/me/factors/passkey/new/", {"passkey": Authenticator().create(options)})
    (passkey,) = factors.load_factors(_person(ann.name)).passkeys
    return passkey.short_id


# --- looks ---


def _looks_of_everybody(links: dict[str, tuple[str, ...]]) -> list[Look]:
    pages = ("home", "style", "healthz", "readyz", "checkpoints", "newest_checkpoint", "set_language", "register")
    more = ("sign_in", "forgotten", "sandbox", "try_it", "try_live", "help", "help_secrecy", "help_counting")
    more += ("api", "openapi", "trust", "served_code", "security_txt")
    more += ("favicon", "find_change_password")
    return [
        *(Look(page, "stranger") for page in (*pages, *more)),
        Look("setup", "stranger", ("made-up",), gone=True),
        Look("site_logo", "stranger", (logo.read(settings.SITE_LOGO).edition,)),
        Look("site_colours", "stranger", (colours_edition(settings.SITE_COLOUR),)),
        Look("picture", "stranger", _picture()),
        Look("notice", "stranger", ("privacy",)),
        Look("confirm_registration", "stranger", links["register"]),
        Look("accept_invitation", "stranger", links["invited"]),
        Look("reset", "stranger", links["password/reset"]),
        Look("confirm_email", "stranger", links["me/email"]),
        Look("leave_alone", "stranger", (mailing.unsubscribe_token(known("Board"), known("Ann")),)),
        Look("no_results_by_mail", "stranger", (create_token("no-results", "ann@example.org"),)),
        Look("second_step", "half in"),
        Look("join_by_provider", "stranger"),
        Look("start_provider", "stranger", ("forge",)),
        Look("finish_provider", "stranger", ("forge",), asked={"state": "made-up"}),
        Look("provider_signed_out", "stranger", ("forge",), asked={"iss": FORGE.issuer, "sid": "made-up"}),
        Look("waiting", "nobody yet"),
    ]


def _looks_at_the_site_page() -> list[Look]:
    return [
        Look("site_page", "stranger"),
        Look("edit_site_page", "owner", ("text",)),
        Look("remove_site_page", "owner"),
        Look("edit_notice", "owner", ("privacy",)),
    ]


def _looks_of_the_voter(mark: str) -> list[Look]:
    own = ("me", "change_password", "change_email", "sessions", "own_data", "leave", "factors", "add_app", "remove_app")
    forms = ("own_mails", "own_picture", "make_codes", "name_passkey", "add_passkey")
    own += ("api_tokens", "create_token")
    return [
        Look("home", "voter", of="who is on rolls"),
        *(Look(page, "voter") for page in (*own, *forms)),
        Look("remove_passkey", "voter", (mark,)),
        *(Look(page, "newcomer") for page in ("providers", "prove_identity", "prove_by_second_step")),
        Look("prove_by_link", "newcomer", ("made-up",), gone=True),
        Look("link_provider", "voter", ("forge",)),
        Look("unlink_provider", "newcomer", ("forge",)),
        Look("elections", "voter", of="open ones", asked={"show": "open"}),
        Look("elections", "voter", of="one's own"),
        Look("election", "voter", ("Board",)),
        *(Look("ask_for_help", who, ("Board",)) for who in ("voter", "asker")),
        Look("history", "voter", ("Board",)),
        Look("ballot", "newcomer", ("Board",), of="not voted yet"),
        Look("ballot", "voter", ("Board",), of="to change it"),
        Look("review", "stranger", ("Board",)),
        *(Look(page, "voter", ("Board",)) for page in ("receipt", "ballot_state")),
        *(Look(page, "voter", ("Prize",), of="public") for page in ("receipt", "withdraw")),
        Look("receipt_qr", "voter", ("Prize",), asked={"acts": "1"}),
        *(Look(page, "stranger", ("Board",)) for page in ("change", "change_receipt", "change_review")),
        *(Look(f"change_{page}", "changer", ("Board",)) for page in ("ballot", "withdraw")),
    ]


def _looks_of_the_organiser() -> list[Look]:
    of_drafts = (
        "election_settings",
        "candidates",
        "import_roll",
        "voter_by_letter",
        "roll_source",
        "open_election",
        "rename_election",
        "rehearse",
    )
    of_open = ("dashboard", "turnout", "roll", "export_roll", "message_voters", "choose_reminders", "extend", "paper")
    of_open += ("letters",)
    of_any = ("describe", "close_election", "copy_election", "delete_election", "managers", "hand_over_election")
    (under_way,) = imports.recent_imports(_now("Draft"))[0]
    return [
        Look("home", "organiser", of="who runs some"),
        Look("elections", "organiser"),
        Look("elections", "organiser", of="search", asked={"q": "Bo"}),
        Look("create_election", "organiser"),
        Look("create_election_whole", "organiser"),
        *(Look("election_step", "organiser", ("Draft", step), of=step) for step in setup_steps.BY_NAME),
        *(Look(page, "organiser", ("Draft",)) for page in of_drafts),
        Look("roll", "organiser", ("Draft",), of="to add voters", asked={"add": ""}),
        Look("candidate", "organiser", ("Draft", "Ada")),
        Look("candidate_picture", "organiser", ("Draft", "Ada")),
        Look("go_on_importing", "organiser", ("Draft", under_way.digest)),
        Look("dashboard", "organiser", ("Draft",), of="a draft"),
        Look("dashboard", "organiser", ("Past",), of="a closed one"),
        Look("message_voters", "organiser", ("Past",), of="of a closed one"),
        Look("invitation", "organiser", ("Board",)),
        Look("invitation", "organiser", ("Board",), of="reminders", asked={"what": "reminder"}),
        Look("invitation_mail", "organiser", ("Board",)),
        Look("requests", "organiser", ("Board",)),
        Look("requests", "organiser", ("Board",), of="answered", asked={"show": "answered"}),
        *(
            Look("request", "organiser", ("Board", each.id), of=f"request {number}")
            for number, each in enumerate(requests_waiting())
        ),
        Look("request", "organiser", ("Board", requests_waiting()[0].id), of="search", asked={"q": known("Ben")[:2]}),
        *(Look(page, "organiser", ("Board",)) for page in (*of_open, *of_any)),
    ]


def _looks_at_results() -> list[Look]:
    found = results.find(known("Past"))
    assert found is not None and found.seal is not None  # noqa: PT018
    sealed = found.seal.stamp
    return [
        Look("live", "voter", ("Prize",)),
        Look("live_now", "voter", ("Prize",)),
        *(Look(page, "voter", ("Past",)) for page in ("results", "recount", "follow", "what_if", "bundle")),
        Look("result_screen", "voter", ("Past",)),
        Look("recount_ballots", "voter", ("Past", sealed)),
        Look("follow_ballots", "voter", ("Past", sealed)),
        Look("head_to_head", "voter", ("Past",)),
        Look("head_to_head", "voter", ("Past prize",), of="with names", asked={"one": "0", "other": "1"}),
        Look("mail_result", "organiser", ("Past",)),
        Look("export", "voter", ("Past", "ballots.csv")),
        Look("shared", "stranger", ("Past",)),
        Look("waiting_for_result", "stranger", (token_for(found.election, "/"),)),
    ]


def _looks_at_polls(lunch: Poll, dinner: Poll) -> list[Look]:
    unowned, key = polling.make(AnonymousUser(), (text("Pizza"), text("Sushi")), 30, title=text("Supper"), **CHOSEN)
    of_makers = ("manage_poll", "close_poll", "extend_poll", "delete_poll", "elect_poll")
    return [
        Look("polls", "stranger"),
        Look("polls", "organiser", of="one's own"),
        Look("make_poll", "organiser"),
        Look("poll_by_code", "stranger", (lunch.code,)),
        *(Look(page, "stranger", (lunch.id,)) for page in ("poll", "poll_state", "poll_embed")),
        Look("poll_voted", "passer-by", (lunch.id,)),
        *(Look(page, "stranger", (lunch.id,)) for page in ("poll_results", "poll_results_now")),
        Look("poll_results", "stranger", (dinner.id,), of="ended"),
        Look("poll_export", "stranger", (dinner.id, "votes.csv")),
        *(Look(page, "organiser", (lunch.id,)) for page in of_makers),
        Look("reopen_poll", "organiser", (dinner.id,)),
        Look("poll_key", "stranger", (unowned.id, key)),
    ]


def _looks_of_the_owner(lunch: Poll) -> list[Look]:
    waiting, _cursor = outbox.in_state(outbox.SENT, limit=1)
    pages = ("admin", "system", "features", "purpose", "pause", "sign_in_rule")
    pages += ("log", "tables", "raw_tables", "people", "invitations", "invite", "mails")
    return [
        Look("metrics", "owner"),
        Look("doctor", "stranger", (doctor.signed_token,)),
        *(Look(page, "owner") for page in pages),
        Look("switch_off", "owner", ("live",)),
        Look("people", "owner", of="by a word of a name", asked={"q": "ann"}),
        Look("log", "owner", of="of one election", asked={"election": known("Board")}),
        Look("event", "owner", (1,)),
        Look("checkpoint", "stranger", (_newest_public(),)),
        Look("raw_tables", "owner", of="one election", asked={"table": "data", "pk": keys.election(known("Board")).pk}),
        Look("raw_item", "owner", asked={"table": "data", "pk": keys.election(known("Board")).pk, "sk": "METADATA"}),
        Look("table", "owner", ("users",)),
        Look("table_csv", "owner", ("users",)),
        Look("person", "owner", ("Ann",)),
        Look("remove_person", "owner", ("Ann",)),
        Look("mail", "owner", (waiting[0].number,)),
        Look("mails", "owner", of="that failed", asked={"state": "failed"}),
    ]


def _looks_at_skills() -> list[Look]:
    of_admins = ("edit_skill", "rename_skill", "add_alias", "merge_skill")
    return [
        Look("help_skills", "stranger"),
        Look("skills", "voter"),
        Look("skills", "voter", of="search", asked={"q": "Py"}),
        Look("skill", "voter", ("python",)),
        Look("skill", "voter", ("snakes",), of="merged"),
        Look("find_people", "voter"),
        Look("find_people", "voter", of="one skill", asked={"skill": known("Python"), "level": "3"}),
        Look("find_people", "voter", of="with years", asked={"skill": known("Python"), "level": "3", "years": "5"}),
        Look("find_people", "voter", of="several skills", asked={"skill": known("Python"), "skill2": known("Cake")}),
        Look("propose_skill", "voter"),
        Look("own_skills", "voter"),
        Look("find_own_skill", "voter", asked={"q": "Py"}),
        Look("own_skill", "voter", ("python",)),
        Look("profile", "newcomer", ("Ann",)),
        Look("endorsements", "newcomer", ("Ann", "python")),
        Look("endorse", "voter", ("Olga", "cake")),
        Look("own_endorsements", "owner"),
        Look("add_skill", "owner"),
        Look("skill_proposals", "owner"),
        Look("skill_matrix", "owner"),
        Look("skill_matrix_csv", "owner"),
        Look("needs", "organiser", ("Skilled",)),
        Look("agree", "voter", ("Skilled",)),
        Look("skilled_voters", "organiser", ("Skilled",)),
        Look(
            "skilled_voters", "organiser", ("Skilled",), of="a preview", form={"skill": known("Python"), "level": "3"}
        ),
        Look("candidates_skills", "voter", ("Past skilled",)),
        Look("results", "voter", ("Past skilled",), of="with needs"),
        Look("board_skills", "voter", ("Past skilled",)),
        *(Look(page, "owner", ("cake",)) for page in of_admins),
        Look("merge_skill", "owner", ("python",), of="a preview", asked={"into": known("Gâteau")}),
    ]


def _looks_at_sets(set_id: str) -> list[Look]:
    return [
        *(Look(page, "organiser") for page in ("question_sets", "make_set", "set_template")),
        Look("question_sets", "owner", of="shared", asked={"show": "shared"}),
        *(Look(page, "organiser", (set_id,)) for page in ("question_set", "edit_set", "delete_set", "import_set")),
        *(Look(page, "organiser", (set_id,)) for page in ("set_csv", "set_json", "set_gift", "add_question")),
        *(Look(page, "organiser", (set_id, 1)) for page in ("edit_question", "remove_question")),
        Look("edit_question_category", "organiser", (set_id, 1)),
    ]


def _looks_at_webhooks(webhook_id: str) -> list[Look]:
    pages = ("webhook", "edit_webhook", "renew_webhook_secret", "delete_webhook")
    return [
        *(Look(page, "organiser") for page in ("webhooks", "add_webhook")),
        *(Look(page, "organiser", (webhook_id,)) for page in pages),
        Look("webhooks", "owner", of="with those of the site"),
        Look("add_site_webhook", "owner"),
    ]


def _looks_at_groups(group_id: str) -> list[Look]:
    return [
        *(Look(page, "organiser") for page in ("groups", "make_group")),
        *(Look(page, "organiser", (group_id,)) for page in ("group", "add_members", "rename_group", "delete_group")),
        Look(
            "add_members", "organiser", (group_id,), of="a preview", form={"text": f"{known('Ann')}\nnew@example.org"}
        ),
        Look("group_csv", "organiser", (group_id,)),
        Look("add_group", "organiser", ("Skilled",)),
        Look("add_group", "organiser", ("Skilled",), of="its numbers", form={"group": group_id}),
    ]


def _looks_at_news(seen: Post, draft: Post) -> list[Look]:
    of_writers = ("edit_post", "picture_post", "publish_post", "delete_post")
    return [
        Look("news", "stranger"),
        Look("news_tag", "stranger", ("board",)),
        Look("news_by", "stranger", ("Olga",)),
        Look("post", "stranger", (seen.slug,)),
        Look("post", "owner", (draft.slug,), of="a draft"),
        Look("preview_post", "stranger", (access.preview_link(draft).rstrip("/").rpartition("/")[2],)),
        Look("post_drafts", "owner"),
        Look("post_drafts", "organiser", of="one's own"),
        Look("write_post", "owner"),
        Look("write_post", "organiser", of="about an election", asked={"election": known("Board")}),
        *(Look(page, "owner", (seen.id,)) for page in (*of_writers, "withdraw_post")),
        Look("news_by_mail", "stranger"),
        Look("news_by_mail", "voter", of="signed in"),
        Look("confirm_news", "stranger", (news_mailing.confirm_token("ann@example.org", "en"),)),
        Look("leave_news", "stranger", (news_mailing.leave_token("ann@example.org"),)),
        Look("news_subscribers", "owner"),
        Look("revoke_previews", "owner", (draft.id,)),
        Look("news_about", "voter", ("Past prize",)),
        Look("post", "stranger", ("result-past-prize",), of="an announcement"),
        Look("help_news", "stranger"),
    ]


def _looks_at_feeds() -> list[Look]:
    (seen, *_others), _more = posts.published(limit=1)
    return [
        *(Look(page, "stranger") for page in ("news_atom", "news_json", "sitemap", "sitemap_pages", "robots")),
        *(Look(f"news_tag_{kind}", "stranger", ("board",)) for kind in ("atom", "json")),
        *(Look(f"news_by_{kind}", "stranger", (seen.author,)) for kind in ("atom", "json")),
        Look("sitemap_year", "stranger", (str(seen.published_at)[:4],)),
    ]


def _picture() -> tuple[str, int, str]:
    found = elections.find_candidate(known("Draft"), known("Ada"))
    assert found is not None and found.photo is not None  # noqa: PT018
    return found.photo.id, found.photo.widths[0], found.photo.kind


def _newest_public() -> int:
    newest = log().newest_public()
    assert newest is not None
    return int(newest["event_id"])


# --- acts ---


def _vote(client: Client, poll: Poll) -> dict[str, str]:
    page = client.get(reverse("poll", args=[poll.id]))
    return {"token": f"form {id(client)}", voters.STAMP: hidden(page, voters.STAMP), **TYPED}


def _acts_of_likers(liked: Post) -> list[Look]:
    return [
        Look("like_post", "stranger", (liked.id,), form={"on": "yes"}),
        Look("like_post", "newcomer", (liked.id,), of="with an account", form={"on": "yes"}),
    ]


def _acts(people: dict[str, User], lunch: Poll, stranger: Client) -> list[Look]:
    owner, otto = people["owner"], people["organiser"]
    return [
        Look("cast", "newcomer", ("Board",), of="a secret ballot", form={"token": "first", **TYPED}),
        Look("cast", "newcomer", ("Prize",), of="a public ballot", form={"token": "third", **TYPED}),
        Look("withdraw", "newcomer", ("Prize",), of="done", form={"token": "fourth"}),
        Look("change_cast", "changer", ("Board",), form={"token": "fifth", "secret": SECRET, **TYPED}),
        Look("change_receipt", "changer", ("Board",), of="with the secret", form={"secret": SECRET}),
        Look("change_withdraw", "changer", ("Board",), of="done", form={"token": "sixth", "secret": SECRET}),
        Look("poll", "stranger", (lunch.id,), of="a vote", form=_vote(stranger, lunch)),
        Look("announce_result", "organiser", ("Past",), of="done", form={}),
        Look("sign_in", "stranger", of="by name", form=_signing_in(owner.name)),
        Look("sign_in", "passer-by", of="by address", form=_signing_in(owner.email)),
        Look("sign_in", "organiser", of="on a known device", form=_signing_in(otto.name)),
    ]
