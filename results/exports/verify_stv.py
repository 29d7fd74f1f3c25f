"""Counts an election by STV with the Scottish rules again, stage by stage. Needs Python 3.8 or later, and nothing else.

    python3 -I verify_stv.py             in the unpacked folder
    python3 -I verify_stv.py bundle.zip  on the zip as it is

It reads rules.json, ballots.json and result.json; run verify.py first, which checks that these are what was sealed. It
exits with 0 if the stages and the elected come out the same, else it names the first stage that does not and exits with
1.

The rules (Scottish Local Government Elections Order 2007, rules 45 to 52): the quota is the valid ballots divided by
one more than the seats, cut to a whole number, plus one. Whoever has it is elected. The largest surplus is passed on
first, one a stage: every paper with its value times surplus / votes, cut after five decimals. Without a surplus the
last is excluded and the papers move on with the value they have. Equals: by the latest earlier stage where they
differ, else by lot from the seed. Papers that rank several as equals are cut into equal parts.
"""

import hashlib
import json
import sys
import zipfile
from collections import Counter, defaultdict
from pathlib import Path

ONE = 10**5  # votes are counted in units of the fifth decimal


def by_votes(votes, names):
    """Names in groups of equal votes, most first."""
    return [sorted(n for n in names if votes[n] == most) for most in sorted({votes[n] for n in names}, reverse=True)]


def chosen_of(among, choose, tally, earlier, seed, act):
    for each in (tally, *reversed(earlier)):
        best = choose(each[name] for name in among)
        among = [name for name in among if each[name] == best]
    prefix = f"{seed}\nstv-scottish\n{act}\n{len(earlier) + 1}\n"
    return min(among, key=lambda name: hashlib.sha256((prefix + name).encode()).digest())


def count(papers, names, seats, seed):
    """The votes of every stage, and everybody in groups of equals, the elected first."""
    quota = (sum(papers.values()) // (seats + 1) + 1) * ONE
    hopeful, gone, elected, surpluses, stages = list(names), [], [], [], []
    votes, piles = dict.fromkeys(names, 0), {name: defaultdict(int) for name in names}
    pile, part, whole = dict.fromkeys(papers, ONE), 1, 1  # what moves now: papers with their values, and how much of it
    while papers:
        for ranking, value in pile.items():
            equals = next((left for group in ranking if (left := [name for name in group if name in hopeful])), [])
            for name in equals:
                share = value * part // whole // len(equals)
                piles[name][ranking] += share
                votes[name] += share * papers[ranking]
        tally = {name: votes[name] for name in names if name not in gone}
        reached = [name for name in hopeful if tally[name] >= quota]
        hopeful = [name for name in hopeful if tally[name] < quota]
        elected += by_votes(tally, reached)
        surpluses += [name for name in reached if tally[name] > quota]
        if len(hopeful) <= seats - sum(map(len, elected)):
            elected, hopeful = elected + by_votes(tally, hopeful), []
        stages.append(tally)
        if not hopeful or sum(map(len, elected)) == seats:
            return stages, elected + by_votes(tally, hopeful) + [[name] for name in reversed(gone)]
        if surpluses:
            name, keeps = chosen_of(surpluses, max, tally, stages[:-1], seed, "transfer"), quota
            surpluses.remove(name)
        else:
            name, keeps = chosen_of(hopeful, min, tally, stages[:-1], seed, "elimination"), 0
            hopeful.remove(name)
            gone.append(name)
        pile, part, whole, votes[name] = piles.pop(name), votes[name] - keeps, votes[name] or 1, keeps
    return stages, [list(names)]


def main(path):
    try:
        root = Path(path) if Path(path).is_dir() else zipfile.Path(path)
        rules, ballots, report = (json.loads((root / f"{n}.json").read_bytes()) for n in ("rules", "ballots", "result"))
    except Exception:  # verify.py says which, and why
        print("NO  rules.json, ballots.json or result.json is missing or broken: run verify.py first.")
        return 1
    sealed, names = report["result"], {str(each["number"]): each["name"] for each in rules["candidates"]}
    rankings = [[group.split("=") for group in each["rankings"].split(">")] for each in ballots if each["rankings"]]
    papers = Counter(tuple(tuple(names[number] for number in group) for group in each) for each in rankings)
    stages, groups = count(papers, sorted(names.values()), rules["seats"], rules["seed"])
    order = [name for group in groups for name in group]
    elected = order[: rules["seats"]] if stages or len(order) <= rules["seats"] else []
    for number, tally in enumerate(stages, 1):
        shown = {name: f"{votes // ONE}.{votes % ONE:05d}" for name, votes in tally.items()}
        if len(stages) != len(sealed["rounds"]) or shown != sealed["rounds"][number - 1]["tally"]:
            print(f"NO  Counted again, stage {number} comes out differently: {shown}")
            return 1
    if elected != sealed["winners"] or order != [name for name, place in sealed["places"]]:
        print(f"NO  Counted again, these are elected: {', '.join(elected)}; result.json says otherwise.")
        return 1
    print(f"YES Counted again in {len(stages)} stages, the same are elected: {', '.join(elected)}")
    return 0


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # names are in every script there is
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent))
