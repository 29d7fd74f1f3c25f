// Plays the rounds of a poll as a race. It uses the rounds already on the page, which stay as they are without scripts.
// With reduced motion they stay so on phones, and a projector shows the last one, with buttons for the others.
(() => {
  const FIRST = 1800;
  const EVERY = 3200;
  const GLIDE = 900;
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  // --- one race ---

  const race = (root) => {
    const laps = [...root.querySelectorAll("[data-lap] > table")];
    const stage = root.querySelector("[data-stage]");
    const part = (name) => stage.querySelector(`[data-${name}]`);
    const table = laps[0].cloneNode(true);
    const body = table.tBodies[0];
    const rows = new Map([...body.rows].map((row) => [row.dataset.option, row]));
    let at = 0;
    let timer = null;

    const copy = (from, to, selector, names) => {
      const [source, target] = [from.querySelector(selector), to.querySelector(selector)];
      for (const name of names) target?.setAttribute(name, source?.getAttribute(name) ?? "0");
    };

    const say = (from, to, selector) => {
      to.querySelector(selector).replaceChildren(...from.querySelector(selector).cloneNode(true).childNodes);
    };

    const dress = (row, as) => {
      row.className = as.className;
      copy(as, row, ".bar", ["width"]);
      copy(as, row, ".gain", ["x", "width"]);
      copy(as, row, ".needed", ["x1", "x2"]);
      for (const selector of ["[data-number]", "[data-gain]", "[data-word]"]) say(as, row, selector);
    };

    // Rows take their new places at once, then animate from the old ones.
    const place = (order) => {
      const before = new Map(order.map((row) => [row, row.getBoundingClientRect().top]));
      body.append(...order);
      for (const row of order) {
        const way = before.get(row) - row.getBoundingClientRect().top;
        const path = [{ transform: `translateY(${way}px)` }, { transform: "none" }];
        if (way && !still.matches) row.animate(path, { duration: GLIDE, easing: "ease-in-out" });
      }
    };

    const speak = (lap) => table.caption.replaceChildren(...lap.caption.cloneNode(true).childNodes);

    // Reserves the height of the longest text, or the bars would jump.
    const heightOf = (lap) => {
      speak(lap);
      return table.caption.offsetHeight;
    };

    const show = (lap) => {
      at = Math.max(0, Math.min(lap, laps.length - 1));
      const shown = [...laps[at].tBodies[0].rows];
      for (const as of shown) dress(rows.get(as.dataset.option), as);
      place(shown.map((as) => rows.get(as.dataset.option)));
      speak(laps[at]);
      part("back").setAttribute("aria-disabled", at === 0);
      part("forward").setAttribute("aria-disabled", at === laps.length - 1);
    };

    const tell = (isRunning) => {
      root.classList.toggle("is-running", isRunning || at < laps.length - 1);
      for (const word of stage.querySelectorAll("[data-when]")) {
        word.hidden = (word.dataset.when === "running") !== isRunning;
      }
      document.dispatchEvent(new CustomEvent("live:raced"));
    };

    const stop = () => {
      clearTimeout(timer);
      timer = null;
      tell(false);
    };

    const go = () => {
      if (!root.isConnected) return;
      if (at === laps.length - 1) return stop();
      show(at + 1);
      timer = setTimeout(go, at === laps.length - 1 ? GLIDE : EVERY);
    };

    const play = () => {
      if (at === laps.length - 1) show(0);
      timer = setTimeout(go, FIRST);
      tell(true);
    };

    // Announce rounds chosen by button, not autoplay.
    const step = (by) => {
      stop();
      table.caption.setAttribute("aria-live", "polite");
      show(at + by);
      tell(false);
    };

    part("play").addEventListener("click", () => (timer ? stop() : play()));
    part("back").addEventListener("click", () => step(-1));
    part("forward").addEventListener("click", () => step(1));

    stage.hidden = false;
    part("track").replaceChildren(table);
    table.caption.style.minHeight = `${Math.max(...laps.map(heightOf))}px`;
    root.querySelector("[data-laps]").open = false;
    show(still.matches ? laps.length - 1 : 0);
    if (still.matches) stop();
    else play();
  };

  // --- all races on the page, now or later ---

  const look = () => {
    for (const root of document.querySelectorAll("[data-race]:not([data-set])")) {
      root.dataset.set = "";
      if (!still.matches || root.closest(".projector")) race(root);
    }
  };

  look();
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
})();
