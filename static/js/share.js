// The device's own share sheet, where there is one; elsewhere the link and its QR code remain.
(() => {
  for (const place of document.querySelectorAll("[data-share]")) {
    if (!navigator.share) continue;
    place.hidden = false;
    const { title, url } = place.firstElementChild.dataset;
    place.addEventListener("click", () => navigator.share({ title, url }).catch(() => {})); // closed without sharing
  }
})();
