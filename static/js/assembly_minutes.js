// On minutes: prints with every list of names open, then closes those that were closed.
(() => {
  const closed = [];

  addEventListener("beforeprint", () => {
    for (const names of document.querySelectorAll(".minutes details:not([open])")) {
      closed.push(names);
      names.open = true;
    }
  });
  addEventListener("afterprint", () => {
    while (closed.length) closed.pop().open = false;
  });
})();
