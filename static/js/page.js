// Progressive enhancement of all pages: copying, dismissing, dialogs, menus, tabs.
(() => {
  // Drafts and secrets of ballots belong to one session: deletes those of other sessions and of earlier versions of Plenum.
  const keepDraftsOf = (mark) => {
    try {
      for (const key of Object.keys(localStorage)) {
        const isOurs = key.startsWith(`draft ${mark} `) || key.startsWith(`secret ${mark} `);
        if (/^(draft|secret|ballot|poll) /.test(key) && !isOurs) localStorage.removeItem(key);
      }
      localStorage.setItem("drafts", mark);
    } catch {} // no storage, so no drafts
  };

  // Unsaved texts are kept in their tab (see post_form.js), but not after signing out.
  const forgetTexts = () => {
    try {
      for (const key of Object.keys(sessionStorage)) if (key.startsWith("text ")) sessionStorage.removeItem(key);
    } catch {}
  };

  const whose = document.querySelector("meta[name=drafts]");
  if (whose) keepDraftsOf(whose.content);
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-signs-out]")) return;
    keepDraftsOf("");
    forgetTexts();
  });

  // What is typed into a form with `data-unsaved` is not lost to a button of another form without a question.
  document.addEventListener("input", ({ target }) => {
    if (target.form?.dataset.unsaved) target.form.dataset.typed = "";
  });
  document.addEventListener("submit", (event) => {
    const other = [...document.querySelectorAll("form[data-typed]")].find((form) => form !== event.target);
    if (other && !event.defaultPrevented && !confirm(other.dataset.unsaved)) event.preventDefault();
  });

  // The clipboard needs HTTPS; elsewhere, selects the code to be copied by hand.
  const copy = async (button) => {
    const code = document.getElementById(button.dataset.copies);
    const words = button.querySelector("span");
    const before = words.textContent;
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      getSelection().selectAllChildren(code);
      return;
    }
    words.textContent = button.parentElement.querySelector("[role=status]").textContent = button.dataset.copied;
    setTimeout(() => (words.textContent = before), 2000);
  };

  const openDialog = (event, link) => {
    const dialog = document.getElementById(link.hash.slice(1));
    if (!dialog?.showModal) return;
    event.preventDefault();
    if (!dialog.open) dialog.showModal();
  };

  // Keep the focus from jumping to the top with the dismissed message.
  const dismiss = (button) => {
    button.closest(".message").remove();
    document.getElementById("main").focus({ preventScroll: true });
  };

  const closeDialog = (event, control) => {
    const dialog = control.closest("dialog");
    if (!dialog.open) return;
    event.preventDefault();
    dialog.close();
  };

  const closeMenus = (except) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) if (menu !== except) menu.open = false;
  };

  document.addEventListener("click", (event) => {
    const pressed = (selector) => event.target.closest(selector);
    closeMenus(pressed("details.menu"));
    if (pressed("[data-copies]")) copy(pressed("[data-copies]"));
    else if (pressed("[data-prints]")) print();
    else if (pressed("[data-dismisses]")) dismiss(pressed("[data-dismisses]"));
    else if (pressed("a[data-opens]")) openDialog(event, pressed("a[data-opens]"));
    else if (pressed("[data-closes]")) closeDialog(event, pressed("[data-closes]"));
  });

  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && event.target.closest?.("details.menu[open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });

  // Links to sections of the page become tabs: one section at a time, arrow keys between them.
  const tabsFrom = (list) => {
    const tabs = [...list.querySelectorAll("a")];
    const panelOf = (tab) => document.getElementById(tab.hash.slice(1));
    const select = (chosen) => {
      for (const tab of tabs) {
        tab.setAttribute("aria-selected", tab === chosen);
        tab.tabIndex = tab === chosen ? 0 : -1;
        panelOf(tab).hidden = tab !== chosen;
      }
    };
    list.setAttribute("role", "tablist");
    for (const tab of tabs) {
      tab.id ||= `${tab.hash.slice(1)}-tab`;
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-controls", panelOf(tab).id);
      panelOf(tab).setAttribute("role", "tabpanel");
      panelOf(tab).setAttribute("aria-labelledby", tab.id);
      panelOf(tab).tabIndex = 0;
    }
    list.addEventListener("click", (event) => {
      const tab = event.target.closest("a");
      if (!tab) return;
      event.preventDefault();
      select(tab);
      history.replaceState(null, "", tab.hash);
    });
    list.addEventListener("keydown", (event) => {
      const forward = document.documentElement.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
      const backward = forward === "ArrowLeft" ? "ArrowRight" : "ArrowLeft";
      const at = tabs.indexOf(event.target);
      const next = { [forward]: at + 1, [backward]: at - 1, Home: 0, End: tabs.length - 1, " ": at }[event.key];
      if (at < 0 || next === undefined) return;
      event.preventDefault();
      const tab = tabs[(next + tabs.length) % tabs.length];
      tab.focus();
      tab.click();
    });
    select(tabs.find((tab) => tab.hash === location.hash) ?? tabs[0]);
  };

  // Also for parts loaded later by htmx.
  const enhance = (part) => {
    for (const list of part.querySelectorAll("[data-tabs]:not([role])")) tabsFrom(list);
    part.querySelector("[data-takes-focus]")?.focus();
  };

  enhance(document);
  document.addEventListener("htmx:load", (event) => enhance(event.target));
})();
