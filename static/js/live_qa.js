// Q&A: sends and upvotes questions, and handles hosts' buttons, without reloading. Changes by others arrive through
// live.js; then the participant's own marks and the focus are restored on the new list.
(() => {
  "use strict";

  const PATIENCE = 15_000;
  const ask = document.getElementById("ask");
  const upvoting = document.getElementById("upvote");
  const moderating = document.getElementById("moderate");
  const wordsOf = (text) => (text ?? "").split(/\s+/).filter(Boolean);
  const upvoted = new Set(wordsOf(document.querySelector("[data-upvoted]")?.dataset.upvoted));

  const say = (text) => {
    const said = document.getElementById("said");
    const words = text.replace(/\s+/g, " ").trim();
    if (said && words) said.textContent = said.textContent === words ? `${words}\u00a0` : words;
  };

  const look = () => document.dispatchEvent(new CustomEvent("live:look"));

  const post = (form, button, headers) => {
    const words = new URLSearchParams(new FormData(form));
    if (button?.name) words.set(button.name, button.value);
    return fetch(form.action, { method: "POST", body: words, headers, redirect: "manual", signal: AbortSignal.timeout(PATIENCE) });
  };

  // --- feedback ---

  const tell = (told) => {
    const box = document.querySelector("[data-told]");
    if (!box) return;
    box.replaceWith(told);
    say(told.textContent);
    if (told.getBoundingClientRect().bottom < 0) told.scrollIntoView({ block: "nearest" });
  };

  const tellPlainly = (words, level) => {
    const told = document.createElement("div");
    told.dataset.told = "";
    const message = told.appendChild(document.createElement(level ? "div" : "p"));
    if (level) message.className = `message ${level}`;
    message.textContent = words;
    tell(told);
  };

  const partOf = (html, what) => new DOMParser().parseFromString(html, "text/html").querySelector(what);

  const tellAnswer = async (answer) => {
    const told = partOf(await answer.text(), "[data-told]");
    if (told) tell(told);
    else tellPlainly(ask.dataset.refused, "error");
  };

  // --- sending ---

  let sending = false;

  ask?.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (sending) return;
    sending = true;
    const box = ask.elements.text;
    const sent = box.value;
    tellPlainly(ask.dataset.sending);
    try {
      const answer = await post(ask, null, { "HX-Request": "true" });
      await tellAnswer(answer);
      if (answer.ok && box.value === sent) box.value = "";
      count(box);
      look();
    } catch {
      tellPlainly(ask.dataset.lost, "warning");
    } finally {
      sending = false;
    }
  });

  // --- upvoting ---

  const buttonOf = (id) => document.querySelector(`.qa-upvote[value="${CSS.escape(id)}"]`);

  upvoting?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { submitter } = event;
    if (!submitter || submitter.getAttribute("aria-busy")) return;
    const { name, value } = submitter;
    submitter.setAttribute("aria-busy", "true");
    try {
      const answer = await post(upvoting, submitter, { "HX-Request": "true" });
      if (answer.ok) {
        if (name === "upvote") upvoted.add(value);
        else upvoted.delete(value);
        const number = partOf(await answer.text(), "[data-number]")?.textContent;
        const button = buttonOf(value); // the list may have been replaced
        if (button && number) button.querySelector("[data-number]").textContent = number;
        mark();
      } else await tellAnswer(answer);
    } catch {
      tellPlainly(ask.dataset.lost, "warning");
    } finally {
      submitter.removeAttribute("aria-busy");
    }
  });

  // Your own questions cannot be upvoted; upvotes can be taken back.
  const mark = () => {
    const own = new Set(wordsOf(document.querySelector("[data-own]")?.dataset.own));
    for (const button of document.querySelectorAll(".qa-upvote")) {
      const on = upvoted.has(button.value);
      button.name = on ? "back" : "upvote";
      button.setAttribute("aria-pressed", String(on));
      button.disabled = own.has(button.value);
    }
  };

  // Upvote counts arrive separately, so that the list need not be sent again.
  const number = () => {
    const told = wordsOf(document.querySelector("[data-numbers]")?.dataset.numbers);
    for (let place = 0; place + 1 < told.length; place += 2) {
      const shown = buttonOf(told[place])?.querySelector("[data-number]") ?? document.querySelector(`[data-number="${CSS.escape(told[place])}"]`);
      if (shown && shown.textContent !== told[place + 1]) shown.textContent = told[place + 1];
    }
  };

  // --- hosts' actions ---

  const warn = (sentence) => {
    const message = document.createElement("p");
    message.className = "message warning";
    message.textContent = sentence;
    document.getElementById("qa-said").replaceChildren(message);
  };

  let moving = false; // an action is being sent

  moderating?.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (moving || !event.submitter) return;
    moving = true;
    event.submitter.setAttribute("aria-busy", "true");
    document.getElementById("qa-said").replaceChildren();
    try {
      const answer = await post(moderating, event.submitter, { "X-Requested-With": "fetch" });
      if (answer.status === 409) warn(await answer.text());
      else if (answer.status >= 500) warn(moderating.dataset.later);
      else if (answer.status !== 204) location.reload(); // signed out, or no longer a host: the page says so
      look();
    } catch {
      warn(moderating.dataset.later);
    } finally {
      moving = false;
      event.submitter.removeAttribute("aria-busy");
    }
  });

  // The second half of a double click could land on another question.
  document.addEventListener("click", (event) => {
    if (event.detail > 1 && event.target.closest("[form=moderate], [form=upvote]")) event.preventDefault();
  });

  // --- keeping the focus on the same question's button, wherever it moves ---

  let focused = null; // name and value of the button, until something else is focused

  document.addEventListener("focusin", ({ target }) => {
    focused = target.closest?.("#screen") && target.value ? { form: target.getAttribute("form"), value: target.value } : null;
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (!target.closest?.("#screen button")) focused = null;
  });

  const focusAgain = () => {
    if (!focused || (document.activeElement && document.activeElement !== document.body)) return;
    const same = [...document.querySelectorAll(`#screen [form="${focused.form}"]`)];
    const question = focused.value.split(" ").at(-1);
    const found = same.find((each) => each.value === focused.value) ?? same.find((each) => each.value.endsWith(question));
    found?.focus({ preventScroll: true });
  };

  document.addEventListener("live:shown", (event) => {
    if (event.detail === "screen") {
      mark();
      focusAgain();
    }
    if (event.detail === "mine") mark();
    number();
  });

  // --- counting characters while typing ---

  const count = (box) => {
    const told = document.getElementById(box.getAttribute("aria-describedby"))?.querySelector("[data-characters]");
    if (!told) return;
    const characters = [...box.value.replace(/\s+/g, " ").trim()].length;
    told.textContent = characters;
    told.classList.toggle("too-long", characters > Number(box.dataset.counts));
  };

  document.addEventListener("input", (event) => event.target.matches("[data-counts]") && count(event.target));
  for (const box of document.querySelectorAll("[data-counts]")) count(box);
})();
