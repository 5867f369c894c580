"use strict";
// Spans are marked by mouse, touch or keys, numbers typed or slid to. Without it the form takes the same as text.

(() => {
  let spans = []; // {side, start, end, label, severity}, offsets as the server counts them
  let chosen = null; // {text, first, last}: words of one text by their places
  let latest = null; // the span that a severity is for

  const marking = () => document.querySelector("[data-marking]");
  const wordsOf = (text) => [...text.querySelectorAll("[data-start]")];
  const hasSeverities = () => document.querySelector("[data-severity]") !== null;

  function range() {
    if (!chosen) return null;
    const words = wordsOf(chosen.text);
    const [low, high] = [Math.min(chosen.first, chosen.last), Math.max(chosen.first, chosen.last)];
    return {
      side: chosen.text.dataset.side,
      start: Number(words[low].dataset.start),
      end: Number(words[high].dataset.end),
    };
  }

  function textOf(span) {
    const text = document.querySelector(`.words[data-side="${span.side}"]`);
    const inside = wordsOf(text).filter((word) => covers(span, word));
    if (!inside.length) return "";
    const cut = document.createRange();
    cut.setStartBefore(inside[0]);
    cut.setEndAfter(inside[inside.length - 1]);
    return cut.toString();
  }

  function covers(span, word) {
    return Number(word.dataset.start) < span.end && Number(word.dataset.end) > span.start;
  }

  function choose(text, first, last) {
    chosen = { text, first, last };
    latest = null;
    draw();
    say(`Chosen: ${textOf(range())}`);
  }

  function forget() {
    chosen = latest = null;
  }

  function spanOfChosen() {
    const place = range();
    if (!place) {
      say("Choose words first: with the mouse, or the arrow keys.");
      return null;
    }
    getSelection().removeAllRanges();
    const same = spans.find((s) => s.side === place.side && s.start === place.start && s.end === place.end);
    if (same) return same;
    const { usualTarget = "", usualSource = "" } = marking().dataset;
    const added = { ...place, label: place.side === "source" ? usualSource : usualTarget, severity: "" };
    spans.push(added);
    return added;
  }

  function mark(label) {
    latest = spanOfChosen();
    if (!latest) return;
    latest.label = label;
    draw();
    const open = hasSeverities() && !latest.severity ? " How severe is it?" : "";
    say(`Marked as ${label}: ${textOf(latest)}.${open}`);
  }

  function grade(severity) {
    latest ??= spanOfChosen();
    if (!latest) return;
    latest.severity = severity;
    draw();
    const open = latest.label ? "" : " What is it?";
    say(`${[latest.label, severity].filter(Boolean).join(", ")}: ${textOf(latest)}.${open}`);
  }

  function askAbout(span) {
    const text = document.querySelector(`.words[data-side="${span.side}"]`);
    const places = wordsOf(text).flatMap((word, place) => (covers(span, word) ? [place] : []));
    if (places.length) chosen = { text, first: places[0], last: places[places.length - 1] };
    latest = span;
    draw();
    if (span.label) {
      say(`How severe is ${span.label}: ${textOf(span)}?`);
    } else {
      say(`What is wrong with ${textOf(span)}? Choose a category.`);
      document.querySelector("[data-label]").focus();
    }
  }

  function remove(span) {
    spans = spans.filter((each) => each !== span);
    if (latest === span) latest = null;
    draw();
    say(`Taken away: ${span.label || span.severity}.`);
  }

  function removeChosen() {
    const place = range();
    const here = place && spans.filter((s) => s.side === place.side && s.start < place.end && s.end > place.start);
    const span = here && here.length ? here[here.length - 1] : chosen ? null : spans[spans.length - 1];
    if (span) remove(span);
  }

  // What reviewers marked, for an adjudicator: drawn under the words, and taken over with one key.
  const spansIn = (answer) => JSON.parse(answer).spans.map((span) => ({ side: "target", severity: "", ...span }));
  const adoptable = () => [...document.querySelectorAll("[data-adopt]")];

  function adopt(button) {
    const given = JSON.parse(button.dataset.adopt);
    spans = spansIn(button.dataset.adopt);
    forget();
    const score = document.getElementById("score-number");
    if (score && given.score !== undefined) {
      score.value = given.score;
      slide(score);
    }
    draw();
    say(`The marks of ${button.dataset.name}: ${spans.length}.`);
  }

  function draw() {
    const box = marking();
    if (!box) return;
    const others = adoptable().flatMap((button) =>
      spansIn(button.dataset.adopt).map((span) => ({ ...span, name: button.dataset.name })));
    const place = range();
    for (const text of box.querySelectorAll(".words")) {
      for (const word of wordsOf(text)) {
        const here = spans.filter((span) => span.side === text.dataset.side && covers(span, word));
        word.className = "";
        if (here.length) word.classList.add("marked-word", ...here.map((span) => span.severity).filter(Boolean));
        const said = others.filter((span) => span.side === text.dataset.side && covers(span, word));
        word.classList.toggle("said", said.length > 0);
        word.title = said.map((span) => [span.name, span.label, span.severity].filter(Boolean).join(", ")).join("; ");
        if (place && place.side === text.dataset.side && covers(place, word)) word.classList.add("chosen");
      }
    }
    const ordered = [...spans].sort((a, b) => (a.side < b.side ? 1 : a.side > b.side ? -1 : a.start - b.start));
    box.querySelector("[data-marked]").replaceChildren(...ordered.map(item));
    const record = { spans: ordered.map(({ start, end, label, severity, side }) => ({
      start, end, label, ...(severity && { severity }), ...(side !== "target" && { side }) })) };
    box.querySelector("[data-answer]").value = JSON.stringify(record);
    document.querySelector("[data-count]").textContent = spans.length ? `: ${spans.length} marked` : ": nothing to mark";
  }

  function item(span) {
    const entry = document.createElement("li");
    const name = document.createElement("b");
    name.textContent = span.label || "which category?";
    name.className = span.label ? "" : "open";
    const severity = document.createElement("span");
    const isOpen = hasSeverities() && !span.severity;
    severity.className = isOpen ? "open" : "";
    severity.textContent = isOpen ? ", how severe?" : span.severity ? `, ${span.severity}` : "";
    const words = document.createElement("bdi");
    words.textContent = textOf(span);
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = "remove";
    button.setAttribute("aria-label", `remove ${span.label || "mark"}: ${words.textContent}`);
    button.addEventListener("click", () => remove(span));
    entry.append(name, severity, span.side === "source" ? " (source): " : ": ", words, button);
    return entry;
  }

  function begin() {
    const box = marking();
    forget();
    spans = [];
    if (!box) return;
    const given = box.dataset.given ? JSON.parse(box.dataset.given) : { spans: [] };
    spans = given.spans.map((span) => ({ side: "target", severity: "", ...span }));
    const score = document.getElementById("score-number");
    if (score && given.score !== undefined) {
      score.value = given.score;
      slide(score);
    }
    draw();
    if (document.activeElement === document.body) document.getElementById("output").focus({ preventScroll: true });
  }

  // By mouse and touch ------------------------------------------------------------------------------------

  document.addEventListener("selectionchange", () => {
    const selection = getSelection();
    if (!marking() || selection.isCollapsed || !selection.rangeCount) return;
    const from = selection.anchorNode.parentElement?.closest(".words");
    if (!from || !from.contains(selection.focusNode)) return;
    const picked = selection.getRangeAt(0);
    const places = wordsOf(from).flatMap((word, place) => {
      const own = document.createRange();
      own.setStart(word.firstChild, 0);
      own.setEnd(word.firstChild, word.firstChild.length);
      const begins = picked.compareBoundaryPoints(Range.START_TO_END, own) > 0;
      return begins && picked.compareBoundaryPoints(Range.END_TO_START, own) < 0 ? [place] : [];
    });
    if (places.length) choose(from, places[0], places[places.length - 1]);
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-label], [data-severity]");
    if (button && button.dataset.label) mark(button.dataset.label);
    else if (button) grade(button.dataset.severity);
    const adopted = event.target.closest("[data-adopt]");
    if (adopted) adopt(adopted);
    const word = event.target.closest(".words [data-start]");
    if (word && getSelection().isCollapsed) {
      const text = word.closest(".words");
      const place = wordsOf(text).indexOf(word);
      // On a phone there is no Shift: a second tap extends the selection to there.
      const isTouch = event.pointerType === "touch" && chosen?.first === chosen?.last && chosen?.last !== place;
      const extends_ = (event.shiftKey || isTouch) && chosen?.text === text;
      choose(text, extends_ ? chosen.first : place, place);
    }
  });

  // By keys -----------------------------------------------------------------------------------------------

  function step(forward, extend) {
    const text = document.activeElement.closest(".words") ?? chosen?.text ?? document.getElementById("output");
    const count = wordsOf(text).length;
    if (!count) return;
    const isHere = chosen?.text === text;
    const from = isHere ? chosen.last : forward ? -1 : count;
    const last = Math.min(Math.max(from + (forward ? 1 : -1), 0), count - 1);
    getSelection().removeAllRanges();
    choose(text, extend && isHere ? chosen.first : last, last);
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches("form.answer :is([name=note], [name=correction])")) {
      event.preventDefault(); // a note ends, and answers nothing
      event.target.blur();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const digits = document.querySelector("[data-digits]");
    const isDigit = event.key.length === 1 && event.key >= "0" && event.key <= "9";
    if (event.key === "Enter" && !event.target.closest("a, summary, button:not([data-label], [data-severity])")) {
      const keep = document.querySelector("form.answer button[data-key=Enter]");
      if (!keep) return;
      keep.click();
    } else if (digits && isDigit) {
      digits.focus();
      digits.value = event.key;
      slide(digits);
    } else if (marking() && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
      const text = document.activeElement.closest(".words") ?? chosen?.text ?? document.getElementById("output");
      const isForward = (event.key === "ArrowRight") === (getComputedStyle(text).direction === "ltr");
      step(isForward, event.shiftKey);
    } else if (marking() && adoptable().some((button) => button.dataset.key === event.key)) {
      adopt(adoptable().find((button) => button.dataset.key === event.key));
    } else if (marking() && (event.key === "Backspace" || event.key === "Delete")) {
      removeChosen();
    } else if (marking() && event.key === "Escape") {
      forget();
      draw();
    } else {
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);

  document.addEventListener("submit", (event) => {
    const open = spans.find((span) => !span.label || (hasSeverities() && !span.severity));
    if (!open || !marking() || !event.target.matches("form.answer") || event.submitter?.value === "unsure") return;
    event.preventDefault();
    event.stopImmediatePropagation();
    askAbout(open);
  }, true);

  // Numbers -----------------------------------------------------------------------------------------------

  function slide(number) {
    const slider = document.querySelector(`[data-slider="${number.id}"]`);
    if (slider && number.value !== "") slider.value = number.value;
  }

  document.addEventListener("input", (event) => {
    const { slider } = event.target.dataset;
    if (slider) document.getElementById(slider).value = event.target.value;
    else if (event.target.matches("input[type=number]")) slide(event.target);
  });

  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target.id === "main") begin();
  });
  begin();
})();
