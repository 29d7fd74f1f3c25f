// Keeps a live session's page up to date: by a stream while the page is visible, or by polling where streams are
// blocked. Never replaces a form in use or moves the focus, and says when the connection is lost. Other scripts send;
// they listen for `live:linked` to retry.
(() => {
  "use strict";

  const main = document.querySelector("main[data-live]");
  if (!main?.dataset.now) return;

  const ASK_EVERY = [2000, 3000]; // milliseconds, random each time
  const RECONNECT = [1000, 5000]; // spread out, so that a thousand clients do not reconnect at once
  const TRY_AGAIN = [15_000, 30_000]; // a stream, where none got through
  const FIRST_WORD = 8000; // deadline for a stream's first message; a proxy may be buffering it
  const SILENCE = 30_000; // then check the connection
  const LOST_AFTER = 3000;
  const ASLEEP = 5000; // a tick this late means the device was asleep
  const PATIENCE = 10_000;

  const box = (id) => document.getElementById(id);
  const between = ([least, most]) => least + Math.random() * (most - least);

  let version = main.dataset.version || "0"; // of what is shown: state number, and a mark for the rest
  let stream = null;
  let timer = null; // for the next poll or stream
  let heard = Date.now();
  let noStream = 0; // no stream before then
  let lost = null; // timer of the notice
  let over = false;

  // --- rendering ---

  const number = (text) => parseInt(text, 10) || 0;

  const say = (words) => {
    const said = box("said");
    if (said && words) said.textContent = said.textContent === words ? `${words}\u00a0` : words;
  };

  // Keeps unsent choices when the form is replaced, for instance because an answer was hidden.
  const fieldsIn = (shown) => [...shown.querySelectorAll("#given [name]")];
  const roundOf = (shown) => shown.querySelector("#given [name=round]")?.value;
  const isTicked = (field) => field.type === "radio" || field.type === "checkbox";
  const refill = (shown, before) => {
    for (const field of fieldsIn(shown)) {
      const same = before.find((each) => each.name === field.name && (!isTicked(field) || each.value === field.value));
      if (same && isTicked(field)) field.checked = same.checked;
      else if (same && field.type !== "hidden") field.value = same.value;
    }
  };

  const replace = (id, { key, html }) => {
    const shown = box(id);
    if (!shown || shown.dataset.key === key) return;
    const [round, before] = [roundOf(shown), fieldsIn(shown)];
    shown.innerHTML = html;
    if (round && round === roundOf(shown)) refill(shown, before);
    shown.dataset.key = key;
    const words = [...shown.querySelectorAll("[data-say]")].map((each) => each.dataset.say.replace(/\s+/g, " ").trim());
    if (id !== "status") say(words.join(" "));
    document.dispatchEvent(new CustomEvent("live:shown", { detail: id }));
  };

  // Waits while somebody is using a field in it. Restores the focus to its buttons.
  let held = null;
  const replaceUnused = (id, data) => {
    const shown = box(id);
    const active = shown?.contains(document.activeElement) ? document.activeElement : null;
    held = active?.matches("select, input") ? data : null;
    if (held) return;
    replace(id, data);
    const act = active?.value?.split(" ")[0];
    if (act) shown.querySelector(`[value^="${act}"]`)?.focus({ preventScroll: true });
  };
  document.addEventListener("focusout", () => held && setTimeout(() => held && replaceUnused("beside", held)));

  const end = (id) => {
    over = true;
    rest();
    linked();
    const words = box(id);
    if (!words) location.reload(); // the new page says why
    else words.hidden = false;
  };

  const show = {
    screen: (data) => replace("screen", data),
    status: (data) => {
      replace("status", data);
      tick();
    },
    mine: (data) => replace("mine", data),
    consent: (data) => replace("consent", data),
    beside: (data) => replaceUnused("beside", data),
    clock: (data) => {
      clock = { ...data, ahead: data.now - Date.now() };
      document.dispatchEvent(new CustomEvent("live:clock", { detail: clock.ahead }));
      tick();
    },
    elsewhere: () => end("elsewhere"),
    gone: () => end("gone"),
  };

  // Ignores late messages that are older than what is shown.
  const hear = (name, data, mark) => {
    const last = name === "elsewhere" || name === "gone";
    if (!last && number(mark) < number(version)) return;
    if (!last) version = mark;
    show[name]?.(data);
  };

  // --- the clock, in server time ---

  let clock = null;
  let announced = ""; // the last announcement, and for which clock

  const left = () => {
    if (!clock || clock.left === null) return null;
    if (clock.paused || clock.end === null) return clock.left;
    return Math.min(clock.length, Math.max(0, clock.end - (Date.now() + clock.ahead)));
  };

  // Small screens show minutes and seconds, a projector only seconds.
  const tell = (told, seconds) => {
    const words = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    const text = "left" in told.dataset ? words : String(seconds);
    if (told.textContent !== text) told.textContent = text;
  };

  const announce = (remains) => {
    const words = document.querySelector("[data-say-half]")?.dataset;
    const half = remains <= clock.length / 2 && remains > 0 ? "half" : "";
    const point = remains <= 10_000 && remains > 0 && clock.length > 10_000 ? "ten" : half;
    const mark = `${clock.starts} ${point}`;
    if (!words || !point || clock.paused || announced === mark) return;
    announced = mark;
    say(point === "ten" ? words.sayTen : words.sayHalf);
  };

  const tick = () => {
    const remains = left();
    if (remains === null) return;
    for (const shown of document.querySelectorAll("[data-clock]")) {
      const bar = shown.querySelector("progress");
      if (bar) [bar.max, bar.value] = [clock.length, remains];
      const told = shown.querySelector("[data-left], [data-clock-left]");
      if (told) tell(told, Math.ceil(remains / 1000));
      shown.classList.toggle("paused", clock.paused);
      shown.classList.toggle("ending", remains < 10_000 && !clock.paused);
    }
    announce(remains);
  };

  // --- connection ---

  const linked = () => {
    heard = Date.now();
    if (lost === null) return;
    clearTimeout(lost);
    lost = null;
    const words = box("link-lost");
    if (words) words.hidden = true;
    document.dispatchEvent(new CustomEvent("live:linked"));
  };

  const unlinked = () => {
    lost ??= setTimeout(() => {
      const words = box("link-lost");
      if (words) words.hidden = false;
    }, LOST_AFTER);
  };

  // --- the stream ---

  const rest = () => {
    clearTimeout(timer);
    stream?.close();
    stream = null;
  };

  // Says what the page has, so that it is not sent again.
  const address = (base, more = {}) => {
    const url = new URL(base, location.href);
    for (const id of ["screen", "mine"]) if (box(id)?.dataset.key) url.searchParams.set(id, box(id).dataset.key);
    for (const [name, value] of Object.entries(more)) url.searchParams.set(name, value);
    return url;
  };

  const listen = () => {
    const own = new EventSource(address(main.dataset.stream));
    let isOpen = false;
    stream = own;
    const giveUp = () => {
      noStream = Date.now() + between(TRY_AGAIN);
      link();
    };
    timer = setTimeout(giveUp, FIRST_WORD);
    own.addEventListener("error", () => {
      if (stream !== own) return;
      unlinked();
      rest();
      if (isOpen) timer = setTimeout(link, between(RECONNECT));
      else giveUp();
    });
    for (const name of Object.keys(show)) {
      own.addEventListener(name, (event) => {
        if (!isOpen) clearTimeout(timer);
        isOpen = true;
        linked();
        hear(name, JSON.parse(event.data), event.lastEventId);
      });
    }
  };

  // --- polling ---

  const ask = async (more = {}) => {
    try {
      const request = { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) };
      const answer = await fetch(address(main.dataset.now, { version, ...more }), request);
      if (over) return;
      if (answer.status === 403 || answer.status === 404) end("gone");
      else if (answer.status === 200) {
        linked();
        const told = await answer.json();
        for (const [name, data] of told.said) hear(name, data, told.version);
      } else if (answer.status === 204) linked();
      else unlinked();
    } catch {
      unlinked();
    }
  };

  const askOn = async () => {
    await ask();
    if (!over && !stream && !document.hidden) timer = setTimeout(link, between(ASK_EVERY));
  };

  // --- choosing between them ---

  const link = () => {
    rest();
    if (over || document.hidden) return;
    if (window.EventSource && main.dataset.stream && Date.now() >= noStream) listen();
    else askOn();
  };

  // A stream cut off far away looks like a quiet one: after a while check, without being counted twice.
  const check = async () => {
    if (!stream || Date.now() - heard < SILENCE) return;
    heard = Date.now();
    const own = stream;
    await ask({ quiet: 1 });
    if (lost !== null && stream === own) {
      rest();
      timer = setTimeout(link, between(RECONNECT));
    }
  };

  let second = Date.now();
  setInterval(() => {
    const slept = Date.now() - second > ASLEEP;
    second = Date.now();
    tick();
    if (over || document.hidden) return;
    if (slept) link();
    else check();
  }, 250);

  document.addEventListener("visibilitychange", link);
  window.addEventListener("online", () => {
    noStream = 0;
    link();
  });
  window.addEventListener("offline", unlinked);
  window.addEventListener("pagehide", rest);
  window.addEventListener("pageshow", (event) => event.persisted && link());
  document.addEventListener("live:look", () => !stream && link());
  link();
})();
