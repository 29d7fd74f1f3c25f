"""A voter's way from the ballot page to the one that says thank you; how many requests it takes differs by revision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .client import Request, Response, Step, ask, hidden_fields
from .data import Person


@dataclass(frozen=True, slots=True)
class Way:
    election: str
    has_review: bool  # as a page, to which the ballot page leads; otherwise the ballot page itself casts

    @classmethod
    def at(cls, port: int, election: str, person: Person) -> Way:
        """As this site has it: somebody looks at the ballot page."""
        way = cls(election, has_review=False)
        page = ask(port, Request(way.ballot), person.cookies)
        return cls(election, has_review="token" not in way.fields(page))

    @property
    def ballot(self) -> str:
        return f"/election/{self.election}/ballot/"

    @property
    def cast(self) -> str:
        return f"{self.ballot}cast/"

    def fields(self, page: Response) -> dict[str, str]:
        return hidden_fields(page.text, self.ballot, self.cast)

    def to_ballot(self, person: Person) -> list[Step]:
        return [Request(self.ballot)]

    def to_form(self, person: Person) -> list[Step]:
        """Until the page is there whose form casts."""
        return [*self.to_ballot(person), *(self.to_review(person) if self.has_review else [])]

    def to_review(self, person: Person) -> list[Step]:
        marks = marks_of(person.form, self.election)
        return [lambda page: Request(self.ballot, self.fields(page) | marks), follow]

    def casting(self, person: Person) -> list[Step]:
        marks = marks_of(person.form, self.election)
        return [lambda page: Request(self.cast, self.fields(page) | marks)]

    def to_receipt(self, person: Person) -> list[Step]:
        """Of a ballot that was cast: by the form on the page that says thank you, if it has one."""
        change = f"/election/{self.election}/change/"
        by_form = f"{change}receipt/"

        def receipt(thanks: Response) -> Request:
            page = thanks.text
            return (
                Request(by_form, hidden_fields(page, change)) if by_form in page else Request(f"{self.ballot}receipt/")
            )

        return [receipt]


def follow(answer: Response) -> Request | None:
    return Request(answer.location) if answer.location else None


def marks_of(form: Mapping[str, str], kind: str) -> dict[str, str]:
    """What somebody with this ranking marks: the three they like best, or five points for the first, and so on."""
    ranks = {name: int(value) for name, value in form.items() if name.startswith("rank-") and value}
    best = sorted(ranks, key=ranks.__getitem__)
    if kind == "yes-no":
        return {"rank-choice": "0"}
    if kind in ("choose", "approval"):
        return dict.fromkeys(best[:3], "1")
    if kind == "score":
        return {name: str(max(0, 6 - rank)) for name, rank in ranks.items()}
    if kind == "points":
        return dict(zip(best, "532", strict=False))
    return {name: form[name] for name in form if name.startswith("rank-")}
