// On the receipt: forgets the draft, prints, and tells when the ballot was changed in another window or device.
(() => {
  const receipt = document.querySelector("[data-receipt]");
  const { acts, stateUrl, draft } = receipt.dataset;

  try {
    if (draft) localStorage.removeItem(draft);
  } catch {} // a browser that lends no storage has kept no draft

  receipt.querySelector("[data-prints]").addEventListener("click", () => print());

  const compare = (newest) => {
    if (Number(newest) > Number(acts)) receipt.querySelector("[data-changed]").hidden = false;
  };

  // Without an answer, or signed out, the receipt says nothing rather than something wrong.
  const ask = async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(stateUrl, { redirect: "error", cache: "no-store" });
      if (answer.ok) compare((await answer.json()).acts);
    } catch {}
  };

  document.addEventListener("visibilitychange", ask);
  addEventListener("pageshow", (event) => event.persisted && ask());
  const others = new BroadcastChannel(`ballot ${stateUrl}`);
  others.addEventListener("message", (event) => compare(event.data));
  others.postMessage(acts);
})();
