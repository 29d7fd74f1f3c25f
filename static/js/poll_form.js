// Typing options one by one. What is sent is still the form's text area, which is the fallback without scripts.
(() => {
  const FEWEST = 3, MOST = 50;

  const enhance = (area) => {
    const form = area.form;
    const part = (name) => form.querySelector(`template[data-part=${name}]`).content.firstElementChild.cloneNode(true);
    const boxes = part("boxes");
    const list = boxes.querySelector("ol");
    const inputs = () => [...list.querySelectorAll("input")];
    const lines = (text) => text.split(/\r?\n/).map((line) => line.trim()).filter(Boolean);

    const write = () => (area.value = inputs().map((input) => input.value.trim()).filter(Boolean).join("\n"));

    // The label and errors point to the first box.
    const id = area.id;
    const label = form.querySelector(`label[for="${id}"]`);

    const number = () => {
      inputs().forEach((input, at) => (at ? input.removeAttribute("id") : (input.id = id)));
      [...list.children].forEach((row, at) => {
        for (const each of row.children) {
          each.dataset.label ??= each.getAttribute("aria-label");
          each.setAttribute("aria-label", each.dataset.label.replace("{n}", at + 1));
        }
      });
      boxes.querySelector("[data-act=add]").disabled = inputs().length >= MOST;
    };

    const add = (value = "", after = list.lastElementChild) => {
      const row = part("box");
      row.querySelector("input").value = value;
      if (after) after.after(row);
      else list.append(row);
      number();
      return row.querySelector("input");
    };

    const remove = (row) => {
      const next = row.nextElementSibling ?? row.previousElementSibling;
      row.remove();
      (next?.querySelector("input") ?? add()).focus();
      number();
      write();
    };

    // Switches to the list; the boxes return when the page reloads.
    const paste = () => {
      boxes.remove();
      area.id = id;
      area.hidden = false;
      area.focus();
    };

    boxes.addEventListener("click", (event) => {
      const act = event.target.closest("[data-act]")?.dataset.act;
      if (act === "add") add().focus();
      if (act === "paste") paste();
      if (act === "remove") remove(event.target.closest("li"));
    });

    boxes.addEventListener("input", write);

    // Enter moves to the next box instead of sending the form.
    boxes.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
      event.preventDefault();
      const row = event.target.closest("li");
      const next = row.nextElementSibling?.querySelector("input");
      if (next) next.focus();
      else if (event.target.value.trim() && inputs().length < MOST) add().focus();
    });

    boxes.addEventListener("paste", (event) => {
      const pasted = lines(event.clipboardData.getData("text"));
      if (pasted.length < 2) return;
      event.preventDefault();
      let row = event.target.closest("li");
      const first = event.target.value.trim() ? [] : [pasted.shift()];
      if (first.length) event.target.value = first[0];
      for (const line of pasted) row = add(line, row).closest("li");
      for (const input of inputs()) if (!input.value && inputs().length > FEWEST) input.closest("li").remove();
      number();
      write();
    });

    const given = lines(area.value);
    label.id ||= `${id}-label`;
    boxes.setAttribute("role", "group");
    boxes.setAttribute("aria-labelledby", label.id);
    if (area.hasAttribute("aria-describedby")) boxes.setAttribute("aria-describedby", area.getAttribute("aria-describedby"));
    area.removeAttribute("id");
    for (let at = 0; at < Math.max(FEWEST, given.length); at++) add(given[at]);
    area.required = false;
    area.hidden = true;
    area.after(boxes);
  };

  for (const area of document.querySelectorAll("textarea[data-one-by-one]")) enhance(area);
})();
