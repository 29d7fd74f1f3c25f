// Shows times in the reader's time zone and counts down by the server's clock. Without scripts, pages say both in
// words.
(() => {
  const SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
  const UNITS = [["day", DAY], ["hour", HOUR], ["minute", MINUTE], ["second", SECOND]];
  const language = document.documentElement.lang || undefined;

  // --- local time ---

  const ownTime = (date, offset) => {
    const there = new Date(date.getTime() + offset * MINUTE);
    const sameDay = there.getUTCDate() === date.getDate();
    return date.toLocaleString(language, { timeStyle: "short", ...(!sameDay && { dateStyle: "long" }) });
  };

  const showOwnTime = (time) => {
    const date = new Date(time.dateTime);
    const offset = Number(time.dataset.offset);
    const differs = -date.getTimezoneOffset() !== offset;
    time.parentElement.querySelector("[data-elsewhere]").textContent =
      differs ? `, ${time.dataset.yours.replace("{time}", () => ownTime(date, offset))}` : "";
  };

  // Fills in the reader's zone only if none has been chosen.
  const chooseOwnZone = (select) => {
    if (!select.value) select.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
    if (select.selectedIndex < 0) select.value = "";
  };

  // --- countdown ---

  // How far the reader's clock is ahead of the server's. A page from the browser's cache has an old timestamp, so the
  // first measurement is kept.
  const clockError = (stamp, arrived) => {
    const measured = arrived - Date.parse(stamp);
    try {
      const key = `clock ${stamp}`;
      if (sessionStorage.getItem(key) === null) sessionStorage.setItem(key, measured);
      return Number(sessionStorage.getItem(key));
    } catch {
      return measured; // no storage
    }
  };

  const amounts = (left) => {
    const at = Math.max(0, UNITS.findIndex(([, size]) => left >= size));
    return UNITS.slice(at, at + 2)
      .map(([unit, size], place) => [unit, Math.floor((place ? left % UNITS[at][1] : left) / size)])
      .filter(([, count], place) => count || !place);
  };

  const amountElement = ([unit, count]) => {
    const element = document.createElement("span");
    const format = new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long", useGrouping: false });
    for (const { type, value } of format.formatToParts(count)) {
      const part = type === "integer" ? document.createElement("b") : document.createTextNode("");
      part.textContent = value;
      element.append(part);
    }
    return element;
  };

  const showLeft = (timer, left) => {
    const [before, after] = timer.dataset.words.split("{time}");
    const spaced = amounts(left).flatMap((amount, place) => [...(place ? [" "] : []), amountElement(amount)]);
    timer.replaceChildren(before, ...spaced, after);
    timer.classList.toggle("ending", left < HOUR && timer.dataset.edge === "closing");
  };

  // Only the end is announced.
  const showEnd = (timer) => {
    timer.setAttribute("role", "status");
    timer.textContent = timer.dataset.over;
  };

  // Every second in the last hour; before that, on the minute.
  const untilItChanges = (left) => (left > HOUR ? (left + SECOND) % MINUTE || MINUTE : left % SECOND || SECOND);

  const countDown = (timer, arrived) => {
    const until = Date.parse(timer.dataset.until) + clockError(timer.dataset.now, arrived);
    let waiting;
    const tick = () => {
      clearTimeout(waiting);
      if (!timer.isConnected) return document.removeEventListener("visibilitychange", tick);
      if (document.hidden) return;
      const left = until - Date.now();
      if (left <= 0) return stop();
      showLeft(timer, Math.ceil(left / SECOND) * SECOND);
      waiting = setTimeout(tick, untilItChanges(left));
    };
    const stop = () => {
      document.removeEventListener("visibilitychange", tick);
      showEnd(timer);
    };
    document.addEventListener("visibilitychange", tick);
    tick();
  };

  // --- the page, and parts loaded later by htmx ---

  const enhance = (part, arrived) => {
    const all = (selector) => [...(part.matches?.(selector) ? [part] : []), ...part.querySelectorAll(selector)];
    for (const time of all("time[data-local]")) showOwnTime(time);
    for (const select of all("[data-own-zone]")) chooseOwnZone(select);
    for (const timer of all("[role=timer][data-until]:not([data-counting])")) {
      timer.dataset.counting = "";
      countDown(timer, arrived);
    }
  };

  const [visit] = performance.getEntriesByType("navigation");
  enhance(document, Date.now() - (performance.now() - (visit?.responseStart ?? 0)));
  document.addEventListener("htmx:load", (event) => enhance(event.target, Date.now()));
})();
