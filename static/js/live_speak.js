// Buttons about speaking in an assembly, without loading the page anew, and how long somebody has spoken by the server's
// clock. What became of a press arrives by itself (live.js); without scripts the same form loads the page again.
(() => {
  "use strict";

  const form = document.getElementById("speak");
  const told = document.getElementById("speak-said");
  let pending = ""; // the act that was pressed last and is not answered yet
  let queue = Promise.resolve(); // acts are sent one after the other
  let ahead = 0; // of this device's clock, in milliseconds

  // --- pressing ---

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
      else location.reload(); // signed out meanwhile, or no seat any more: the page says so
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
    if (!act || act === pending) return; // a double click is one
    pending = act;
    queue = queue.then(() => send(button, act));
  });

  // --- how long somebody has spoken ---

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
