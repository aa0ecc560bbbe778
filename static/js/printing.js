// The Print button of a document. Without this module the browser's own menu prints the page.

document.addEventListener("click", (event) => {
  if (event.target.closest?.("[data-print]")) print();
});
