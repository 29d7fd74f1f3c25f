// Drags candidates by mouse, touch or pen: dropping on a rank ties them, dropping between two makes a new rank.
const rankDrag = (() => {
  const FAR_ENOUGH = 4; // pixels; less is a click
  const EDGE = 80; // pixels from the edge of the viewport where autoscroll begins
  const FASTEST = 1100; // pixels a second

  // A mouse can drag the card anywhere, a finger only by the grip: elsewhere it scrolls.
  const takenBy = (event) => {
    if (event.button !== 0 || !event.isPrimary) return null;
    const byGrip = event.target.closest(".grip");
    const onCard = event.pointerType === "mouse" && !event.target.closest("a, button, details, label, .tools");
    return byGrip || onCard ? event.target.closest(".candidate") : null;
  };

  // Where the ranks are on the page, and how many other ranks precede each. Fixed during a drag.
  const measure = (ballot, number) => {
    let before = 0;
    return [...ballot.querySelectorAll(".place")].map((row, at) => {
      const { top, bottom } = row.getBoundingClientRect();
      const isOwn = ballot.groups[at].length === 1 && ballot.groups[at][0] === number;
      return { row, isOwn, top: top + scrollY, bottom: bottom + scrollY, before: isOwn ? before : before++ };
    });
  };

  // The middle of a rank ties; its edges and the gaps between ranks make a new one.
  const stepAt = (rows, y) => {
    for (const { isOwn, top, bottom, before } of rows) {
      if (y >= bottom) continue;
      const edge = Math.min((bottom - top) * 0.28, 24);
      if (isOwn || y < top + edge) return 2 * before;
      return 2 * before + (y > bottom - edge ? 2 : 1);
    }
    return 2 * rows.filter((row) => !row.isOwn).length;
  };

  const distance = (element, x, y) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
  };

  const speedAt = (y) => {
    const [above, below] = [EDGE - y, y - (innerHeight - EDGE)];
    if (above > 0) return -FASTEST * Math.min(1, above / EDGE) ** 2;
    return below > 0 ? FASTEST * Math.min(1, below / EDGE) ** 2 : 0;
  };

  // What follows the pointer: a slip with the name, as wide as the card and directly over it.
  const slipOf = (card) => {
    const slip = document.createElement("div");
    slip.className = "lifted";
    slip.setAttribute("aria-hidden", "true");
    for (const shown of [".grip > svg", ".candidate-name"]) slip.append(card.querySelector(shown).cloneNode(true));
    slip.append(Object.assign(document.createElement("span"), { className: "drop-says", dir: "auto" }));
    slip.style.inlineSize = `${card.offsetWidth}px`;
    document.body.append(slip);
    return slip;
  };

  class Drag {
    constructor(ballot, card, event) {
      Object.assign(this, { ballot, card, id: event.pointerId, x: event.clientX, y: event.clientY });
      this.number = Number(card.dataset.number);
      this.start = { x: this.x, y: this.y };
      card.setPointerCapture(event.pointerId);
    }

    follow(event) {
      [this.x, this.y] = [event.clientX, event.clientY];
      if (!this.slip && Math.hypot(this.x - this.start.x, this.y - this.start.y) >= FAR_ENOUGH) this.lift();
    }

    // Measured from the pointer's current position, so that nothing jumps.
    lift() {
      const { left, top } = this.card.getBoundingClientRect();
      this.grasp = { x: this.x - left, y: this.y - top };
      this.measure();
      this.own = this.step = this.ballot.stepOf(this.number);
      this.slip = slipOf(this.card);
      this.card.classList.add("away");
      document.documentElement.classList.add("dragging");
      this.last = performance.now();
      this.draw(this.last);
    }

    measure() {
      this.rows = measure(this.ballot, this.number);
    }

    draw(now) {
      const passed = Math.min(now - this.last, 50);
      this.last = now;
      const speed = speedAt(this.y);
      if (speed) scrollBy({ top: Math.round((speed * passed) / 1000) || Math.sign(speed), behavior: "instant" });
      const widest = Math.max(0, document.documentElement.clientWidth - this.slip.offsetWidth);
      const left = Math.min(Math.max(this.x - this.grasp.x, 0), widest);
      this.slip.style.translate = `${left}px ${this.y - this.grasp.y}px`;
      this.aim();
      this.frame = requestAnimationFrame((next) => this.draw(next));
    }

    aim() {
      const [ranked, pool] = [this.ballot.find(".ranked"), this.ballot.find(".pool")];
      const isOut = distance(pool, this.x, this.y) < distance(ranked, this.x, this.y);
      const others = this.rows.filter((row) => !row.isOwn);
      const step = isOut ? 2 * others.length + 1 : stepAt(this.rows, this.y + scrollY);
      if (step === this.step) return;
      this.step = step;
      this.unmark();
      if (step !== this.own) this.mark(others, step);
    }

    unmark() {
      const marks = ["target", "makes-way-up", "makes-way-down"];
      for (const part of this.ballot.querySelectorAll(".place, .pool, .rank-empty")) part.classList.remove(...marks);
      this.ballot.find(".drop-line").hidden = true;
      this.slip.lastChild.textContent = "";
    }

    mark(others, step) {
      const [ballot, at] = [this.ballot, step >> 1];
      if (step > 2 * others.length) this.markPart(ballot.find(".pool"), ballot.word("drop-out"));
      else if (step % 2) this.markPart(others[at].row, ballot.word("drop-tied", { others: this.namesAt(others[at]) }));
      else if (!this.rows.length) this.markPart(ballot.find(".rank-empty"), ballot.word("rank", { rank: 1 }));
      else this.markGap(others, at);
    }

    namesAt({ row }) {
      const numbers = [...row.querySelectorAll(".candidate")].map((card) => Number(card.dataset.number));
      return this.ballot.namesOf(numbers.filter((number) => number !== this.number));
    }

    markPart(part, words) {
      part.classList.add("target");
      this.slip.lastChild.textContent = words;
    }

    markGap(others, at) {
      const [line, above, below] = [this.ballot.find(".drop-line"), others[at - 1], others[at]];
      const between = above && below ? (above.bottom + below.top) / 2 : above ? above.bottom + 6 : below.top - 6;
      line.hidden = false;
      line.style.top = `${between - scrollY - line.parentElement.getBoundingClientRect().top}px`;
      others.forEach(({ row }, index) => row.classList.add(index < at ? "makes-way-up" : "makes-way-down"));
      this.slip.lastChild.textContent = this.ballot.word("rank", { rank: at + 1 });
    }

    end(isDropped) {
      if (!this.slip) return;
      cancelAnimationFrame(this.frame);
      const from = this.slip.getBoundingClientRect();
      document.documentElement.classList.remove("dragging");
      this.card.classList.remove("away");
      this.unmark();
      this.slip.remove();
      if (isDropped && this.step !== this.own) this.ballot.move(this.number, this.step, from);
      else this.ballot.glide(() => {}, this.card, from);
      this.card.querySelector(".grip").focus({ preventScroll: true });
    }
  }

  return (ballot) => {
    let drag = null;
    const end = (isDropped) => {
      const ending = drag;
      drag = null;
      ending?.end(isDropped);
    };
    const ifOurs = (act) => (event) => event.pointerId === drag?.id && act(event);
    const escape = (event) => {
      if (!drag?.slip || event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      end(false);
    };
    ballot.addEventListener("pointerdown", (event) => {
      const card = !drag && takenBy(event);
      if (card) drag = new Drag(ballot, card, event);
    });
    ballot.addEventListener("pointermove", ifOurs((event) => drag.follow(event)));
    ballot.addEventListener("pointerup", ifOurs((event) => (drag.follow(event), drag.slip && drag.aim(), end(true))));
    ballot.addEventListener("pointercancel", ifOurs(() => end(false)));
    ballot.addEventListener("lostpointercapture", ifOurs(() => end(false)));
    ballot.addEventListener("contextmenu", (event) => drag && event.preventDefault());
    addEventListener("keydown", escape, true);
    addEventListener("resize", () => drag?.slip && drag.measure()); // such as when a phone is rotated
  };
})();
