// Ranks a long list by asking which of two is better: each candidate is placed by binary insertion.
const rankDuel = (() => {
  // --- the duel as a value ---
  // `groups` is ranked, `waiting` is not; the first one waiting belongs somewhere from `low` to `high`. Binary
  // insertion asks slightly more than the minimum, but stopping early leaves a valid ranking.

  // Of favourites only `most` are ranked, and each of the others meets the last of them first.

  const next = (groups, waiting, asked, most = Infinity) => {
    if (!groups.length && waiting.length) return next([[waiting[0]]], waiting.slice(1), asked, most);
    return { groups, waiting, asked, most, low: 0, high: groups.length };
  };

  const isFull = ({ groups, most, low, high }) => low === 0 && high === groups.length && high >= most;
  const middle = (duel) => (isFull(duel) ? duel.high - 1 : (duel.low + duel.high) >> 1);
  const pairOf = (duel) => [duel.waiting[0], duel.groups[middle(duel)][0]];

  // Inserts the candidate once only one place is left.
  const settle = (duel) => {
    const { groups, waiting, asked, most, low, high } = duel;
    if (low < high) return duel;
    const ranked = [...groups.slice(0, low), [waiting[0]], ...groups.slice(low)].slice(0, most);
    return next(ranked, waiting.slice(1), asked, most);
  };

  const ANSWERS = {
    first: (duel) => settle({ ...duel, high: middle(duel) }),
    second: (duel) => settle({ ...duel, low: middle(duel) + 1 }),
    equal: (duel) => {
      const at = middle(duel);
      const groups = duel.groups.map((group, index) => (index === at ? [...group, duel.waiting[0]] : group));
      return next(groups, duel.waiting.slice(1), duel.asked, duel.most);
    },
    "leave-first": (duel) => next(duel.groups, duel.waiting.slice(1), duel.asked, duel.most),
    "leave-second": (duel) => {
      const at = middle(duel);
      const [, ...others] = duel.groups[at];
      if (others.length) return { ...duel, groups: duel.groups.map((group, index) => (index === at ? others : group)) };
      return settle({ ...duel, groups: duel.groups.filter((_, index) => index !== at), high: duel.high - 1 });
    },
  };

  const answered = (duel, answer) => ANSWERS[answer]({ ...duel, asked: duel.asked + 1 });

  const questionsLeft = ({ groups, waiting, low, high, most }) => {
    const questions = (ranked) => (ranked >= most ? 1.2 : Math.log2(ranked + 1));
    const later = waiting.slice(1).map((_, index) => questions(groups.length + 1 + index));
    return Math.max(1, Math.round(later.reduce((sum, each) => sum + each, Math.log2(high - low + 1))));
  };

  // --- the page ---

  const FAVOURITES = 5; // ranks
  const MANY = 40; // questions, from which fewer are offered

  const KEYS = { 1: "first", 2: "second", "=": "equal", 0: "equal", ArrowLeft: "first", ArrowRight: "second" };
  const MIRRORED = { ArrowLeft: "second", ArrowRight: "first" };

  return (ballot) => {
    const dialog = ballot.part("duel").firstElementChild;
    const title = dialog.querySelector("h2");
    title.textContent = ballot.titled(title.textContent);
    const past = [];
    let duel = next(ballot.groups, ballot.unranked, 0);

    const showSide = (side, number) => {
      side.querySelector("b").textContent = ballot.nameOf(number);
      ballot.nameFor(side.querySelectorAll(".plain"), number);
      const about = ballot.cards.get(number).querySelector(".about")?.cloneNode(true);
      if (about) about.open = side.querySelector(".about")?.open && side.dataset.number === String(number);
      side.querySelector(".duel-about").replaceChildren(...(about ? [about] : []));
      if (side.dataset.number !== String(number)) side.animate([{ opacity: 0 }, { opacity: 1 }], 180);
      side.dataset.number = number;
    };

    const show = () => {
      const pair = pairOf(duel);
      const left = questionsLeft(duel);
      [...dialog.querySelectorAll(".duel-side")].forEach((side, at) => showSide(side, pair[at]));
      const count = ballot.word("left", { count: left });
      dialog.querySelector("header .hint").textContent = count;
      dialog.querySelector("progress").value = duel.asked / (duel.asked + left);
      dialog.querySelector("[data-answer=favourites]").hidden = left < MANY || duel.most < Infinity;
      dialog.querySelector("[data-answer=undo]").setAttribute("aria-disabled", !past.length);
      const [first, second] = pair.map((number) => ballot.nameOf(number));
      dialog.querySelector("[role=status]").textContent = `${ballot.word("question", { first, second })} ${count}`;
    };

    // A single candidate that was never compared is not ranked.
    const result = () => {
      const isBare = duel.waiting.length && !ballot.groups.length && duel.groups.flat().length < 2;
      return isBare || !duel.asked ? ballot.groups : duel.groups;
    };

    const finish = () => {
      dialog.close();
      dialog.remove();
      ballot.change(result());
      ballot.say(ballot.word("sorted", { count: ballot.groups.flat().length }));
      const opener = ballot.find("[data-act=duel]");
      (opener.getAttribute("aria-disabled") === "true" ? ballot.find(".grip") : opener).focus();
    };

    const undo = () => {
      if (past.length) duel = past.pop();
      show();
    };

    const take = (answer) => {
      if (answer === "stop") return finish();
      if (answer === "undo") return undo();
      past.push(duel);
      const most = Math.max(FAVOURITES, ballot.groups.length);
      if (answer === "favourites") duel = next(duel.groups.slice(0, most), duel.waiting, duel.asked, most);
      else duel = answered(duel, answer);
      ballot.keep(result());
      if (duel.waiting.length) show();
      else finish();
    };

    dialog.addEventListener("click", (event) => {
      const button = event.target.closest("[data-answer]");
      if (button && button.getAttribute("aria-disabled") !== "true") take(button.dataset.answer);
    });
    dialog.addEventListener("keydown", (event) => {
      const isMirrored = document.documentElement.dir === "rtl";
      const answer = (isMirrored && MIRRORED[event.key]) || KEYS[event.key];
      if (!answer || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      take(answer);
    });
    dialog.addEventListener("cancel", (event) => (event.preventDefault(), finish()));
    ballot.append(dialog);
    dialog.showModal();
    show();
  };
})();
