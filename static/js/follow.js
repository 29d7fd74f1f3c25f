// On the page of all ballots: finds one by its code, which is never sent, and shows how it was counted.
(() => {
  const page = document.querySelector("[data-follow]");
  const part = (name) => page.querySelector(`[data-${name}]`);
  const input = page.querySelector("#own-code");
  const story = JSON.parse(document.getElementById("story").textContent);
  const { words, candidates } = story;
  const { firstOf, fixed, groupsOf, meekDeal, textOf } = Recount;

  // --- text ---

  const apart = (name) => `\u2068${name}\u2069`; // isolates names written in the other direction
  const fill = (sentence, values) => sentence.replace(/\{(\w+)\}/g, (_, key) => values[key]);
  const say = (sentence, each) => fill(words[sentence], { name: apart(candidates[each]) });
  const short = (units, places) => fixed(units, places).replace(/\.?0+$/, "");
  const units = (text) => BigInt(text.replace(".", ""));

  // --- what a ballot did, as rows of text ---

  const happened = ({ elected, eliminated, surplus }) => [
    ...elected.map((each) => say("elected", each)),
    ...eliminated.map((each) => say("eliminated", each)),
    ...(surplus ? [say("surplus", surplus.giver)] : []),
  ];

  const partFor = (each, part) =>
    part === "1" ? say("counts_for", each) : fill(words.part_for, { part, name: apart(candidates[each]) });
  const lost = (part) => (part === "1" ? words.exhausted : fill(words.part_exhausted, { part }));

  const irvRows = (groups) => {
    const isIn = candidates.map(() => true);
    return story.rounds.map((round) => {
      const first = firstOf(groups, isIn);
      const lines = first.map((each) => partFor(each, textOf(1n, BigInt(first.length))));
      for (const each of round.eliminated) isIn[each] = false;
      return [lines.length ? lines : [words.exhausted], happened(round)];
    });
  };

  // The paper moves whole; each time it leaves an elected candidate, part of its value stays behind.
  const scottishRows = (groups) => {
    const [held, kept] = [new Map(), new Map()];
    const isIn = candidates.map(() => true);
    let exhausted = 0n;
    const add = (pile, each, value) => pile.set(each, (pile.get(each) ?? 0n) + value);
    const handOn = (value) => {
      const next = firstOf(groups, isIn);
      for (const each of next) add(held, each, value / BigInt(next.length));
      if (!next.length) exhausted += value;
    };
    const take = (giver) => {
      const value = held.get(giver) ?? 0n;
      held.delete(giver);
      return value;
    };
    handOn(10n ** 5n);
    return story.rounds.map((round) => {
      const lines = [...held].filter(([, value]) => value).map(([each, value]) => partFor(each, short(value, 5)));
      for (const [each, value] of kept) {
        lines.push(fill(words.kept_by, { part: short(value, 5), name: apart(candidates[each]) }));
      }
      if (exhausted) lines.push(lost(short(exhausted, 5)));
      for (const each of [...round.elected, ...round.eliminated]) isIn[each] = false;
      for (const each of round.eliminated) handOn(take(each));
      if (round.surplus) {
        const { giver, held: votes, quota } = round.surplus;
        const value = take(giver);
        const moves = (value * (units(votes) - units(quota))) / units(votes);
        if (value) add(kept, giver, value - moves);
        if (value) handOn(moves);
      }
      return [lines, happened(round)];
    });
  };

  const meekRows = (groups) => {
    const gone = new Set();
    return story.rounds.map((round) => {
      const keep = candidates.map((_, each) => (gone.has(each) ? 0n : units(round.keep[each] ?? "1.000000000")));
      const lines = [];
      const rest = meekDeal(groups, keep, (each, share) => share && lines.push(partFor(each, short(share, 9))));
      if (rest) lines.push(lost(short(rest, 9)));
      for (const each of round.eliminated) gone.add(each);
      return [lines, happened(round)];
    });
  };

  const rankIn = (groups, each) => groups.findIndex((group) => group.includes(each));

  const opinion = (groups, one, other) => {
    const [first, second] = [rankIn(groups, one), rankIn(groups, other)];
    const compares = story.unranked === "below" ? Math.max(first, second) >= 0 : Math.min(first, second) >= 0;
    if (!compares) return words.silent;
    if (first === second) return words.equal;
    const [better, worse] = second < 0 || (first >= 0 && first < second) ? [one, other] : [other, one];
    return fill(words.above, { one: apart(candidates[better]), other: apart(candidates[worse]) });
  };

  const contestRows = (groups) =>
    story.contests.map((contest) => {
      const names = { one: apart(candidates[contest.one]), other: apart(candidates[contest.other]) };
      const votes = `${contest.for}\u00a0:\u00a0${contest.against}`;
      return [[fill(words.versus, names)], [votes], [opinion(groups, contest.one, contest.other)]];
    });

  // A point for everyone below, half a point for every equal; those left out are tied last.
  const bordaRows = (groups) => {
    const rank = (each) => (rankIn(groups, each) < 0 ? groups.length : rankIn(groups, each));
    return candidates.map((name, each) => {
      const versus = (other) => (other === each ? 0 : 1 + Math.sign(rank(other) - rank(each)));
      const halves = groups.length ? candidates.reduce((sum, _, other) => sum + versus(other), 0) : 0;
      return [[apart(name)], [textOf(BigInt(halves), 2n)]];
    });
  };

  // Marks and values: what this ballot gave each candidate, and what all ballots did; then STAR's runoffs.
  const markRows = (values) => {
    const row = (each) => [[apart(candidates[each])], [String(values.get(each) ?? 0)], [story.totals[each]]];
    const given = story.order.map(row);
    const runoffs = story.runoffs.map(({ one, other, for: ayes, against: noes }) => {
      const names = { one: apart(candidates[one]), other: apart(candidates[other]) };
      const lead = (values.get(one) ?? 0) - (values.get(other) ?? 0);
      const own = lead ? say("counts_for", lead > 0 ? one : other) : words.same;
      return [[fill(words.runoff, names)], [own], [`${ayes}\u00a0:\u00a0${noes}`]];
    });
    return [...given, ...runoffs];
  };

  const rounds = (rows) => (groups) => rows(groups).map((cells, index) => [[String(index + 1)], ...cells]);
  const KINDS = {
    schulze: [["contest", "outcome", "ballot"], contestRows],
    "ranked-pairs": [["contest", "outcome", "ballot"], contestRows],
    borda: [["candidate", "points"], bordaRows],
    irv: [["round", "ballot", "happened"], rounds(irvRows)],
    "stv-scottish": [["round", "ballot", "happened"], rounds(scottishRows)],
    "stv-meek": [["round", "ballot", "happened"], rounds(meekRows)],
  };

  // --- the page ---

  const element = (name, textContent = "", more = {}) =>
    Object.assign(document.createElement(name), { textContent, ...more });

  const showRanking = (groups) => {
    const items = groups.map((group, index) => {
      const names = element("div");
      group.forEach((each, at) => {
        if (at) names.append(" = ");
        names.append(element("b", candidates[each], { dir: "auto" }));
      });
      const item = element("li");
      item.append(element("span", String(index + 1), { className: "rank", ariaHidden: "true" }), names);
      return item;
    });
    part("ranked").replaceChildren(...(items.length ? items : [element("li", words.blank)]));
    const left = candidates.filter((_, each) => rankIn(groups, each) < 0).map(apart);
    part("unranked").textContent = left.length ? fill(words.unranked, { names: left.join(", ") }) : "";
  };

  const showMarks = (values, hasValues) => {
    const items = [...values].map(([each, value]) => {
      const item = element("li");
      const sign = element("span", hasValues ? String(value) : "✓", { className: "rank", ariaHidden: "true" });
      const name = element("div");
      name.append(element("b", candidates[each], { dir: "auto" }));
      item.append(sign, name);
      return item;
    });
    part("ranked").replaceChildren(...(items.length ? items : [element("li", words.blank)]));
  };

  const showRows = (groups) => {
    const [head, rows] = story.totals.length ? [["candidate", "ballot", "outcome"], markRows] : KINDS[story.method];
    const titles = element("tr");
    titles.append(...head.map((word) => element("th", words[word], { scope: "col" })));
    page.querySelector("thead").replaceChildren(titles);
    const filled = rows(groups).map((cells) => {
      const row = element("tr");
      cells.forEach((lines, at) => {
        const cell = at ? element("td") : element("th", "", { scope: "row" });
        cell.dataset.label = words[head[at]]; // for phones, where the table head is hidden
        const said = element("div");
        said.append(...lines.map((line) => element("p", line)));
        cell.append(said);
        row.append(cell);
      });
      return row;
    });
    page.querySelector("tbody").replaceChildren(...filled);
    part("more").hidden = !story.more;
    part("more").textContent = fill(words.more, { count: story.contests.length });
  };

  const show = (ranking) => {
    const place = new Map(story.numbers.map((number, each) => [number, each]));
    if (story.totals.length) {
      const values = valuesOf(ranking, place);
      showMarks(values, ranking.includes("@"));
      showRows(values);
    } else showRanked(ranking, place);
    part("ballot").hidden = false;
    part("title").focus();
  };

  // "0=4@5>1@3": 5 for candidates 0 and 4, 3 for candidate 1; "0=3": a mark for each.
  const valuesOf = (ballot, place) =>
    new Map(
      (ballot === "" ? [] : ballot.split(">")).flatMap((group) => {
        const [numbers, value] = group.split("@");
        return numbers.split("=").map((number) => [place.get(Number(number)), Number(value ?? 1)]);
      }),
    );

  const showRanked = (ranking, place) => {
    const groups = groupsOf(ranking).map((group) => group.map((number) => place.get(number)));
    showRanking(groups);
    showRows(groups);
  };

  // Corrects easily misread characters: codes never contain O, I or L.
  const codeFrom = (typed) => {
    const signs = typed.toUpperCase().replace(/[^0-9A-Z]/g, "").replace(/O/g, "0").replace(/[IL]/g, "1");
    return /^[0-9A-HJKMNP-TV-Z]{16}$/.test(signs) ? signs.match(/.{4}/g).join("-") : null;
  };

  // Among the ballots on one question, of which only those are fetched whose codes begin alike.
  const ballotOf = async (code, { address, letters }) => {
    const begins = code.replaceAll("-", "").slice(0, letters);
    const answer = await fetch(begins ? `${address}?begins=${begins}` : address, { redirect: "error" });
    if (!answer.ok) throw new Error(answer.statusText);
    return (await answer.json()).ballots.find(([each]) => each === code);
  };

  const find = async (typed) => {
    part("ballot").hidden = true;
    const code = codeFrom(typed);
    const tell = (sentence) => (part("said").textContent = sentence);
    if (!code) return tell(words.not_a_code);
    try {
      const ballot = await ballotOf(code, story);
      for (const other of ballot ? [] : story.elsewhere) {
        if (await ballotOf(code, other)) return location.assign(`${other.page}#${code}`);
      }
      tell(ballot ? words.found : words.not_found);
      if (ballot) show(ballot[1]);
    } catch {
      tell(words.failed);
    }
  };

  part("form").addEventListener("submit", (event) => {
    event.preventDefault();
    find(input.value);
  });

  // Opened from the receipt's QR code: removes the code from the address, to keep it out of the history.
  const arrive = () => {
    const code = codeFrom(location.hash);
    if (!code) return;
    history.replaceState(null, "", location.pathname + location.search);
    input.value = code;
    find(code);
  };

  addEventListener("hashchange", arrive);
  arrive();
})();
