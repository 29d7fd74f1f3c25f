// On the page of a sealed round: finds the vote for a receipt without sending it, and checks the round: its bytes,
// receipts and question against the log, the log against a public checkpoint, and the result by recounting. Reports
// only what was checked, not what the page shows.
globalThis.SealedRound = (() => {
  "use strict";

  const { count, normal, sha256, textOf } = Recount;

  // --- digests ---

  const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const bytesOf = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

  // Browsers offer theirs only over HTTPS and on localhost; the fallback handles text.
  const shaOf = async (bytes) => {
    if (crypto.subtle) return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
    return sha256(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  };
  const shaOfText = (text) => shaOf(new TextEncoder().encode(text));

  // Chains are made of binary data, for which there is no fallback.
  const chainOf = async ({ previous, digests, sealed_by }) => {
    const all = digests.match(/.{64}/g) ?? [];
    if (sealed_by) all.push(await shaOfText(`plenum: sealed by\n${sealed_by}`)); // not in those of earlier versions
    let chain = bytesOf(previous);
    for (const digest of all) {
      const both = new Uint8Array([...chain, ...bytesOf(digest)]);
      chain = new Uint8Array(await crypto.subtle.digest("SHA-256", both));
    }
    return hex(chain);
  };

  // --- comparing ---

  const steady = (value) => {
    if (Array.isArray(value)) return `[${value.map(steady).join(",")}]`;
    if (value === null || typeof value !== "object") return JSON.stringify(value ?? null);
    return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${steady(value[key])}`).join(",")}}`;
  };

  const differences = (sealed, here) =>
    Object.keys(here)
      .filter((part) => steady(sealed[part]) !== steady(here[part]))
      .map((part) => ({ part, sealed: steady(sealed[part]), here: steady(here[part]) }));

  // --- recounting ---

  const everyone = (options) => options.map((_, place) => place);
  // Votes of an assembly are pairs: what was said, and how many times it counts.
  const total = (cast) => cast.reduce((sum, [, weight]) => sum + weight, 0);
  const times = (cast, words) => total(cast.filter(([said]) => said === words));

  // The count identifies candidates by name, so duplicates get a number.
  const namesOf = (options) =>
    options.map((name, place) => (options.indexOf(name) < place ? `${name} (${place + 1})` : name));

  const OTHER_LOTS = 16; // how many other draws to try, to see whether the outcome depends on the lots
  const OTHER_LOTS_WORK = 20_000;

  const drawnOtherwise = (ballots, result, method, seed) => {
    const tries = result.lots.length ? Math.min(OTHER_LOTS, Math.floor(OTHER_LOTS_WORK / ballots.counts.length)) : 0;
    return Array.from({ length: tries }, (_, number) => count(ballots, method, { seed: `${seed} ${number}` }));
  };

  // Candidates whose order depends on the draw share a place.
  const placesWithoutLots = (draws) => {
    const every = draws.map((each) => new Map(each.places));
    const isLevel = (one, other) =>
      !every.every((places) => places.get(one) < places.get(other)) &&
      !every.every((places) => places.get(one) > places.get(other));
    const groups = [];
    for (const [name] of [...draws[0].places].sort(([, one], [, other]) => one - other)) {
      const first = groups.findIndex((group) => group.some((other) => isLevel(name, other)));
      groups.push([...groups.splice(first < 0 ? groups.length : first).flat(), name]);
    }
    let before = 0;
    return groups.flatMap((group) => {
      const place = before + 1;
      before += group.length;
      return group.map((name) => [name, place]);
    });
  };

  // Those who win only by some draws are tied.
  const withoutLots = (ballots, result, method, seed) => {
    const draws = [result, ...drawnOtherwise(ballots, result, method, seed)];
    const possible = new Set(draws.flatMap((each) => each.winners));
    const between = draws.some((each) => each.winners.length !== possible.size);
    const winners = between ? [...possible] : result.winners;
    return { ...result, winners, places: placesWithoutLots(draws), between };
  };

  const lapOf = (round, at) => ({
    tally: [...at.keys()].map((name) => round.tally[name] ?? null),
    threshold: round.threshold,
    exhausted: round.exhausted,
    elected: round.elected.map((name) => at.get(name)),
    eliminated: round.eliminated.map((name) => at.get(name)),
    transfers: round.transfers.map((move) => [at.get(move.source), at.get(move.destination) ?? null, move.votes]),
  });

  // A choice has one round; equals share the vote.
  const onlyLap = (names, rankings, winners) => {
    const shares = names.map(() => new Map());
    for (const first of rankings.map((each) => Recount.groupsOf(each)[0] ?? [])) {
      for (const place of first) shares[place].set(first.length, (shares[place].get(first.length) ?? 0) + 1);
    }
    const tally = shares.map((parts) => {
      const bottom = [...parts.keys()].reduce((product, size) => product * BigInt(size), 1n);
      const top = [...parts].reduce((sum, [size, many]) => sum + (BigInt(many) * bottom) / BigInt(size), 0n);
      return textOf(top, bottom);
    });
    return { tally, threshold: "", exhausted: "0", elected: winners, eliminated: [], transfers: [] };
  };

  const byPlace = (places) => [...places].sort(([a, one], [b, other]) => one - other || a - b);

  const race = (options, rankings, method, seed, cast = rankings.map((each) => [each, 1])) => {
    const names = namesOf(options);
    const at = new Map(names.map((name, place) => [name, place]));
    const ballots = normal(names, cast);
    const result = count(ballots, method, { seed });
    const found = withoutLots(ballots, result, method, seed);
    const numbers = (some) => some.map((name) => at.get(name));
    const laps = (result.rounds ?? []).map((round) => lapOf(round, at));
    return {
      method,
      total: result.total,
      blank: result.blank,
      winners: numbers(found.winners).sort((a, b) => a - b),
      places: byPlace(found.places.map(([name, place]) => [at.get(name), place])),
      rounds: laps.length ? laps : [onlyLap(names, rankings, numbers(result.winners))],
      lots: result.lots.map((lot) => [lot.round ?? 0, at.get(lot.chosen), numbers(lot.names)]),
      between: found.between,
    };
  };

  // --- assembly votes ---

  const motion = (options, cast) => ({
    yes: times(cast, "yes"),
    no: times(cast, "no"),
    abstain: total(cast) - times(cast, "yes") - times(cast, "no"),
  });

  const choice = (options, cast) => {
    const chosen = everyone(options).map((place) => times(cast, String(place)));
    const most = Math.max(...chosen);
    const all = chosen.reduce((sum, each) => sum + each, 0);
    const leaders = most ? everyone(options).filter((place) => chosen[place] === most) : [];
    return { chosen, abstain: total(cast) - all, leaders, yes: most, no: all - most };
  };

  const ranking = (options, cast, seed) => {
    const rankings = cast.map(([said]) => said);
    return rankings.some(Boolean)
      ? { ...race(options, rankings, "irv", seed, cast), abstain: times(cast, "") }
      : { winners: [], places: [], rounds: [], lots: [], between: false, abstain: total(cast) };
  };

  // The best of them against the last, which is the status quo.
  const alternatives = (options, cast) => {
    const names = namesOf(options);
    const ballots = normal(names, cast);
    const result = count(ballots, "schulze");
    const at = names.map((name) => ballots.names.indexOf(name));
    const pairwise = at.map((one) => at.map((other) => result.pairwise[one][other]));
    const winners = cast.some(([said]) => said) ? result.winners.map((name) => names.indexOf(name)).sort((a, b) => a - b) : [];
    const places = byPlace(result.places.map(([name, place]) => [names.indexOf(name), place]));
    const last = names.length - 1;
    const [best] = places.find(([option]) => option !== last);
    const [yes, no] = [pairwise[best][last], pairwise[last][best]];
    return { method: "schulze", winners, places, pairwise, best, yes, no, abstain: total(cast) - yes - no };
  };

  // More than half, or at least another share; in whole numbers, to be exact at the boundary.
  const shareOf = (share, whole, isMore) => {
    const [top, bottom] = share.split("/").map(Number);
    const exact = top * whole;
    return Math.max(1, isMore ? Math.floor(exact / bottom) + 1 : Math.ceil(exact / bottom));
  };

  const needed = (kind, { yes, no }, sealed) => {
    if (kind === "ranking" || (kind === "choice" && !sealed.majority)) return {};
    const [share, of] = (sealed.majority || "1/2 cast").split(" ");
    const { present_votes: present = sealed.present_count, entitled_votes: entitled = sealed.entitled } = sealed;
    const whole = { cast: yes + no, present, entitled }[of];
    return { needed: shareOf(share, whole, share === "1/2"), of: whole };
  };

  const quorate = ({ quorum, entitled }, present) => {
    if (!quorum) return present >= 1;
    if (!quorum.includes("/")) return present >= Number(quorum);
    return entitled > 0 && present >= shareOf(quorum.replace(">", ""), entitled, quorum.startsWith(">"));
  };

  const outcome = (kind, options, found, need, sealed) => {
    const passed = (found.yes ?? 0) >= (need.needed ?? 1);
    if (kind === "motion") return passed ? "carried" : "lost";
    const leaders = kind === "choice" ? found.leaders : found.winners;
    const changes = kind === "alternatives";
    if (!leaders.length || (changes && leaders.includes(options.length - 1))) return "lost";
    const carries = (version) => {
      const [yes, no] = [found.pairwise[version].at(-1), found.pairwise.at(-1)[version]];
      return yes >= needed(kind, { yes, no }, sealed).needed;
    };
    if (changes && !leaders.some(carries)) return "lost";
    if (leaders.length > 1) return "tied";
    if (changes) return "carried";
    return passed || kind === "ranking" ? "elected" : "lost";
  };

  const VOTES = { motion, choice, ranking, alternatives };

  const assembled = (round, asked, session) => {
    const sealed = round.result;
    const isWritten = asked.kind === "ideas"; // by the room, which then ranks them, always in secret
    const kind = isWritten ? "ranking" : asked.kind;
    const options = sealed.options ?? asked.options ?? [];
    const met = quorate(sealed, sealed.present.length);
    const here = { secret: isWritten || (asked.secret ?? false), majority: asked.majority ?? "", quorate: met };
    Object.assign(here, { kind: asked.kind, present_count: sealed.present.length });
    if (["talked", "too few"].includes(sealed.outcome)) return here;
    const weights = new Map(sealed.weights);
    const weightOf = (player) => weights.get(player) ?? 1;
    const cast = round.entries.map((each) => [each.said, weightOf(each.player)]);
    if (sealed.weights) {
      const present = total(sealed.present.map((player) => [player, weightOf(player)]));
      Object.assign(here, { voters: cast.length, votes: total(cast), present_votes: present });
    }
    const found = VOTES[kind](options, cast, session);
    const terms = { ...sealed, ...here };
    const need = needed(kind, found, terms);
    return { ...here, ...found, ...need, outcome: met ? outcome(kind, options, found, need, terms) : "invalid" };
  };

  // --- trivia ---

  const FULL = 1000;
  const MOST_BONUS = 500;

  const points = (chosen, right) => {
    const hits = chosen.filter((each) => right.includes(each)).length;
    return Math.floor((FULL * Math.max(0, hits - (chosen.length - hits))) / right.length);
  };

  // Response times are not kept: only the bounds of the bonus are known.
  const trivia = (round, asked) => {
    const right = [...new Set(asked.right)].sort((a, b) => a - b);
    const said = round.entries.map((each) => each.said);
    const isRight = (chosen) => steady([...chosen].sort((a, b) => a - b)) === steady(right);
    return {
      chosen: everyone(asked.options).map((place) => said.filter((each) => each.includes(place)).length),
      right,
      fully_right: said.filter(isRight).length,
      points: round.entries.map((each) => points(each.said, right)),
      bonus: round.entries.every((each) => each.bonus >= 0 && each.bonus <= (isRight(each.said) ? MOST_BONUS : 0)),
    };
  };

  // The result as the round states it and as recounted, or null if it cannot be recounted.
  const recounted = (round, asked, session) => {
    const { result } = round;
    const sorted = (told) => ({ ...told, winners: [...(told.winners ?? [])].sort((a, b) => a - b) });
    const ordered = (told) => (told.places ? { ...sorted(told), places: byPlace(told.places) } : told);
    if (!asked || asked.kind === "text" || result.too_few) return null;
    if ("outcome" in result) return [ordered(result), assembled(round, asked, session)];
    if ("fully_right" in result) {
      const paid = { points: round.entries.map((each) => each.points), bonus: true };
      return [{ ...result, ...paid }, trivia(round, asked)];
    }
    if (!result.method) return null;
    const options = result.options ?? asked.options;
    return [ordered(result), race(options, round.entries.map((each) => each.said), result.method, session)];
  };

  // --- all checks ---

  // Each is true, false, or undefined if it could not be made; `wrong` says what differs.
  const check = async (page, bytes, proof, published) => {
    const round = JSON.parse(new TextDecoder().decode(bytes));
    const digest = await shaOf(bytes);
    const event = proof.event ? JSON.parse(proof.event) : null;
    const said = event?.event_data ?? {};
    const receipts = JSON.parse(proof.heard);
    const asked = JSON.parse(proof.asked);
    const signed = round.entries.map((each) => each.receipt).filter(Boolean);
    const isOurs = event?.event_type === "LiveRoundSealed" && said.game_id === page.session && said.round === page.round;
    const found = { digest, event: proof.event_id, receipts, round, asked, checkpoint: proof.checkpoint };
    found.bytes = event ? digest === said.digest && digest === page.digest && round.number === page.round : undefined;
    found.heard =
      event &&
      (await shaOfText(proof.heard)) === said.heard &&
      (!signed.length || (steady(signed) === steady(receipts) && signed.length === round.entries.length));
    found.question = event && (await shaOfText(proof.asked)) === said.asked;
    found.logged = event ? isOurs && said.count === round.count : undefined;
    found.chained = await chained(proof, published);
    const counted = page.recounts ? recounted(round, page.survey ? null : asked[0], page.session) : null;
    found.wrong = counted ? differences(...counted) : [];
    found.counted = counted ? !found.wrong.length : undefined;
    return found;
  };

  // The event has the digest the checkpoint covers, and the chain leads to the published hash.
  const chained = async ({ event, event_digest, event_id, checkpoint }, published) => {
    if (event && (await shaOfText(event)) !== event_digest) return false;
    if (!checkpoint || !crypto.subtle) return undefined;
    const at = 64 * (event_id - checkpoint.first_event_id);
    const isCovered = checkpoint.digests.slice(at, at + 64) === event_digest;
    return isCovered && (await chainOf(checkpoint)) === checkpoint.hash && published.includes(checkpoint.hash);
  };

  return { check, recounted, differences };
})();

// --- the page ---

(() => {
  const main = document.querySelector("[data-sealed]");
  if (!main) return;
  const part = (name) => main.querySelector(`[data-${name}]`);
  const show = (name, yes = true) => part(name) && (part(name).hidden = !yes);
  const { session, round, digest, phase, roundJson, proofJson, checkpoint } = main.dataset;
  const page = { session, round: Number(round), digest, recounts: "recounts" in main.dataset };
  page.survey = "survey" in main.dataset;

  const fetched = async (address, more = {}) => {
    const answer = await fetch(address, { redirect: "error", cache: "no-store", ...more });
    if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
    return answer;
  };

  // Fetched anonymously, so that nobody can be shown a page of their own.
  const publishedHash = async (proof) =>
    proof.checkpoint ? (await fetched(`${checkpoint}${proof.event_id}/`, { credentials: "omit" })).text() : "";

  const read = async () => {
    const [bytes, proof] = await Promise.all([
      fetched(roundJson).then((answer) => answer.arrayBuffer()),
      fetched(proofJson).then((answer) => answer.json()),
    ]);
    return SealedRound.check(page, bytes, proof, await publishedHash(proof));
  };

  // --- checks, each with a sentence for passed, failed or not possible ---

  const CHECKS = ["bytes", "heard", "question", "logged", "chained", "counted"];

  const fill = (found) => {
    for (const name of CHECKS) {
      const line = main.querySelector(`[data-check="${name}"]`);
      if (!line) continue;
      const is = found[name] === undefined ? "unknown" : found[name] ? "right" : "wrong";
      line.className = `check-${is}`;
      for (const said of line.querySelectorAll("[data-is]")) said.hidden = said.dataset.is !== is;
    }
    const rows = found.wrong.map((difference) => {
      const row = document.createElement("tr");
      for (const text of [difference.part, difference.sealed, difference.here]) {
        row.append(Object.assign(document.createElement("td"), { textContent: text, dir: "auto" }));
      }
      return row;
    });
    part("differences").querySelector("tbody").replaceChildren(...rows);
    show("differences", rows.length > 0);
    part("computed").textContent = found.digest;
    show("found");
  };

  const judge = (found) => {
    const isWrong = CHECKS.some((name) => found[name] === false);
    show("different", isWrong);
    show("same", !isWrong);
  };

  const start = async () => {
    for (const name of ["same", "different", "problem", "found", "differences"]) show(name, false);
    part("start").disabled = true;
    try {
      const found = await read();
      fill(found);
      judge(found);
      tellOwn(found, Receipts.of(place));
    } catch (error) {
      part("reason").textContent = error.message;
      show("problem");
    } finally {
      part("start").disabled = false;
    }
  };

  // --- the voter's own receipt ---

  const place = `${session} ${round} ${phase}`;
  const own = document.getElementById("own-receipt");

  // Corrects easily misread characters: receipts never contain O, I or L.
  const codeFrom = (typed) => {
    const signs = typed.toUpperCase().replace(/[^0-9A-Z]/g, "").replace(/O/g, "0").replace(/[IL]/g, "1");
    return /^[0-9A-HJKMNP-TV-Z]{12}$/.test(signs) ? signs.match(/.{4}/g).join("-") : null;
  };

  const wordsOf = (said, found) => {
    const fixed = main.querySelector(`[data-word="${said}"]`);
    if (fixed) return fixed.textContent;
    const options = found.round.result.options ?? found.asked[0].options ?? [];
    return Recount.groupsOf(said)
      .map((group) => group.map((each) => `\u2068${options[each]}\u2069`).join(" = "))
      .join(" > ");
  };

  const tellOwn = (found, receipt) => {
    for (const name of ["own-counted", "own-missing"]) show(name, false);
    if (!receipt) return;
    const isHeard = found.receipts.includes(receipt);
    const entry = found.round.entries.find((each) => each.receipt === receipt);
    const isThere = isHeard && (entry || !found.round.entries.some((each) => each.receipt));
    show(isThere ? "own-counted" : "own-missing");
    part(isThere ? "own-counted" : "own-missing").querySelector("code").textContent = receipt;
    show("own-beside", Boolean(isThere && entry));
    if (entry) part("own-said").textContent = wordsOf(entry.said, found);
  };

  const look = async (receipt) => {
    show("own-problem", false);
    try {
      tellOwn(await read(), receipt);
    } catch {
      show("own-problem");
    }
  };

  part("own-form")?.addEventListener("submit", (event) => {
    event.preventDefault();
    const receipt = codeFrom(own.value);
    show("own-unread", !receipt);
    if (receipt) look(receipt);
  });

  show("without-script", false);
  show("start");
  part("start").addEventListener("click", start);
  const kept = Receipts.of(place);
  if (kept && own) {
    own.value = kept;
    look(kept);
  }
})();
