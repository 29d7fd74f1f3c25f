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
    say("winners", found.winners.join(", "));
    say("digest", found.digest);
    say("seconds", seconds.toFixed(1));
    fillMethods(found.methods);
    fillDifferences(found.wrong);
    show("found");
    show(all ? "same" : "different");
  };

  const end = (worker) => {
    worker.terminate();
    show("progress", false);
    part("start").disabled = false;
  };

  const start = () => {
    const began = performance.now();
    for (const name of ["same", "different", "problem", "found", "differences"]) show(name, false);
    part("start").disabled = true;
    show("progress");
    const worker = new Worker(page.dataset.program);
    const fail = (reason) => {
      end(worker);
      say("reason", reason);
      show("problem");
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

  show("without-script", false);
  show("start");
  part("start").addEventListener("click", start);
})();
