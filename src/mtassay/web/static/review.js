"use strict";
// Keys for what is on the page; answers that did not arrive are sent again. Everything works without it, too.

const RETRIES = 8;
let failures = 0;
let lastButton = null;

function say(text) {
  const status = document.getElementById("status");
  if (status) status.textContent = text;
}

function isTyping(element) {
  return element.closest("input, textarea, select, [contenteditable]") !== null;
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && isTyping(event.target)) {
    event.target.blur();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return;
  if (event.key === "Enter" || event.key === " ") return; // they press what has the focus
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const element = [...document.querySelectorAll("[data-key]")].find((each) => each.dataset.key === key);
  if (!element || element.disabled) return;
  event.preventDefault();
  if (element.matches("input, textarea, select")) element.focus();
  else element.click();
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("form.answer button");
  if (button && event.isTrusted) failures = 0;
  if (button) lastButton = button;
});

function tryAgain(why) {
  if (!lastButton || !lastButton.isConnected || failures >= RETRIES) {
    say(`${why} Your answer is NOT kept. Answer again when the server is back.`);
    return;
  }
  failures += 1;
  say(`${why} Not kept yet, trying again (${failures} of ${RETRIES})…`);
  const button = lastButton;
  setTimeout(() => {
    if (button.isConnected) button.click(); // the same id: what arrived after all is not kept twice
  }, 400 * failures);
}

document.addEventListener("htmx:sendError", () => tryAgain("The server does not answer."));
document.addEventListener("htmx:responseError", (event) => {
  const request = event.detail.xhr;
  if (request.status === 503) {
    tryAgain("The workspace is busy.");
    return;
  }
  const page = new DOMParser().parseFromString(request.responseText, "text/html");
  const why = page.querySelector("h1 + p");
  say(why ? why.textContent : "That did not work. Reload the page.");
});

document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id !== "main") return;
  failures = 0;
  lastButton = null;
  window.scrollTo(0, 0);
  const output = document.getElementById("output");
  if (output) output.focus({ preventScroll: true });
});

window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload(); // what is shown may be answered by now
});
