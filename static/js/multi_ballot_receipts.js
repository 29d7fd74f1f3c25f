// On the receipts of several questions: deletes the drafts of cast ballots.
(() => {
  const page = document.querySelector("[data-receipts]");

  try {
    for (const each of page.querySelectorAll("[data-draft-done]")) localStorage.removeItem(each.dataset.draftDone);
  } catch {} // no storage, so no drafts
})();
