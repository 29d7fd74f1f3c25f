"""The attacker of ballot secrecy: has copies of everything and the source, and tries every join of voters and ballots.

A *clue* is anything by which ballots can be put in order, a *trail* anything by which voters can. A *join* proposes
which ballot is whose, voter -> confirmation. Joins are of four kinds: every clue in step with every trail; what is
written together; what can be computed from a name; and what the embedded store's journal wrote at once.

While an election is open its ballots lie in the box under their keys; afterwards there is the published list, and the
keys that the attacker knows from earlier copies, or finds in what is left in the files.

What everybody may know is taken as known: who had voted, and which ballots were there, at the time of each copy. People
who voted between the same two copies are a *crowd*, and so are their ballots; changes and withdrawals name nobody. A
ballot that was withdrawn after it was seen in no copy is one of which nothing is known. Within a crowd a guess is right
by chance: of any proposal, with C crowds, m or more are right with a probability of at most C**m / m! (the m-th
factorial moment of the hits of a fixed guess at a random pairing is at most 1 for every crowd). For orders that agree
only roughly there is also their rank correlation within the crowds.

The attacker is the operator, and so has the site's secret key.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, permutations, product
from math import inf, sqrt
from operator import mul
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ballots.secret import ballot_id, of_link
from elections.repository import election_of
from foundation.store.keys import fold
from foundation.store.keys.parts import of_question
from foundation.store.sqlite.rows import unpack
from foundation.store.table import DATA, LOG

MAX_ACCIDENT_PROBABILITY = 1e-11  # how often one join may look like a leak by accident; some ten thousand are tried
MAX_DEVIATIONS = 7.0  # standard deviations that a rank correlation may be off by accident: rarer still
PAGE_BYTES = 8192  # bytes of a page of the embedded store's file
SALT = re.compile(r"[A-Za-z0-9+/]{43}=")  # 32 bytes as the embedded store writes them
PURPOSE = b"plenum: pseudonyms of ballots"  # of the scheme that this one replaced: HMACs of the voters' names
WITHDRAWN = "withdrawn, and never seen"
HEX = re.compile(r"[0-9a-f]{32,64}")
WORD = re.compile(r"[\w@.-]+", re.ASCII)
IN_THE_BOX = re.compile(
    r'"(?:QUESTION#\d+#)?BALLOT#([^"]+)"[^{}]*?"confirmation":"([^"]+)"'
)  # as the embedded store writes it
QUOTED = re.compile(r'"([^"]*)"')
EVENT_NUMBER = re.compile(r'"event_id": ?(\d+)')

Item = dict[str, Any]
Proposal = Mapping[str, str]  # voter -> confirmation
Order = Mapping[str, Any]  # voter, or confirmation -> something that sorts


# --- what the attacker has ---


@dataclass(frozen=True)
class Line:
    """A line of a paper, or several pages of a file."""

    text: str

    @cached_property
    def words(self) -> set[str]:
        return set(WORD.findall(self.text))

    @cached_property
    def numbers(self) -> set[int]:
        """Of events."""
        return set(map(int, EVENT_NUMBER.findall(self.text)))


line_of = lru_cache(100_000)(Line)  # most lines are in several copies; what is in one is read once


@dataclass(frozen=True)
class Copy:
    """Everything, as it was at one moment."""

    items: list[Item]  # of the table, in the order in which the engine hands them out
    events: list[Item]  # of the log, the same
    lines: dict[str, list[str]]  # web log, mails, exports
    files: dict[str, bytes]  # of the embedded store, byte by byte; empty if the attacker did not get at them
    rows: dict[str, int]  # sort key of a ballot -> the number the engine gave its row, where it gives one

    @cached_property
    def papers(self) -> dict[str, list[Line]]:
        """All that can be read line by line; an item is a line."""
        items = {"table": map(as_line, self.items), "event log": map(as_line, self.events)}
        return {name: list(map(line_of, lines)) for name, lines in (items | self.lines).items()}

    @cached_property
    def places(self) -> dict[str, dict[str, list[int]]]:
        """For every paper and every file where each word stands in it."""
        texts = {name: "\n".join(line.text for line in lines) for name, lines in self.papers.items()}
        texts |= {name: raw.decode("latin-1") for name, raw in self.files.items()}
        return {name: where_words_stand(text) for name, text in texts.items()}

    @cached_property
    def salts(self) -> set[bytes]:
        """Whatever could be one, in the items or in the raw bytes of the files."""
        texts = [line.text for line in self.papers["table"] if '"salt"' in line.text]
        texts += [raw.decode("latin-1") for raw in self.files.values()]
        return {base64.b64decode(found) for text in texts for found in SALT.findall(text)}

    @cached_property
    def written_afresh(self) -> dict[str, dict[str, list[int]]]:
        """Where each word would stand in the store's file if all rows were written into a new one."""
        stores = [name for name in self.files if name.endswith(".sqlite3")]
        return {name: where_words_stand(_afresh(self.files, name).decode("latin-1")) for name in stores}


def _afresh(files: Mapping[str, bytes], name: str) -> bytes:
    with TemporaryDirectory() as folder:
        for each, raw in files.items():
            Path(folder, each).write_bytes(raw)
        connection = sqlite3.connect(Path(folder, name))
        connection.execute("VACUUM INTO ?", (str(Path(folder, "afresh")),))
        connection.close()
        return Path(folder, "afresh").read_bytes()


def as_line(item: Item) -> str:
    return json.dumps(item, default=lambda raw: base64.b64encode(raw).decode())


def where_words_stand(text: str) -> dict[str, list[int]]:
    places: dict[str, list[int]] = defaultdict(list)
    for found in WORD.finditer(text):
        places[found[0]].append(found.start())
    return places


def take_copy(path: str, lines: dict[str, list[str]], *, files: bool) -> Copy:
    """Copy the tables item by item, and the files themselves if the attacker gets at them."""
    connection = sqlite3.connect(path)
    try:
        tables = [[unpack(body) for (body,) in connection.execute(f"SELECT body FROM {name}")] for name in (DATA, LOG)]
        rows = _row_numbers(connection)
    finally:
        raw = {each.name: each.read_bytes() for each in sorted(Path(path).parent.iterdir())} if files else {}
        connection.close()
    return Copy(tables[0], tables[1], {name: list(each) for name, each in lines.items()}, raw, rows)


def _row_numbers(connection: sqlite3.Connection) -> dict[str, int]:
    try:
        return dict(connection.execute(f"SELECT sk, rowid FROM {DATA} WHERE sk LIKE '%BALLOT#%'"))
    except sqlite3.OperationalError:
        return {}  # the engine numbers no rows


# --- voters and ballots at one of the moments ---


@dataclass(frozen=True)
class Crowd:
    """People between whom nothing that is public makes a difference, and the ballots that are theirs."""

    voters: tuple[str, ...]
    ballots: tuple[str, ...]


class Scene:
    """What the copies say of one question of an election; the ballots sought are those that were there at the moment
    `at`."""

    def __init__(self, election_name: str, copies: Sequence[Copy], at: int, secret: str = "", question: int = 1):
        self.pk, self.question = f"ELECTION#{fold(election_name)}", question
        self.copies, self.at, self.secret = copies, at, secret
        (self.election,) = self.items(at, "METADATA")
        box = of_question("BALLOT#", question)
        self.boxes = [{item["SK"]: item for item in self.items(each, box)} for each in self.moments]
        self.codes = dict(self._keys())  # by key
        self.ballots = self._ballots()
        asked = election_of(self.election).at(question)
        self.voters = [
            item["voter_name"]
            for item in self.items(at, "VOTER#")
            if item["voted"] and asked.is_for(item.get("groups", ()))
        ]
        self.by_key = {key: code for key, code in self.codes.items() if code in self.ballots}
        self.key_of = {code: key for key, code in self.by_key.items()}
        self.by_ranking: dict[str, list[str]] = defaultdict(list)
        for code in sorted(self.ballots):
            self.by_ranking[self.ballots[code].get("rankings", "")].append(code)

    def _ballots(self) -> dict[str, Item]:
        """By code, also those that were withdrawn; one whose code is in no copy goes by its key."""
        if self.boxes[self.at]:
            return {self.codes.get(own_key(sk), own_key(sk)): item for sk, item in self.boxes[self.at].items()}
        found = {item["confirmation"]: item for item in self.published(self.at)}
        seen = {own_key(sk) for box in self.boxes for sk in box}
        return {code: {} for code in (self.codes.get(key, key) for key in sorted(seen)) if code not in found} | found

    @property
    def looked_at(self) -> list[Copy]:
        """The copy of the moment, and the last there is."""
        return [self.copies[self.at], *([self.copies[-1]] if self.at < len(self.copies) - 1 else [])]

    def items(self, at: int, prefix: str) -> list[Item]:
        return [item for item in self.copies[at].items if self._is_in(item["PK"]) and item["SK"].startswith(prefix)]

    def _is_in(self, pk: str) -> bool:
        """Also in one of the partitions over which it is spread."""
        return pk == self.pk or pk.startswith(f"{self.pk}#")

    def published(self, at: int) -> list[Item]:
        return [
            ballot for part in self.items(at, of_question("PUBLISHED#", self.question)) for ballot in part["ballots"]
        ]

    @property
    def moments(self) -> range:
        return range(len(self.copies))

    def _keys(self) -> Iterator[tuple[str, str]]:
        """Under which key each ballot lies, or lay: as any copy tells, or any file."""
        for box in self.boxes:
            yield from ((own_key(sk), item["confirmation"]) for sk, item in box.items() if "confirmation" in item)
        for copy in self.copies:
            for raw in copy.files.values():
                yield from IN_THE_BOX.findall(raw.decode("latin-1"))

    @cached_property
    def crowds(self) -> list[Crowd]:
        """By the first copy of an open box that has them."""
        copied = [at for at in self.moments if self.boxes[at]]
        rolls = {at: {item["voter_name"] for item in self.items(at, "VOTER#") if item["voted"]} for at in copied}
        boxes = {at: {self.codes.get(own_key(sk), own_key(sk)) for sk in self.boxes[at]} for at in copied}
        sorted_out: dict[int | None, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
        for voter in self.voters:
            when = next((at for at in copied if voter in rolls[at]), None)
            sorted_out[when][0].append(voter)
        for code in self.ballots:
            when = next((at for at in copied if code in boxes[at]), None)
            sorted_out[when][1].append(code)
        for when, (theirs, codes) in sorted_out.items():
            assert len(theirs) >= len(codes), "crowds do not fit"
            codes += [f"{WITHDRAWN} {when} {number}" for number in range(len(theirs) - len(codes))]
        return [Crowd(tuple(theirs), tuple(codes)) for theirs, codes in sorted_out.values()]

    def as_seen(self, truth: Proposal) -> Proposal:
        """The truth, with what stands for ballots whose codes nobody has seen: they were withdrawn."""
        seen = {}
        for crowd in self.crowds:
            unknown = [code for code in crowd.ballots if code not in truth.values()]
            own = {voter: truth[voter] for voter in crowd.voters}
            seen |= {voter: code if code in crowd.ballots else unknown.pop() for voter, code in own.items()}
        return seen

    @cached_property
    def acts(self) -> dict[str, list[Item]]:
        """What the log says each voter did in this election."""
        done: dict[str, list[Item]] = defaultdict(list)
        for event in self.copies[-1].events:
            said = event.get("event_data", {})
            ours = said.get("election_name") == self.election["name"]
            if ours and event["event_type"] == "BallotCast":
                done[said["voter_name"]].append(event)
        return done

    @cached_property
    def by_number(self) -> dict[int, str]:
        """Whose act an event is."""
        return {event["event_id"]: voter for voter in self.voters for event in self.acts[voter]}

    @cached_property
    def known_as(self) -> dict[str, str]:
        """Every word that stands for one voter: name, address, tokens of forms."""
        words = {name: name for name in self.voters}
        for item in self.copies[-1].items:
            if item["PK"].startswith("USER#") and item.get("name") in words:
                words[item["email"]] = item["name"]
            if item["PK"].startswith("ONCE#") and item["event_id"] in self.by_number:
                words[item["PK"].removeprefix("ONCE#")] = self.by_number[item["event_id"]]
        return words

    def named_in(self, line: Line) -> set[str]:
        """The voters a line is about, also if it gives no more than the number of their act."""
        named = {self.known_as[word] for word in line.words & self.known_as.keys()}
        return named | {self.by_number[number] for number in line.numbers & self.by_number.keys()}

    def ballots_in(self, line: Line) -> set[str]:
        """By code, or by key."""
        keyed = {self.by_key[word] for word in line.words & self.by_key.keys()}
        return keyed | (line.words & self.ballots.keys())


def own_key(sort_key: str) -> str:
    return sort_key.rpartition("#")[2]


# --- clues: what puts ballots in order ---


def clues(scene: Scene) -> Iterator[tuple[str, Order]]:
    yield "the confirmation itself", {code: code for code in scene.ballots}
    yield "size of the ballot", {code: len(as_line(item)) for code, item in scene.ballots.items()}
    yield "order of its fields", {code: " ".join(item) for code, item in scene.ballots.items()}
    for name in sorted({name for item in scene.ballots.values() for name in item} - {"confirmation"}):
        yield f"{name} of the ballot", {code: item.get(name) for code, item in scene.ballots.items()}
    for copy in scene.looked_at:
        if copy.rows:
            yield "number of its row", {code: copy.rows.get(item.get("SK", "")) for code, item in scene.ballots.items()}
        yield from _places("code", copy, {code: code for code in scene.ballots})
        yield from _places("key", copy, scene.key_of)


def _places(what: str, copy: Copy, words: Mapping[str, str]) -> Iterator[tuple[str, Order]]:
    """Where the word of each stands first and last in every paper and every file."""
    for paper, places in copy.places.items():
        for which, position in (("first", 0), ("last", -1)):
            found = {each: places[word][position] for each, word in words.items() if word in places}
            if found:
                yield f"{which} place of the {what} in {paper}", found
            if found and paper in copy.files:
                yield f"{which} place of the {what} in its page", within_pages(found)


def within_pages(places: Mapping[str, int]) -> dict[str, float]:
    """How far each is from the end of its page, among all that are in it: pages fill from the end."""
    pages: dict[int, list[int]] = defaultdict(list)
    for place in places.values():
        pages[place // PAGE_BYTES].append(place)
    later = {page: sorted(there, reverse=True) for page, there in pages.items()}
    return {each: later[at // PAGE_BYTES].index(at) / len(later[at // PAGE_BYTES]) for each, at in places.items()}


# --- trails: what puts voters in order ---


def trails(scene: Scene) -> Iterator[tuple[str, Order]]:
    cast = {voter: scene.acts[voter][0] for voter in scene.voters}
    yield "number of the cast", {voter: event["event_id"] for voter, event in cast.items()}
    yield "time of the cast", {voter: event["when_occurred"] for voter, event in cast.items()}
    for name in sorted({name for event in cast.values() for name in event["event_data"]}):
        yield f"{name} of the cast", {voter: event["event_data"].get(name) for voter, event in cast.items()}
    for copy in scene.looked_at:
        yield from _attributes(scene, copy)
        yield from _places("name", copy, {voter: voter for voter in scene.voters})


def _attributes(scene: Scene, copy: Copy) -> Iterator[tuple[str, Order]]:
    """Every field of every item that is about one voter: roll, session, form sent, account, mail."""
    orders: dict[str, dict[str, Any]] = defaultdict(dict)
    for item, line in zip(copy.items, copy.papers["table"], strict=True):
        voters = scene.named_in(line)
        for name, value in item.items() if len(voters) == 1 else ():
            orders[f"{name} of {item['PK'].partition('#')[0]}"][next(iter(voters))] = value
    yield from orders.items()


# --- joins ---


def in_step(scene: Scene) -> Iterator[Join]:
    """Both put in order, and paired from the first to the last, or from the last to the first."""
    by_trail = _distinct(trails(scene), [crowd.voters for crowd in scene.crowds])
    by_clue = _distinct(clues(scene), [crowd.ballots for crowd in scene.crowds])
    for trail, voters in by_trail:
        for clue, ballots in by_clue:
            yield Join(f"{trail} / {clue}", paired(voters, ballots), (voters, ballots))
            yield Join(f"{trail} / {clue}, backwards", paired(voters, ballots, backwards=True))


@dataclass(frozen=True)
class Ranked:
    """Everybody of each crowd in an order, and the ranks they have in it, of which equal ones share the middle."""

    members: list[list[str]]
    ranks: dict[str, float]

    @property
    def tells_nothing(self) -> bool:
        return all(len({self.ranks[each] for each in crowd}) == 1 for crowd in self.members)


def _distinct(orders: Iterator[tuple[str, Order]], crowds: Sequence[Sequence[str]]) -> list[tuple[str, Ranked]]:
    """The orders that order anything, each once: many clues say the same, most of them to the letter."""
    found: dict[tuple[float, ...], tuple[str, Ranked]] = {}
    members = [each for crowd in crowds for each in crowd]
    seen = set()
    for name, order in orders:
        if (said := tuple(_sortable(order.get(each)) for each in members)) not in seen:
            seen.add(said)
            ranked = ranked_by(order, crowds)
            if not ranked.tells_nothing:
                found.setdefault(tuple(ranked.ranks[each] for each in members), (name, ranked))
    return list(found.values())


def ranked_by(order: Order, crowds: Sequence[Sequence[str]]) -> Ranked:
    members, ranks = [], {}
    for crowd in crowds:
        values = {each: _sortable(order.get(each)) for each in crowd}
        members.append(sorted(crowd, key=values.__getitem__))
        same: dict[Any, list[int]] = defaultdict(list)
        for rank, each in enumerate(members[-1]):
            same[values[each]].append(rank)
        ranks |= {each: sum(same[values[each]]) / len(same[values[each]]) for each in crowd}
    return Ranked(members, ranks)


def _sortable(value: Any) -> tuple[int, float, str]:
    if isinstance(value, int | float):
        return 0, value, ""
    return (2, 0, "") if value is None else (1, 0, str(value))


def paired(voters: Ranked, ballots: Ranked, *, backwards: bool = False) -> Proposal:
    both = zip(voters.members, ballots.members, strict=True)
    return {
        voter: code
        for theirs, codes in both
        for voter, code in zip(theirs, reversed(codes) if backwards else codes, strict=True)
    }


def written_together(scene: Scene) -> Iterator[Join]:
    """A line that names one voter and one ballot, by code, key or ranking: an item, an event, a log line, a mail."""
    for copy in scene.looked_at:
        for paper, lines in copy.papers.items():
            yield Join(f"one line of {paper}", dict(_in_lines(scene, lines)))


def _in_lines(scene: Scene, lines: Sequence[Line]) -> Iterator[tuple[str, str]]:
    unclaimed = {ranking: list(codes) for ranking, codes in scene.by_ranking.items()}
    for line in lines:
        codes = scene.ballots_in(line)
        rankings = [text for text in QUOTED.findall(line.text) if text in unclaimed] if not codes else []
        if len(codes) + len(rankings) == 1 and len(voters := scene.named_in(line)) == 1:
            same = list(codes) or unclaimed[rankings[0]]
            yield from ((voter, same.pop()) for voter in voters if same)


def computed(scene: Scene) -> Iterator[Join]:
    """A key that is made from the name by anything the attacker knows: the source, salts, what lies around; or made as
    the source makes it, from anything that stands beside the name."""
    spellings = [(voter, form) for voter in scene.voters for form in dict.fromkeys((voter, folded(voter)))]
    for formula, key_of in formulas(scene):
        found = {voter: scene.by_key.get(key_of(form)) for voter, form in spellings}
        yield Join(f"key = {formula}", {voter: code for voter, code in found.items() if code})
    yield Join("key = hash of something beside the name", dict(_from_words(scene)))


def _from_words(scene: Scene) -> Iterator[tuple[str, str]]:
    """As if it were the secret, the secret of a link, or what one of them is made of."""
    name = scene.election["name"]
    for copy in scene.looked_at:
        for line in chain.from_iterable(copy.papers.values()):
            words = HEX.findall(line.text)
            for voter in scene.named_in(line) if words else ():
                for part in {part for word in words for part in (word, word[:32], word[-32:])}:
                    keys = (ballot_id(secret, name, scene.question) for secret in (part, of_link(part)))
                    for key in (part, *keys):
                        if key in scene.by_key:
                            yield voter, scene.by_key[key]


def formulas(scene: Scene) -> Iterator[tuple[str, Callable[[str], str]]]:
    yield "sha256(name)", lambda name: hashlib.sha256(name.encode()).hexdigest()
    yield "name", lambda name: name
    for key in secret_keys(scene):
        yield "HMAC of the name", lambda name, key=key: keyed(key, name).hex()
        yield "sha256(salt, name)", lambda name, key=key: hashlib.sha256(key + name.encode()).hexdigest()


def secret_keys(scene: Scene) -> Iterator[bytes]:
    """Keys of pseudonyms: as the source makes them, with every salt there is, with the secret or without."""
    around = [b"", PURPOSE, scene.election["name"].encode(), scene.election["created_at"].encode()]
    around += [str(scene.election["lots_commitment"]).encode()]
    secrets = [scene.secret.encode()] if scene.secret else []
    for salt in {b"", *salts(scene)}:
        yield from (salt, PURPOSE + salt)
        for secret in [*around, *secrets]:
            yield hmac.digest(secret, PURPOSE + salt, "sha256")
            yield hmac.digest(salt, PURPOSE + secret, "sha256")
            yield hmac.digest(secret, salt, "sha256")


def salts(scene: Scene) -> set[bytes]:
    return set().union(*(copy.salts for copy in scene.copies))


def as_listed(scene: Scene) -> Iterator[Join]:
    """A ballot that ranks the candidates as the page listed them, if the attacker can tell how it did for whom."""
    numbers = tuple((item["candidate_name"], item["number"]) for item in scene.items(scene.at, "CANDIDATE#"))
    for listing_of in listings(scene):
        unclaimed = {ranked: list(codes) for ranked, codes in scene.by_ranking.items()}
        theirs = {voter: unclaimed.get(ranked_as_listed(listing_of(folded(voter)), numbers)) for voter in scene.voters}
        yield Join("ranked as listed", {voter: codes.pop() for voter, codes in theirs.items() if codes})


def listings(scene: Scene) -> Iterator[Callable[[str], bytes]]:
    """What the order of a voter's list could hang on."""
    start = "\n".join((scene.election["name"], scene.election["created_at"]))
    yield lambda voter: f"{start}\n{voter}".encode()
    yield lambda voter: f"{voter}\n{scene.election['name']}".encode()
    for key in secret_keys(scene):
        yield lambda voter, key=key: keyed(key, f"listing\n{voter}")


# The same attempts are made on every copy of a day: what comes out of each is worked out once.

folded = lru_cache(10_000)(fold)


@lru_cache(200_000)
def keyed(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")


@lru_cache(200_000)
def ranked_as_listed(listing: bytes, numbers: tuple[tuple[str, int], ...]) -> str:
    in_order = sorted(numbers, key=lambda pair: hashlib.sha256(listing + b"\n" + pair[0].encode()).digest())
    return ">".join(str(number) for _, number in in_order)


def journaled(scene: Scene) -> Iterator[Join]:
    """What the embedded store's journal wrote at once: the event that names the voter, and the ballot."""
    for copy in scene.copies:
        for name, raw in copy.files.items():
            if name.endswith("-wal"):
                yield Join("one transaction of the journal", dict(_in_transactions(scene, raw)))


def _in_transactions(scene: Scene, journal: bytes) -> Iterator[tuple[str, str]]:
    """Pages are written whole: what is new in a transaction is what no page before it had, and of several acts the
    last one."""
    codes_before: set[str] = set()
    acts_before: set[int] = set()
    for pages in transactions(journal):
        codes = scene.ballots_in(pages) - codes_before
        acts = (pages.numbers - acts_before) & scene.by_number.keys()
        if len(codes) == 1 and acts:
            yield scene.by_number[max(acts)], next(iter(codes))
        codes_before |= codes
        acts_before |= pages.numbers


def transactions(journal: bytes) -> Iterator[Line]:
    """The pages of each, after a header of 32 bytes for all and one of 24 bytes for every page.

    The journal is written over from its beginning, and what is not written over yet is older than what comes before
    it: the header of a page has the number of its round.
    """
    pages = []
    by_round = sorted(range(32, len(journal), 24 + PAGE_BYTES), key=lambda start: journal[start + 8 : start + 12])
    for start in by_round:
        pages.append(journal[start + 24 : start + 24 + PAGE_BYTES].decode("latin-1"))
        if any(journal[start + 4 : start + 8]):  # the header of the last page says how long the file is then
            yield Line("\n".join(pages))
            pages = []


JOINS = (in_step, written_together, computed, as_listed, journaled)


# --- how good a join is ---


@dataclass(frozen=True)
class Join:
    name: str
    proposal: Proposal
    orders: tuple[Ranked, Ranked] | None = None  # what it is made of, if it pairs two orders


@dataclass(frozen=True)
class Leak:
    """A join that does better than chance."""

    join: str
    found: int  # voters whose ballot it names
    of: int
    away: float  # from chance, in standard deviations, for two orders that roughly agree

    @property
    def share(self) -> float:
        return self.found / self.of


def leaks(scene: Scene, truth: Proposal) -> list[Leak]:
    """Every join that is right more often than chance allows, the worst first."""
    truth = scene.as_seen(truth)
    bound = by_chance(len(scene.crowds))
    judged = (judge(scene, join, truth) for kind in JOINS for join in kind(scene))
    told = [leak for leak in judged if leak.found >= bound or abs(leak.away) >= MAX_DEVIATIONS]
    told += out_of_order(scene)
    return sorted(told, key=lambda leak: (-leak.found, -abs(leak.away)))


def judge(scene: Scene, join: Join, truth: Proposal) -> Leak:
    found = sum(truth.get(voter) == code for voter, code in join.proposal.items())
    away = agreement(scene.crowds, *join.orders, truth) if join.orders else 0.0
    return Leak(join.name, found, len(scene.voters), away)


def out_of_order(scene: Scene) -> Iterator[Leak]:
    """Rows that lie otherwise than if all had been written afresh still lie as they came, and no chance is in it."""
    for copy in scene.copies:
        for name, afresh in copy.written_afresh.items():
            if laid(scene, copy.places[name]) != laid(scene, afresh):
                yield Leak(f"order of the rows within pages of {name}", 0, len(scene.voters), inf)


def laid(scene: Scene, places: Mapping[str, list[int]]) -> list[list[str]]:
    """The keys of the ballots as they lie in every page that has some."""
    pages: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for key in scene.by_key.keys() & places.keys():
        pages[places[key][0] // PAGE_BYTES].append((places[key][0], key))
    return sorted([key for _, key in sorted(rows)] for rows in pages.values())


def by_chance(crowds: int) -> int:
    """So many hits happen by chance less often than `MAX_ACCIDENT_PROBABILITY`."""
    hits, probability = 0, 1.0
    while probability >= MAX_ACCIDENT_PROBABILITY:
        hits += 1
        probability *= crowds / hits
    return hits


def agreement(crowds: Sequence[Crowd], voters: Ranked, ballots: Ranked, truth: Proposal) -> float:
    """How far the two orders agree about those who belong together, in standard deviations of a random pairing."""
    total = variance = 0.0
    for crowd in crowds:
        middle = (len(crowd.voters) - 1) / 2
        theirs = [voters.ranks[voter] - middle for voter in crowd.voters]
        codes = [ballots.ranks[truth[voter]] - middle for voter in crowd.voters]  # those of the same crowd
        total += sum(map(mul, theirs, codes))
        if len(theirs) > 1:
            variance += sum(map(mul, theirs, theirs)) * sum(map(mul, codes, codes)) / (len(theirs) - 1)
    return total / sqrt(variance) if variance else 0.0


# --- several questions on one ballot ---


def links(first: Scene, second: Scene, truth: Mapping[str, str]) -> list[Leak]:
    """What tells which ballots of two questions for the same voters are by one of them, even if not by whom. The
    truth is by code."""
    crowds = [Crowd(tuple(first.ballots), tuple(second.ballots))]
    ours = _distinct(clues(first), [crowd.voters for crowd in crowds])
    theirs = _distinct(clues(second), [crowd.ballots for crowd in crowds])
    told = []
    for (clue, own), (other, its) in product(ours, theirs):
        found = sum(truth[code] == proposed for code, proposed in paired(own, its).items())
        leak = Leak(f"{clue} / {other}", found, len(truth), agreement(crowds, own, its, truth))
        if leak.found >= by_chance(len(crowds)) or abs(leak.away) >= MAX_DEVIATIONS:
            told.append(leak)
    return told


# --- elections so small that one alone tells nothing ---


def repeated_by_chance(size: int, rounds: int) -> int:
    """So many hits in all rounds happen by chance less often than `MAX_ACCIDENT_PROBABILITY`; each has one crowd."""
    pairings = list(permutations(range(size)))
    hits = Counter(sum(each == at for at, each in enumerate(pairing)) for pairing in pairings)
    total = {0: 1.0}
    for _round in range(rounds):
        following: dict[int, float] = defaultdict(float)
        for before, likely in total.items():
            for more, count in hits.items():
                following[before + more] += likely * count / len(pairings)
        total = following
    tail, bound = 0.0, max(total) + 1
    while (tail := tail + total.get(bound - 1, 0.0)) < MAX_ACCIDENT_PROBABILITY:
        bound -= 1
    return bound


def each_in_step(scene: Scene) -> Iterator[Join]:
    """As `in_step`, also for orders that happen to be the same this time."""
    by_trail = [(name, ranked_by(order, [crowd.voters for crowd in scene.crowds])) for name, order in trails(scene)]
    by_clue = [(name, ranked_by(order, [crowd.ballots for crowd in scene.crowds])) for name, order in clues(scene)]
    for (trail, voters), (clue, ballots) in product(by_trail, by_clue):
        yield Join(f"{trail} / {clue}", paired(voters, ballots))
        yield Join(f"{trail} / {clue}, backwards", paired(voters, ballots, backwards=True))


def repeated_leaks(scenes: Sequence[tuple[Scene, Proposal]], bound: int) -> list[tuple[str, int]]:
    """Joins that, over all these elections, are right more often than chance allows."""
    found: Counter[str] = Counter()
    for scene, truth in scenes:
        seen = scene.as_seen(truth)
        best: Counter[str] = Counter()
        for join in (join for kind in (each_in_step, *JOINS[1:]) for join in kind(scene)):
            best[join.name] = sum(seen.get(voter) == code for voter, code in join.proposal.items())
        found.update(best)
    return [(name, hits) for name, hits in found.most_common() if hits >= bound]
