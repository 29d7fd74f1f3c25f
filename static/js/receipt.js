// On the receipt, and where thanks are said for a vote: deletes the draft, and says if the ballot was changed in another window or on another device.
(() => {
  const receipt = document.querySelector("[data-receipt]");
  const { acts, stateUrl, draft, address } = receipt.dataset;

  // Going back to the thanks, or loading them again, shows the receipt and sends nothing.
  if (address) history.replaceState(null, "", address);

  try {
    if (draft) localStorage.removeItem(draft);
  } catch {} // no storage, so no draft

  const compare = (newest) => {
    if (Number(newest) > Number(acts)) receipt.querySelector("[data-changed]").hidden = false;
  };

  // If there is no answer, or nobody is signed in, says nothing.
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
