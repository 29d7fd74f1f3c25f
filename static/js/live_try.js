// Lets the robots answer one after the other. The page already says how many there are, so it is complete without this.
(() => {
  const EVERY = 450;
  const wall = document.querySelector("[data-robots]");
  const [number, bar] = [wall.querySelector(".answered b"), wall.querySelector(".answered progress")];
  if (!number || !bar || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const all = bar.value;
  const show = (answered) => {
    number.textContent = bar.value = answered;
    if (answered < all) setTimeout(show, EVERY * (0.4 + 1.2 * Math.random()), answered + 1);
  };
  show(0);
})();
