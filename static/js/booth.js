// In the booth of a polling station: leaves a page when its visit is over, and keeps nothing in this browser.
(() => {
  const POLL_MILLISECONDS = 3000;
  const booth = document.querySelector("meta[name=booth]");

  const clear = () => {
    try {
      localStorage.clear();
      sessionStorage.clear();
    } catch {} // no storage, so nothing in it
  };
  addEventListener("load", clear);
  addEventListener("pagehide", clear);

  // Going back leads to the screen between two voters: never to a form that the browser would offer to send again.
  history.replaceState(null, "", booth.content);

  // A page from the browser's history may be that of an earlier voter.
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
  if (document.querySelector("[data-booth]:not([data-booth=continue])")) return;

  let touched = false;
  let last = Date.now();
  const touch = () => {
    touched = true;
    last = Date.now();
  };
  for (const name of ["keydown", "pointerdown", "pointermove", "scroll"]) addEventListener(name, touch, { passive: true });

  // Nobody has touched the page for minutes: as if they had pressed the button.
  const finish = () => document.querySelector("form[data-finishes]")?.requestSubmit();

  const look = async () => {
    if (Date.now() - last > booth.dataset.idle * 1000) return finish();
    const active = touched ? "?active=1" : "";
    touched = false;
    try {
      const { status } = await fetch(booth.dataset.state + active, { redirect: "manual" });
      if (status !== 204) return location.replace(booth.content);
    } catch {} // out of reach: the server ends the visit by itself
    setTimeout(look, POLL_MILLISECONDS);
  };
  setTimeout(look, POLL_MILLISECONDS);
})();
