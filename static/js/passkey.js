// Asks the browser for a passkey when the form is sent, and sends the response instead. WebAuthn needs a script.
(() => {
  const toBytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));

  const toText = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

  // JSON has no bytes: these fields hold them as text.
  const withBytes = (options) => {
    const known = (list) => list?.map((each) => ({ ...each, id: toBytes(each.id) }));
    const user = options.user && { ...options.user, id: toBytes(options.user.id) };
    return {
      ...options,
      challenge: toBytes(options.challenge),
      ...(user && { user, excludeCredentials: known(options.excludeCredentials) }),
      ...(options.allowCredentials && { allowCredentials: known(options.allowCredentials) }),
    };
  };

  const asText = (credential) => {
    const response = { clientDataJSON: toText(credential.response.clientDataJSON) };
    for (const name of ["attestationObject", "authenticatorData", "signature", "userHandle"])
      if (credential.response[name]) response[name] = toText(credential.response[name]);
    if (credential.response.getTransports) response.transports = credential.response.getTransports();
    return JSON.stringify({ id: credential.id, rawId: toText(credential.rawId), type: credential.type, response });
  };

  const say = (form, what) => {
    const list = document.createElement("ul");
    list.className = "errors";
    list.append(document.createElement("li"));
    list.firstChild.append(form.querySelector(`[data-says=${what}]`).content.cloneNode(true));
    form.querySelector("[data-told]").replaceChildren(list);
  };

  const ask = async (form) => {
    const button = form.querySelector("button");
    if (button.getAttribute("aria-busy") === "true") return;
    button.setAttribute("aria-busy", "true");
    form.querySelector("[data-told]").replaceChildren();
    try {
      const publicKey = withBytes(JSON.parse(form.dataset.options));
      form.elements.passkey.value = asText(await navigator.credentials[form.dataset.passkey]({ publicKey }));
      form.submit();
    } catch (error) {
      say(form, error.name === "InvalidStateError" ? "known" : "refused");
      button.removeAttribute("aria-busy");
    }
  };

  for (const form of document.querySelectorAll("form[data-passkey]")) {
    form.querySelector("[data-without-script]").remove();
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      ask(form);
    });
    if (!window.PublicKeyCredential) {
      say(form, "unable");
      form.querySelector("button").hidden = true;
    }
  }
})();
