// On the recount page: counts the published ballots again in a worker, and says whether the result is the same.
(() => {
  const page = document.querySelector("[data-recount]");
  const part = (name) => page.querySelector(`[data-${name}]`);
  const show = (name, yes = true) => (part(name).hidden = !yes);
  const say = (name, text) => (part(name).textContent = text);

  const fillMethods = (methods) => {
    for (const { method, same } of methods) {
      const cell = page.querySelector(`[data-method="${method}"]`);
      const words = cell.closest("table").dataset;
      cell.textContent = same ? words.agrees : words.differs;
    }
  };

  const fillDifferences = (wrong) => {
    const rows = wrong.map((difference) => {
      const row = document.createElement("tr");
      for (const text of [difference.part, difference.published, difference.here]) {
        row.append(Object.assign(document.createElement("td"), { textContent: text, dir: "auto" }));
      }
      return row;
    });
    part("differences").querySelector("tbody").replaceChildren(...rows);
    show("differences", wrong.length > 0);
  };

  const fill = (found, seconds) => {
    const all = !found.wrong.length && found.methods.every(({ same }) => same);
    for (const name of ["total", "distinct"]) say(name, found[name].toLocaleString(document.documentElement.lang));
    const { some, none } = part("winners").dataset;
    say("winners", found.winners.length ? (some ?? found.winners.join(", ")) : none);
    say("digest", found.digest);
    say("seconds", seconds.toFixed(1));
    fillMethods(found.methods);
    fillDifferences(found.wrong);
    show("found");
    show(all ? "same" : "different");
  };

  const rest = () => {
    show("progress", false);
    part("start").disabled = false;
  };

  const end = (worker) => {
    worker.terminate();
    rest();
  };

  const refuse = (reason) => {
    rest();
    say("reason", reason);
    show("problem");
  };

  // A worker has no integrity attribute, so its program is fetched and checked first, and then comes from the cache.
  const check = async () => {
    const { program, integrity } = page.dataset;
    if (integrity) await fetch(program, { integrity });
    return program;
  };

  const count = (program) => {
    const began = performance.now();
    const worker = new Worker(program);
    const fail = (reason) => {
      end(worker);
      refuse(reason);
    };
    worker.addEventListener("error", (event) => fail(event.message ?? ""));
    worker.addEventListener("message", ({ data }) => {
      if (data.progress) part("progress").querySelector("progress").value = data.progress;
      if (data.problem !== undefined) fail(data.problem);
      if (!data.found) return;
      end(worker);
      fill(data.found, (performance.now() - began) / 1000);
    });
    worker.postMessage(page.dataset.ballots);
  };

  const start = () => {
    for (const name of ["same", "different", "problem", "found", "differences"]) show(name, false);
    part("start").disabled = true;
    show("progress");
    check().then(count, (error) => refuse(error.message));
  };

  show("without-script", false);
  show("start");
  part("start").addEventListener("click", start);
})();
