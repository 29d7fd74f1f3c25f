// Shows content that is too long for a projector in pages. They turn by themselves, or by buttons and arrow keys; with
// reduced motion only by these. A race that is running is never cut. Without scripts the content scrolls.
(() => {
  const EVERY = 10_000;
  const SOLID = ".sheet, .laps > li, .answer, .idea, .texts > li, .decided > li, tr, caption, figure, h2, p, summary";
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const pager = document.querySelector(".pager");
  let box = null; // what is cut into pages
  let pages = []; // where each begins and ends
  let at = 0;
  let timer = null;
  let running = !still.matches;

  // No page ends within a row, a line or a small chart.
  const cut = () => {
    const height = box.clientHeight;
    const top = box.getBoundingClientRect().top - box.scrollTop;
    const solid = [...box.querySelectorAll(SOLID)]
      .map((each) => each.getBoundingClientRect())
      .map((each) => [each.top - top, each.bottom - top])
      .filter(([from, to]) => to > from && to - from <= height);
    const found = [];
    for (let start = 0, end = 0; end < box.scrollHeight - 1; start = end) {
      end = start + height;
      const parted = () => solid.find(([from, to]) => from > start + 1 && from < end && to > end + 1);
      if (end < box.scrollHeight - 1) for (let each = parted(); each; each = parted()) end = each[0];
      found.push([start, end]);
    }
    return found;
  };

  const show = (page) => {
    at = (page + pages.length) % pages.length;
    const [start, end] = pages[at];
    box.scrollTop = start;
    box.style.clipPath = `inset(0 0 ${Math.max(0, box.clientHeight - (end - start))}px)`;
    pager.querySelector("[data-page]").textContent = `${at + 1} / ${pages.length}`;
  };

  const wait = () => {
    clearTimeout(timer);
    if (running && pages.length > 1) timer = setTimeout(() => turn(1), EVERY);
    for (const word of pager.querySelectorAll("[data-when]")) {
      word.hidden = (word.dataset.when === "running") !== running;
    }
  };

  const turn = (by) => {
    show(at + by);
    wait();
  };

  // The last page begins at its top, too: it needs room below.
  const measure = () => {
    box.style.clipPath = box.style.paddingBlockEnd = "";
    const isLong = !box.querySelector(".is-running") && box.scrollHeight > box.clientHeight + 1;
    pager.hidden = !isLong;
    pages = isLong ? cut() : [];
    if (isLong) box.style.paddingBlockEnd = `${Math.max(0, pages.at(-1)[0] + box.clientHeight - box.scrollHeight)}px`;
    if (isLong) show(Math.min(at, pages.length - 1));
    wait();
  };

  const again = () => box?.isConnected && measure();
  const sizes = new ResizeObserver(again);
  const look = () => {
    sizes.disconnect();
    box = document.querySelector("[data-pages]");
    at = 0;
    pages = [];
    pager.hidden = true;
    if (!box) return wait();
    for (const each of [box.parentElement, ...box.children]) sizes.observe(each);
  };

  pager.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (!button) return;
    running = "run" in button.dataset && !running;
    if (button.dataset.turn) turn(Number(button.dataset.turn));
    else wait();
  });

  document.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by || pager.hidden || event.target.closest?.("input, select, textarea, details[open].menu, dialog")) return;
    event.preventDefault();
    running = false;
    turn(by);
  });

  document.addEventListener("live:raced", again);
  document.addEventListener("live:shown", (event) => event.detail === "screen" && look());
  look();
})();
