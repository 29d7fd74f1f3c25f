// Recounts ballots by the same rules but with independent code, so that a mistake here or on the server shows up
// as a difference. A self-contained script for a page, a worker or Node. Decisions use whole numbers only: shared votes
// are counted in small enough fractions.
globalThis.Recount = (() => {
  "use strict";

  // --- ballots ---

  // By code point: UTF-16 order would swap some names.
  const byCodePoints = (one, other) => {
    const [left, right] = [Array.from(one), Array.from(other)];
    const at = left.findIndex((sign, index) => sign !== right[index]);
    if (at < 0) return left.length - right.length;
    return at < right.length ? left[at].codePointAt(0) - right[at].codePointAt(0) : 1;
  };

  const NUMBER = /^(0|[1-9][0-9]*)$/;

  // "2>0=1": candidate 2 first, then 0 and 1 tied; the rest are unranked. An empty ranking is a blank ballot. Marks are
  // one group, and values follow theirs: "0=4@5>1@3".
  const groupsOf = (ranking) =>
    ranking === "" ? [] : ranking.split(">").map((group) => group.split("@")[0].split("=").map(readNumber));

  const valuesOf = (ranking) =>
    ranking.split(">").map((group) => (group.includes("@") ? readNumber(group.slice(group.indexOf("@") + 1)) : 0));

  const readNumber = (text) => {
    if (!NUMBER.test(text)) throw new Error(`This is not the number of a candidate: ${text}`);
    return Number(text);
  };

  const check = (numbers, size, ranking) => {
    if (Math.max(...numbers) >= size) throw new Error(`This ranks somebody who does not stand: ${ranking}`);
    if (new Set(numbers).size < numbers.length) throw new Error(`This ranks somebody twice: ${ranking}`);
  };

  const rankingOf = (groups, values = []) =>
    groups
      .map((group, at) => [...group].sort((a, b) => a - b).join("=") + (values[at] ? `@${values[at]}` : ""))
      .join(">");

  const checkedCount = (count) => {
    if (!Number.isSafeInteger(count) || count < 0) throw new Error(`This is not a number of ballots: ${count}`);
    return count;
  };

  // The normal form, which does not depend on the order of candidates and ballots.
  const normal = (candidates, rankings, tell = () => {}) => {
    const names = [...candidates].sort(byCodePoints);
    const moved = candidates.map((name) => names.indexOf(name));
    const papers = new Map();
    rankings.forEach(([written, count], index) => {
      const groups = groupsOf(written);
      check(groups.flat(), names.length, written);
      for (const group of groups) group.forEach((each, at) => (group[at] = moved[each]));
      const values = valuesOf(written);
      const ranking = rankingOf(groups, values);
      if (!papers.has(ranking)) papers.set(ranking, { ranking, groups, values, count: 0 });
      papers.get(ranking).count += checkedCount(count);
      if (index % 5000 === 0) tell(index / rankings.length);
    });
    const sorted = [...papers.values()].filter(({ count }) => count);
    sorted.sort((one, other) => (one.ranking < other.ranking ? -1 : 1)); // digits and signs only
    const total = checkedCount(sorted.reduce((sum, { count }) => sum + count, 0));
    const counts = sorted.map(({ ranking, count }) => [ranking, count]);
    return { names, counts, papers: sorted.filter(({ ranking }) => ranking), total, blank: papers.get("")?.count ?? 0 };
  };

  // --- SHA-256 (FIPS 180-4); browsers offer theirs only over HTTPS ---

  const PRIMES = [];
  for (let number = 2; PRIMES.length < 64; number++) {
    if (PRIMES.every((prime) => number % prime)) PRIMES.push(number);
  }
  const firstBits = (number) => (number % 1) * 2 ** 32 | 0;
  const ROUND_WORDS = Int32Array.from(PRIMES, (prime) => firstBits(Math.cbrt(prime)));
  const START = Int32Array.from(PRIMES.slice(0, 8), (prime) => firstBits(Math.sqrt(prime)));
  const turn = (word, by) => (word >>> by) | (word << (32 - by));

  const padded = (bytes) => {
    const whole = new Uint8Array(((bytes.length + 8) >> 6) * 64 + 64);
    whole.set(bytes);
    whole[bytes.length] = 0x80;
    new DataView(whole.buffer).setBigUint64(whole.length - 8, BigInt(bytes.length) * 8n);
    return whole;
  };

  const mix = (state, words) => {
    for (let at = 16; at < 64; at++) {
      const [early, late] = [words[at - 15], words[at - 2]];
      const low = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
      const high = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
      words[at] = words[at - 16] + low + words[at - 7] + high;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let at = 0; at < 64; at++) {
      const chosen = (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g));
      const new1 = (h + chosen + ROUND_WORDS[at] + words[at]) | 0;
      const new2 = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + new1) | 0, c, b, a, (new1 + new2) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, index) => (state[index] += word));
  };

  const sha256 = (text) => {
    const bytes = padded(new TextEncoder().encode(text));
    const view = new DataView(bytes.buffer);
    const state = START.slice();
    const words = new Int32Array(64);
    for (let start = 0; start < bytes.length; start += 64) {
      for (let at = 0; at < 16; at++) words[at] = view.getInt32(start + 4 * at);
      mix(state, words);
    }
    return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  };

  // Of the candidates and counted rankings in normal form, as compact JSON.
  const digest = (ballots) => sha256(JSON.stringify([ballots.names, ballots.counts]));

  // --- numbers ---

  const common = (a, b) => (b ? common(b, a % b) : a); // greatest common divisor
  const multiple = (a, b) => (a / common(a, b)) * b;

  // A whole number, an exact decimal if there is one, or else a fraction.
  const textOf = (top, bottom = 1n) => {
    const shared = common(top, bottom);
    [top, bottom] = [top / shared, bottom / shared];
    let places = 0;
    while (places < 80 && 10n ** BigInt(places) % bottom) places++;
    if (10n ** BigInt(places) % bottom) return `${top}/${bottom}`;
    return fixed((top * 10n ** BigInt(places)) / bottom, places);
  };

  const fixed = (units, places) => {
    if (!places) return String(units);
    const digits = String(units).padStart(places + 1, "0");
    return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
  };

  const most = (numbers) => numbers.reduce((best, each) => (each > best ? each : best));
  const least = (numbers) => numbers.reduce((best, each) => (each < best ? each : best));
  const sum = (numbers) => numbers.reduce((total, each) => total + each, 0n);

  // --- results ---

  const everyone = (size) => Array.from({ length: size }, (_, index) => index);

  // Groups of equals, most votes first.
  const levels = (who, votes) => {
    const sorted = [...who].sort((a, b) => (votes[a] === votes[b] ? a - b : votes[a] > votes[b] ? -1 : 1));
    const groups = [];
    for (const each of sorted) {
      if (groups.length && votes[groups.at(-1)[0]] === votes[each]) groups.at(-1).push(each);
      else groups.push([each]);
    }
    return groups;
  };

  // Equals share a place, and the places after them are skipped: 1, 1, 3.
  const placesOf = (names, groups) => {
    const places = [];
    for (const group of groups) {
      const place = places.length + 1;
      for (const each of [...group].sort((a, b) => a - b)) places.push([names[each], place]);
    }
    return places;
  };

  const leftTies = (names, groups) =>
    groups.filter((group) => group.length > 1).map((group) => tie(names, "places", group, "left", null));

  const tie = (names, where, who, settled, round) => ({ where, names: namesOf(names, who), settled, round });
  const namesOf = (names, who) => [...who].sort((a, b) => a - b).map((each) => names[each]);

  const standing = (ballots, groups, more = {}) => {
    const { names } = ballots;
    const places = placesOf(names, groups);
    const winners = places.filter(([, place]) => place === 1).map(([name]) => name);
    return { winners, places, ties: leftTies(names, groups), lots: [], pairwise: null, rounds: null, ...more };
  };

  // --- head-to-head contests ---

  // How many ballots rank the row's candidate above the column's. Unranked candidates are below all ranked ones or,
  // with "no-opinion", not compared on that ballot.
  const contests = (ballots, unranked) => (ballots[`contests ${unranked}`] ??= countedContests(ballots, unranked));

  const countedContests = (ballots, unranked) => {
    const size = ballots.names.length;
    const votes = everyone(size).map(() => new Array(size).fill(0));
    const all = everyone(size);
    for (const { groups, count } of ballots.papers) {
      const below = new Set(unranked === "below" ? all : groups.flat());
      for (const group of groups) {
        for (const each of group) below.delete(each);
        for (const each of group) for (const other of below) votes[each][other] += count;
      }
    }
    return votes;
  };

  // Won contests in groups of equal strength, strongest first: more votes for the winner, then fewer against.
  const wonContests = (votes) => {
    const size = votes.length;
    const won = [];
    for (const winner of everyone(size)) {
      for (const loser of everyone(size)) {
        const [ayes, noes] = [votes[winner][loser], votes[loser][winner]];
        if (ayes > noes) won.push({ winner, loser, ayes, noes });
      }
    }
    won.sort((a, b) => b.ayes - a.ayes || a.noes - b.noes);
    const groups = [];
    for (const contest of won) {
      const before = groups.at(-1)?.[0];
      if (before && before.ayes === contest.ayes && before.noes === contest.noes) groups.at(-1).push(contest);
      else groups.push([contest]);
    }
    return groups;
  };

  // Repeatedly takes off those whom nobody left beats.
  const undefeatedFirst = (size, better) => {
    const groups = [];
    let left = everyone(size);
    while (left.length) {
      const top = left.filter((each) => !left.some((other) => better(other, each)));
      if (!top.length) throw new Error("Everybody left is worse than somebody left.");
      groups.push(top);
      left = left.filter((each) => !top.includes(each));
    }
    return groups;
  };

  // Schulze: a path of won contests is as strong as its weakest; whoever has the stronger path to the other is better.
  const schulze = (ballots, { unranked }) => {
    const pairwise = contests(ballots, unranked);
    const size = pairwise.length;
    const strength = everyone(size).map(() => new Array(size).fill(0)); // higher is stronger, 0 is none
    const groups = wonContests(pairwise);
    groups.forEach((group, index) => {
      for (const { winner, loser } of group) strength[winner][loser] = groups.length - index;
    });
    const chains = everyone(size).map((start) => strongestFrom(start, strength));
    return standing(ballots, undefeatedFirst(size, (i, j) => chains[i][j] > chains[j][i]), { pairwise });
  };

  // Like Dijkstra's algorithm, but extending the strongest path so far.
  const strongestFrom = (start, strength) => {
    const best = [...strength[start]];
    const open = new Set(everyone(best.length).filter((each) => each !== start));
    while (open.size) {
      let here = -1;
      for (const each of open) if (here < 0 || best[each] > best[here]) here = each;
      open.delete(here);
      if (!best[here]) break;
      for (const there of open) best[there] = Math.max(best[there], Math.min(best[here], strength[here][there]));
    }
    best[start] = 0;
    return best;
  };

  // Ranked pairs: locks contests, strongest first. Equally strong ones are judged together: a contest is skipped if
  // locked ones lead from its loser back to its winner, or if it is on a cycle of these and locked ones.
  const rankedPairs = (ballots, { unranked }) => {
    const pairwise = contests(ballots, unranked);
    const size = pairwise.length;
    const above = everyone(size).map(() => new Uint8Array(size)); // by locked contests, directly or indirectly
    for (const group of wonContests(pairwise)) {
      const possible = group.filter(({ winner, loser }) => !above[loser][winner]);
      for (const contest of offCircles(possible, above)) lock(contest, above);
    }
    return standing(ballots, undefeatedFirst(size, (i, j) => above[i][j] === 1), { pairwise });
  };

  const lock = ({ winner, loser }, above) => {
    if (above[winner][loser]) return;
    for (const each of everyone(above.length)) {
      if (each !== winner && !above[each][winner]) continue;
      above[each][loser] = 1;
      above[loser].forEach((yes, other) => (above[each][other] |= yes));
    }
  };

  const offCircles = (possible, above) => {
    if (possible.length < 2) return possible; // one alone cannot make a cycle: already checked
    const circles = circlesIn(above.map((row, each) => stepsFrom(each, row, possible)));
    return possible.filter(({ winner, loser }) => circles[winner] !== circles[loser]);
  };

  const stepsFrom = (each, row, possible) => {
    const steps = everyone(row.length).filter((other) => row[other]);
    return steps.concat(possible.filter(({ winner }) => winner === each).map(({ loser }) => loser));
  };

  // Numbers the candidates: two share a number if and only if each can be reached from the other (Tarjan).
  const circlesIn = (steps) => {
    const size = steps.length;
    const [seen, low, circle] = [new Array(size).fill(-1), new Array(size).fill(0), new Array(size).fill(-1)];
    const stack = [];
    let clock = 0;
    const explore = (here) => {
      seen[here] = low[here] = clock++;
      stack.push(here);
      for (const there of steps[here]) {
        if (seen[there] < 0) explore(there);
        if (circle[there] < 0) low[here] = Math.min(low[here], low[there]);
      }
      if (low[here] !== seen[here]) return;
      for (let each = -1; each !== here; ) circle[(each = stack.pop())] = here;
    };
    for (const each of everyone(size)) if (seen[each] < 0) explore(each);
    return circle;
  };

  // Copeland: two points per win, one per draw; only the order counts.
  const copeland = (ballots, { unranked }) => {
    const pairwise = contests(ballots, unranked);
    const all = everyone(pairwise.length);
    const versus = (i, j) => (i === j ? 0 : 1 + Math.sign(pairwise[i][j] - pairwise[j][i]));
    const points = all.map((i) => all.reduce((points, j) => points + versus(i, j), 0));
    return standing(ballots, levels(all, points), { pairwise });
  };

  // Minimax: the weaker the worst defeat, the better.
  const minimax = (ballots, { unranked }) => {
    const pairwise = contests(ballots, unranked);
    const groups = wonContests(pairwise);
    const worst = new Array(pairwise.length).fill(groups.length); // never beaten
    groups.forEach((group, index) => {
      for (const { loser } of group) worst[loser] = Math.min(worst[loser], index);
    });
    return standing(ballots, levels(everyone(worst.length), worst), { pairwise });
  };

  // Borda: N-1 points for the first place, N-2 for the next; equals share, and the unranked are tied last.
  const borda = (ballots) => {
    const size = ballots.names.length;
    const points = everyone(size).map(() => 0n); // in halves
    for (const { groups, count } of ballots.papers) {
      const ranked = new Set(groups.flat());
      let above = 0;
      for (const group of [...groups, everyone(size).filter((each) => !ranked.has(each))]) {
        const share = BigInt(2 * (size - 1 - above) - (group.length - 1)) * BigInt(count); // twice the mean
        for (const each of group) points[each] += share;
        above += group.length;
      }
    }
    return standing(ballots, levels(everyone(size), points), { pairwise: contests(ballots, "below") });
  };

  // --- votes for the first candidate still in ---

  // How many parts a vote needs to be shared among any group of equals that occurs.
  const partsOf = (ballots) => {
    const sizes = new Set(ballots.papers.flatMap(({ groups }) => groups.map((group) => group.length)));
    const largest = Math.max(1, ...sizes);
    return everyone(largest).reduce((parts, number) => multiple(parts, BigInt(number + 1)), 1n);
  };

  const firstOf = (groups, isIn) => {
    for (const group of groups) {
      const still = group.filter((each) => isIn[each]);
      if (still.length) return still;
    }
    return [];
  };

  // Each candidate's votes in parts, and how many ballots rank nobody who is still in.
  const firstVotes = (ballots, isIn, parts) => {
    const shared = new Map(); // whole ballots by number of equals, since BigInt is slow
    let exhausted = 0;
    for (const { groups, count } of ballots.papers) {
      const first = firstOf(groups, isIn);
      if (!first.length) exhausted += count;
      if (first.length && !shared.has(first.length)) shared.set(first.length, isIn.map(() => 0));
      for (const each of first) shared.get(first.length)[each] += count;
    }
    const votes = isIn.map(() => 0n);
    for (const [many, counts] of shared) {
      counts.forEach((count, each) => (votes[each] += (BigInt(count) * parts) / BigInt(many)));
    }
    return { votes, exhausted };
  };

  const plurality = (ballots) => {
    const all = everyone(ballots.names.length);
    const { votes } = firstVotes(ballots, all.map(() => true), partsOf(ballots));
    return standing(ballots, levels(all, votes));
  };

  // --- breaking ties: by the latest earlier round in which they differ, then by lot ---

  // The documented draw: seed, method, what is chosen, round and name, one per line; the smallest SHA-256 is drawn.
  const drawn = (names, who, { seed, method, where, round }) => {
    const marks = new Map(who.map((each) => [each, sha256([seed, method, where, round, names[each]].join("\n"))]));
    return who.reduce((best, each) => (marks.get(each) < marks.get(best) ? each : best));
  };

  // The commitment shown when voting opened must match the secret, and the secret with these ballots must give the
  // seed. If the secret was lost, no lot can have been drawn.
  const lotsDiffer = ({ lots, settings, result }, digest) => {
    if (!lots) return []; // a poll
    const { commitment, secret, question } = lots; // a number, if it is not the first of several
    const published = { lots_commitment: commitment, seed: settings.seed };
    const here = { lots_commitment: sha256(`plenum: commitment to lots\n${secret}`) };
    here.seed = sha256(["plenum: seed of lots", secret, digest, ...(question ? [question] : [])].join("\n"));
    if (!secret) Object.assign(here, { lots_commitment: result.lots.length ? "" : commitment, seed: "" });
    return Object.keys(here)
      .filter((part) => here[part] !== published[part])
      .map((part) => ({ part, published: published[part], here: here[part] }));
  };

  const settler = (names, method, seed) => {
    const [ties, lots] = [[], []];
    const settle = (who, where, earlier, best, within = 0n) => {
      if (who.length === 1) return who[0];
      const round = earlier.length + 1;
      let left = who;
      for (let at = earlier.length - 1; at >= 0 && left.length > 1; at--) {
        const bound = best(left.map((each) => earlier[at][each]));
        left = left.filter((each) => earlier[at][each] <= bound + within && earlier[at][each] >= bound - within);
      }
      ties.push(tie(names, where, who, left.length > 1 ? "lot" : "earlier round", round));
      if (left.length === 1) return left[0];
      const chosen = drawn(names, left, { seed, method, where, round });
      lots.push({ where, names: namesOf(names, left), chosen: names[chosen], round });
      return chosen;
    };
    return { ties, lots, settle };
  };

  // --- instant runoff ---

  const irv = (ballots, { seed }) => {
    const { names } = ballots;
    const all = everyone(names.length);
    if (!ballots.papers.length) return standing(ballots, all.length ? [all] : [], { rounds: [] });
    const parts = partsOf(ballots);
    const isIn = all.map(() => true);
    const { ties, lots, settle } = settler(names, "irv", seed);
    const [rounds, earlier, gone] = [[], [], []];
    for (;;) {
      const still = all.filter((each) => isIn[each]);
      const { votes, exhausted } = firstVotes(ballots, isIn, parts);
      const need = majority(still.map((each) => votes[each]), parts);
      const said = { number: rounds.length + 1, tally: tallyOf(names, still, (each) => textOf(votes[each], parts)) };
      Object.assign(said, { threshold: textOf(...need), exhausted: String(exhausted), elected: [], eliminated: [] });
      Object.assign(said, { transfers: [], keep: null, residue: "0" });
      const before = rounds.at(-1);
      if (before) {
        // Those still in can only have gained from the one eliminated.
        const gained = still.map((each) => [names[each], votes[each] - earlier.at(-1)[each]]);
        gained.push([null, BigInt(exhausted - Number(before.exhausted)) * parts]);
        before.transfers = transfersFrom(before.eliminated[0], gained, (part) => textOf(part, parts));
      }
      rounds.push(said);
      const winner = still.find((each) => votes[each] * need[1] >= need[0] * parts);
      if (winner !== undefined) {
        said.elected.push(names[winner]);
        const groups = [...levels(still, votes), ...gone.reverse().map((each) => [each])];
        return standing(ballots, groups, { rounds, lots, ties: [...ties, ...leftTies(names, groups)] });
      }
      const fewest = least(still.map((each) => votes[each]));
      const loser = settle(still.filter((each) => votes[each] === fewest), "elimination", earlier, least);
      said.eliminated.push(names[loser]);
      earlier.push(votes);
      isIn[loser] = false;
      gone.push(loser);
    }
  };

  const transfersFrom = (source, gained, said) =>
    gained.filter(([, votes]) => votes).map(([destination, votes]) => ({ source, destination, votes: said(votes) }));

  const tallyOf = (names, who, said) => Object.fromEntries(who.map((each) => [names[each], said(each)]));

  // The smallest majority these votes can express: [parts needed, parts per vote].
  const majority = (votes, parts) => {
    const needed = votes.reduce((needed, each) => multiple(needed, parts / common(each, parts)), 1n);
    return [(sum(votes) * needed) / parts / 2n + 1n, needed];
  };

  // --- single transferable vote ---

  const stv = (ballots, { method, seats, seed }, places) => {
    const { names } = ballots;
    const all = BigInt(ballots.total - ballots.blank) * 10n ** BigInt(places);
    const state = { names, hopeful: everyone(names.length), elected: [], gone: [], seats, places, all };
    Object.assign(state, settler(names, method, seed), { rounds: [], earlier: [], winners: [] });
    return state;
  };

  const nobodyVoted = (ballots, seats) => {
    const all = everyone(ballots.names.length);
    const result = standing(ballots, all.length ? [all] : [], { rounds: [] });
    return { ...result, winners: all.length <= seats ? ballots.names : [] };
  };

  const seatsForAll = (state) => state.hopeful.length <= state.seats;
  const isComplete = (state) => !state.seats || !state.hopeful.length;

  const elect = (state, who, votes) => {
    const groups = levels(who, votes);
    state.elected.push(...groups);
    state.hopeful = state.hopeful.filter((each) => !who.includes(each));
    state.seats -= who.length;
    state.winners.push(...groups.flat());
    return groups.flat();
  };

  const exclude = (state, votes, within, toward) => {
    const fewest = least(state.hopeful.map((each) => votes[each]));
    const lowest = state.hopeful.filter((each) => votes[each] <= fewest + within);
    const chosen = state.settle(lowest, "elimination", state.earlier, least, toward);
    state.hopeful = state.hopeful.filter((each) => each !== chosen);
    state.gone.push(chosen);
    return chosen;
  };

  const finished = (ballots, state, votes) => {
    const groups = [...state.elected, ...levels(state.hopeful, votes), ...state.gone.reverse().map((each) => [each])];
    const more = { rounds: state.rounds, lots: state.lots, ties: [...state.ties, ...leftTies(state.names, groups)] };
    return { ...standing(ballots, groups, more), winners: state.winners.map((each) => state.names[each]) };
  };

  // Votes lost to rounding: those missing from the total of all ballots that rank anybody.
  const stage = (state, who, votes, quota, exhausted, elected, eliminated, more = {}) => ({
    number: state.rounds.length + 1,
    tally: tallyOf(state.names, who, (each) => fixed(votes[each], state.places)),
    threshold: fixed(quota, state.places),
    exhausted: fixed(exhausted, state.places),
    elected: elected.map((each) => state.names[each]),
    eliminated: eliminated.map((each) => state.names[each]),
    transfers: [],
    keep: null,
    residue: fixed(state.all - sum(who.map((each) => votes[each])) - exhausted, state.places),
    ...more,
  });

  // Scottish rules: in units of the fifth decimal, truncated.
  const FIVE = 10n ** 5n;

  const stvScottish = (ballots, settings) => {
    if (!ballots.papers.length) return nobodyVoted(ballots, settings.seats);
    const state = stv(ballots, settings, 5);
    const quota = (BigInt(ballots.total - ballots.blank) / BigInt(settings.seats + 1) + 1n) * FIVE;
    const held = state.names.map(() => new Map()); // by paper: its value to its holder
    const votes = state.names.map(() => 0n);
    const nobody = { votes: 0n };
    const firsts = new Map(ballots.papers.map((_, index) => [index, FIVE]));
    handOn(ballots, firsts, [1n, 1n], state.hopeful, { held, votes, nobody });
    const surpluses = [];
    for (;;) {
      const listed = everyone(votes.length).filter((each) => !state.gone.includes(each));
      const [now, exhausted] = [[...votes], nobody.votes];
      const elected = elect(state, state.hopeful.filter((each) => votes[each] >= quota), votes);
      if (seatsForAll(state)) elected.push(...elect(state, state.hopeful, votes));
      surpluses.push(...elected.filter((each) => votes[each] > quota));
      const eliminated = [];
      let giver = null;
      if (!isComplete(state) && surpluses.length) {
        const largest = most(surpluses.map((each) => votes[each]));
        const equals = surpluses.filter((each) => votes[each] === largest).sort((a, b) => a - b);
        giver = state.settle(equals, "transfer", state.earlier, most);
        surpluses.splice(surpluses.indexOf(giver), 1);
        giveAway(ballots, giver, quota, state.hopeful, { held, votes, nobody });
      } else if (!isComplete(state)) {
        giver = exclude(state, votes, 0n, 0n);
        eliminated.push(giver);
        giveAway(ballots, giver, 0n, state.hopeful, { held, votes, nobody });
      }
      const gained = state.hopeful.map((each) => [state.names[each], votes[each] - now[each]]);
      gained.push([null, nobody.votes - exhausted]);
      const transfers = transfersFrom(state.names[giver], gained, (part) => fixed(part, state.places));
      state.rounds.push(stage(state, listed, now, quota, exhausted, elected, eliminated, { transfers }));
      state.earlier.push(now);
      if (isComplete(state)) return finished(ballots, state, now);
    }
  };

  // Every paper is transferred, reduced by what its holder keeps.
  const giveAway = (ballots, giver, keeps, hopeful, table) => {
    const [papers, had] = [table.held[giver], table.votes[giver]];
    table.held[giver] = new Map();
    table.votes[giver] = keeps;
    if (had) handOn(ballots, papers, [had - keeps, had], hopeful, table);
  };

  const handOn = (ballots, papers, [part, of], hopeful, { held, votes, nobody }) => {
    const isIn = votes.map((_, each) => hopeful.includes(each));
    for (const [index, worth] of papers) {
      const { groups, count } = ballots.papers[index];
      const value = (worth * part) / of;
      const next = firstOf(groups, isIn);
      const share = next.length ? value / BigInt(next.length) : 0n;
      for (const each of next) {
        held[each].set(index, (held[each].get(index) ?? 0n) + share);
        votes[each] += share * BigInt(count);
      }
      if (!next.length) nobody.votes += value * BigInt(count);
    }
  };

  // Meek's rules: in units of the ninth decimal. Each candidate keeps a fraction of every incoming vote, rounded up.
  const NINE = 10n ** 9n;
  const OMEGA = 10n ** 3n;
  const upward = (top, bottom) => (top + bottom - 1n) / bottom;

  // What each of several equals keeps of a weight: the mean over all orders they could be in.
  const meekShares = (weight, keeps) => {
    if (keeps.length === 1) return [upward(weight * keeps[0], NINE)];
    const bottom = everyone(keeps.length).reduce((all, number) => multiple(all, BigInt(number + 1)), 1n);
    return keeps.map((keep, index) => {
      let factors = [1n]; // coefficients in t of the product of (1 - t * other) over the others
      keeps.forEach((other, at) => {
        if (at !== index) factors = [...factors, 0n].map((f, power) => f * NINE - (factors[power - 1] ?? 0n) * other);
      });
      const mean = sum(factors.map((factor, power) => (factor * bottom) / BigInt(power + 1)));
      return (weight * keep * mean) / (bottom * NINE ** BigInt(keeps.length));
    });
  };

  // Distributes a ballot's one vote: calls back with who keeps how much, and returns what nobody keeps. A rounding
  // remainder where somebody would keep everything is lost, not passed on.
  const meekDeal = (groups, keep, kept) => {
    let weight = NINE;
    for (const group of groups) {
      const who = group.filter((each) => keep[each]);
      if (!who.length) continue;
      const keeps = who.map((each) => keep[each]);
      const shares = meekShares(weight, keeps);
      who.forEach((each, at) => kept(each, shares[at]));
      weight -= sum(shares);
      if (!weight || keeps.includes(NINE)) return 0n;
    }
    return weight;
  };

  // Groups ballots that are the same up to the first candidate who keeps everything.
  const meekHeads = (ballots, keep, hopeful) => {
    const heads = new Map();
    for (const { groups, count } of ballots.papers) {
      const head = [];
      for (const group of groups) {
        const who = group.filter((each) => keep[each]);
        if (who.length) head.push(who);
        if (who.some((each) => hopeful.includes(each))) break;
      }
      const key = rankingOf(head);
      if (!heads.has(key)) heads.set(key, { groups: head, count: 0 });
      heads.get(key).count += count;
    }
    return [...heads.values()];
  };

  const meekVotes = (heads, keep) => {
    const votes = keep.map(() => 0n);
    let exhausted = 0n;
    for (const { groups, count } of heads) {
      const many = BigInt(count);
      exhausted += many * meekDeal(groups, keep, (each, share) => (votes[each] += share * many));
    }
    return { votes, exhausted };
  };

  const stvMeek = (ballots, settings) => {
    if (!ballots.papers.length) return nobodyVoted(ballots, settings.seats);
    const state = stv(ballots, settings, 9);
    const keep = state.names.map(() => NINE);
    for (;;) {
      const listed = everyone(keep.length).filter((each) => !state.gone.includes(each));
      const heads = meekHeads(ballots, keep, state.hopeful);
      const { votes, exhausted, quota, surplus } = meekRound(ballots, state, settings.seats, heads, keep);
      const elected = elect(state, state.hopeful.filter((each) => votes[each] >= quota), votes);
      const eliminated = [];
      const kept = tallyOf(state.names, listed, (each) => fixed(keep[each], state.places));
      if (!elected.length && !seatsForAll(state)) {
        eliminated.push(exclude(state, votes, surplus, OMEGA));
        keep[eliminated[0]] = 0n;
      }
      if (seatsForAll(state) && state.seats) elected.push(...elect(state, state.hopeful, votes));
      state.rounds.push(stage(state, listed, votes, quota, exhausted, elected, eliminated, { keep: kept }));
      state.earlier.push(votes);
      if (isComplete(state)) return finished(ballots, state, votes);
    }
  };

  // Lowers what the elected keep until somebody reaches the quota or the surplus is negligible.
  const meekRound = (ballots, state, seats, heads, keep) => {
    let before = BigInt(ballots.total - ballots.blank) * NINE;
    for (;;) {
      const { votes, exhausted } = meekVotes(heads, keep);
      const quota = sum(votes) / BigInt(seats + 1) + 1n;
      const above = sum(state.winners.map((each) => votes[each] - quota));
      const surplus = above > 0n ? above : 0n;
      const reached = state.hopeful.some((each) => votes[each] >= quota);
      if (reached || seatsForAll(state) || surplus < OMEGA || surplus >= before) {
        return { votes, exhausted, quota, surplus };
      }
      for (const each of state.winners) {
        const lower = upward(upward(keep[each] * quota, NINE) * NINE, votes[each]);
        keep[each] = lower < NINE ? lower : NINE;
      }
      before = surplus;
    }
  };

  // --- marks and values ---

  // Of each candidate, the votes or points: a mark counts for one.
  const pointsOf = (ballots) => {
    const points = ballots.names.map(() => 0);
    for (const { groups, values, count } of ballots.papers) {
      groups.forEach((group, at) => group.forEach((each) => (points[each] += count * (values[at] || 1))));
    }
    return points;
  };

  // The method's own rules come first; this only draws. The round is the number of the seat.
  const lottery = (names, method, seed) => {
    const [ties, lots] = [[], []];
    const draw = (who, where, round) => {
      if (who.length === 1) return who[0];
      const chosen = drawn(names, who, { seed, method, where, round });
      ties.push(tie(names, where, who, "lot", round));
      lots.push({ where, names: namesOf(names, who), chosen: names[chosen], round });
      return chosen;
    };
    return { ties, lots, draw };
  };

  const elected = (ballots, groups, winners, { ties, lots }, more = {}) => {
    const all = [...ties, ...leftTies(ballots.names, groups)];
    return standing(ballots, groups, { winners: winners.map((each) => ballots.names[each]), ties: all, lots, ...more });
  };

  // Those with most are elected; for the last seats between equals lots are drawn. Nobody is elected without a vote.
  const mostPoints = (ballots, { method, seats, seed }) => {
    const points = pointsOf(ballots);
    const luck = lottery(ballots.names, method, seed);
    const [groups, winners] = [[], []];
    for (const group of levels(everyone(points.length), points)) {
      const free = points[group[0]] ? seats - winners.length : 0;
      const chosen = free >= group.length ? [...group] : [];
      while (chosen.length < Math.min(free, group.length)) {
        const left = group.filter((each) => !chosen.includes(each));
        chosen.push(luck.draw(left, "election", winners.length + chosen.length + 1));
      }
      const others = group.filter((each) => !chosen.includes(each));
      groups.push(...[chosen, others].filter((part) => part.length));
      winners.push(...chosen.sort((a, b) => a - b));
    }
    return elected(ballots, groups, winners, luck);
  };

  // STAR: the two with most points are finalists, and the one whom more ballots score higher wins. Ties for the final:
  // of exactly two, the one scored higher by more; else most fives, and equals by lot. In the runoff: points, fives, lot.
  const star = (ballots, { method, seats, seed }) => {
    const { names } = ballots;
    const pairwise = contests(ballots, "below");
    const points = pointsOf(ballots);
    const fives = names.map(() => 0);
    for (const { groups, values, count } of ballots.papers) {
      groups.forEach((group, at) => values[at] === 5 && group.forEach((each) => (fives[each] += count)));
    }
    const luck = lottery(names, method, seed);
    const note = (where, who, how, round) => luck.ties.push(tie(names, where, who, how, round));
    const headToHead = ([one, other]) => ({ [one]: pairwise[one][other], [other]: pairwise[other][one] });
    const bestOf = (tied, places, round) => {
      if (tied.length <= places || !places) return tied.slice(0, places);
      const ahead = tied.length === 2 ? levels(tied, headToHead(tied)) : [tied];
      if (ahead.length > 1) {
        note("finalists", tied, "head to head", round);
        return ahead[0];
      }
      const groups = levels(tied, fives);
      if (groups.length > 1) note("finalists", tied, "fives", round);
      const chosen = [];
      for (const group of groups) {
        let left = group;
        while (places > chosen.length && left.length > places - chosen.length) {
          chosen.push(luck.draw(left, "finalists", round));
          left = left.filter((each) => !chosen.includes(each));
        }
        chosen.push(...left.slice(0, places - chosen.length));
      }
      return chosen;
    };
    const finalistsOf = (left, round) =>
      levels(left, points).reduce((found, tied) => [...found, ...bestOf(tied, 2 - found.length, round)], []);
    const winnerOf = (finalists, round) => {
      if (finalists.length === 1) return finalists[0];
      for (const [how, measure] of [["", headToHead(finalists)], ["points", points], ["fives", fives]]) {
        const [first, ...others] = levels(finalists, measure);
        if (others.length && how) note("runoff", finalists, how, round);
        if (others.length) return first[0];
      }
      return luck.draw(finalists, "runoff", round);
    };
    const winners = [];
    let last = [];
    for (let left = everyone(names.length); winners.length < seats; ) {
      left = left.filter((each) => points[each] && !winners.includes(each));
      if (!left.length) break;
      last = finalistsOf(left, winners.length + 1);
      winners.push(winnerOf(last, winners.length + 1));
    }
    const first = [...winners, ...last.filter((each) => !winners.includes(each))];
    const rest = everyone(names.length).filter((each) => !first.includes(each));
    return elected(ballots, [...first.map((each) => [each]), ...levels(rest, points)], winners, luck, { pairwise });
  };

  // Yes or no: of one half, more than that must say yes; of any other share, at least that.
  const yesOrNo = (ballots, { majority: rule, entitled }) => {
    const [yes, no, abstain] = ["Yes", "No", "Abstain"].map((name) => ballots.names.indexOf(name));
    const points = pointsOf(ballots);
    const [ayes, noes] = [yes, no].map((each) => points[each] ?? 0);
    const [, top, bottom, of] = /^([0-9]+)\/([0-9]+) (cast|present|entitled)$/.exec(rule || "1/2 cast");
    const base = { cast: ayes + noes, present: ballots.total, entitled: Math.max(entitled, ballots.total) }[of];
    const [have, need] = [BigInt(ayes) * BigInt(bottom), BigInt(top) * BigInt(base)];
    const carried = ayes > 0 && (2 * top === Number(bottom) ? have > need : have >= need);
    const order = (carried ? [yes, no, abstain] : [no, yes, abstain]).filter((each) => each >= 0);
    return standing(ballots, order.map((each) => [each]), { winners: carried ? ["Yes"] : [] });
  };

  // --- all methods ---

  const METHODS = {
    schulze,
    "ranked-pairs": rankedPairs,
    irv,
    borda,
    copeland,
    minimax,
    plurality,
    "stv-scottish": stvScottish,
    "stv-meek": stvMeek,
    majority: yesOrNo,
    "most-votes": mostPoints,
    approval: mostPoints,
    score: mostPoints,
    cumulative: mostPoints,
    star,
  };

  const count = (ballots, method, settings = {}) => {
    const { seats = 1, unranked = "below", seed = "", majority = "", entitled = 0 } = settings;
    if (!METHODS[method]) throw new Error(`There is no method ${method}.`);
    if (!["below", "no-opinion"].includes(unranked)) throw new Error(`There is no rule ${unranked}.`);
    const { total, blank } = ballots;
    return { method, total, blank, ...METHODS[method](ballots, { method, seats, unranked, seed, majority, entitled }) };
  };

  // --- comparing with the published result ---

  const COMPARED = ["total", "blank", "winners", "places", "pairwise", "rounds", "ties", "lots"];
  const ROUND = ["number", "tally", "threshold", "exhausted", "elected", "eliminated", "transfers", "keep", "residue"];

  const steady = (value) => {
    if (Array.isArray(value)) return `[${value.map(steady).join(",")}]`;
    if (value === null || typeof value !== "object") return JSON.stringify(value ?? null);
    return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${steady(value[key])}`).join(",")}}`;
  };

  const isSame = (one, other) => steady(one) === steady(other);

  // Every part in which two results differ, with both values; for rounds, only the first difference.
  const differences = (published, here) =>
    COMPARED.filter((part) => part in published && !isSame(published[part], here[part])).flatMap((part) => {
      if (part === "rounds" && published.rounds && here.rounds) return roundsDiffer(published.rounds, here.rounds);
      return [{ part, published: steady(published[part]), here: steady(here[part]) }];
    });

  const roundsDiffer = (published, here) => {
    for (let at = 0; at < Math.max(published.length, here.length); at++) {
      const [theirs, ours] = [published[at], here[at]];
      const what = ROUND.find((name) => !isSame(theirs?.[name], ours?.[name]));
      if (what === undefined) continue; // it says more than we count, and nothing differs
      const said = (round) => (round ? `round ${at + 1}, ${what}: ${steady(round[what])}` : `no round ${at + 1}`);
      return [{ part: "rounds", published: said(theirs), here: said(ours) }];
    }
    return [];
  };

  // --- the whole recount ---

  const recount = (published, tell = () => {}) => {
    const { settings, rankings, candidates, result, others } = published;
    const ballots = normal(candidates, rankings, (part) => tell(0.3 * part));
    const found = digest(ballots);
    tell(0.4);
    const wrong = found === published.digest ? [] : [{ part: "digest", published: published.digest, here: found }];
    wrong.push(...lotsDiffer(published, found));
    const own = count(ballots, settings.method, settings);
    wrong.push(...differences(result, own));
    tell(0.5);
    const methods = Object.keys(others).map((method, index, all) => {
      const { winners, places } = count(ballots, method, settings);
      tell(0.5 + (0.5 * (index + 1)) / all.length);
      return { method, winners, same: !differences(others[method], { winners, places }).length };
    });
    const { winners, total } = own;
    return { digest: found, wrong, winners, total, distinct: ballots.counts.length, methods };
  };

  return {
    count, differences, digest, firstOf, fixed, groupsOf, meekDeal, METHODS, normal, recount, textOf,
  };
})();

// In a worker: fetches the published ballots, counts them and reports progress.
if (typeof WorkerGlobalScope !== "undefined" && globalThis instanceof WorkerGlobalScope) {
  addEventListener("message", async ({ data: address }) => {
    try {
      const answer = await fetch(address, { redirect: "error" });
      if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
      const published = await answer.json();
      postMessage({ progress: 0.05 });
      const found = Recount.recount(published, (part) => postMessage({ progress: 0.05 + 0.95 * part }));
      postMessage({ found });
    } catch (error) {
      postMessage({ problem: error.message });
    }
  });
}

if (typeof module !== "undefined") module.exports = globalThis.Recount;
