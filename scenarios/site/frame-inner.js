// The page inside the frame: each button counts its clicks and tells the outer page.

for (const button of document.querySelectorAll("button")) {
  let clicks = 0;
  button.addEventListener("click", () => {
    clicks += 1;
    button.nextElementSibling.textContent = `${clicks} ${clicks === 1 ? "click" : "clicks"}`;
    parent.postMessage({ button: button.textContent, clicks }, "*");
  });
}
