// Buttons for speaking in an assembly, without reloading, and speaking time by the server's clock. Results arrive
// through live.js; without scripts the same form reloads the page.
(() => {
  "use strict";

  const form = document.getElementById("speak");
  const told = document.getElementById("speak-said");
  let pending = ""; // the last action pressed, until it is answered
  let queue = Promise.resolve(); // sends actions one at a time
  let ahead = 0; // of this device's clock, in milliseconds

  // --- actions ---

  const say = (sentence) => {
    if (!told) return;
    told.className = sentence ? "message warning" : "";
    told.textContent = sentence;
  };

  const send = async (button, act) => {
    const words = new FormData(form);
    words.set("act", act);
    button.setAttribute("aria-busy", "true");
    try {
      const request = { method: "POST", body: words, headers: { "X-Requested-With": "fetch" }, redirect: "manual" };
      const answer = await fetch(form.action, request);
      if (answer.status === 409) say(await answer.text());
      else if (answer.status >= 500) say(form.dataset.later);
      else if (answer.status === 204) say("");
      else location.reload(); // signed out, or no longer seated: the page says so
      document.dispatchEvent(new CustomEvent("live:look"));
    } catch {
      say(form.dataset.later);
    } finally {
      if (pending === act) pending = "";
      button.removeAttribute("aria-busy");
    }
  };

  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    const button = event.submitter;
    const act = button?.value;
    if (!act || act === pending) return; // ignore double clicks
    pending = act;
    queue = queue.then(() => send(button, act));
  });

  // --- speaking time ---

  const words = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

  const tick = () => {
    for (const shown of document.querySelectorAll("[data-speech]")) {
      const seconds = Math.max(0, Math.floor((Date.now() + ahead - Number(shown.dataset.began)) / 1000));
      const limit = Number(shown.dataset.limit);
      const over = limit > 0 && seconds > limit;
      const spoken = shown.querySelector("[data-spoken]");
      if (spoken.textContent !== words(seconds)) spoken.textContent = words(seconds);
      shown.classList.toggle("over", over);
      const note = shown.querySelector(".speech-over");
      if (note) note.hidden = !over;
    }
  };

  document.addEventListener("live:clock", (event) => {
    ahead = event.detail;
    tick();
  });
  document.addEventListener("live:shown", tick);
  setInterval(tick, 250);
})();
