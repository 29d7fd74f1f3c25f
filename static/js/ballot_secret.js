// The secret of a ballot: the browser draws one half of it, keeps it for this session, and opens the ballot with it.
(() => {
  const keyOf = (draft) => draft.replace(/^draft /, "secret ");
  const stored = (act) => {
    try {
      return act(localStorage);
    } catch {} // no storage, so nothing is kept
  };
  const hex = (byte) => byte.toString(16).padStart(2, "0");
  const random = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), hex).join("");

  // On the review: our half. It stays the same until the ballot is cast, so that sending the form again is no new vote, and
  // the pages of this ballot find it again if the receipt gets lost.
  for (const half of document.querySelectorAll("[data-half]")) {
    const isSecure = location.protocol === "https:"; // see config/middleware.py
    const name = isSecure ? "__Secure-half" : "half";
    half.value = document.cookie.match(new RegExp(`(?:^|; )${name}=([0-9a-f]{32})`))?.[1] || random();
    document.cookie = `${name}=${half.value}; path=${half.dataset.half}; samesite=lax${isSecure ? "; secure" : ""}`;
  }

  // Once it is cast: the draft goes, and the secret stays until the person signs out. Then going back to this page, or
  // loading it again, need not send the form again.
  for (const done of document.querySelectorAll("[data-done]")) {
    const { done: draft, secret, address } = done.dataset;
    stored((storage) => {
      storage.removeItem(draft);
      if (!secret) return;
      storage.setItem(keyOf(draft), secret);
      history.replaceState(null, "", address);
    });
  }

  // The answer to a form that nobody is to send again by going back to it.
  for (const left of document.querySelectorAll("[data-left]")) history.replaceState(null, "", left.dataset.left);

  // Forms that open a ballot: with its secret, if this browser remembers it. Before it was cast that is both halves.
  const SECRET = /^(?:[0-9a-f]{32}){1,2}$/;
  for (const form of document.querySelectorAll("[data-kept]")) {
    const secret = stored((storage) => storage.getItem(keyOf(form.dataset.kept)));
    if (SECRET.test(secret ?? "")) form.elements.secret.value = secret;
  }

  // On the page that asks for the words: what follows the # is sent in the form, never in an address, and leaves the address bar.
  const form = document.querySelector("[data-opens-ballot]");
  const open = () => {
    const secret = location.hash.slice(1);
    if (!SECRET.test(secret)) return;
    history.replaceState(null, "", location.pathname);
    form.elements.secret.value = secret;
    form.submit();
  };
  if (form) {
    addEventListener("hashchange", open);
    open();
  }
})();
