"""People of the demo: one for every role, all with the same published password."""

from .rules import Role

DEMO_DOMAIN = "demo.example"
PASSWORD = "demo-demo-demo"  # noqa: S105 - public on purpose

PEOPLE = (
    ("Ada Lovelace", Role.OWNER, "Looks after this site."),
    ("Grace Hopper", Role.AUDITOR, "Checks that the log and the results fit together."),
    ("Katherine Johnson", Role.ADMIN, "Lets people in and answers their questions."),
    ("Alan Turing", Role.USER, "Runs elections."),
    ("Emmy Noether", Role.USER, "Runs elections."),
    ("Hypatia", Role.VOTER, "Votes."),
    ("Ibn al-Haytham", Role.VOTER, "Votes."),
    ("Wang Zhenyi", Role.VOTER, "Votes."),
    ("Srinivasa Ramanujan", Role.OBSERVER, "Looks on."),
    ("Sofya Kovalevskaya", Role.NO_ACCESS, ""),
)
