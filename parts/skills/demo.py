"""Skills of the demo: a catalogue as in a club of some size, and members who have these skills."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from contextlib import suppress

from django.contrib.auth.hashers import make_password

from accounts import repository as people
from accounts.demo import DEMO_DOMAIN, PASSWORD
from accounts.models import User
from accounts.rules import Role
from accounts.services import create_account, new_user
from elections.rules import Election
from foundation.acts.queues import Progress, no_progress
from foundation.acts.refusals import NameTaken, NotNow
from foundation.ranking.candidates import Candidate
from parts.skills.needed.needs import Need

from . import repository, services
from .endorsements import Ground
from .needed import services as needed
from .rules import Visibility

# category: skill, and its aliases
CATALOGUE = {
    "Running the club": (
        "Chairing meetings: moderation",
        "Taking minutes: minutes, protocol",
        "Bookkeeping: accounting",
        "Grant applications: fundraising by grants",
        "Association law: bylaws, club law",
        "Data protection: GDPR, privacy law",
        "Annual budgets: budgeting",
        "Mediation: conflict resolution",
        "Looking after volunteers",
    ),
    "Events": (
        "Planning events: event management",
        "Stage lighting: light design",
        "Sound engineering: live sound, PA",
        "First aid: Erste Hilfe",
        "Fire safety",
        "Catering for a hundred",
        "Ticket sales",
        "Hosting an evening: compère",
    ),
    "Words and pictures": (
        "Proofreading: copy editing",
        "Press releases: PR",
        "Photography",
        "Graphic design: layout",
        "Video editing: film cutting",
        "Social media",
        "Translating English and German: Übersetzen",
        "Translating English and French",
        "Sign language: BSL, DGS",
    ),
    "Computing": (
        "Python",
        "Go: Golang",
        "JavaScript: JS, ECMAScript",
        "Web accessibility: a11y, WCAG",
        "Linux servers: system administration, sysadmin",
        "Databases: SQL",
        "Spreadsheets: Excel",
        "Statistics: data analysis",
        "Information security: IT security",
    ),
    "Workshop": (
        "Woodworking: joinery, carpentry",
        "Welding",
        "Electrical work: electrics",
        "Soldering: electronics",
        "3D printing: additive manufacturing",
        "Bicycle repair",
        "Sewing: dressmaking",
        "Painting and plastering",
        "Plumbing",
    ),
    "Teaching": (
        "Teaching adults: training",
        "Teaching children",
        "Mentoring: coaching",
        "Public speaking: rhetoric",
        "Writing course material",
        "Mathematics: maths",
        "Physics",
        "German as a foreign language: DaF",
    ),
    "Outdoors": (
        "Gardening",
        "Beekeeping: apiculture",
        "Map and compass: orienteering",
        "Driving a van: van licence",
        "Sailing",
        "Climbing: belaying",
        "Pruning fruit trees: orchard care",
        "Bird identification: ornithology",
    ),
}

# occupations and their skills
CALLINGS = {
    "treasurer": ("bookkeeping", "annual-budgets", "spreadsheets", "grant-applications"),
    "chair": ("chairing-meetings", "association-law", "mediation", "public-speaking"),
    "secretary": ("taking-minutes", "proofreading", "data-protection", "looking-after-volunteers"),
    "host": ("planning-events", "hosting-an-evening", "catering-for-a-hundred", "first-aid", "ticket-sales"),
    "technician": ("stage-lighting", "sound-engineering", "electrical-work", "fire-safety"),
    "writer": ("press-releases", "proofreading", "social-media", "translating-english-and-german"),
    "designer": ("graphic-design", "photography", "video-editing", "web-accessibility"),
    "programmer": ("python", "javascript", "databases", "web-accessibility"),
    "administrator": ("linux-servers", "go", "information-security", "databases"),
    "maker": ("woodworking", "3d-printing", "soldering", "teaching-children"),
    "mechanic": ("bicycle-repair", "welding", "driving-a-van", "plumbing"),
    "teacher": ("teaching-adults", "writing-course-material", "mathematics", "public-speaking"),
    "gardener": ("gardening", "pruning-fruit-trees", "beekeeping", "driving-a-van"),
    "guide": ("map-and-compass", "climbing", "first-aid", "bird-identification"),
    "analyst": ("statistics", "spreadsheets", "python", "mathematics"),
}
# existing demo members, and thirty more
KNOWN = {
    "Ada Lovelace": "programmer",
    "Grace Hopper": "administrator",
    "Katherine Johnson": "analyst",
    "Alan Turing": "programmer",
    "Emmy Noether": "teacher",
    "Hypatia": "teacher",
    "Ibn al-Haytham": "designer",
    "Wang Zhenyi": "guide",
}
MEMBERS = {
    "Aino Virtanen": "gardener",
    "Amina Diallo": "treasurer",
    "Anton Berger": "technician",
    "Beatriz Lopes": "host",
    "Camille Laurent": "writer",
    "Daniel Osei": "mechanic",
    "Dilara Şahin": "designer",
    "Elif Kaya": "secretary",
    "Fiona MacLeod": "guide",
    "Giulia Conti": "host",
    "Hannah Weiss": "chair",
    "Henrik Dahl": "maker",
    "Ines Ferreira": "analyst",
    "Jakub Nowak": "administrator",
    "Jonas Keller": "mechanic",
    "Katarzyna Zielińska": "teacher",
    "Leila Haddad": "writer",
    "Lucas Martin": "technician",
    "Maja Kovač": "treasurer",
    "Marta Silva": "gardener",
    "Mehmet Demir": "maker",
    "Mei Tanaka": "designer",
    "Nils Andersson": "programmer",
    "Olena Shevchenko": "secretary",
    "Paul Schneider": "chair",
    "Priya Raman": "analyst",
    "Rosa Jiménez": "guide",
    "Samuel Okoro": "programmer",
    "Tomás Novák": "mechanic",
    "Yusuf Rahman": "teacher",
}
HIDDEN = {"Nils Andersson": Visibility.ADMINS, "Marta Silva": Visibility.NOBODY}
PROPOSED = (("Juggling", "Events", "Three balls at least."), ("Rust", "Computing", ""))


# what an election of the demo needs: a skill, a level, and of how many; and the candidates who show what they can do
NEEDS = {
    "Committee of the workshop": (
        (("bookkeeping", 2, 1), ("chairing-meetings", 2, 1), ("first-aid", 1, 2), ("welding", 3, 1)),
        ("Amina Diallo", "Beatriz Lopes", "Hannah Weiss", "Henrik Dahl"),
    ),
}


def set_needs(owner: User, election: Election) -> None:
    """If the demo's catalogue of skills is loaded."""
    wanted, agreeing = NEEDS.get(election.name, ((), ()))
    known = repository.find_many(skill for skill, _level, _count in wanted)
    for skill, level, count in wanted:
        if skill in known:
            needed.set_need(owner, election, Need(skill, level, count))
    for name in agreeing if known else ():
        if (person := people.find(name)) is not None:
            needed.agree(person, election, Candidate(name))


def load(progress: Progress = no_progress) -> int:
    """Creates what is missing of the demo and returns its number of skills; 0 if the last of it exists already."""
    owner, proposer = people.find(people.owner_name() or ""), people.find("Hypatia")
    if owner is None or proposer is None or repository.find_by_name(PROPOSED[-1][0]):
        return 0
    lines = [(category, line) for category, lines in CATALOGUE.items() for line in lines]
    for category, line in lines:
        name, _colon, others = line.partition(": ")
        skill = repository.find_by_name(name) or services.add(owner, name, category, "")
        for other in filter(None, others.split(", ")):
            if repository.find_by_name(other) is None:
                services.add_alias(owner, repository.find(skill.id) or skill, other)
    everybody = KNOWN | MEMBERS
    for number, name in enumerate(_people(), 1):
        if (person := people.find(name)) is not None:
            _add_skills(person, everybody[name])
        progress(number, len(everybody))
    members = {name: person for name in MEMBERS if (person := people.find(name)) is not None}
    for name in members:
        _add_endorsements(name, members)
    for proposed in PROPOSED:
        if repository.find_by_name(proposed[0]) is None:
            services.propose(proposer, *proposed)
    return len(lines)


def _people() -> Iterator[str]:
    """Existing demo members, then new ones, who share a password that is hashed only once."""
    hashed = make_password(PASSWORD)
    yield from KNOWN
    for number, name in enumerate(MEMBERS):
        with suppress(NameTaken):
            create_account(new_user(name, f"member{number + 1}@{DEMO_DOMAIN}", hashed, Role.VOTER))
        yield name


def _add_skills(person: User, calling: str) -> None:
    """Deterministic; more years mean a higher level."""
    held = repository.own_skills(person.name).held
    chance = random.Random(person.name)  # noqa: S311 - the demo is the same everywhere
    for skill in CALLINGS[calling]:
        years = chance.randint(0, 25)
        level = min(4, 1 + years // 4 + chance.randint(0, 1))
        month = f"202{chance.randint(4, 5)}-{chance.randint(1, 12):02d}"
        interest = chance.random() < 0.25
        statement = {"level": level, "years": years, "last_used": month, "notes": "", "interest": interest}
        if skill not in held:
            services.hold(person, skill, f"demo {skill}", **statement)
    if person.name in HIDDEN:
        services.show_to(person, HIDDEN[person.name])


def _add_endorsements(name: str, members: Mapping[str, User]) -> None:
    """For colleagues: mostly of the same occupation, occasionally of another."""
    chance = random.Random(f"{name} vouches")  # noqa: S311 - as above
    for other in (each for each in members if each != name and each not in HIDDEN):
        is_near = MEMBERS[other] == MEMBERS[name]
        if chance.random() > (0.9 if is_near else 0.06):
            continue
        skill = chance.choice(CALLINGS[MEMBERS[other]])
        grounds = sorted(chance.sample(list(Ground), chance.randint(1, 2)), key=list(Ground).index)
        with suppress(NotNow):  # they have
            services.endorse(members[name], members[other], skill, grounds, f"demo {other} {skill}")
