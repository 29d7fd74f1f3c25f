// Keeps this phone's receipts for as long as the session is kept. Only with its receipt can an anonymous vote be found
// in the sealed round.
globalThis.Receipts = (() => {
  "use strict";

  const PREFIX = "plenum receipt ";
  const LONGEST = 16 * 24 * 3600 * 1000; // milliseconds; sessions are deleted after 15 days

  // Without storage nothing is kept: the receipt can still be written down.
  const trying = (act) => {
    try {
      return act();
    } catch {
      return null;
    }
  };

  const keep = (place, receipt) =>
    trying(() => localStorage.setItem(PREFIX + place, JSON.stringify({ receipt, at: Date.now() })));

  const of = (place) => trying(() => JSON.parse(localStorage.getItem(PREFIX + place))?.receipt) ?? "";

  const forgetOld = () =>
    trying(() => {
      const all = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
      const isOld = (key) => !(JSON.parse(localStorage.getItem(key))?.at > Date.now() - LONGEST);
      for (const key of all) if (isOld(key)) localStorage.removeItem(key);
    });

  const keepShown = (part) => {
    const shown = part?.querySelector("[data-receipt]");
    if (shown) keep(shown.dataset.keeps, shown.dataset.receipt);
  };

  forgetOld();
  document.addEventListener("live:told", (event) => keepShown(event.detail));
  document.addEventListener("live:shown", () => keepShown(document));
  keepShown(document);
  return { of };
})();
