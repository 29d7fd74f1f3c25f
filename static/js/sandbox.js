// Links to a count: ballots and settings in the URL fragment, which browsers never send. "#z." is followed by deflated
// JSON, "#t." by plain JSON as a fallback, both as base64url.
(() => {
  const LONGEST_LINK = 16000; // characters; chat and mail programs truncate longer ones
  const MOST_TEXT = 1000000; // the sandbox's limit; a short link must not unpack into a huge text
  const FIELDS = ["ballots", "format", "kind", "method", "majority", "seats", "unranked", "seed"];
  const form = document.getElementById("sandbox");
  const said = document.getElementById("from-link");
  const made = document.getElementById("link-made");
  const refused = document.getElementById("no-link");
  const button = document.getElementById("make-link");

  const toText = (bytes) => {
    let raw = "";
    for (let at = 0; at < bytes.length; at += 8192) raw += String.fromCharCode(...bytes.subarray(at, at + 8192));
    return btoa(raw).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  };
  const toBytes = (text) =>
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));

  const through = async (stream, bytes) => {
    const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
    const pieces = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > MOST_TEXT * 2) {
        await reader.cancel();
        throw new RangeError("too long");
      }
      pieces.push(value);
    }
    return new Uint8Array(await new Blob(pieces).arrayBuffer());
  };

  const pack = async (values) => {
    const bytes = new TextEncoder().encode(JSON.stringify(values));
    if (!("CompressionStream" in window)) return `t.${toText(bytes)}`;
    return `z.${toText(await through(new CompressionStream("deflate-raw"), bytes))}`;
  };

  const unpack = async (fragment) => {
    const bytes = toBytes(fragment.slice(2));
    const plain = fragment[0] === "z" ? await through(new DecompressionStream("deflate-raw"), bytes) : bytes;
    const values = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(plain));
    if (typeof values?.ballots !== "string" || values.ballots.length > MOST_TEXT) throw new TypeError("no ballots");
    return values;
  };

  const say = (place, words) => {
    place.textContent = words;
    place.hidden = false;
  };

  const fill = async () => {
    const fragment = location.hash.slice(1);
    if (!/^[zt]\.[\w-]*$/.test(fragment)) return;
    try {
      const values = await unpack(fragment);
      for (const name of FIELDS) if (typeof values[name] === "string") form.elements[name].value = values[name];
      say(said, said.dataset.filled);
    } catch {
      say(said, said.dataset.broken);
    }
  };

  const link = async () => {
    made.hidden = refused.hidden = true;
    if (!form.elements.ballots.value.trim() && form.elements.file.value) return say(refused, button.dataset.aFile);
    const values = Object.fromEntries(FIELDS.map((name) => [name, form.elements[name].value]));
    const address = `${form.action}#${await pack(values)}`;
    if (address.length > LONGEST_LINK) return say(refused, button.dataset.tooLong);
    document.getElementById("sandbox-link").textContent = address;
    made.hidden = false;
  };

  button.addEventListener("click", link);
  addEventListener("hashchange", fill);
  fill();
})();
