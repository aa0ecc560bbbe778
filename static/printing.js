// The Print button of a document; without this module the browser's own menu does the same.

document.addEventListener("click", (event) => {
  if (event.target.closest?.("[data-print]")) print();
});
