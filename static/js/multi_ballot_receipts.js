// On the receipts of several questions: forgets the drafts of those that are cast, and prints.
(() => {
  const page = document.querySelector("[data-receipts]");

  try {
    for (const each of page.querySelectorAll("[data-draft-done]")) localStorage.removeItem(each.dataset.draftDone);
  } catch {} // a browser that lends no storage has kept no drafts

  page.querySelector("[data-prints]")?.addEventListener("click", () => print());
})();
