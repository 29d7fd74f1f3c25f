// Ranking by dragging, clicking or keyboard. What is sent is still the form's rank boxes.
(() => {
  // --- a ranking as a value: groups of equals, best first ---

  // A step is a place to move to: 0 is alone at the top, 1 tied with the first group, 2 alone below it, and so on; one
  // past the end is unranked. Groups are counted without the moving candidate.
  const without = (groups, number) =>
    groups.map((group) => group.filter((each) => each !== number)).filter((group) => group.length);

  const lastStep = (groups, number) => 2 * without(groups, number).length;

  const stepOf = (groups, number) => {
    const at = groups.findIndex((group) => group.includes(number));
    if (at < 0) return 2 * groups.length + 1;
    return 2 * at + (groups[at].length > 1 ? 1 : 0);
  };

  const placed = (groups, number, step) => {
    const rest = without(groups, number);
    const at = step >> 1;
    if (step > 2 * rest.length) return rest;
    if (step % 2) return rest.map((group, index) => (index === at ? [...group, number] : group));
    return [...rest.slice(0, at), [number], ...rest.slice(at)];
  };

  const alike = (one, other) => asText(one) === asText(other);
  const asText = (groups) => groups.map((group) => [...group].sort((a, b) => a - b).join("=")).join(">");

  // Each button's action, as the step it leads to.
  const MOVES = {
    top: () => 0,
    up: (step) => Math.max(0, step - (step % 2 ? 1 : 2)),
    down: (step, last) => Math.min(last, step + (step % 2 ? 1 : 2)),
    tie: (step) => step - 1,
    own: (step) => step + 1,
    next: (step, last) => last,
    remove: (step, last) => last + 1,
  };

  // --- a draft kept on this device, if there is storage; of several questions, each has its part of it ---

  const readDraft = (key, question, numbers) => {
    try {
      const kept = JSON.parse(localStorage.getItem(key));
      const { at, groups } = question ? kept[question] : kept;
      const left = new Set(numbers);
      // Drops candidates since removed, and duplicates.
      const known = groups.map((group) => group.filter((number) => left.delete(number)));
      return { at, groups: known.filter((group) => group.length) };
    } catch {
      return null;
    }
  };

  // Only for the session now on this device: a page may outlive its own.
  const writeDraft = (key, question, groups) => {
    try {
      if (!key.startsWith(`draft ${localStorage.getItem("drafts")} `)) return;
      const draft = groups ? { at: Date.now(), groups } : undefined;
      const kept = question ? { ...JSON.parse(localStorage.getItem(key)), [question]: draft } : draft;
      if (Object.values(kept ?? {}).some(Boolean)) localStorage.setItem(key, JSON.stringify(kept));
      else localStorage.removeItem(key);
    } catch {}
  };

  // --- the page ---

  const MANY = 12; // candidates, from which searching beats scanning the list

  const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLocaleLowerCase();

  // Moves only what is out of place: the rest keeps focus and scroll position.
  const arrange = (parent, children) => {
    children.forEach((child, at) => {
      if (parent.children[at] !== child) parent.insertBefore(child, parent.children[at] ?? null);
    });
    while (parent.children.length > children.length) parent.lastElementChild.remove();
  };

  const isShown = (element) => element.getClientRects().length > 0;
  const wantsCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  // Loaded on demand: most ballots are short, and this page should stay light.
  let arriving;
  const fetchDuel = ({ script: src, integrity }) => {
    arriving ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      document.head.append(Object.assign(script, { src, integrity, onload: resolve, onerror: reject }));
    });
    return arriving;
  };

  class RankBallot extends HTMLElement {
    groups = [];
    #language;
    #words;
    #given = []; // from the server
    #past = [];
    #held = null;
    #arranging = false;
    #draft = null;

    connectedCallback() {
      if (this.cards) return;
      const numbered = (card) => [Number(card.querySelector("input").name.replace(/^rank-(\d+:)?/, "")), card];
      this.cards = new Map([...this.querySelectorAll(".candidate")].map(numbered));
      this.#build();
      this.#open();
      this.addEventListener("click", (event) => this.#press(event));
      this.addEventListener("keydown", (event) => this.#key(event));
      this.addEventListener("focusout", () => this.#arranging || this.#drop());
      rankDrag(this);
    }

    // --- building ---

    // Of several lists on a page, only the first brings the templates.
    template(name) {
      const { tools } = this.dataset;
      return (tools ? document.getElementById(tools) : this).querySelector(`template[data-part=${name}]`);
    }

    part(name) {
      return this.template(name).content.cloneNode(true);
    }

    #build() {
      this.#language = document.documentElement.lang || undefined;
      this.#words = this.part("words");
      const list = this.querySelector(".candidates");
      list.before(this.part("frame"));
      if (this.dataset.title) this.#entitle();
      for (const [number, card] of this.cards) this.#equip(number, card);
      list.remove();
      this.classList.add("enhanced");
      this.find(".duel-offer").hidden = this.cards.size < 6;
      if (this.cards.size < MANY) return;
      this.find(".rank-find").hidden = false;
      this.find(".rank-find input").addEventListener("input", () => this.#find());
      new ResizeObserver(() => this.#stick()).observe(this.find(".ranked"));
      addEventListener("resize", () => this.#stick());
    }

    // Below the title of its question, and with it for who hears only the name of a part.
    #entitle() {
      const { question, title } = this.dataset;
      this.find(".ranked").id += `-${question}`;
      for (const part of this.querySelectorAll("section")) part.ariaLabel += `: ${title}`;
      for (const heading of this.querySelectorAll("h2")) heading.ariaLevel = 3;
      for (const button of this.querySelectorAll("header button")) this.#belongs(button, title);
    }

    // Keeps the ranking sticky beside a long list; if taller than the viewport, its growing end stays visible.
    #stick() {
      const room = innerHeight - (this.closest("form")?.querySelector(".ballot-bar")?.offsetHeight ?? 0);
      this.style.setProperty("--stick", `${Math.min(16, room - this.find(".ranked").offsetHeight - 16)}px`);
    }

    #equip(number, card) {
      card.dataset.number = number;
      card.prepend(this.part("grip"));
      card.querySelector(".rank-box").after(this.part("tools"));
      this.nameFor(card.querySelectorAll(".grip, .tools :is(button, summary)"), number);
      this.find(".rank-keys").id ||= `rank-keys-${document.querySelectorAll(".rank-keys[id]").length}`;
      card.querySelector(".grip").setAttribute("aria-describedby", this.find(".rank-keys").id);
    }

    #open() {
      this.#given = this.#fromBoxes();
      this.groups = this.#given;
      const { draft: key, question } = this.dataset;
      const draft = key && readDraft(key, question, [...this.cards.keys()]);
      if (draft && !alike(draft.groups, this.#given)) {
        if (!this.#given.length) this.groups = draft.groups;
        this.#note(this.#given.length ? "offered" : "restored", draft);
      }
      this.#show();
    }

    #fromBoxes() {
      const ranks = new Map();
      for (const [number, card] of this.cards) {
        const rank = card.querySelector("input").valueAsNumber;
        if (rank >= 1) ranks.set(rank, [...(ranks.get(rank) ?? []), number]);
      }
      return [...ranks].sort(([a], [b]) => a - b).map(([, group]) => group);
    }

    #note(word, draft) {
      const note = this.find(".rank-note");
      const when = new Date(draft.at).toLocaleString(this.#language, { dateStyle: "medium", timeStyle: "short" });
      note.querySelector("p").textContent = this.word(word, { when });
      note.querySelector("[data-act=use]").hidden = word === "restored";
      note.hidden = false;
      this.#draft = draft;
    }

    // --- text ---

    find(selector) {
      return this.querySelector(selector);
    }

    nameOf(number) {
      return this.cards.get(number).querySelector(".candidate-name").textContent;
    }

    // For screen readers: which candidate a button belongs to.
    nameFor(buttons, number) {
      for (const button of buttons) this.#belongs(button, this.nameOf(number));
    }

    #belongs(button, name) {
      const whose = button.querySelector(".whose") ?? button.appendChild(document.createElement("span"));
      whose.className = "whose out-of-sight";
      whose.textContent = `: ${name}`;
    }

    namesOf(numbers) {
      return new Intl.ListFormat(this.#language).format(numbers.map((number) => this.nameOf(number)));
    }

    word(name, values = {}) {
      const text = this.#words.querySelector(`[data-word=${name}]`).textContent;
      return text.replace(/\{(\w+)\}/g, (_, key) => values[key]);
    }

    where(number) {
      const at = this.groups.findIndex((group) => group.includes(number));
      const others = (this.groups[at] ?? []).filter((each) => each !== number);
      const rank = { rank: at + 1, ranks: this.groups.length };
      const names = { name: this.nameOf(number), others: this.namesOf(others) };
      return this.word(at < 0 ? "out" : others.length ? "tied" : "own", { ...rank, ...names });
    }

    // A repeated message must be announced again.
    say(text) {
      const status = this.find("[role=status]");
      const said = this.titled(text);
      status.textContent = status.textContent === said ? `${said}\u00a0` : said;
    }

    // With the question that it is about, where there are several.
    titled(text) {
      return this.dataset.title ? `${this.dataset.title}: ${text}` : text;
    }

    // --- rendering ---

    stepOf(number) {
      return stepOf(this.groups, number);
    }

    get unranked() {
      const ranked = new Set(this.groups.flat());
      return [...this.cards.keys()].filter((number) => !ranked.has(number));
    }

    #show() {
      this.#arranging = true;
      const focused = this.contains(document.activeElement) && document.activeElement;
      const cardsOf = (numbers) => numbers.map((number) => this.cards.get(number));
      const rows = this.#rows();
      this.groups.forEach((group, at) => this.#showRow(rows[at], cardsOf(group), at + 1));
      arrange(this.find(".pool-list"), cardsOf(this.unranked));
      arrange(this.find(".ranks"), rows);
      if (focused && focused !== document.activeElement) focused.focus({ preventScroll: true });
      this.#arranging = false;
      for (const [number, card] of this.cards) this.#showCard(number, card);
      this.#showFrame();
    }

    // A rank takes its row along when it moves.
    #rows() {
      const taken = new Set();
      return this.groups.map((group) => {
        const rows = group.map((number) => this.cards.get(number).closest(".place"));
        const row = rows.find((each) => each && !taken.has(each)) ?? this.part("place").firstElementChild;
        taken.add(row);
        return row;
      });
    }

    #showRow(row, cards, rank) {
      const isTied = cards.length > 1;
      row.classList.toggle("tied", isTied);
      row.querySelector(".rank").textContent = rank;
      row.querySelector(".equals").setAttribute("aria-label", this.word(isTied ? "equals" : "rank", { rank }));
      arrange(row.querySelector(".equals"), cards);
    }

    #showCard(number, card) {
      const at = this.groups.findIndex((group) => group.includes(number));
      const [step, last] = [stepOf(this.groups, number), lastStep(this.groups, number)];
      const tied = at >= 0 && step % 2;
      card.querySelector("input").value = at < 0 ? "" : at + 1;
      for (const button of card.querySelectorAll("[data-act]")) {
        const act = button.dataset.act;
        button.setAttribute("aria-disabled", at >= 0 && MOVES[act](step, last) === step);
        if (act === "tie") button.parentElement.hidden = Boolean(tied) || step === 0;
        if (act === "own") button.parentElement.hidden = !tied;
      }
    }

    #showFrame() {
      const left = this.unranked.length;
      this.find(".rank-empty").hidden = this.groups.length > 0;
      this.find(".pool-empty").hidden = left > 0;
      this.find("[data-act=undo]").setAttribute("aria-disabled", !this.#past.length);
      this.find("[data-act=clear]").setAttribute("aria-disabled", !this.groups.length);
      this.find("[data-act=duel]").setAttribute("aria-disabled", !left);
      if (this.cards.size >= MANY) this.#showFound();
      const brief = this.closest("form")?.querySelector(".rank-brief");
      if (brief) this.#showBrief(brief);
    }

    // The ranking in one line, for when it is scrolled out of view.
    #showBrief(brief) {
      const isolated = (number) => `\u2068${this.nameOf(number)}\u2069`; // isolates right-to-left names
      const ranks = this.groups.map((group, at) => `${at + 1} ${group.map(isolated).join(" = ")}`);
      brief.textContent = ranks.join(" · ");
      brief.hidden = this.cards.size < MANY || !ranks.length;
    }

    // Cards animate from where they were, or from where they were dropped.
    glide(change, carried, from) {
      if (wantsCalm()) return change();
      const before = new Map([...this.cards.values()].map((card) => [card, card.getBoundingClientRect()]));
      if (from) before.set(carried, from);
      change();
      for (const [card, old] of before) {
        const now = card.getBoundingClientRect();
        const [x, y] = [old.left - now.left, old.top - now.top];
        const zIndex = card === carried ? 2 : 1;
        const frames = [{ translate: `${x}px ${y}px`, zIndex }, { translate: "0 0", zIndex }];
        if (x || y) card.animate(frames, { duration: 200, easing: "cubic-bezier(0.2, 0.8, 0.2, 1)" });
      }
    }

    // --- searching ---

    get #wanted() {
      return plain(this.find(".rank-find input").value.trim());
    }

    #isWanted(number) {
      return plain(this.nameOf(number)).includes(this.#wanted);
    }

    #find() {
      const found = this.#showFound();
      if (this.#wanted) this.say(this.word("found", { count: found.length }));
    }

    #showFound() {
      const found = this.unranked.filter((number) => this.#isWanted(number));
      for (const [number, card] of this.cards) card.hidden = !found.includes(number) && !card.closest(".place");
      this.find(".pool-none").hidden = found.length > 0 || !this.unranked.length;
      return found;
    }

    // Enter ranks the only match, and never sends the form.
    #enter(event) {
      const found = this.unranked.filter((number) => this.#isWanted(number));
      event.preventDefault();
      if (!this.#wanted || found.length !== 1) return;
      this.move(found[0], lastStep(this.groups, found[0]));
    }

    // --- changes ---

    change(groups, carried, from) {
      const changed = !alike(groups, this.groups);
      if (changed) this.#past.push(this.groups);
      this.glide(() => this.#set(changed ? groups : this.groups), carried, from);
    }

    #set(groups) {
      if (!this.#given.length) this.find(".rank-note").hidden = true; // the restored ranking has already been changed
      this.groups = groups;
      this.#show();
      this.keep(groups);
    }

    move(number, step, from) {
      const found = this.unranked.filter((each) => this.#isWanted(each));
      if (found.length === 1 && found[0] === number) this.find(".rank-find input").value = ""; // nobody else is left
      this.change(placed(this.groups, number, step), this.cards.get(number), from);
      this.say(this.where(number));
    }

    #undo() {
      if (!this.#past.length) return;
      const groups = this.#past.pop();
      this.glide(() => this.#set(groups));
      this.say(this.word("undone"));
    }

    #clear() {
      this.change([]);
      this.say(this.word("cleared"));
    }

    #useDraft() {
      this.change(this.#draft.groups);
      this.#closeNote();
    }

    #forgetDraft() {
      if (alike(this.groups, this.#draft.groups)) this.change(this.#given);
      else this.keep(this.groups);
      this.#closeNote();
    }

    #closeNote() {
      this.find(".rank-note").hidden = true;
      this.find(".grip").focus({ preventScroll: true });
    }

    // If loading fails, the next press tries again; every other way of ranking still works.
    async #duel() {
      try {
        await fetchDuel(this.template("duel").dataset);
        if (!this.find(".duel")) rankDuel(this);
      } catch {
        arriving = null;
      }
    }

    // --- drafts ---

    keep(groups) {
      const { draft, question } = this.dataset;
      if (draft) writeDraft(draft, question, alike(groups, this.#given) ? null : groups);
    }

    // --- clicks ---

    #press(event) {
      const grip = event.target.closest(".grip");
      if (grip && !event.detail) return this.#toggle(grip); // by keyboard or screen reader; pointers drag
      const button = event.target.closest("[data-act]");
      if (!button || button.getAttribute("aria-disabled") === "true") return;
      const acts = {
        undo: () => this.#undo(),
        clear: () => this.#clear(),
        use: () => this.#useDraft(),
        forget: () => this.#forgetDraft(),
        duel: () => this.#duel(),
      };
      (acts[button.dataset.act] ?? (() => this.#pressOnCard(button, event)))();
    }

    #pressOnCard(button, event) {
      const card = button.closest(".candidate");
      const number = Number(card.dataset.number);
      const menu = button.closest("details");
      if (menu) menu.open = false;
      this.move(number, MOVES[button.dataset.act](stepOf(this.groups, number), lastStep(this.groups, number)));
      const origin = menu?.querySelector("summary") ?? button;
      const focus = isShown(origin) ? origin : card.querySelector(".grip");
      focus.focus({ preventScroll: event.detail > 0 });
    }

    // --- keys ---

    #toggle(grip) {
      if (this.#held?.grip === grip) return this.#drop();
      const number = Number(grip.closest(".candidate").dataset.number);
      this.#held = { grip, number, before: this.groups };
      this.#showHeld(true);
      this.say(this.word("picked", { where: this.where(number) }));
    }

    #showHeld(isHeld) {
      this.#held.grip.setAttribute("aria-pressed", isHeld);
      this.#held.grip.closest(".candidate").classList.toggle("held", isHeld);
    }

    #key(event) {
      if (event.key === "Enter" && event.target.closest(".rank-find")) return this.#enter(event);
      const grip = event.target.closest(".grip");
      if (!grip || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Enter" && event.repeat) event.preventDefault(); // ignore key repeat
      if (event.key === "Delete" && !this.#held) this.#toggle(grip);
      if (this.#held) this.#keyWhileHeld(event);
    }

    #keyWhileHeld(event) {
      const { number } = this.#held;
      const [step, last] = [stepOf(this.groups, number), lastStep(this.groups, number)];
      const to = { ArrowUp: step - 1, ArrowDown: step + 1, Home: 0, End: last, Delete: last + 1 }[event.key];
      if (event.key === "Escape") this.#putBack();
      else if (to === undefined) return;
      else this.#carry(Math.min(Math.max(to, 0), last + 1));
      event.preventDefault();
      if (event.key === "Delete") this.#drop();
    }

    #carry(step) {
      const { number, grip } = this.#held;
      this.groups = placed(this.groups, number, step);
      this.glide(() => this.#show(), grip.closest(".candidate"));
      grip.closest(".candidate").scrollIntoView({ block: "nearest", behavior: "instant" });
      this.say(this.where(number));
    }

    #drop() {
      if (!this.#held) return;
      const { number, before } = this.#held;
      this.#showHeld(false);
      this.#held = null;
      if (!alike(before, this.groups)) this.#past.push(before);
      this.#set(this.groups);
      this.say(this.word("dropped", { where: this.where(number) }));
    }

    #putBack() {
      const { number, grip, before } = this.#held;
      this.#showHeld(false);
      this.#held = null;
      this.glide(() => this.#set(before), grip.closest(".candidate"));
      grip.closest(".candidate").scrollIntoView({ block: "nearest", behavior: "instant" });
      this.say(this.word("back", { where: this.where(number) }));
    }
  }

  customElements.define("rank-ballot", RankBallot);
})();
