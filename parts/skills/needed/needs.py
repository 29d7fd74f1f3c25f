"""Skills an election needs, candidates' agreements to show theirs, and the snapshot at the opening.

Only the account of a candidate's name can agree, for one election and the skills listed by then. The snapshot is all
that is ever shown, so later changes of a profile do not affect an election.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from accounts import repository as people
from accounts.models import User
from accounts.rules import Permission
from elections import repository
from elections.rules import Election, State
from foundation.acts.storage import table
from foundation.pages.names import natural_sort_key
from foundation.parts import Panel
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.table import Delete, Equals, Exists, Item, Key, Missing, Put, Update, Write
from parts.skills import merging
from parts.skills import repository as skills
from parts.skills.rules import Level, Skill, level_of


@dataclass(frozen=True, slots=True)
class Need:
    """A skill, its least level, and how many of those elected should have it."""

    skill: str
    level: int
    count: int
    name: str = ""

    @property
    def about(self) -> Level:
        return level_of(self.level)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Which skills a candidate lets be shown: none if they were only asked, or declined."""

    candidate: str
    person: str
    account: str
    skills: tuple[str, ...]
    asked: tuple[str, ...] = ()  # which skills they were last asked about by mail
    answered: tuple[str, ...] = ()  # skills they have agreed or declined to show
    question: int = 1  # in which they stand; it counts for all that they stand in

    @property
    def is_unanswered(self) -> bool:
        return not set(self.asked) <= {*self.answered, *self.skills}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Levels at the opening for each need: 0 without the skill, None without consent."""

    needs: tuple[Need, ...]
    levels: Mapping[str, tuple[int | None, ...]]  # by the candidate's name, folded

    def levels_of(self, candidate: str) -> list[tuple[Need, int | None]]:
        """Empty for candidates who did not agree."""
        return list(zip(self.needs, self.levels.get(keys.fold(candidate), ()), strict=False))


# --- finding ---


def find_needs(election_name: str) -> list[Need]:
    return [Need(item["skill"], item["level"], item["count"]) for item in table().each(keys.needs(election_name))]


def any_needs(election_name: str) -> bool:
    return bool(find_needs(election_name))


def named(needs: Iterable[Need]) -> list[Need]:
    """With the names that skills have now; one that was merged into another is that other, and named once."""
    every = list(needs)
    current = _current(each.skill for each in every)
    found = [replace(each, skill=skill.id, name=skill.name) for each in every if (skill := current.get(each.skill))]
    by_skill = {each.skill: each for each in sorted(found, key=lambda each: (each.level, each.count))}
    return sorted(by_skill.values(), key=lambda each: natural_sort_key(each.name))


def leading_to(election_name: str, skill_id: str) -> list[str]:
    """The ids under which the skill is needed: its own, and those of skills merged into it."""
    found = _current(each.skill for each in find_needs(election_name))
    return [each for each, skill in found.items() if skill_id in (each, skill.id)]


def _current(skill_ids: Iterable[str]) -> dict[str, Skill]:
    """What these ids lead to by now, in one round trip unless some were merged."""
    found = skills.find_many(skill_ids)
    current = {each: merging.follow_merges(each) if skill.into else skill for each, skill in found.items()}
    return {each: skill for each, skill in current.items() if skill is not None}


def agreement_of(question: Election, candidate: str) -> Agreement | None:
    item = table().get(keys.agreement(question.name, candidate, question.number))
    return _agreement_of(item) if item else None


def candidacy_of(election: Election, person: str) -> tuple[Election, Candidate] | None:
    """The question in which somebody stands; of several, the one where it is recorded whether they agreed."""
    own = [(each, repository.find_candidate(each.name, person, each.number)) for each in election.questions]
    stands = [(question, candidate) for question, candidate in own if candidate is not None]
    if len(stands) > 1:
        recorded = [each for each in stands if agreement_of(each[0], person)]
        stands = recorded or stands
    return stands[0] if stands else None


def unasked_candidates(election: Election, wanted: Sequence[Need], found: Sequence[Agreement]) -> list[Agreement]:
    """Candidates with an account here who were not asked about all that is needed now, as they are on record."""
    recorded = {keys.fold(each.candidate): each for each in found}
    stand: dict[Key, Agreement] = {}
    for question in election.questions:
        for each in repository.candidates(election.name, question.number):
            stand.setdefault(keys.user(each.name), Agreement(each.name, each.name, "", (), question=question.number))
    accounts = table().get_many(stand) if stand and wanted else {}
    made = [(each, people.user_of(accounts[place])) for place, each in stand.items() if place in accounts]
    candidates = [
        recorded.get(keys.fold(each.candidate)) or replace(each, account=person.created_at)
        for each, person in made
        if person.can(Permission.VOTE)
    ]
    skills_wanted = {each.skill for each in wanted}
    return [each for each in candidates if not skills_wanted <= {*each.asked, *each.answered, *each.skills}]


def unanswered_by(person: User) -> list[str]:
    """Drafts in which this candidate has not answered yet whether their skills may be shown."""
    waiting = [each for each in table().each(keys.agreed_by(person.name)) if _agreement_of(each).is_unanswered]
    found = table().get_many(keys.election(each["election_name"]) for each in waiting) if waiting else {}
    drafts = (repository.election_of(item) for item in found.values())
    return sorted(each.name for each in drafts if each.stored_state == State.DRAFT)


def agreements(election: Election) -> list[Agreement]:
    """Of candidates of all its questions."""
    spans = [keys.agreements(election.name, each.number) for each in election.questions]
    return [_agreement_of(item) for span in spans for item in table().each(span)]


def _agreement_of(item: Item) -> Agreement:
    skills_shown, asked, answered = (tuple(item.get(name, ())) for name in ("skills", "asked", "answered"))
    about = item["candidate_name"], item["person"], item["account"]
    return Agreement(*about, skills_shown, asked, answered, question_in(item))


def question_in(item: Item) -> int:
    return keys.question_of(Key(item["PK"], item["SK"]))[0]


def snapshot_of(election_name: str) -> Snapshot | None:
    item = table().get(keys.snapshot(election_name))
    return snapshot_in(item) if item else None


def snapshot_in(item: Item) -> Snapshot:
    levels = {keys.fold(each["candidate_name"]): tuple(each["levels"]) for each in item["held"]}
    return Snapshot(tuple(Need(**each) for each in item["needs"]), levels)


# --- writes; each returns parts of a transaction ---


def setting(election_name: str, need: Need) -> list[Write]:
    place = keys.need(election_name, need.skill)
    fields = {"election_name": election_name, "skill": need.skill, "level": need.level, "count": need.count}
    return [Put({"PK": place.pk, "SK": place.sk, **fields})]


def dropping(election_name: str, skill_ids: Iterable[str]) -> list[Write]:
    return [Delete(keys.need(election_name, each), when=Exists()) for each in skill_ids]


def agreeing(election: Election, agreement: Agreement) -> list[Put]:
    place = keys.agreement(election.name, agreement.candidate, agreement.question)
    index = {"GSI1PK": keys.agreed_by(agreement.person).pk}
    index["GSI1SK"] = keys.by_date(election.created_at, election.name)
    fields = {"election_name": election.name, "candidate_name": agreement.candidate, "person": agreement.person}
    fields |= {"account": agreement.account}
    answers = {name: list(getattr(agreement, name)) for name in ("skills", "asked", "answered")}
    return [Put({"PK": place.pk, "SK": place.sk, **index, **fields, **answers})]


def asking(election: Election, agreement: Agreement, skills_asked: Sequence[str]) -> list[Write]:
    """Record that a candidate was asked by mail; refused if they answer meanwhile."""
    (written,) = agreeing(election, replace(agreement, asked=tuple(skills_asked)))
    is_new = not (agreement.skills or agreement.asked or agreement.answered)
    return [replace(written, when=Missing() if is_new else Equals("skills", list(agreement.skills)))]


def withdrawing(election_name: str, candidate: str, question: int) -> list[Write]:
    return [Delete(keys.agreement(election_name, candidate, question), when=Exists())]


def forgetting(election_name: str, candidate: str, question: int = 1) -> list[Write]:
    """Also from the snapshot; refused if it changed meanwhile."""
    item, place = table().get(keys.snapshot(election_name)), keys.snapshot(election_name)
    if item is None:
        return withdrawing(election_name, candidate, question)
    left = [each for each in item["held"] if keys.fold(each["candidate_name"]) != keys.fold(candidate)]
    change = Update(place, set={"held": left}, add={"version": 1}, when=Equals("version", item["version"]))
    return [*withdrawing(election_name, candidate, question), change]


# --- when it opens ---


def storing_snapshot(election: Election) -> list[Write]:
    """What those who agreed, and still have the same account, can do now, as far as the election needs it and they
    agreed to just that."""
    needs = named(find_needs(election.name))
    if not needs:
        return []
    asked = agreements(election)
    accounts = table().get_many([keys.user(each.person) for each in asked]) if asked else {}
    made = {key: people.user_of(item).created_at for key, item in accounts.items()}
    valid = [each for each in asked if each.skills and made.get(keys.user(each.person)) == each.account]
    held = [{"candidate_name": each.candidate, "levels": _levels(each, needs)} for each in valid]
    place = keys.snapshot(election.name)
    fields = {"election_name": election.name, "needs": [asdict(each) for each in needs], "held": held, "version": 1}
    return [Put({"PK": place.pk, "SK": place.sk, **fields})]


def _levels(agreement: Agreement, needs: Sequence[Need]) -> list[int | None]:
    """A need that came after they agreed was not asked about, which is not the same as not met."""
    own = skills.own_skills(agreement.person).held
    agreed = {skill.id for skill in _current(agreement.skills).values()}
    levels = {skill: held.level for skill, held in own.items()}
    return [levels.get(each.skill, 0) if each.skill in agreed else None for each in needs]


def export_agreements(user: User) -> Iterator[Item]:
    """The candidacies in which they let their skills be shown, with the snapshot taken at the opening."""
    for item in table().each(keys.agreed_by(user.name)):
        snapshot = snapshot_of(item["election_name"])
        levels = {need.skill: level for need, level in snapshot.levels_of(item["candidate_name"])} if snapshot else {}
        asked_about = sorted({*item.get("asked", ()), *item.get("answered", ())})
        yield {"election": item["election_name"], "skills": item["skills"], "asked_about": asked_about, "kept": levels}


def skill_requests(user: User) -> Panel | None:
    """Elections that ask a candidate whether their skills may be shown."""
    names = unanswered_by(user) if user.can_vote else []
    return Panel("skills/needed/requests.html", {"names": names}, asks=True) if names else None
