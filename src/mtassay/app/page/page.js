"use strict";
// Everything here makes the page handier; headlines, tables and charts are there without it.
(() => {
  const root = document.documentElement;
  root.classList.add("on");
  const $ = (id) => document.getElementById(id);
  const make = (tag, attributes = {}, ...inside) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "class") node.className = value;
      else node.setAttribute(name, value);
    }
    node.append(...inside);
    return node;
  };
  const count = (n) => n.toLocaleString("en");

  // Light and dark ---------------------------------------------------------------------------------------
  const theme = $("theme");
  theme.hidden = false;
  const keep = (value) => { try { localStorage.setItem("mtassay-theme", value); } catch { /* a file may not */ } };
  const kept = () => { try { return localStorage.getItem("mtassay-theme"); } catch { return null; } };
  const show = (value) => {
    root.dataset.theme = value;
    theme.textContent = value === "dark" ? "Light" : "Dark";
    theme.setAttribute("aria-label", value === "dark" ? "Light colours" : "Dark colours");
  };
  const system = () => (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  show(kept() || system());
  if (!kept()) delete root.dataset.theme;
  theme.addEventListener("click", () => {
    const next = (root.dataset.theme || system()) === "dark" ? "light" : "dark";
    show(next);
    keep(next);
  });

  // Tables: sort, filter, take along -----------------------------------------------------------------------
  const number = (text) => {
    const found = text.replace(/,/g, "").replace("−", "-").match(/-?\d+(\.\d+)?/);
    return found ? Number(found[0]) : -Infinity;
  };
  const grid = (table) => [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
  const plain = (text) => {
    const joined = text.replace(/\s+/g, " ");
    return /^[=@]|^[+-](?![\d.,:]*\d[\d.,]*(e[+-]?\d+)?\s?%?$|$|∞|inf)/.test(joined) ? "'" + joined : joined;
  };
  const tsv = (table) => grid(table).map((row) => row.map(plain).join("\t")).join("\n") + "\n";
  const signs = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "±": "$\\pm$", "−": "$-$", "Δ": "$\\Delta$" };
  const tex = (text) => text.replace(/[\\~^±−Δ&%$#_{}]/g, (sign) => signs[sign] || "\\" + sign);
  const latex = (table) => {
    const rows = [...table.rows].map((row) => [...row.cells].map((cell) => {
      const text = tex(cell.textContent.trim());
      return cell.classList.contains("strong") ? `\\textbf{${text}}` : text;
    }).join(" & ") + " \\\\");
    const columns = [...table.rows[0].cells].map((cell) => (cell.classList.contains("n") ? "r" : "l")).join("");
    return [`% ${table.caption.textContent}`, `\\begin{tabular}{${columns}}`, "\\toprule", rows[0], "\\midrule", ...rows.slice(1), "\\bottomrule", "\\end{tabular}", ""].join("\n");
  };
  const save = (name, text) => {
    const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "text/plain" })), download: name });
    document.body.append(link);
    link.click();
    link.remove();
  };
  const sortable = (table) => {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = make("button", { type: "button", class: "sort" }, ...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") === "descending";
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const text = (row) => row.cells[column].textContent.trim();
        const numbers = head.classList.contains("n");
        const rows = [...table.tBodies[0].rows].sort((a, b) =>
          numbers ? number(text(a)) - number(text(b)) : text(b).localeCompare(text(a)));
        table.tBodies[0].append(...(up ? rows : rows.reverse()));
      });
    });
  };
  const prepared = new WeakSet();
  const prepare = (table) => {
    if (prepared.has(table)) return;
    prepared.add(table);
    for (const cell of table.querySelectorAll("td[data-find], td [data-find]")) {
      const button = make("button", { type: "button", class: "cell", "data-find": cell.dataset.find, "data-n": cell.dataset.n || "", tabindex: "-1" }, ...cell.childNodes);
      const place = cell.closest("td");
      button.setAttribute("aria-label", `${button.textContent}, read its sentences: ${place.parentNode.cells[0].textContent}, ${table.tHead.rows[0].cells[place.cellIndex].textContent}`);
      cell.removeAttribute("data-find");
      cell.append(button);
    }
    const first = table.querySelector(".cell");
    if (first) first.tabIndex = 0;
    if (!table.classList.contains("data")) return;
    if (table.tBodies[0].rows.length > 2) sortable(table);
    const name = (table.caption.textContent.trim() || "table").toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 60);
    const tools = make("div", { class: "tools" });
    for (const [label, ending, write] of [["TSV", "tsv", tsv], ["LaTeX", "tex", latex]]) {
      const button = make("button", { type: "button", "aria-label": `${label} of ${table.caption.textContent.trim()}` }, label);
      button.addEventListener("click", () => save(`${name}.${ending}`, write(table)));
      tools.append(button);
    }
    if (table.tBodies[0].rows.length > 8) {
      const words = make("input", { type: "search", placeholder: "Filter", "aria-label": `Filter ${table.caption.textContent.trim()}` });
      words.addEventListener("input", () => {
        const wanted = words.value.toLowerCase();
        for (const row of table.tBodies[0].rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
      });
      tools.append(words);
    }
    table.closest(".scroll").after(tools);
  };
  const stack = (table) => {
    const box = table.closest(".scroll");
    if (!box) return;
    table.classList.remove("tight", "stack");
    if (box.scrollWidth <= box.clientWidth + 1) return;
    table.classList.add("tight");
    if (box.scrollWidth <= box.clientWidth + 1) return;
    table.classList.remove("tight");
    const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
    for (const row of table.tBodies[0].rows) [...row.cells].forEach((cell, column) => { if (column) cell.dataset.name = names[column]; });
    table.classList.add("stack");
  };
  const prepareIn = (part) => {
    for (const table of part.querySelectorAll("table")) if (!table.closest("details:not([open])")) { prepare(table); stack(table); }
  };
  addEventListener("resize", () => prepareIn(document));
  // On paper nothing is folded.
  let folded = [];
  addEventListener("beforeprint", () => {
    for (const table of document.querySelectorAll(".stack")) table.classList.remove("stack");
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const one of folded) one.open = true;
  });
  addEventListener("afterprint", () => { for (const one of folded) one.open = false; });
  document.addEventListener("toggle", (event) => { if (event.target.open) prepareIn(event.target); }, true);
  document.addEventListener("keydown", (event) => {
    const cell = event.target.closest && event.target.closest(".cell");
    const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    if (!cell || !step) return;
    const rows = [...cell.closest("table").rows];
    let y = rows.indexOf(cell.closest("tr"));
    let x = cell.closest("td").cellIndex;
    for (;;) {
      y += step[0];
      x += step[1];
      const there = rows[y] && rows[y].cells[x];
      if (!there) return;
      const next = there.querySelector(".cell");
      if (next && !rows[y].hidden) {
        event.preventDefault();
        cell.tabIndex = -1;
        next.tabIndex = 0;
        next.focus();
        return;
      }
    }
  });

  // Sentences ----------------------------------------------------------------------------------------------
  const reader = $("reader");
  const unpacked = new Map();
  const unpack = async (key) => {
    if (!unpacked.has(key)) {
      const letters = atob($(`data-${key}`).textContent);
      const bytes = new Uint8Array(letters.length);
      for (let place = 0; place < letters.length; place++) bytes[place] = letters.charCodeAt(place);
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      const record = JSON.parse(await new Response(stream).text());
      record.key = key;
      record.settled = Uint8Array.from(record.cases, (entry) =>
        entry[3].length === record.systems.length && entry[3].every((one) => one[1] >= 0 && ["pass", "fail"].includes(record.statuses[one[1]][1])));
      const source = record.labels.indexOf("source");
      record.sources = record.cases.map((entry) => textOf(entry[1].find((line) => line[0] === source) || []));
      const numbers = new Map();
      record.sameAs = Int32Array.from(record.sources, (text) => numbers.get(text) ?? numbers.set(text, numbers.size).get(text));
      record.repeats = numbers.size < record.cases.length;
      unpacked.set(key, record);
    }
    return unpacked.get(key);
  };
  const GRAVEST = { fail: 0, error: 1, undecided: 2, skipped: 3, "": 4, pass: 5 };
  const SEVERITIES = ["critical", "major", "minor"];
  const KINDS = ["group", "found", "theme-is", "document"]; // of names, as they are numbered in the data
  const STEP = 25;
  const WIDE = 4; // answers side by side; the rest waits behind a button
  let data = null;
  let matching = []; // places of sentences, as they are in the file
  let keys = []; // what each of them is sorted by
  let sorted = []; // the same numbers in their order
  let noted = null; // what a number means, in words
  let shown = 0;
  let second = -1;
  let measured = null; // the values that sentences must have
  let only = -1;
  let opener = null;

  const verdict = (answer) => (answer[1] < 0 ? "" : data.statuses[answer[1]][1]);
  const textOf = (line) => line.slice(1).join("");
  const told = (n) => `${count(n)} ${n === 1 ? "sentence" : "sentences"}`;
  const options = (select, names, first, chosen) => {
    // Names with their numbers; a list of one or none is no choice.
    select.replaceChildren(make("option", { value: "-1" }, first), ...names.map(([place, name]) => make("option", { value: place }, name)));
    select.value = String(chosen);
    select.parentNode.hidden = names.length < 2 && chosen < 0;
  };
  const words = (text) => text.match(/[\u3040-\u30ff\u3400-\u9fff]|[\p{L}\p{N}\p{M}_]+|\s+|[^\s]/gu) || [];
  const same = (a, b) => {
    // Which words of a are in b, in their order: the longest common ones.
    if (a.length * b.length > 400000) return a.map((word) => b.includes(word));
    const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
    for (let i = a.length - 1; i >= 0; i--) for (let j = b.length - 1; j >= 0; j--)
      table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    const kept = a.map(() => false);
    for (let i = 0, j = 0; i < a.length && j < b.length;) {
      if (a[i] === b[j]) { kept[i] = true; i++; j++; } else if (table[i + 1][j] >= table[i][j + 1]) i++; else j++;
    }
    return kept;
  };
  const labelled = (lines, label) => lines.find((line) => line[0] >= 0 && data.labels[line[0]] === label);
  const lineNode = (line, against) => {
    const text = make("p", { dir: "auto" });
    if (against !== null) {
      const own = words(textOf(line));
      const solid = own.filter((word) => word.trim());
      const kept = same(solid, words(against).filter((word) => word.trim()));
      let place = 0;
      for (const word of own) text.append(word.trim() && !kept[place++] ? make("mark", { class: "diff" }, word) : word);
    } else {
      line.slice(1).forEach((part, place) => { if (part) text.append(place % 2 ? make("mark", {}, part) : part); });
      if (line.length === 2 && !line[1]) text.append("(empty)");
    }
    const label = line[0] < 0 ? [] : [make("span", { class: "label" }, data.labels[line[0]])];
    return make("div", { class: line[0] < 0 ? "line sub" : "line" }, ...label, text);
  };
  const compared = (entry) => {
    const how = $("against").value;
    if (how === "none") return null;
    const line = how === "reference" ? labelled(entry[1], "reference")
      : (entry[3].find((answer) => answer[0] === Number(how)) || [0, 0, 0, 0, []])[4].find((one) => one[0] >= 0);
    return line ? textOf(line) : null;
  };
  const about = (one) => {
    const status = one[1] < 0 ? "" : data.statuses[one[1]][0];
    const severity = SEVERITIES[one[5]] || "";
    const names = one[3].map((place) => data.groups[place][0]).filter((name) => !status.includes(name));
    return [status.startsWith(severity) ? "" : severity, status, ...names].filter(Boolean).join(" · ");
  };
  const nameOf = (one) => data.systems[one[0]];
  const copied = async (text, button) => {
    const said = button.firstChild;
    const was = said.textContent;
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = "Copied";
    } catch {
      const area = make("textarea", { "aria-label": "Copy this", rows: "8" });
      area.value = text;
      button.after(area);
      area.select();
    }
    setTimeout(() => { said.textContent = was; }, 2000);
  };
  const escaped = (text) => text.replace(/[\\`*_{}[\]<>#|~]/g, "\\$&").replace(/\s*\n\s*/g, " ");
  const addressOf = (place) => `#sentence=${data.key}:${encodeURIComponent(data.cases[place][0])}`;
  const issue = (place, answers) => {
    const entry = data.cases[place];
    const lines = [`### ${escaped(entry[0])}: ${escaped(answers.map((one) => [nameOf(one), about(one)].filter(Boolean).join(", ")).slice(0, 1).join(""))}`, ""];
    for (const line of entry[1]) lines.push(`- **${escaped(line[0] < 0 ? "" : data.labels[line[0]])}**: ${escaped(textOf(line))}`);
    for (const one of answers) for (const line of one[4]) if (line[0] >= 0) lines.push(`- **${escaped(nameOf(one))}, ${escaped(data.labels[line[0]] || "why")}**: ${escaped(textOf(line))}`);
    lines.push("", `\`${location.pathname.split("/").pop()}${addressOf(place)}\``, "");
    return lines.join("\n");
  };
  const answerNode = (some, other) => {
    // Systems that said the same, and of which the same was found, are one answer.
    const one = some[0];
    const who = make("p", { class: "who" }, make("bdi", {}, some.map(nameOf).join(", ")), " ", make("span", { class: "status" }, about(one)));
    const first = one[4].findIndex((line) => line[0] >= 0);
    return make("div", { class: `answer v-${verdict(one)}${one[5] === 0 ? " critical" : ""}` }, who, ...one[4].map((line, place) => lineNode(line, place === first ? other : null)));
  };
  const caseNode = (place, note, before) => {
    const entry = data.cases[place];
    const chosen = Number($("system").value);
    const against = Number($("against").value);
    const all = entry[2].map((number) => data.groups[number][0]);
    const names = all.filter((name) => !all.some((other) => other.startsWith(`${name} › `)));
    const unseen = (text) => make("span", { class: "unseen" }, text);
    const link = make("a", { href: location.href.split("#")[0] + addressOf(place) }, "Link", unseen(` to ${entry[0]}`));
    const copy = make("button", { type: "button", class: "find" }, make("span", {}, "Copy as an issue"), unseen(`: ${entry[0]}`));
    const head = make("h3", {}, make("bdi", {}, entry[0]), make("span", {}, [...names, note].filter(Boolean).map((name) => ` · ${name}`).join("")));
    const node = make("article", {}, make("div", { class: "about" }, head, link, copy));
    const isRepeat = before !== undefined && $("equal").checked && data.sameAs[before] === data.sameAs[place];
    const sources = make("div", { class: "asked" }, ...(isRepeat ? [make("p", { class: "note" }, "The same source as above.")] : entry[1].map((line) => lineNode(line, null))));
    const other = compared(entry);
    const wanted = (one) => one[0] === chosen || one[0] === against;
    const ranked = chosen < 0 ? entry[3] : [...entry[3].filter((one) => one[0] === chosen), ...entry[3].filter((one) => one[0] === against && against !== chosen), ...entry[3].filter((one) => !wanted(one))];
    const together = new Map();
    for (const one of ranked) {
      const said = wanted(one) && chosen >= 0 ? `${one[0]}` : JSON.stringify([one[1], one[5], one[3], one[4]]);
      together.set(said, [...(together.get(said) || []), one]);
    }
    const answers = [...together.values()];
    const first = chosen < 0 ? WIDE : answers.filter(([one]) => wanted(one)).length;
    const sides = make("div", { class: "sides" }, ...answers.slice(0, first).map((some) => answerNode(some, other)));
    copy.addEventListener("click", () => copied(issue(place, chosen < 0 ? entry[3] : ranked.slice(0, first)), copy));
    node.append(make("div", { class: "sentence" }, sources, sides));
    const rest = answers.slice(first);
    if (rest.length) {
      const several = rest.reduce((n, some) => n + some.length, 0);
      const more = make("button", { type: "button", class: "find" }, several === 1 ? `What ${nameOf(rest[0][0])} says` : `What ${several} others say`);
      more.addEventListener("click", () => {
        const nodes = rest.map((some) => answerNode(some, other));
        sides.append(...nodes);
        nodes[0].tabIndex = -1;
        nodes[0].focus();
        more.remove();
      });
      node.append(more);
    }
    return node;
  };
  const next = () => {
    // The places in `matching` of those to show next. Only these are sorted: sorting 100,000 takes too long.
    const end = Math.min(shown + STEP, sorted.length);
    const [low, high] = [sorted[shown], sorted[end - 1]];
    let first = shown;
    while (first > 0 && sorted[first - 1] === low) first--;
    const some = [];
    for (let n = 0; n < keys.length; n++) if (keys[n] >= low && keys[n] <= high) some.push(n);
    const source = (n) => ($("equal").checked ? data.sameAs[matching[n]] : 0);
    some.sort((a, b) => keys[a] - keys[b] || source(a) - source(b) || a - b);
    return some.slice(shown - first, end - first);
  };
  let last;
  const more = () => {
    for (const n of next()) {
      $("cases").append(caseNode(matching[n], noted ? noted(keys[n]) : "", last));
      last = matching[n];
      shown++;
    }
    $("more").hidden = shown >= matching.length;
    $("more").textContent = `Show more (${count(matching.length - shown)} left)`;
  };

  // What sentences are sorted by: a number for each, the lowest first.
  const worst = (answers) => {
    let low = Infinity;
    for (const one of answers) low = Math.min(low, (one[5] < 0 ? 3 : one[5]) * 1e9 + GRAVEST[verdict(one)] * 1e8 + Math.max(-1e7, Math.min(1e7, one[2])));
    return low;
  };
  const ends = (answers, place) => {
    let [low, high] = [Infinity, -Infinity];
    for (const one of answers) {
      const value = one[6][place];
      if (value == null) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return [low, high];
  };
  const orders = () => {
    const found = [["worst first", worst]];
    const pair = ["system", "against"].map((id) => Number($(id).value));
    data.values.forEach((name, place) => {
      const note = (sign, told) => (key) => (Number.isFinite(key) ? `${told} ${+(sign * key).toFixed(2)}` : "");
      found.push([`${name}, lowest first`, (answers) => ends(answers, place)[0], note(1, name)]);
      found.push([`${name}, highest first`, (answers) => { const high = ends(answers, place)[1]; return high === -Infinity ? Infinity : -high; }, note(-1, name)]);
      if (data.systems.length > 1) found.push([`difference in ${name}`, (_, entry) => {
        const two = entry[3].filter((one) => pair.includes(one[0]) && one[6][place] != null);
        const known = two.length === 2 ? two : entry[3].filter((one) => one[6][place] != null);
        const [low, high] = ends(known, place);
        return known.length > 1 ? low - high : Infinity;
      }, note(-1, `difference in ${name}`)]);
    });
    if (data.systems.length > 1 && new Set(data.statuses.map(([, verdictIs]) => verdictIs)).size > 1) found.push(["difference in the judgement", (_, entry) => {
      const two = entry[3].filter((one) => pair.includes(one[0]));
      return new Set((two.length === 2 ? two : entry[3]).map(verdict)).size > 1 ? 0 : 1;
    }]);
    const length = (place) => data.sources[place].length;
    return [...found, ["longest first", (_, entry, place) => -length(place)], ["shortest first", (_, entry, place) => length(place)], ["as in the file", (_, entry, place) => place]];
  };
  // Texts are searched as they are: 100,000 lower-cased copies take longer to make than to search.
  const pattern = () => new RegExp($("words").value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
  const holds = (lines, wanted) => lines.some((line) => wanted.test(line.length === 2 ? line[1] : textOf(line)));
  const choose = () => {
    const [systemIs, statusIs, severityIs] = ["system", "status", "severity"].map((id) => Number($(id).value));
    const groups = [...KINDS.map((id) => Number($(id).value)), second].filter((place) => place >= 0);
    const isAny = systemIs < 0 && severityIs < 0 && !groups.length && !measured;
    const has = (one) => one[6][measured.measure] != null && one[6][measured.measure] >= measured.low && one[6][measured.measure] < measured.high;
    const compared = !measured || measured.rival < 0 ? [] : measured.rival < data.systems.length ? [measured.rival] : data.systems.map((_, number) => number);
    const wanted = $("words").value && pattern();
    const fair = $("fair").checked;
    const [, key, note] = orders()[Number($("sort").value)];
    noted = note;
    matching = [];
    keys = [];
    const tally = {};
    let total = 0;
    let settled = 0;
    data.cases.forEach((entry, place) => {
      if (only >= 0 ? place !== only : fair && !data.settled[place]) return;
      const missing = groups.length ? groups.filter((group) => !entry[2].includes(group)) : groups;
      if (!compared.every((other) => entry[3].some((one) => one[0] === other && has(one)))) return;
      const answers = isAny ? entry[3] : entry[3].filter((one) => (!measured || has(one)) &&
        (systemIs < 0 || one[0] === systemIs) && (severityIs < 0 || one[5] === severityIs) && missing.every((group) => one[3].includes(group)));
      if (!answers.length && (entry[3].length || systemIs >= 0 || missing.length)) return;
      if (wanted && !wanted.test(entry[0]) && !holds(entry[1], wanted) && !entry[3].some((one) => holds(one[4], wanted))) return;
      total++;
      settled += data.settled[place];
      for (const one of answers) if (one[1] >= 0) tally[one[1]] = (tally[one[1]] || 0) + 1;
      const fitting = statusIs < 0 ? answers : answers.filter((one) => one[1] === statusIs);
      if (statusIs >= 0 && !fitting.length) return;
      matching.push(place);
      keys.push(key(fitting, entry, place));
    });
    if ($("equal").checked) { // each source where its first sentence is
      const lowest = new Map();
      keys.forEach((value, n) => { const source = data.sameAs[matching[n]]; lowest.set(source, Math.min(value, lowest.get(source) ?? Infinity)); });
      keys = keys.map((_, n) => lowest.get(data.sameAs[matching[n]]));
    }
    sorted = Float64Array.from(keys).sort();
    const judged = Object.entries(tally).sort((a, b) => b[1] - a[1]).slice(0, 6).map(([place, n]) => `${count(n)} ${data.statuses[place][0]}`);
    $("count").textContent = `${told(matching.length)}${matching.length < total ? ` of ${count(total)}` : ""}, ${$("sort").selectedOptions[0].textContent}. ${judged.length ? `Judged: ${judged.join(", ")}.` : ""}${fair || $("fair-label").hidden || settled === total ? "" : ` Settled for all systems: ${count(settled)} of ${count(total)}.`}`;
    $("cases").replaceChildren();
    shown = 0;
    last = undefined;
    more();
  };
  const numbered = (names) => names.map((name, place) => [place, name]);
  const open = async (key, { groups = [], system = -1, status = -1, severity = -1, fair = false, place = -1, against = "none", rival = -1, sort = 0, values = null } = {}, from = null) => {
    opener = from;
    if (!unpacked.has(key)) {
      $("reader-h").textContent = "Unpacking the sentences…";
      $("cases").replaceChildren();
      $("more").hidden = true;
      reader.showModal();
      await new Promise((done) => setTimeout(done, 20)); // so that this is seen
    }
    try {
      data = await unpack(key);
    } catch {
      $("count").textContent = "This browser cannot unpack the sentences. A newer one can.";
      return;
    }
    only = typeof place === "string" ? data.cases.findIndex((entry) => entry[0] === place) : place;
    const chosen = [-1, -1, -1, -1];
    second = -1;
    measured = values;
    for (const group of groups) {
      const kind = data.groups[group][1];
      if (chosen[kind] < 0) chosen[kind] = group;
      else second = group;
    }
    const names = typeof system === "string" ? data.systems.indexOf(system) : system;
    options($("system"), numbered(data.systems), "all", names);
    KINDS.forEach((id, kind) => options($(id), data.groups.map(([name, of], number) => [number, name, of]).filter(([, , of]) => of === kind), "all", chosen[kind]));
    options($("status"), numbered(data.statuses.map(([name]) => name)), "any", status);
    options($("severity"), numbered(SEVERITIES), "any", severity);
    $("severity").parentNode.hidden = !data.cases.some((entry) => entry[3].some((one) => one[5] >= 0));
    const sides = [["none", "evidence"], ...(data.labels.includes("reference") ? [["reference", "differences from the reference"]] : []), ...(data.systems.length > 1 ? data.systems.map((name, number) => [String(number), `differences from ${name}`]) : [])];
    $("against").replaceChildren(...sides.map(([value, name]) => make("option", { value }, name)));
    $("against").parentNode.hidden = sides.length < 2;
    $("against").value = rival >= 0 && rival < data.systems.length ? String(rival) : against === "none" ? against : String(data.systems.indexOf(against));
    const sorts = orders().map(([name], number) => [number, name]);
    $("sort").replaceChildren(...sorts.map(([value, name]) => make("option", { value }, name)));
    const wanted = typeof sort === "function" ? sort(data) : sort;
    $("sort").value = String(typeof wanted === "string" ? Math.max(0, sorts.findIndex(([, name]) => name.startsWith(wanted))) : wanted);
    $("equal").parentNode.hidden = !data.repeats;
    $("fair-label").hidden = data.systems.length < 2 || !data.statuses.some(([, verdictIs]) => verdictIs === "undecided");
    $("words").value = "";
    $("fair").checked = fair;
    const heading = [...groups.map((group) => data.groups[group][0]), status >= 0 && data.statuses[status][0], severity >= 0 && SEVERITIES[severity], names >= 0 && data.systems[names], rival >= 0 && rival < data.systems.length && data.systems[rival], ranged(values), only >= 0 && data.cases[only][0]].filter(Boolean);
    $("reader-h").textContent = heading.join(" · ") || "Sentences";
    choose();
    if (!reader.open) reader.showModal();
    reader.scrollTop = 0;
    $("reader-h").focus();
  };
  const ranged = (values) => values && [data.values[values.measure], values.low > -Infinity && `from ${values.low}`, values.high < Infinity && `below ${values.high}`].filter(Boolean).join(" ");
  const numberOf = (place) => (place === "" ? -1 : Number(place));
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-find]");
    if (!button) return;
    const [key, places] = button.dataset.find.split(":");
    const parts = places.split(",");
    const [first, next, system, status, severity, fair, rival = -1, measure = -1] = parts.map(numberOf);
    const end = (place, none) => (parts[place] ? Number(parts[place]) : none);
    const values = measure < 0 ? null : { measure, rival, low: end(8, -Infinity), high: end(9, Infinity) };
    const sort = rival < 0 ? 0 : (record) => `difference in ${measure < 0 ? "the judgement" : record.values[measure]}`;
    open(key, { groups: [first, next].filter((place) => place >= 0), system, status, severity, fair: fair === 1, rival, sort, values }, button);
  });
  const openLinked = () => {
    const [, key, id] = location.hash.match(/^#sentence=(\w+):(.*)$/) || [];
    if (key && $(`data-${key}`)) open(key, { place: decodeURIComponent(id) });
  };
  addEventListener("hashchange", openLinked);
  openLinked();
  $("close").addEventListener("click", () => reader.close());
  reader.addEventListener("close", () => {
    if (location.hash.startsWith("#sentence=")) try { history.replaceState(null, "", location.pathname + location.search); } catch { /* a file may not */ }
    if (opener) opener.focus();
  });
  reader.addEventListener("click", (event) => { if (event.target === reader) reader.close(); });
  $("choice").addEventListener("submit", (event) => event.preventDefault());
  $("choice").addEventListener("input", () => { only = -1; choose(); });
  $("more").addEventListener("click", more);

  // Any two systems ------------------------------------------------------------------------------------------
  for (const form of document.querySelectorAll("form.pair")) {
    const [a, b] = form.querySelectorAll("select");
    const table = form.parentNode.querySelector(".two table");
    const pick = () => {
      const pairs = [`${a.value} − ${b.value}`, `${b.value} − ${a.value}`];
      for (const row of table.tBodies[0].rows) row.hidden = !pairs.includes(row.cells[0].textContent.trim());
    };
    form.addEventListener("input", pick);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.querySelector("button").addEventListener("click", (event) => open(form.dataset.key, { system: a.value, against: b.value, sort: "difference" }, event.target));
    pick();
  }
  prepareIn(document);
})();
