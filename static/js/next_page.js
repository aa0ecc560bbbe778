// A key that opens a page: the keys after it are not lost.

import { holdKeys, perform, singleKeysOff } from "keys";
import { find, storage } from "page";

// The next page takes the keys, not the one at hand.
function holdForNextPage() {
  const held = holdKeys();
  addEventListener("pagehide", () => held.isConnected && storage?.setItem("typed", held.value));
}

// What was typed on the page before goes into the field that has the focus; else each key does what it does here.
function typeHeld() {
  const typed = storage?.getItem("typed") ?? "";
  storage?.removeItem("typed");
  if (document.activeElement === document.body) find("[autofocus]")?.focus(); // the browser does late
  for (const key of typed) {
    const field = document.activeElement;
    if (field.matches("input, textarea")) {
      field.value += key;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    } else if (!singleKeysOff()) perform(key);
  }
}

const isByKey = (event) => !(event.detail || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey);

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!isByKey(event) || !find("meta[name=session]") || link?.host !== location.host) return;
  if (!/\/(new|convert)\/$/.test(link.pathname)) {
    if (link.matches("[data-key^='g '], [data-key=u], [role=option], tbody th a")) holdForNextPage();
    return;
  }
  event.preventDefault();
  const held = holdKeys();
  import("change_page").then(
    ({ openPage }) => openPage(link.href, held),
    () => location.assign(link.href),
  );
});

let shownPage; // the page in this document where change_page.js has put one

function noteShownPage() {
  shownPage = history.state?.page;
}

addEventListener("pageshow", noteShownPage);
document.addEventListener("page-changed", noteShownPage);
addEventListener("popstate", ({ state }) => state?.page && state.page !== shownPage && location.reload());

typeHeld();
