// Sends answers without reloading, shows what came of them, and counts words while typing. The form stays in place,
// with its input and focus.
(() => {
  const PATIENCE = 15_000;
  const AGAIN = 4_000;
  let latest = 0; // last sent; ignore late responses to earlier ones
  let unsent = null; // resends what never arrived

  const partOf = (html) => new DOMParser().parseFromString(html, "text/html").body.firstElementChild;

  const tell = (html) => {
    const box = document.querySelector("[data-told]");
    if (!box) return;
    const told = partOf(html);
    if (told?.matches("[data-told]")) box.replaceWith(told);
    else if (told) {
      delete box.dataset.outcome;
      box.replaceChildren(told);
    }
    tellBeside(document.querySelector("[data-told]"));
    say(document.querySelector("[data-told]").textContent);
  };

  // If the message is scrolled out of view, shows it beside the button too.
  const tellBeside = (told) => {
    const bar = document.querySelector("#given .live-bar");
    bar?.querySelector(".live-beside")?.remove();
    if (!bar || told.getBoundingClientRect().top >= 0) return;
    const line = document.createElement("p");
    line.className = `live-beside ${told.querySelector(".message")?.className ?? ""}`;
    line.setAttribute("aria-hidden", "true"); // already announced
    line.textContent = (told.querySelector("b") ?? told).textContent.trim();
    bar.prepend(line);
  };

  const say = (text) => {
    const said = document.getElementById("said");
    const words = text.replace(/\s+/g, " ").trim();
    if (said) said.textContent = said.textContent === words ? `${words}\u00a0` : words;
  };

  const tellPlainly = (words, level) => {
    const message = document.createElement(level ? "div" : "p");
    if (level) message.className = `message ${level}`;
    message.textContent = words;
    tell(message.outerHTML);
  };

  // Marks the tapped button at once; if sending fails, the message above says so.
  const mark = (button) => {
    for (const each of button.form.querySelectorAll("[aria-pressed]")) {
      each.setAttribute("aria-pressed", String(each === button));
    }
  };

  const wordsOf = (form, button) => {
    const words = new URLSearchParams(new FormData(form));
    if (button?.name) words.set(button.name, button.value);
    return words;
  };

  const send = async (form, button) => {
    const turn = ++latest;
    const request = {
      method: "POST",
      body: wordsOf(form, button),
      headers: { "HX-Request": "true" },
      signal: AbortSignal.timeout(PATIENCE),
    };
    unsent = null;
    button?.setAttribute("aria-busy", "true");
    if (button) mark(button);
    tellPlainly(form.dataset.sending);
    try {
      const answer = await fetch(form.action, request);
      const html = await answer.text();
      if (turn !== latest) return;
      if (answer.ok || [409, 422, 429, 503].includes(answer.status)) tell(html);
      else tellPlainly(form.dataset.refused, "error");
    } catch {
      if (turn !== latest) return;
      tellPlainly(form.dataset.lost, "warning");
      unsent = () => form.isConnected && send(form, button);
      setTimeout(again, AGAIN * (1 + Math.random()));
    } finally {
      button?.removeAttribute("aria-busy");
    }
  };

  // The server decides whether it is still in time. A form no longer on the page is not sent again.
  const again = () => {
    unsent?.();
  };
  document.addEventListener("live:linked", again);

  document.addEventListener("submit", (event) => {
    if (event.target.id !== "given") return;
    event.preventDefault();
    send(event.target, event.submitter);
  });

  // --- counting words while typing; by the same rules as the server ---

  const tidied = (box) => box.value.replace(/\s+/g, " ").trim();
  const isTooLong = (box) => [...tidied(box)].length > Number(box.dataset.counts);

  // Boxes that share a description show no numbers.
  const count = (box) => {
    const text = tidied(box);
    const told = document.getElementById(box.getAttribute("aria-describedby"));
    const numbers = told.querySelector("[data-count]");
    if (numbers) {
      numbers.querySelector("[data-words]").textContent = text ? text.split(" ").length : 0;
      numbers.querySelector("[data-characters]").textContent = [...text].length;
    }
    const boxes = document.querySelectorAll(`[data-counts][aria-describedby="${told.id}"]`);
    told.classList.toggle("too-long", [...boxes].some(isTooLong));
  };

  document.addEventListener("input", (event) => event.target.matches("[data-counts]") && count(event.target));
  for (const box of document.querySelectorAll("[data-counts]")) count(box);
})();
