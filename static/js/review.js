// The ballot again before it is cast, in a dialog of its page. What the server would refuse is sent to it: it says why.
(() => {
  const form = document.querySelector(".ballot-form");
  const template = form.querySelector("template[data-part=review]");
  const lists = [...form.querySelectorAll("[data-draft]")]; // of one or several questions
  const isOfSeveral = lists.length > 1;
  const isRanked = ({ dataset }) => !dataset.kind;

  // --- what is marked ---

  const markOf = (card) => {
    const boxes = [...card.querySelectorAll("[name^=rank-]")];
    const marked = boxes.find((box) => (box.type === "number" ? box.value : box.checked));
    const isChoice = boxes[0].name.endsWith("choice"); // of one alone: the candidate is the value
    return {
      number: Number(isChoice ? boxes[0].value : boxes[0].name.replace(/^rank-(\d+:)?/, "")),
      name: card.querySelector(".candidate-name").textContent,
      value: isChoice ? Number(Boolean(marked)) : Number(marked?.value ?? 0),
    };
  };

  const marksOf = (list) => [...list.querySelectorAll(".candidate:not(.nobody)")].map(markOf);
  const isMarked = (list) => marksOf(list).some(({ value }) => value !== 0);

  // Of several questions some may be skipped, but not all.
  const isAnswer = (list) => {
    const { kind, fewest, most } = list.dataset;
    const limits = { "yes-no": [1, 1], choose: [fewest, most], points: [0, most] };
    const [least, limit] = (limits[kind] ?? [0, Infinity]).map(Number);
    const marks = marksOf(list);
    const used = marks.reduce((sum, { value }) => sum + (kind === "points" ? value : Math.min(value, 1)), 0);
    const isSkipped = isOfSeveral && !isMarked(list);
    const isEnough = isSkipped || (used >= least && used <= limit);
    return isEnough && marks.every(({ value }) => Number.isInteger(value) && value >= 0);
  };
  const isBallot = () => lists.every(isAnswer) && (!isOfSeveral || lists.some(isMarked));

  // As the ballot is stored: best first, equals by number.
  const linesOf = (marks, isRanked) => {
    const sign = isRanked ? 1 : -1;
    const lines = [];
    for (const { name, value } of marks.sort((a, b) => sign * (a.value - b.value) || a.number - b.number)) {
      if (isRanked && lines.at(-1)?.rank === value) lines.at(-1).names.push(name);
      else lines.push({ rank: value, names: [name], value: isRanked ? lines.length + 1 : value });
    }
    return lines;
  };

  // --- the dialog ---

  const plural = new Intl.PluralRules(document.documentElement.lang || undefined);
  const ruleOf = (line) => plural.select(Number(line.querySelector(".rank").textContent));

  const lineFrom = (samples, { names, value }, isRanked) => {
    const line = (samples.find((each) => ruleOf(each) === plural.select(value)) ?? samples[0]).cloneNode(true);
    const [rank, words] = line.children;
    const [name, next] = words.children; // then what stands between equals, or what the sign is called
    const named = names.map((text) => Object.assign(name.cloneNode(), { textContent: text }));
    words.replaceChildren(...named.flatMap((each, at) => (at ? [next.cloneNode(true), each] : [each])));
    if (!isRanked) words.append(next);
    for (const each of isRanked ? [rank] : [rank, next]) each.textContent = each.textContent.replace(/\d+/, value);
    return line;
  };

  const fill = (dialog, sheet, ballot) => {
    const blank = (isOfSeveral ? sheet : dialog).querySelector("[data-blank]");
    const [list, rest] = [".ballot-ranks", ".ballot-rest"].map((each) => sheet.querySelector(each));
    const marks = marksOf(ballot);
    const lines = linesOf(marks.filter(({ value }) => value), isRanked(ballot));
    list.replaceChildren(...lines.map((line) => lineFrom([...list.children], line, isRanked(ballot))));
    (lines.length ? blank : list).remove();
    const listed = ballot.dataset.listed.split(" ").map(Number);
    const isSkipped = isOfSeveral && !lines.length;
    const left = isSkipped ? [] : marks.filter(({ value }) => !value);
    left.sort((a, b) => listed.indexOf(a.number) - listed.indexOf(b.number));
    if (!left.length) for (const each of sheet.querySelectorAll("h3, h3 ~ *")) each.remove();
    if (!rest) return; // whoever votes yes leaves nobody out
    const sample = rest.firstElementChild;
    rest.replaceChildren(...left.map(() => sample.cloneNode(true)));
    left.forEach(({ name }, at) => (rest.children[at].firstElementChild.textContent = name));
  };

  const open = (button) => {
    const dialog = document.importNode(template.content.querySelector("dialog"), true);
    const sheets = dialog.querySelectorAll(".ballot-sheet");
    lists.forEach((list, at) => fill(dialog, sheets[at], list));
    form.append(dialog);
    dialog.addEventListener("close", () => {
      dialog.remove();
      button?.focus();
    });
    dialog.showModal();
  };

  // --- casting ---

  // Both halves of the secret, in case the answer gets lost; see ballot_secret.js. Only for the session now on this device,
  // and not if another window has cast since this page was opened: then this ballot is refused.
  const { draft } = lists[0].dataset;
  const remember = (halves) => {
    try {
      if (!draft.startsWith(`draft ${localStorage.getItem("drafts")} `)) return;
      const key = draft.replace(/^draft /, "secret ");
      if (!halves) localStorage.removeItem(key);
      else if (!localStorage.getItem(key)) localStorage.setItem(key, halves);
    } catch {} // no storage, so nothing is kept
  };

  const hex = (byte) => byte.toString(16).padStart(2, "0");
  const { secret, half } = form.elements;
  let isSent = false;

  // Our half stays the same, so that sending the ballot again is no new vote.
  const cast = () => {
    isSent = true;
    if (!half) return;
    half.value ||= Array.from(crypto.getRandomValues(new Uint8Array(16)), hex).join("");
    remember(secret.value + half.value);
  };

  form.addEventListener("submit", (event) => {
    const dialog = form.querySelector("dialog.review[open]"); // one that was just closed is about to be removed
    if (dialog?.contains(event.submitter)) return cast();
    if (!dialog && !isBallot()) return;
    if (!dialog) open(event.submitter);
    event.preventDefault();
  });

  // Back on this page, the browser may show it as it was when it was sent: sent again, it would change nothing.
  addEventListener("pageshow", (event) => event.persisted && isSent && location.replace(form.action));
  if (half) remember(""); // who opens this page has not voted: what is left is of a ballot that was not cast
})();
