// Uploads a picture: shows a preview, the progress and the server's response.
(() => {
  const form = document.querySelector("form[data-upload]");
  if (!form || !window.FormData) return;
  const file = form.elements.file;
  const problem = form.querySelector("[data-problem]");
  const progress = form.querySelector("[data-progress]");
  const bar = progress.querySelector("progress");
  const status = progress.querySelector("[role=status]");
  const button = form.querySelector("button");

  const say = (sentences) => {
    problem.querySelector("div").textContent = sentences.join(" ");
    problem.hidden = !sentences.length;
    if (sentences.length) problem.focus();
  };

  const busy = (is) => {
    progress.hidden = !is;
    button.disabled = is;
    button.setAttribute("aria-busy", is);
  };

  const tooLarge = () => file.files[0]?.size > Number(file.dataset.mostBytes);

  // On a canvas: the content security policy blocks images from elsewhere.
  const preview = async () => {
    form.querySelector("canvas")?.remove();
    say(tooLarge() ? [form.dataset.tooLarge] : []);
    if (!file.files[0] || tooLarge()) return;
    const chosen = file.files[0];
    const drawn = await createImageBitmap(chosen).catch(() => null);
    if (!drawn || chosen !== file.files[0]) return;
    const canvas = document.createElement("canvas");
    const part = Math.min(1, 320 / drawn.width, 320 / drawn.height);
    canvas.width = Math.max(1, drawn.width * part);
    canvas.height = Math.max(1, drawn.height * part);
    canvas.className = "picture";
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", form.dataset.preview);
    canvas.getContext("2d").drawImage(drawn, 0, 0, canvas.width, canvas.height);
    file.after(canvas);
  };

  // Any other response (a sign-in page, a pause) is left to the browser, which sends the form again.
  const answered = (request) => {
    let answer;
    try {
      answer = JSON.parse(request.responseText);
    } catch {
      if (request.status === 413) return say([form.dataset.tooLarge]);
      return form.submit();
    }
    if (answer.to) location.assign(answer.to);
    else say(answer.sentences ?? [form.dataset.failed]);
  };

  const send = () => {
    const request = new XMLHttpRequest();
    request.upload.onprogress = (event) => event.lengthComputable && (bar.value = event.loaded / event.total);
    request.upload.onload = () => {
      bar.removeAttribute("value");
      status.textContent = form.dataset.reading;
    };
    request.onload = () => {
      busy(false);
      answered(request);
    };
    request.onerror = request.onabort = () => {
      busy(false);
      say([form.dataset.failed]);
    };
    request.open("POST", location.href);
    request.setRequestHeader("Accept", "application/json");
    bar.value = 0;
    busy(true);
    status.textContent = form.dataset.sending;
    request.send(new FormData(form));
  };

  file.addEventListener("change", preview);
  form.addEventListener("submit", (event) => {
    const removes = form.elements.remove?.checked;
    if (!file.files[0] || removes) return;
    event.preventDefault();
    say([]);
    if (tooLarge()) say([form.dataset.tooLarge]);
    else send();
  });
})();
