// Keeps on this phone the receipt of whatever it was told to count, for as long as the session is kept: by it, and by it
// alone, a vote that nobody signed is found again in the sealed round.
globalThis.Receipts = (() => {
  "use strict";

  const PREFIX = "plenum receipt ";
  const LONGEST = 16 * 24 * 3600 * 1000; // milliseconds; sessions go after 15 days

  // A browser that lends no storage keeps nothing: then the receipt is there to be read and noted.
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
