// A ballot of boxes: counts along while it is filled in, and keeps a draft on this device. Works without: the form is plain.
for (const ballot of document.querySelectorAll(".mark-ballot")) {
  const { kind, draft: key, question, title, tools } = ballot.dataset;
  const most = Number(ballot.dataset.most);
  const boxes = [...ballot.querySelectorAll("[name^=rank-]:not([type=hidden])")];
  const counter = (title ? ballot : document).querySelector(".mark-count");
  const spoken = title ? [Object.assign(document.createElement("span"), { className: "out-of-sight" })] : [];
  for (const each of spoken) each.textContent = `${title}: `;
  const note = ballot.querySelector(".rank-note");
  const words = (tools ? document.getElementById(tools) : ballot).querySelector("template").content; // the first list's

  const say = (word, values) =>
    words.querySelector(`[data-word="${word}"]`).textContent.replace(/{(\w+)}/g, (_all, name) => values[name]);

  const isChoice = (box) => box.type !== "number";
  const marks = () =>
    Object.fromEntries(
      boxes.filter((box) => (isChoice(box) ? box.checked : box.value)).map((box) => [box.name, box.value]),
    );
  const mark = (given) => {
    for (const box of boxes) {
      if (isChoice(box)) box.checked = given[box.name] === box.value;
      else box.value = given[box.name] ?? "";
    }
  };
  const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

  // --- counting along ---

  const used = (given) =>
    kind === "points" ? Object.values(given).reduce((sum, each) => sum + Number(each), 0) : Object.keys(given).length;
  const sentence = (given) => {
    const count = Object.keys(given).length;
    if (kind === "score") return say("scored", { count, most: ballot.querySelectorAll(".candidate").length });
    if (kind === "approval") return say("chosen", { count });
    const over = used(given) - most;
    if (over > 0) return say("too-many", { over, most });
    return kind === "points" ? say("left", { left: -over, most }) : say("chosen-of", { count, most });
  };

  const show = () => {
    const isCounted = kind !== "yes-no" && !(kind === "choose" && most === 1);
    if (!counter || !isCounted) return;
    const text = sentence(marks());
    counter.hidden = false;
    counter.classList.toggle("over", most > 0 && used(marks()) > most);
    if (!counter.textContent.endsWith(text)) counter.replaceChildren(...spoken, text);
  };

  // --- a draft kept on this device, if there is storage ---

  const given = marks();
  const read = () => {
    try {
      const kept = JSON.parse(localStorage.getItem(key));
      return question ? kept[question] : kept; // of several questions, each has its part
    } catch {
      return null;
    }
  };
  // Only for the session now on this device: a page may outlive its own.
  const write = () => {
    const now = marks();
    try {
      if (!key.startsWith(`draft ${localStorage.getItem("drafts")} `)) return;
      const draft = isSame(now, given) ? undefined : { at: Date.now(), marks: now };
      const kept = question ? { ...JSON.parse(localStorage.getItem(key)), [question]: draft } : draft;
      if (Object.values(kept ?? {}).some(Boolean)) localStorage.setItem(key, JSON.stringify(kept));
      else localStorage.removeItem(key);
    } catch {}
  };

  const draft = key && read();
  if (draft?.marks && !isSame(draft.marks, given)) {
    const isEmpty = !Object.keys(given).length;
    if (isEmpty) mark(draft.marks);
    const when = new Date(draft.at).toLocaleString(document.documentElement.lang, {
      dateStyle: "medium",
      timeStyle: "short",
    });
    note.querySelector("p").textContent = say(isEmpty ? "restored" : "offered", { when });
    note.querySelector("[data-act=use]").hidden = isEmpty;
    note.hidden = false;
  }
  note.addEventListener("click", (event) => {
    const act = event.target.closest("[data-act]")?.dataset.act;
    if (!act) return;
    mark(act === "use" ? draft.marks : given);
    note.hidden = true;
    write();
    show();
  });
  ballot.addEventListener("input", () => {
    if (key) write();
    show();
  });
  show();
}
