"""What heavy acts say before they are done, and what there is to think about: by the numbers alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from elections.convening import Convened
from elections.dashboard.checklist import checklist_items, fixed_by_opening
from elections.dashboard.concerns import ElectionSnapshot, concerns
from elections.invitations.progress import Progress, counts_of
from elections.lifecycle.views import consequences_of_closing, consequences_of_deleting
from elections.rules import Action, Election, Relation, offered
from foundation.ranking.candidates import Candidate
from tests.rows import every_row

NOW = "2026-11-16T12:00:00.000Z"
IN_TWO_WEEKS, PAST = "2026-11-30T12:00:00.000Z", "2026-11-15T12:00:00.000Z"
DRAFT = Election("Board", "Ada", "2026-11-01T00:00:00.000Z", voter_count=207, no_voting_after=IN_TWO_WEEKS)
OPEN = replace(DRAFT, allow_edit=False, allow_vote=True)
CLOSED = replace(DRAFT, allow_edit=False)
EVERY = {action.name for action in Action}


# --- closing ---


@every_row(
    ("election", "voted", "sentence", "is_calm"),
    [
        (OPEN, 5, "202 of 207 have not voted. There are 14 days left until the planned end.", False),
        (OPEN, 206, "1 of 207 has not voted. There are 14 days left until the planned end.", False),
        (OPEN, 207, "Everyone has voted. There are 14 days left until the planned end.", True),
        (replace(OPEN, no_voting_after=PAST), 5, "202 of 207 have not voted. The planned end has passed.", True),
        (
            replace(OPEN, no_voting_after=None),
            5,
            "202 of 207 have not voted. No end is planned: it ends when you close it.",
            False,
        ),
        (
            replace(OPEN, electorate="everyone"),
            5,
            "5 have voted. There are 14 days left until the planned end.",
            False,
        ),
    ],
)
def test_closing_says_who_is_left_out_and_how_long_they_had(election, voted, sentence, is_calm):
    said = consequences_of_closing(election, voted, NOW)
    assert said.sentences[0] == sentence
    assert said.sentences[-1].startswith("After that nobody can vote")
    assert said.is_calm is is_calm


def test_closing_shows_its_numbers():
    assert [each.number for each in consequences_of_closing(OPEN, 5, NOW).figures] == ["5", "202", "14 days"]
    assert [each.number for each in consequences_of_closing(replace(OPEN, electorate="everyone"), 5, NOW).figures] == [
        "5",
        "14 days",
    ]
    assert "Nobody has voted" in consequences_of_closing(OPEN, 0, NOW).sentences[1]


# --- deleting ---


SEALED = Progress(is_sealed=True)


def test_deleting_says_what_goes_and_what_stays():
    said = consequences_of_deleting(CLOSED, 5, 120, 384, SEALED, "https://example.org/result/Board/")
    assert [each.number for each in said.figures] == ["5", "207", "120", "384"]
    assert "120 ballots will be deleted for good. The event log keeps a record of what happened." in said.sentences[0]
    assert "published at https://example.org/result/Board/; that page will be deleted, too" in said.sentences[1]
    assert not said.is_calm


def test_of_a_draft_nothing_was_cast_or_mailed():
    assert [each.number for each in consequences_of_deleting(DRAFT, 2, 0, 0, Progress(), "").figures] == ["2", "207"]


@every_row(
    ("election", "got", "words"),
    [
        (CLOSED, SEALED, "nobody can look it up"),
        (OPEN, Progress(), "there will be no result"),
        (DRAFT, Progress(), ""),
    ],
)
def test_what_is_lost_with_it(election, got, words):
    assert words in " ".join(consequences_of_deleting(election, 2, 0, 0, got, "").sentences[1:])


# --- opening ---


NAMES = ("Bo", "Cy", "Di")


def points(election=DRAFT, names=NAMES, roll=(0, 0, {}), who=Relation.OWNER):
    may = {action.name for action in offered(who, election.state(NOW))}
    candidates = {1: [Candidate(name) for name in names]}
    return {each.label: each for each in checklist_items(election, candidates, roll, may, NOW)}


def test_the_recap_says_every_choice_with_where_it_is_changed():
    found = points()
    assert len(found) == 8
    assert all(each.change is not None for each in found.values())
    assert found["Candidates"].lines == ("3 candidates",)
    assert found["Candidates"].names == NAMES
    assert found["Who may vote"].lines == ("207 voters on the roll",)
    assert found["When"].moments == (("Voting ends", datetime.fromisoformat(IN_TWO_WEEKS)),)
    assert "would beat every other head to head" in found["How it is counted"].lines[0]
    assert "below all ranked candidates" in found["How it is counted"].lines[1]
    assert not any(each.is_missing for each in found.values())
    assert found["When"].change.address == "/election/Board/steps/when/"
    assert not any(each.change for each in points(who=Relation.MODERATOR).values())


@every_row(
    ("changes", "label", "words"),
    [
        ({"vote_by_link": True}, "How people vote", "the mail is forwarded to can vote"),
        ({}, "How people vote", "signed in, with an account"),
        ({"remind_before": (24,)}, "Mails", "are reminded: 1 day before the end."),
        ({"remind_before": (24,)}, "Mails", "While fewer than three people have voted, everybody who was invited"),
        ({}, "Mails", "Opening sends no mail"),
        ({"announces": True}, "Mails", "Voters get the result by mail"),
        ({"secret_ballot": False}, "Ballots", "public: everybody may see who ranked whom"),
        ({"paper_ballots": True}, "Ballots", "paper ballots"),
        ({"results_public": True}, "Results are shown", "to anyone on the web"),
        ({"seats": 2, "method": "stv-scottish"}, "How it is counted", "2 seats"),
        ({"no_voting_after": None}, "When", "stays open until an organiser closes it"),
        ({"electorate": "everyone"}, "Who may vote", "everybody here who may vote when it opens"),
    ],
)
def test_the_recap_says_what_was_chosen(changes, label, words):
    assert words in " ".join(points(replace(DRAFT, **changes))[label].lines)


@every_row(
    ("changes", "names", "missing"),
    [
        ({}, ("Bo",), ["Candidates"]),
        ({"seats": 3, "method": "stv-meek"}, NAMES, ["Candidates"]),
        ({"voter_count": 0}, NAMES, ["Who may vote"]),
        ({"no_voting_after": PAST}, NAMES, ["When"]),
        ({"voter_count": 0, "electorate": "everyone"}, NAMES, []),
    ],
)
def test_what_is_missing_is_marked(changes, names, missing):
    found = points(replace(DRAFT, **changes), names)
    assert [label for label, each in found.items() if each.is_missing] == missing


def test_of_a_short_roll_it_is_known_who_has_no_account():
    lines = points(roll=(12, 1, {}))["Who may vote"].lines
    assert "12 of them are listed by mail address" in lines[1]
    assert "1 of them cannot vote: the account no longer exists." in lines[2]
    assert len(points(replace(DRAFT, vote_by_link=True), roll=(12, 0, {}))["Who may vote"].lines) == 1


@every_row(
    ("weights", "words"),
    [
        ({1: 24, 2: 14}, "14 voters have 2 votes each: 52 votes in all."),
        ({1: 1, 1000: 1}, "1 voter has 1,000 votes: 1,001 votes in all."),
        ({2: 1, 3: 1, 5: 2}, "4 voters have 2 to 5 votes each: 15 votes in all."),
    ],
)
def test_the_recap_adds_up_the_weights(weights, words):
    assert words in points(roll=(0, 0, weights))["Who may vote"].lines


def test_weights_and_secret_ballots_do_not_go_together():
    found = points(replace(DRAFT, extra_votes=3))["Ballots"]
    assert (found.is_missing, "would show whose it is" in found.lines[-1]) == (True, True)
    assert not points(replace(DRAFT, extra_votes=3, secret_ballot=False))["Ballots"].is_missing


def test_what_stays_as_it_is_depends_on_the_end():
    assert "The end can only be moved later." in fixed_by_opening(DRAFT)
    assert "No end can be set any more." in fixed_by_opening(replace(DRAFT, no_voting_after=None))


# --- what there is to think about ---


def looked(election, candidates=3, silent=0, got=None, may=EVERY):
    there = [Candidate(f"Candidate {number}", "" if number < silent else "Hello.") for number in range(candidates)]
    return ElectionSnapshot(election, {1: there}, may, NOW, got or Progress())


FAILED = Progress({"invited": counts_of({"invited_failed": 2, "invited_nowhere": 1}, "invited")})
UNMET = Convened("Spring", "1", PAST, 5, 12, ">1/2", quorate=False)


@every_row(
    ("election", "candidates", "silent", "got", "found"),
    [
        (DRAFT, 3, 0, None, []),
        (replace(DRAFT, voter_count=5), 3, 0, None, ["secrecy"]),
        (replace(DRAFT, voter_count=10), 5, 0, None, ["secrecy"]),
        (replace(DRAFT, voter_count=5), 3, 2, None, ["secrecy", "statements"]),
        (replace(DRAFT, voter_count=5, secret_ballot=False), 5, 0, None, []),
        (replace(DRAFT, voter_count=0, electorate="everyone"), 5, 0, None, []),
        (replace(DRAFT, no_voting_after=PAST), 3, 1, None, ["settings", "statements"]),
        (OPEN, 3, 0, FAILED, ["failed", "no address"]),
        (replace(OPEN, vote_by_link=True, mail_votes=False), 3, 0, None, ["unnoticed"]),
        (replace(OPEN, vote_by_link=True), 3, 0, None, []),
        (
            replace(OPEN, convened=UNMET),
            3,
            1,
            FAILED,
            ["failed", "quorum", "no address", "statements"],
        ),
        (replace(CLOSED, voter_count=5), 3, 1, FAILED, ["failed"]),
    ],
)
def test_what_there_is_to_think_about_the_heaviest_first(election, candidates, silent, got, found):
    every = concerns(looked(election, candidates, silent, got))
    assert [each.what for each in every] == found
    assert all(each.sentence.endswith(".") for each in every)


def test_each_says_where_it_is_mended_to_who_may_mend_it():
    draft = replace(DRAFT, no_voting_after=PAST)
    links = {each.what: each.link for each in concerns(looked(draft, 3, 2))}
    assert links["settings"].address == "/election/Board/settings/"
    assert links["statements"].address == "/election/Board/candidates/"
    assert [each.link for each in concerns(looked(draft, 3, 2, may=()))] == [None, None]
    (failed, _nowhere) = concerns(looked(OPEN, got=FAILED))
    assert failed.link.address == "/election/Board/roll/?show=failed"


def test_what_the_next_step_says_is_not_said_twice():
    assert concerns(looked(replace(DRAFT, no_voting_after=PAST)), except_for="settings") == []


def test_two_doubts_about_secrecy_are_one_thing_to_think_about():
    (found,) = concerns(looked(replace(DRAFT, voter_count=5)))
    assert "so few voters" in found.sentence
    assert "more possible rankings" in found.sentence
