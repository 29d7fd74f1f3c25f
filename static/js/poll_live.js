// Keeps a poll's results up to date while the tab is visible. Sections stay open or closed when a newer count replaces
// them.
(() => {
  const EVERY = 5000;

  const look = () => {
    const part = document.getElementById("running");
    if (!document.hidden && part?.hasAttribute("hx-get")) htmx.trigger(part, "look");
  };

  const folds = () => [...document.querySelectorAll("#running details")];
  const nameOf = (fold) => fold.querySelector("summary").textContent.trim();
  let before = new Map();

  document.addEventListener("htmx:beforeSwap", () => {
    before = new Map(folds().map((fold) => [nameOf(fold), fold.open]));
  });
  document.addEventListener("htmx:afterSwap", () => {
    for (const fold of folds()) fold.open = before.get(nameOf(fold)) ?? fold.open;
  });

  setInterval(look, EVERY);
  document.addEventListener("visibilitychange", look);
})();
