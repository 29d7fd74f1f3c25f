// The theme: set before the first paint, stored in this browser, changed in the footer. A page may come with one of its
// own, for whoever has chosen none.
(() => {
  const root = document.documentElement;
  const usual = root.dataset.theme || "system";
  root.classList.add("scripted");

  // Without storage, the choice lasts until the page is left.
  const remembered = () => {
    try {
      return localStorage.getItem("theme") || usual;
    } catch {
      return usual;
    }
  };

  const remember = (theme) => {
    try {
      if (theme === "system") localStorage.removeItem("theme");
      else localStorage.setItem("theme", theme);
    } catch {}
  };

  const show = (theme) => {
    const chosen = theme === "light" || theme === "dark";
    if (chosen) root.dataset.theme = theme;
    else delete root.dataset.theme;
    for (const meta of document.querySelectorAll("[data-theme-color]")) {
      const own = meta.dataset.themeColor;
      meta.media = chosen ? (own === theme ? "all" : "not all") : `(prefers-color-scheme: ${own})`;
    }
  };

  const tick = (theme) => {
    const radio = document.querySelector(`[name=theme][value=${CSS.escape(theme)}]`);
    if (radio) radio.checked = true;
  };

  show(remembered());
  document.addEventListener("DOMContentLoaded", () => {
    tick(remembered());
    root.classList.add("ready"); // all scripts of the page have run
  });
  document.addEventListener("change", (event) => {
    if (event.target.name !== "theme") return;
    remember(event.target.value);
    show(event.target.value);
  });
  // Changed in another tab.
  addEventListener("storage", () => {
    show(remembered());
    tick(remembered());
  });
})();
