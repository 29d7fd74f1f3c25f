// Progressive enhancement of hall pages: steps without reloading, keys, confirmation, full screen. The result of a step
// arrives through live.js.
(() => {
  const main = document.querySelector("main[data-live]");
  const drive = document.getElementById("drive");
  const said = document.getElementById("hall-said");
  let busy = false; // a step is being sent
  let driving = false; // the focus was on a step that is gone from the screen

  // --- steps ---

  const say = (sentence) => {
    const message = document.createElement("p");
    message.className = "message warning";
    message.textContent = sentence;
    said.replaceChildren(message);
    setTimeout(() => message.remove(), 8000);
  };

  // A projector must stay on its page, whatever fails.
  const send = async (button) => {
    const form = new FormData(drive);
    form.set("act", button.value);
    button.setAttribute("aria-busy", "true");
    try {
      const request = { method: "POST", body: form, headers: { "X-Requested-With": "fetch" }, redirect: "manual" };
      const answer = await fetch(drive.action, request);
      if (answer.status === 409) say(await answer.text());
      else if (answer.status >= 500) say(drive.dataset.later);
      else if (answer.status !== 204) location.reload(); // signed out, or no longer a host: the page says so
      document.dispatchEvent(new CustomEvent("live:look"));
    } catch {
      say(drive.dataset.later);
    } finally {
      busy = false;
      button.removeAttribute("aria-busy");
    }
  };

  // Ignore a second press while the first is being sent.
  drive?.addEventListener("submit", (event) => {
    event.preventDefault();
    if (busy || !event.submitter) return;
    busy = true;
    driving = true;
    event.submitter.closest("dialog")?.close();
    send(event.submitter);
  });

  // Ignore the second half of a double click: it could land on the next step's button.
  document.addEventListener("click", (event) => {
    if (event.detail > 1 && event.target.closest("[form=drive], a[data-asks]")) return event.preventDefault();
    const link = event.target.closest("a[data-asks]");
    const dialog = link && document.getElementById(link.dataset.asks);
    if (!dialog?.showModal) return;
    event.preventDefault();
    dialog.showModal();
  });

  // Keyboard users find the next step where the last one was.
  const screen = document.getElementById("screen");
  document.addEventListener("live:shown", (event) => {
    if (event.detail !== "screen") return;
    document.querySelector(".hall-says .messages")?.remove(); // they were about the previous screen
    if (!driving) return;
    driving = false;
    if (document.activeElement && document.activeElement !== document.body) return;
    screen.querySelector("[data-first-step]")?.focus({ preventScroll: true });
  });

  // --- keys: space or an arrow goes forward, as on presentation remotes ---

  const isTyping = (target) => target.closest?.("input, select, textarea, [contenteditable]");
  const isPressed = (target) => target.closest?.("a, button, summary, [data-race]");

  document.addEventListener("keydown", (event) => {
    const forward = document.documentElement.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
    const wanted = event.key === forward || event.key === "PageDown" || event.key === " ";
    if (!drive || main.dataset.role !== "host" || !wanted || event.repeat) return;
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (isTyping(event.target) || (event.key === " " && isPressed(event.target))) return;
    event.preventDefault();
    screen.querySelector("[data-first-step]")?.click();
  });

  // Where no step is driven, the arrows lead through the rounds of a race.
  document.addEventListener("keydown", (event) => {
    const isBack = ["ArrowLeft", "PageUp"].includes(event.key);
    if (drive || !(isBack || ["ArrowRight", "PageDown"].includes(event.key)) || isTyping(event.target)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isMirrored = document.documentElement.dir === "rtl" && event.key.startsWith("Arrow");
    const button = document.querySelector(`[data-stage] [data-${isBack !== isMirrored ? "back" : "forward"}]`);
    if (!button) return;
    event.preventDefault();
    button.click();
  });

  // --- full screen ---

  const full = document.querySelector("[data-full-screen]");
  if (full && !document.documentElement.requestFullscreen) full.hidden = true;
  full?.addEventListener("click", () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen().catch(() => {});
  });
})();
