"""Recounts this election and checks that everything in its bundle agrees. Needs only Python 3.8 or later.

    python3 -I verify.py    in the unpacked folder; or, on the zip as it is:    python3 -I verify.py bundle.zip

With -I, Python takes nothing from this folder but this program. Each line says what was checked. The first problem is
named in a line that begins with NO, and the exit code is 1; if everything agrees it is 0. README.txt explains the
files. This program shares no code with the one that counted: the rules are implemented a second time, so that a mistake
would have to be made twice.
"""

import hashlib
import json
import re
import sys
import unicodedata
import zipfile
from collections import Counter
from contextlib import suppress
from fractions import Fraction
from itertools import product
from pathlib import Path

SETTINGS = ("method", "seats", "unranked", "seed", "secret_ballot", "electorate", "created_at")
WINDOW = ("no_voting_before", "no_voting_after", "time_zone")
MOMENTS = {"ElectionOpened": "opened_at", "ElectionClosed": "closed_at", "ResultSealed": "sealed_at"}
MARKING = {
    "kind": "ranked",
    "fewest": 0,
    "most": 0,
    "majority": "",
    "for_groups": [],
    "title": "",
}  # if nothing is said
OF_QUESTION = ("method", "seats", "unranked", *MARKING)  # settings that each of several questions has of its own
ABOUT_QUESTION = ("CandidatesAdded", "CandidatesRemoved", "BallotsSealed", "ResultSealed")  # events, likewise
ANSWERS = {"Yes": 0, "No": 1, "Abstain": 2}  # the candidates of every vote on yes or no
LOTS = ("lots_commitment", "lots_secret", "seed")
BALLOT = ("confirmation", "rankings", "voter_name", "weight")
RANKING = re.compile(r"(\d+(=\d+)*(@\d+)?(>(?!$)|$))*", re.ASCII)
CONVENED = ("assembly", "at", "present", "entitled", "quorum", "quorate", "listed", "unlisted")
VOTES = ("BallotCast", "BallotChanged", "BallotWithdrawn")
VOTING = ("VotersAdded", "VotersRemoved", "VotersGrouped", "CandidatesAdded", "CandidatesRemoved", *VOTES)
FORMAT = 2

# What each file has: a type, or a choice of types, for every key. Those with "?" may be missing, as in the bundles of
# earlier versions, and "*" allows further ones: what they say is checked elsewhere.
TIME = (str, type(None))
RULES = {
    **dict.fromkeys(("election", "method", "unranked", "electorate", "created_at", "seed"), str),
    **dict.fromkeys(("lots_commitment?", "lots_secret?", "kind?", "majority?", "time_zone?"), str),
    **dict.fromkeys(("no_voting_before?", "no_voting_after?", "opened_at?", "closed_at?", "sealed_at?"), TIME),
    **{"format": int, "seats": int, "fewest?": int, "most?": int, "secret_ballot": bool, "for_groups?": [str]},
    **{"question?": int, "title?": str},
    "convened?": {**dict.fromkeys(CONVENED, int), "assembly": str, "at": str, "quorum": str, "quorate": bool, "*": 0},
    "interruptions?": [{"number": int, "began": str, "ended": str, "happened": str, "corrects?": int, "*": 0}],
    "candidates": [{"number": int, "name": str}],
}
VOTER = {"name": str, "voted": (bool, type(None)), "weight?": int, "nonce?": str, "commitment?": str}
SHAPES = {
    "rules.json": RULES,
    "roll.json": {"voters": [VOTER], "may_vote": int, "votes?": int, "voted": int},
    "ballots.json": [{"confirmation": str, "rankings": str, "voter_name?": str, "weight?": int}],
    "result.json": {"result": {"winners": [str], "places": list, "lots": list, "digest": str, "*": 0}, "*": 0},
}
EVENT = {"event_id": int, "event_type": str, "when_occurred": str, "event_data": {"election_name": str, "*": 0}, "*": 0}
WITHHELD = {"event_id": int, "digest": str, "excludes?": bool}
POINT = {
    **{"first_event_id": int, "event_id": int, "events": [int], "digests": str},
    **{"hash": str, "previous": str, "sealed_by?": str, "published_at?": str},
}


class Wrong(Exception):
    """A check failed; the message says which."""


def once(pairs):
    """An object of JSON in which no key is there twice: programs would differ in which of them they take."""
    found = {}
    for key, value in pairs:
        if key in found:
            raise Wrong(f"has the key “{key}” twice")
        found[key] = value
    return found


def parsed(text, name, shape=None):
    try:
        value = json.loads(text, object_pairs_hook=once)
        check_shape(value, shape or (EVENT if isinstance(value, dict) and "event_type" in value else WITHHELD))
    except Wrong as error:
        raise Wrong(f"{name} {error}.") from None
    except (ValueError, RecursionError):
        raise Wrong(f"{name} is not JSON, or was cut.") from None
    return value


def check_shape(value, shape, where=""):
    if isinstance(shape, dict) and isinstance(value, dict):
        for key in value:
            if not {key, key + "?", "*"}.intersection(shape):
                raise Wrong(f"has a key that does not belong there: “{key}”")
        for key in shape:
            if key.rstrip("?") in value:
                check_shape(value[key.rstrip("?")], shape[key], f" in “{key.rstrip('?')}”")
            elif key[-1] not in "?*":
                raise Wrong(f"lacks “{key}”")
    elif isinstance(shape, list) and isinstance(value, list):
        for each in value:
            check_shape(each, shape[0], where)
    elif type(value) not in (shape if isinstance(shape, tuple) else (shape,)):  # True is not 1 here
        raise Wrong(f"has a value of another kind{where} than any bundle")


def sha(text):
    return hashlib.sha256(text).digest()


def committed(entry):  # to an entry of the roll; one shown in full is checked against its commitment
    if "nonce" not in entry:
        return bytes.fromhex(entry["commitment"])
    entered = [entry[key] for key in ("name", "voted", "weight") if key in entry]
    said = json.dumps(entered, ensure_ascii=False, separators=(",", ":"))
    return sha(bytes.fromhex(entry["nonce"]) + said.encode())


def is_quorate(quorum, present, entitled):  # a number of people, or a share of those entitled, if their number is known
    share = Fraction(quorum.lstrip(">") or 1) * (entitled if "/" in quorum else 1)
    return share > 0 and (present > share if ">" in quorum else present >= max(share, 1))


FLAGS = "|".join("".join(chr(0xE0000 + ord(each)) for each in region) for region in ("gbeng", "gbsct", "gbwls"))
UNSEEN = re.compile(  # except in the flags of three parts of Britain, which differ in nothing else
    f"((?<=\U0001f3f4)(?:{FLAGS})\U000e007f)|[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff0-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def fold(name):  # different spellings of one name become the same
    name = UNSEEN.sub(lambda found: found[1] or "", re.sub("[\u2800\u3164\uffa0]", " ", name))
    local, at, domain = " ".join(name.split()).rpartition("@")
    if at and not domain.isascii() and " " not in local + domain and len(domain) <= 255:  # as in the DNS
        with suppress(UnicodeError):
            domain = domain.encode("idna").decode()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", local + at + domain).casefold())


class History:
    """One question of the election according to its events: settings, candidates, who may vote and voted, ballots."""

    def __init__(self, events, number=1):
        self.number, self.others = number, []
        self.name, self.settings, self.candidates, self.roll, self.cast = "", {}, {}, {}, {}
        self.parts, self.result, self.closed, self.convened, self.groups, self.weights = [], None, False, None, {}, {}
        self.interruptions, self.moments = [], {}
        for event in sorted(events, key=lambda event: event["event_id"]):
            kind, said = event["event_type"], event["event_data"]
            if kind in ABOUT_QUESTION and said.get("question", 1) != number:
                continue
            if kind in MOMENTS:
                self.moments[MOMENTS[kind]] = event["when_occurred"]
            self.take(f"Event {event['event_id']} ({kind})", kind, said)
        self.roll = {name: voted for name, voted in self.roll.items() if voted is not None and self.may_vote(name)}
        if self.result is None:
            raise Wrong("The log does not end with the sealing of the result.")

    def may_vote(self, name):  # some questions are only for some of the groups that voters are in
        may = self.settings.get("for_groups")
        return not may or not {*map(fold, may)}.isdisjoint(map(fold, self.groups.get(name, ())))

    def asked(self, said):  # what an event says of this question, and of all of them
        self.others = [each["number"] for each in said.get("more", ())] if "more" in said else self.others
        if said.get("question", 1) == self.number:
            return said
        own = next((each for each in said.get("more", ()) if each["number"] == self.number), {})
        return dict({key: value for key, value in said.items() if key not in OF_QUESTION}, **own)

    def take(self, what, kind, said):
        if fold(said["election_name"]) != fold(self.name or said["election_name"]):
            raise Wrong(f"{what} is about another election.")
        if bool(self.name) == (kind == "ElectionCreated") or (self.closed and kind in VOTING) or self.result:
            raise Wrong(f"{what} comes before the election was made, after it was closed, or after its result.")
        if kind == "ElectionCreated":  # may name the assembly that convened the election; no later event may
            self.convened = said.get("convened")
        elif "convened" in said:
            raise Wrong(f"{what} says anew who convened the election.")
        if kind == "ElectionOpened" or (kind == "ResultSealed" and self.settings.get("lots_commitment")):
            self.settings.update({key: said[key] for key in LOTS if key in said})  # a seed without commitment is none
        elif kind in ("ElectionCreated", "ElectionUpdated"):
            self.name = self.name or said["election_name"]
            known = (*SETTINGS, *WINDOW, *MARKING)
            self.settings.update({key: value for key, value in self.asked(said).items() if key in known})
        elif kind == "InterruptionRecorded":
            self.interruptions.append({key: value for key, value in said.items() if key != "election_name"})
            self.settings.update({"no_voting_after": said["new_end"]} if said.get("new_end") else {})
        elif kind == "ElectionRenamed":
            self.name = said["new_name"]
        elif kind == "CandidatesAdded":
            self.candidates.update({each["name"]: each["number"] for each in said["candidates"]})
        elif kind == "CandidatesRemoved":
            gone = {fold(each) for each in said["candidates"]}
            self.candidates = {name: each for name, each in self.candidates.items() if fold(name) not in gone}
        elif kind in ("VotersAdded", "VotersRemoved"):
            self.roll.update({fold(each): False if kind == "VotersAdded" else None for each in said["voters"]})
        if kind in ("VotersAdded", "VotersGrouped"):
            self.groups.update(
                {fold(v): said["groups"][n] if "groups" in said else () for n, v in enumerate(said["voters"])}
            )
        if kind in ("VotersAdded", "VotersWeighted"):
            self.weights.update({fold(v): said.get("weights", {n: 1})[n] for n, v in enumerate(said["voters"])})
        if kind in VOTES and "voter_name" in said:  # changes and withdrawals of secret ballots name nobody
            self.roll[fold(said["voter_name"])] = kind == "BallotCast"
            answers = dict(said.get("answers", [[1, said.get("rankings")]]))  # to all questions that are for them
            own = [dict(said, rankings=answers[self.number])] if self.number in answers else []
            self.cast[fold(said["voter_name"])] = own if kind == "BallotCast" else []
        elif kind == "BallotsSealed":
            self.parts.append(said)
        self.closed, self.result = self.closed or kind == "ElectionClosed", said if kind == "ResultSealed" else None


class Bundle:
    """The files and their checks. An event that is not disclosed appears as its number and its digest."""

    def __init__(self, path):
        try:
            archive = None if Path(path).is_dir() else zipfile.ZipFile(path)
        except (OSError, zipfile.BadZipFile):
            raise Wrong(f"{path} is neither a folder nor a whole zip.") from None
        for name, times in Counter(archive.namelist() if archive else ()).items():
            if times > 1:
                raise Wrong(f"{name} is in the zip twice.")
        self.root = zipfile.Path(archive) if archive else Path(path)
        self.turn_to(1, False)
        self.events, self.times, self.digests, self.excludes = [], {}, {}, False
        for line, event in self.lines("events.jsonl"):
            number, is_told = event["event_id"], "event_type" in event
            if number in self.digests:
                raise Wrong(f"Event {number} is there twice.")
            self.events += [event] if is_told else []
            self.excludes |= event.get("excludes", False)  # some who may vote, as far as the log tells here
            self.digests[number] = sha(line) if is_told else bytes.fromhex(event["digest"])
            self.times[number] = event.get("when_occurred", "")
        self.points = [point for line, point in self.lines("checkpoints.jsonl", POINT)]
        self.withheld = len(self.digests) - len(self.events)

    def turn_to(self, number, is_one_of_several):
        """Read what there is of a question: of the first one in the bundle itself, of others each in its folder."""
        self.is_one_of_several, self.number, self.folder = (
            is_one_of_several,
            number,
            f"question-{number}/" if number > 1 else "",
        )
        self.rules, self.roll, self.ballots, self.result = (
            parsed(self.read(self.folder + name), self.folder + name, shape) for name, shape in SHAPES.items()
        )
        if self.rules["format"] != FORMAT:
            raise Wrong(f"The bundle has format {self.rules['format']}: check it with the verify.py that it came with.")
        self.names = {each["number"]: each["name"] for each in self.rules["candidates"]}

    def read(self, name):
        try:
            return (self.root / name).read_bytes()
        except Exception:  # there are many ways for a file in a zip to be broken
            raise Wrong(f"{name} {'cannot be read' if (self.root / name).exists() else 'is missing'}.") from None

    def lines(self, name, shape=None):
        for number, line in enumerate(self.read(name).splitlines(), 1):
            yield line, parsed(line, f"Line {number} of {name}", shape)

    def check_log(self):
        """Each event is what was sealed, and each checkpoint's chain leads from the previous hash to its own."""
        if not self.points:
            raise Wrong("checkpoints.jsonl is empty.")
        left, last, chain = dict(self.digests), None, b""
        for point in self.points:
            first, ours, sealed_by = point["first_event_id"], set(point["events"]), point.get("sealed_by")
            chain = chain if last == first - 1 else bytes.fromhex(point["previous"])
            last = point["event_id"]
            if len(point["digests"]) != 64 * (last + 1 - first):
                raise Wrong(f"The checkpoint at event {last} does not have as many digests as it covers events.")
            for number in range(first, last + 1):
                digest = bytes.fromhex(point["digests"][64 * (number - first) : 64 * (number - first + 1)])
                if number in ours and left.pop(number, None) != digest:
                    raise Wrong(f"Event {number} is {'not what was sealed' if number in self.digests else 'missing'}.")
                if sealed_by and number in ours and self.times[number][:19] >= sealed_by[:19]:
                    raise Wrong(f"Event {number} is later than the time by which its checkpoint says it was sealed.")
                chain = sha(chain + digest)
            dated = sha(chain + sha(f"plenum: sealed by\n{sealed_by}".encode())) if sealed_by else chain
            if dated.hex() != point["hash"]:
                raise Wrong(f"The chain of the checkpoint at event {last} does not lead to its hash.")
        if left:
            raise Wrong(f"Event {min(left)} is in no checkpoint.")
        told = (
            len(self.digests),
            self.withheld,
            last,
            point["hash"],
            f"sealed by {sealed_by}" if sealed_by else "whose time nothing proves",
        )
        return "{} events ({} by digest only) are what was sealed; checkpoint {}:{}, {}".format(*told)

    def check_rules(self, history, box):
        usual = dict(MARKING, question=1, **dict.fromkeys(LOTS, ""))
        for key, said in dict(
            usual, **history.settings, **history.moments, question=self.number, election=history.name
        ).items():
            if self.rules.get(key, usual.get(key)) != said:
                raise Wrong(f"rules.json says that {key} is “{self.rules.get(key)}”; by the log it is “{said}”.")
        if len(self.names) < len(self.rules["candidates"]):
            raise Wrong("Two candidates in rules.json have the same number.")
        candidates = ANSWERS if self.rules.get("kind") == "yes-no" else history.candidates
        for name in sorted(set(candidates) | set(self.names.values())):
            if self.names.get(candidates.get(name)) != name:
                raise Wrong(f"The candidate “{name}” is not in rules.json as in the log: there, and with that number.")
        return f"the rules and the {len(self.names)} candidates are those of the log"

    def check_convening(self, history, box):
        """The facts about the assembly are those of the log, and the numbers show whether it was quorate."""
        told, logged = self.rules.get("convened") or {}, history.convened or {}
        for key in sorted({*told, *logged}):
            if told.get(key) != logged.get(key):
                words = key, told.get(key), logged.get(key)
                raise Wrong("rules.json says of who convened it: {} is “{}”; by the log it is “{}”.".format(*words))
        if not told:
            return ""
        title, at, present, entitled, quorum, quorate, listed, unlisted = (told[key] for key in CONVENED)
        if quorate != is_quorate(quorum, present, entitled) or listed + unlisted not in (0, present):
            raise Wrong(f"Of {entitled} entitled {present} were present: that contradicts the other facts.")
        of, met = f" of {entitled}" * (entitled > 0), "met" if quorate else "NOT MET"
        return f"convened by “{title}” at {at}: {present}{of} present, quorum of {quorum or 'one'} {met}"

    def check_interruptions(self, history, box):
        """In a bundle of an earlier version, rules.json says of them what organisers put on record, and in order."""
        told = self.rules.get("interruptions", history.interruptions)
        numbers = [each["number"] for each in told]
        if told != history.interruptions or numbers != sorted(set(numbers)):
            raise Wrong("rules.json does not say of interruptions what the log says.")
        lines = (
            f"\n    {each['number']}: {each['began']} to {each['ended']}: {each['happened']}"
            + f" Decided: {each.get('decided')}" * ("decided" in each)
            + f" New end: {each.get('new_end')}" * ("new_end" in each)
            + f" (corrects {each.get('corrects')})" * ("corrects" in each)
            for each in told
        )
        return f"interruptions on record: {len(told)}{''.join(lines)}" if told else ""

    def check_roll(self, history, box):
        """The roll agrees with the log, except who has voted if that is undisclosed, and email addresses."""
        voters, may, secret = self.roll["voters"], history.roll, history.settings["secret_ballot"]
        listed = {fold(each["name"]): each["voted"] for each in voters}
        logged = set(may).intersection(listed) if self.excludes else set(may)
        for name in sorted(logged | set(() if self.withheld else listed)):
            if name not in listed or name not in may or not (secret or listed[name] in (None, may[name])):
                raise Wrong(f"“{name}” is not on the roll as in the log: there, and having voted or not.")
        for each in () if self.withheld else voters:  # else the log may not tell all of it here
            if each.get("weight", 1) != history.weights.get(fold(each["name"]), 1):
                raise Wrong(f"“{each['name']}” does not have the weight on the roll that the log says.")
        voted = sum(each["voted"] is True for each in voters) if None not in listed.values() else self.roll["voted"]
        if (len(voters), voted) != (self.roll["may_vote"], self.roll["voted"]):
            raise Wrong("The roll is not as long as it says, or not so many on it have voted.")
        if any(listed) and sum(each.get("weight", 1) for each in voters) != self.roll.get("votes", len(voters)):
            raise Wrong("Those on the roll do not have as many votes as it says.")
        sealed = history.result["roll_commitment"]
        if sha(b"".join(map(committed, voters))).hex() != sealed:
            raise Wrong("The roll is not what was sealed with the result.")
        known = ", as far as the log names them here" * bool(self.withheld)
        return f"{len(voters)} are on the roll, and {voted} of them have voted{known}"

    def check_ballots(self, history, box):
        there = {each["confirmation"]: each for each in self.ballots}
        if len(there) < len(self.ballots):
            raise Wrong("Two ballots have the same code.")
        logged, known = [each for cast in history.cast.values() for each in cast], not self.withheld
        if history.settings["secret_ballot"]:
            logged, known = [each for part in history.parts for each in part["ballots"]], True
        logged = {each["confirmation"]: {key: each[key] for key in each if key in BALLOT} for each in logged}
        for code in sorted(set(logged) | set(there if known else ())):
            if there.get(code) != logged.get(code):
                raise Wrong(f"Ballot {code} is not in ballots.json as in the log.")
        sealed, withdrawn = (history.result.get(key, 0) for key in ("ballots", "withdrawn"))
        voted = self.roll["voted"]
        if not len(there) == voted - withdrawn == sealed:
            told = len(there), voted, withdrawn, sealed
            raise Wrong("There are {} ballots, {} have voted, {} withdrew, and {} ballots were sealed.".format(*told))
        self.check_weights()
        less = f", less {withdrawn} withdrawn" * (withdrawn > 0)
        return f"{len(there)} ballots, as many as have voted{less}, each with a different code, are those of the log"

    def check_weights(self):
        """Each ballot counts as many times as its voter's vote; a secret one as that of somebody who may have voted."""
        voters, public = self.roll["voters"], not self.rules["secret_ballot"]
        may = Counter((each["name"] * public, each.get("weight", 1)) for each in voters if each["voted"] is not False)
        cast = Counter((each.get("voter_name", ""), each.get("weight", 1)) for each in self.ballots)
        if all(each["name"] for each in voters) and cast - may:  # without names, the roll is not disclosed
            raise Wrong("The weights of the ballots are not those of people on the roll who have voted.")

    def counted(self):
        """How many votes each ballot got: groups of equal names, best first, each with its value, or with 0."""
        box = Counter()
        for each in self.ballots:
            if not RANKING.fullmatch(each["rankings"]):
                raise Wrong(f"Ballot {each['confirmation']} is not written as ballots are.")
            groups = [group.partition("@") for group in each["rankings"].split(">") if group]
            groups = [([int(number) for number in group.split("=")], int(value or 0)) for group, at, value in groups]
            numbers = [number for group, value in groups for number in group]
            if len(set(numbers)) < len(numbers) or not set(numbers) <= set(self.names) or not self.allows(groups):
                raise Wrong(f"Ballot {each['confirmation']} is not one that these rules allow.")
            ballot = tuple((tuple(sorted(self.names[number] for number in group)), value) for group, value in groups)
            box[ballot] += each.get("weight", 1)
        return box

    def allows(self, groups):
        """Whether a ballot is of the kind that the rules ask for, with neither too few marks or points nor too many."""
        if not groups and self.is_one_of_several:
            return True  # it was skipped
        kind, fewest, most = (self.rules.get(key, MARKING[key]) for key in ("kind", "fewest", "most"))
        values = [value for group, value in groups]
        given = sum(len(group) * (value or 1) for group, value in groups)
        if kind in ("score", "points"):
            within = max(values, default=0) <= 5 if kind == "score" else given <= most
            return within and 0 not in values and values == sorted(set(values), reverse=True)
        least, limit = {"yes-no": (1, 1), "choose": (fewest, most)}.get(kind, (0, given))
        return not any(values) and (kind == "ranked" or (len(groups) < 2 and least <= given <= limit))

    def digest(self, box):
        """The digest of the ballots: sorted names, then each ballot, by places in that order, and its count."""
        names = sorted(self.names.values())
        groups = {group: "=".join(str(names.index(name)) for name in group) for each in box for group, value in each}
        texts = {each: ">".join(groups[group] + f"@{value}" * bool(value) for group, value in each) for each in box}
        content = [names, sorted((texts[each], box[each]) for each in box)]
        return sha(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()).hex()

    def check_lots(self, history, box):
        """The commitment at the opening matches the secret, and the seed follows from the secret and the ballots."""
        (commitment, secret, seed), drawn = (
            (history.settings.get(key, "") for key in LOTS),
            self.result["result"]["lots"],
        )
        if not commitment:
            return "lots are drawn from a seed that was known before the first vote"
        if not secret and (drawn or seed):
            raise Wrong("Lots were drawn, but the secret to which the election was committed was never told.")
        if not secret:
            return "no lots were drawn, and none could be: the secret to which the election was committed was lost"
        if sha(f"plenum: commitment to lots\n{secret}".encode()).hex() != commitment:
            raise Wrong("The secret of the lots is not the one to which the election was committed when it opened.")
        number = f"\n{self.number}" if self.number > 1 else ""
        if sha(f"plenum: seed of lots\n{secret}\n{self.digest(box)}{number}".encode()).hex() != seed:
            raise Wrong("The seed of the lots does not follow from the secret and the ballots.")
        return f"the seed of the lots ({len(drawn)} drawn) follows from the commitment at the opening and the ballots"

    def check_digests(self, history, box):
        digest, result = self.digest(box), history.result
        if not digest == result["digest"] == self.result["result"]["digest"]:
            raise Wrong(f"The ballots have the digest {digest}, which is not the sealed one.")
        if sha(self.read(self.folder + "result.json")).hex() != result["report_digest"]:
            raise Wrong("result.json does not have the digest that was sealed.")
        return f"the ballots ({digest}) and the result have the digests that were sealed"

    def check_count(self, history, box):
        said, method = self.result["result"], self.rules["method"]
        counting = Marks if method in MARKS else Count
        counted = counting(box, sorted(self.names.values()), dict(self.rules, entitled=self.roll.get("votes", 0)))
        count = getattr(counted, method.replace("-", "_"), None)
        if count is None:
            return f"the count is NOT MADE AGAIN here: of {method} only the digest is checked"
        places = []
        for group in count():
            place = len(places) + 1
            places += [[name, place] for name in sorted(group)]
        elected = counted.elected if method in MARKS else sum(place == 1 for name, place in places)
        winners = [name for name, place in places][:elected]
        if winners != said["winners"]:
            won, told = (", ".join(each) or "nobody" for each in (winners, said["winners"]))
            raise Wrong(f"Counted again, {won} won; result.json says {told}.")
        if places != said["places"]:
            raise Wrong("Counted again, the places are not those of result.json.")
        return f"counted again by the rules of {method}, the outcome is the same: {', '.join(winners) or 'nobody'}"


class Count:
    """Counts the same ballots by each method; returns groups of equals, best first."""

    def __init__(self, box, names, rules):
        self.box, self.names, self.rules = Counter(), names, rules
        for ballot, count in box.items():
            self.box[tuple(group for group, value in ballot)] += count

    def contests(self):
        """Every contest that was won, with its strength: the votes for it; among equals, the fewest against."""
        above = dict.fromkeys(product(self.names, self.names), 0)
        for groups, count in self.box.items():
            below = {name for group in groups for name in group} if self.rules["unranked"] != "below" else {*self.names}
            for group in groups:
                below = below.difference(group)
                for pair in product(group, below):
                    above[pair] += count
        return {(a, b): (above[a, b], -above[b, a]) for a, b in above if above[a, b] > above[b, a]}

    def schulze(self):
        won = self.contests()
        path = {pair: won.get(pair, (0, 0)) for pair in product(self.names, self.names)}
        for via, a, b in product(self.names, self.names, self.names):
            path[a, b] = max(path[a, b], min(path[a, via], path[via, b]))
        return rank_by_removing_undefeated(self.names, lambda a, b: path[a, b] > path[b, a])

    def ranked_pairs(self):
        won, above = self.contests(), {name: set() for name in self.names}
        for strength in sorted(set(won.values()), reverse=True):
            group = [(a, b) for a, b in won if won[a, b] == strength and not has_path(above, b, a)]
            together = {name: above[name] | {b for a, b in group if a == name} for name in self.names}
            for a, b in [(a, b) for a, b in group if not has_path(together, b, a)]:
                above[a].add(b)
        return rank_by_removing_undefeated(self.names, lambda a, b: has_path(above, a, b))

    def borda(self):
        twice = dict.fromkeys(self.names, 0)  # twice the points: equals share those of their places
        for groups, count in self.box.items():
            left = len(self.names)
            for group in (*groups, set(self.names).difference(*groups)) if groups else ():
                for name in group:
                    twice[name] += count * (2 * left - len(group) - 1)
                left -= len(group)
        return rank_by_removing_undefeated(self.names, lambda a, b: twice[a] > twice[b])

    def irv(self):
        left, gone, rounds = list(self.names), [], []
        while any(self.box):
            tally = dict.fromkeys(left, Fraction(0))
            for groups, count in self.box.items():
                best = next((found for group in groups if (found := [name for name in group if name in tally])), ())
                for name in best:  # equals share the ballot
                    tally[name] += Fraction(count, len(best))
            if 2 * max(tally.values()) > sum(tally.values()):
                return rank_by_removing_undefeated(left, lambda a, b, now=tally: now[a] > now[b]) + [
                    [name] for name in reversed(gone)
                ]
            rounds.append(tally)
            gone.append(self.last(left, rounds))
            left.remove(gone[-1])
        return [left]

    def last(self, left, rounds):
        """Who has the fewest votes; ties by the latest earlier round in which they differ, else by lot."""
        for tally in reversed(rounds):
            fewest = min(tally[name] for name in left)
            left = [name for name in left if tally[name] == fewest]
        words = (self.rules["seed"], "irv", "elimination", str(len(rounds)))
        return min(left, key=lambda name: sha("\n".join((*words, name)).encode()))


MARKS = ("majority", "most-votes", "approval", "score", "cumulative", "star")


class Marks:
    """Counts marks and values in the same way, and knows how many of the first are elected."""

    def __init__(self, box, names, rules):
        self.box, self.names, self.rules, self.elected = box, names, rules, 0
        self.points, self.fives = Counter(), Counter()
        for ballot, count in box.items():
            for group, value in ballot:
                for name in group:
                    self.points[name] += count * (value or 1)
                    self.fives[name] += count * (value == 5)

    def lot(self, tied, where, seat):
        words = (self.rules["seed"], self.rules["method"], where, str(seat))
        return min(tied, key=lambda name: sha("\n".join((*words, name)).encode()))

    def most_votes(self):
        """Those with most; where equals compete for the last seats, lots draw one after the other."""
        groups = []
        for group in rank_by_removing_undefeated(self.names, lambda a, b: self.points[a] > self.points[b]):
            seats, drawn = self.rules["seats"] - self.elected if self.points[group[0]] else 0, []
            if 0 < seats < len(group):
                while len(drawn) < seats:
                    left = [name for name in group if name not in drawn]
                    drawn.append(self.lot(left, "election", self.elected + len(drawn) + 1))
            self.elected += min(max(seats, 0), len(group))
            groups += [each for each in (drawn, [name for name in group if name not in drawn]) if each]
        return groups

    approval = score = cumulative = most_votes

    def star(self):
        """Seat by seat: the two with most points, of whom the one wins whom more ballots score higher."""
        order, left, last = [], list(self.names), []
        while any(self.points[name] for name in left) and self.elected < self.rules["seats"]:
            last = self.finalists([name for name in left if self.points[name]])
            ranks = {name: (self.above(name, last), self.points[name], self.fives[name]) for name in last}
            best = [name for name in last if ranks[name] == max(ranks.values())]
            order.append(self.lot(best, "runoff", self.elected + 1))
            left.remove(order[-1])
            self.elected += 1
        order += [name for name in last if name in left]
        left = [name for name in left if name not in order]
        return [[name] for name in order] + rank_by_removing_undefeated(
            left, lambda a, b: self.points[a] > self.points[b]
        )

    def finalists(self, left):
        found = []
        for group in rank_by_removing_undefeated(left, lambda a, b: self.points[a] > self.points[b]):
            measure = {name: self.above(name, group) if len(group) == 2 else 0 for name in group}
            if len(set(measure.values())) == 1:  # not exactly two, or equal head to head: most fives, then a lot
                measure = self.fives
            for among in rank_by_removing_undefeated(group, lambda a, b, now=measure: now[a] > now[b]):
                while len(found) < 2 and (rest := [name for name in among if name not in found]):
                    found += rest if len(found + rest) <= 2 else [self.lot(rest, "finalists", self.elected + 1)]
        return found

    def above(self, name, others):
        """How many ballots score one higher than the other of two."""
        total = 0
        for ballot, count in self.box.items():
            value = {each: value for group, value in ballot for each in group}
            total += count * any(value.get(name, 0) > value.get(other, 0) for other in others if other != name)
        return total

    def majority(self):
        share, of = (self.rules.get("majority") or "1/2 cast").split()
        yes, no, ballots = self.points["Yes"], self.points["No"], sum(self.box.values())
        base = {"cast": yes + no, "present": ballots, "entitled": max(ballots, self.rules["entitled"])}[of]
        needed = Fraction(share) * base  # of one half, more than that is needed
        self.elected = int(yes > 0 and (yes > needed if Fraction(share) == Fraction(1, 2) else yes >= needed))
        return [["Yes"], ["No"], ["Abstain"]] if self.elected else [["No"], ["Yes"], ["Abstain"]]


def rank_by_removing_undefeated(names, beats):
    """Groups of equals: repeatedly takes those whom nobody left beats."""
    groups, left = [], list(names)
    while left:
        groups.append([b for b in left if not any(beats(a, b) for a in left)])
        left = [name for name in left if name not in groups[-1]]
    return groups


def has_path(above, start, end):
    queue = list(above[start])
    for name in queue:
        queue += above[name].difference(queue)
    return end in queue


def main(path):
    what = "log"
    try:
        bundle = Bundle(path)
        print("ok ", bundle.check_log())
        others = History(bundle.events, 1).others
        for number in (1, *others):
            bundle.turn_to(number, bool(others))
            history, what = History(bundle.events, number), "ballots"
            if others:
                print(f"ok  question {number}, “{history.settings.get('title')}”:")
            box = bundle.counted()
            for what in ("rules", "convening", "interruptions", "roll", "ballots", "lots", "count", "digests"):
                if said := getattr(bundle, f"check_{what}")(history, box):
                    print("ok ", said)
    except Wrong as error:
        print("NO ", error)
        return 1
    except Exception:  # what no bundle says, in a place where nothing of it is looked at before
        print("NO ", f"The check of the {what} met with something that is not in any bundle.")
        return 1
    print("YES everything in this bundle agrees.")
    return 0


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # names are in every script there is
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent))
