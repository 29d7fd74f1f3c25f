// Keeps unsaved text in this tab, even if the session ends, and warns before leaving. It is deleted with the tab and on
// signing out (see page.js).
(() => {
  const form = document.querySelector("form[data-keeps]");
  if (!form) return;
  const key = form.dataset.keeps;
  const names = ["title", "text", "tags", "summary", "slug"];
  const notice = document.getElementById("brought-back");
  let sending = false;

  const typed = () => Object.fromEntries(names.map((name) => [name, form.elements[name].value]));
  const body = (words) => plain({ ...words, slug: "" }); // the server may have filled in the slug
  const plain = (words) => JSON.stringify(names.map((name) => (words[name] ?? "").replace(/\s+/g, " ").trim()));
  const put = (words) => names.forEach((name) => (form.elements[name].value = words[name] ?? ""));

  const tell = () => form.dispatchEvent(new Event("input", { bubbles: true }));

  const stored = (name) => {
    try {
      return JSON.parse(sessionStorage.getItem(name));
    } catch {
      return null;
    }
  };
  const store = (words) => {
    try {
      if (words) sessionStorage.setItem(key, JSON.stringify(words));
      else sessionStorage.removeItem(key);
    } catch {} // without storage, it still warns before leaving
  };

  // Deletes what has been saved, and what another person wrote.
  const tidy = () => {
    const whose = key.split(" ", 2).join(" ");
    try {
      for (const name of Object.keys(sessionStorage).filter((each) => each.startsWith("text "))) {
        const same = form.elements.seen && stored(name) && body(stored(name)) === body(typed());
        if (same || !name.startsWith(`${whose} `)) sessionStorage.removeItem(name);
      }
    } catch {}
  };

  const saved = typed();
  const wasRefused = form.querySelector(".error-summary") !== null;
  const isUnsaved = () => wasRefused || plain(typed()) !== plain(saved);
  tidy();
  const kept = stored(key);
  if (kept && !wasRefused && plain(kept) !== plain(saved)) {
    put(kept);
    notice.hidden = false;
    addEventListener("load", tell); // htmx is listening by then, and updates the preview
  }

  form.addEventListener("input", () => store(isUnsaved() ? typed() : null));
  form.addEventListener("submit", () => (sending = true));
  notice.querySelector("button").addEventListener("click", () => {
    put(saved);
    notice.hidden = true;
    form.elements.title.focus();
    tell();
  });
  addEventListener("beforeunload", (event) => {
    if (!sending && isUnsaved()) event.preventDefault();
  });
  addEventListener("pageshow", () => (sending = false));
})();
