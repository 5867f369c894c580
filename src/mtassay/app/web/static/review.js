"use strict";
// Keys for what is on the page; answers that did not arrive are sent again. Everything works without it, too.

const RETRIES = 8;
let failures = 0;
let lastButton = null;

function say(text) {
  const status = document.getElementById("status");
  if (status) status.textContent = text;
}

// Words of the output, to make a rule of: selected by mouse, touch, or the arrow keys.
let chosenWords = "";

function wordsIn(element) {
  const text = element.textContent;
  const segmenter = new Intl.Segmenter(element.lang || undefined, { granularity: "word" });
  return [...segmenter.segment(text)]
    .filter((part) => part.isWordLike)
    .map((part) => ({ start: part.index, end: part.index + part.segment.length }));
}

function pointAt(element, offset) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let left = offset;
  let node = walker.nextNode();
  while (node && node.length < left) {
    left -= node.length;
    node = walker.nextNode();
  }
  return node ? [node, left] : null;
}

const cursor = { first: -1, last: -1 };

function moveCursor(step, extend) {
  const output = document.getElementById("output");
  if (!output || !document.getElementById("make-rule")) return false;
  const words = wordsIn(output);
  if (!words.length) return false;
  const last = Math.min(Math.max(cursor.last + step, 0), words.length - 1);
  cursor.first = extend && cursor.first >= 0 ? cursor.first : last;
  cursor.last = last;
  const [low, high] = [Math.min(cursor.first, last), Math.max(cursor.first, last)];
  const [start, end] = [pointAt(output, words[low].start), pointAt(output, words[high].end)];
  if (start && end) getSelection().setBaseAndExtent(...start, ...end);
  noteSelection();
  say(`Selected: ${chosenWords}`);
  return true;
}

function noteSelection() {
  const output = document.getElementById("output");
  const selection = getSelection();
  const text = selection.toString().trim();
  if (output && text && output.contains(selection.anchorNode) && output.contains(selection.focusNode)) {
    // A word that was selected in part counts whole.
    const chosen = selection.getRangeAt(0);
    const before = document.createRange();
    before.selectNodeContents(output);
    before.setEnd(chosen.startContainer, chosen.startOffset);
    const [start, end] = [before.toString().length, before.toString().length + chosen.toString().length];
    const words = wordsIn(output).filter((word) => word.start < end && word.end > start);
    chosenWords = words.length ? output.textContent.slice(words[0].start, words.at(-1).end) : text;
  }
}

document.addEventListener("selectionchange", noteSelection);

document.addEventListener("htmx:configRequest", (event) => {
  if (event.detail.elt.id === "make-rule") event.detail.parameters.words = chosenWords;
});

function isTyping(element) {
  return element.closest("input, textarea, select, [contenteditable]") !== null;
}

document.addEventListener("keydown", (event) => {
  const isInNote = isTyping(event.target) && !event.target.closest("#rule");
  if (event.key === "Escape" && !isInNote && document.querySelector("#rule form")) {
    document.getElementById("rule").replaceChildren();
    document.getElementById("make-rule").focus();
    return;
  }
  if (event.key === "Escape" && isTyping(event.target)) {
    event.target.blur();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.matches("#rule input[type=radio]")) {
    // The keys of the answers say here what the rule is for.
    const radio = document.querySelector(`#rule [data-choice="${CSS.escape(event.key.toLowerCase())}"]`);
    if (radio) {
      radio.focus();
      radio.click();
    }
  }
  if (isTyping(event.target)) return;
  if (event.key === "Enter" || event.key === " ") return; // they press what has the focus
  if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
    const output = document.getElementById("output");
    const isForward = (event.key === "ArrowRight") === (!output || getComputedStyle(output).direction === "ltr");
    if (moveCursor(isForward ? 1 : -1, event.shiftKey)) event.preventDefault();
    return;
  }
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

function showRule() {
  // The button first, then the beginning, where both do not fit.
  const form = document.querySelector("#rule form");
  if (!form) return;
  form.querySelector(".actions").scrollIntoView({ block: "nearest" });
  if (form.offsetHeight < innerHeight) form.scrollIntoView({ block: "nearest" });
}

function showPlace() {
  // The sentence of the card, in the middle of the document around it.
  const line = document.querySelector(".document [aria-current]");
  if (!line) return;
  const list = line.parentElement;
  list.scrollTop += line.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 3;
}

document.addEventListener("DOMContentLoaded", showPlace);

document.addEventListener("htmx:afterSwap", (event) => {
  showPlace();
  if (event.detail.target.id === "rule") {
    const isChosen = document.querySelector("#rule [name=kind]:checked");
    const first = document.querySelector(isChosen ? "#pattern" : "#rule input[type=radio]");
    first.focus({ preventScroll: true });
  }
  if (["rule", "trial"].includes(event.detail.target.id)) showRule();
  if (event.detail.target.id !== "main") return;
  say(document.querySelector("[data-said]")?.dataset.said ?? "");
  failures = 0;
  lastButton = null;
  chosenWords = "";
  cursor.first = cursor.last = -1;
  window.scrollTo(0, 0);
  const output = document.getElementById("output");
  if (output) output.focus({ preventScroll: true });
});

window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload(); // what is shown may be answered by now
});

// On a narrow page filters that are not in use are folded up.
const narrow = matchMedia("(max-width: 40rem)");

function foldFilters() {
  const box = document.querySelector(".filter-box");
  if (box) box.open = !narrow.matches || location.search !== "";
}

narrow.addEventListener("change", foldFilters);
foldFilters();
