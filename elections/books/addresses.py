"""What voters are asked by, where an election is one of several questions on a ballot: its name, and where it leads."""

from __future__ import annotations

from elections.rules import Election

from . import repository


def called(election: Election) -> str:
    """What mails to voters call it: one invitation is for all questions on the ballot."""
    book = repository.find(election.book) if election.book else None
    return book.name if book else election.name


def page_of(election: Election) -> tuple[str, str]:
    """The page that says what one votes on, as a route and its word."""
    return ("book", election.book) if election.book else ("election", election.name)


def ballot_of(election: Election) -> tuple[str, str]:
    return ("book_ballot", election.book) if election.book else ("ballot", election.name)
