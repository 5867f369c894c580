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
  const prepareIn = (part) => { for (const table of part.querySelectorAll("table")) if (!table.closest("details:not([open])")) prepare(table); };
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
      const bytes = Uint8Array.from(atob($(`data-${key}`).textContent), (letter) => letter.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      unpacked.set(key, JSON.parse(await new Response(stream).text()));
    }
    return unpacked.get(key);
  };
  const GRAVEST = { fail: 0, error: 1, undecided: 2, skipped: 3, "": 4, pass: 5 };
  const STEP = 25;
  let data = null;
  let matching = [];
  let shown = 0;
  let second = -1;
  let opener = null;

  const verdict = (answer) => (answer[1] < 0 ? "" : data.statuses[answer[1]][1]);
  const options = (select, names, first, chosen) => {
    select.replaceChildren(...(first === null ? [] : [make("option", { value: "-1" }, first)]), ...names.map((name, place) => make("option", { value: place }, name)));
    select.value = String(chosen);
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
  const textOf = (line) => line.slice(1).join("");
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
  const caseNode = (entry) => {
    const chosen = Number($("system").value);
    const all = entry[2].map((place) => data.groups[place]);
    const names = all.filter((name) => !all.some((other) => other.startsWith(`${name} › `)));
    const node = make("article", {}, make("h3", {}, make("bdi", {}, entry[0]), make("span", {}, names.length ? " · " + names.join(" · ") : "")));
    const sources = make("div", {}, ...entry[1].map((line) => lineNode(line, null)));
    const other = compared(entry);
    const answer = (one) => {
      const status = one[1] < 0 ? "" : data.statuses[one[1]][0];
      const groups = one[3].map((place) => data.groups[place]).filter((name) => name !== status);
      const who = make("p", { class: "who" }, make("bdi", {}, data.systems[one[0]]), " ", make("span", { class: "status" }, [status, ...groups].filter(Boolean).join(" · ")));
      const first = one[4].findIndex((line) => line[0] >= 0);
      return make("div", { class: `answer v-${verdict(one)}` }, who, ...one[4].map((line, place) => lineNode(line, place === first ? other : null)));
    };
    const own = chosen < 0 ? entry[3] : entry[3].filter((one) => one[0] === chosen);
    const rest = chosen < 0 ? [] : entry[3].filter((one) => one[0] !== chosen);
    const sides = make("div", { class: "sides" }, ...own.map(answer));
    node.append(sources, sides);
    if (rest.length) {
      const more = make("button", { type: "button", class: "find" }, rest.length === 1 ? `What ${data.systems[rest[0][0]]} says` : `What ${rest.length} others say`);
      more.addEventListener("click", () => {
        const answers = rest.map(answer);
        sides.append(...answers);
        answers[0].tabIndex = -1;
        answers[0].focus();
        more.remove();
      });
      node.append(more);
    }
    return node;
  };
  const more = () => {
    const next = matching.slice(shown, shown + STEP);
    $("cases").append(...next.map(([entry]) => caseNode(entry)));
    shown += next.length;
    $("more").hidden = shown >= matching.length;
    $("more").textContent = `Show more (${count(matching.length - shown)} left)`;
  };
  const choose = () => {
    const [systemIs, groupIs, statusIs] = ["system", "group", "status"].map((id) => Number($(id).value));
    const wanted = $("words").value.toLowerCase();
    const fair = $("fair").checked;
    const all = data.systems.length;
    matching = [];
    const tally = {};
    let total = 0;
    let settled = 0;
    for (const entry of data.cases) {
      const isFair = entry[3].length === all && entry[3].every((one) => ["pass", "fail"].includes(verdict(one)));
      if (fair && !isFair) continue;
      const answers = entry[3].filter((one) =>
        (systemIs < 0 || one[0] === systemIs)
        && (groupIs < 0 || entry[2].includes(groupIs) || one[3].includes(groupIs))
        && (second < 0 || entry[2].includes(second) || one[3].includes(second)));
      if (!answers.length && (entry[3].length || systemIs >= 0 || groupIs >= 0 && !entry[2].includes(groupIs))) continue;
      if (wanted && !JSON.stringify(entry).toLowerCase().includes(wanted)) continue;
      total++;
      settled += isFair ? 1 : 0;
      for (const one of answers) if (one[1] >= 0) tally[one[1]] = (tally[one[1]] || 0) + 1;
      const fitting = statusIs < 0 ? answers : answers.filter((one) => one[1] === statusIs);
      if (statusIs >= 0 && !fitting.length) continue;
      const worst = fitting.reduce((low, one) => { const rank = [GRAVEST[verdict(one)], one[2]]; return !low || rank[0] < low[0] || (rank[0] === low[0] && rank[1] < low[1]) ? rank : low; }, null) || [9, 0];
      matching.push([entry, worst]);
    }
    matching.sort((a, b) => a[1][0] - b[1][0] || a[1][1] - b[1][1]);
    const told = Object.entries(tally).sort((a, b) => b[1] - a[1]).slice(0, 6).map(([place, n]) => `${count(n)} ${data.statuses[place][0]}`);
    $("count").textContent = `${count(matching.length)} ${matching.length === 1 ? "case" : "cases"}${matching.length < total ? ` of ${count(total)}` : ""}, the worst first. ${told.length ? `Judged: ${told.join(", ")}.` : ""}${fair || $("fair-label").hidden || settled === total ? "" : ` Settled for all systems: ${count(settled)} of ${count(total)}.`}`;
    $("cases").replaceChildren();
    shown = 0;
    more();
  };
  const open = async (address, from) => {
    const [key, places] = address.split(":");
    const [groupIs, systemIs, statusIs, secondIs] = places.split(",").map((place) => (place === "" ? -1 : Number(place)));
    opener = from;
    try {
      data = await unpack(key);
    } catch {
      $("count").textContent = "This browser cannot unpack the sentences. A newer one can.";
      reader.showModal();
      return;
    }
    options($("system"), data.systems, "all", systemIs);
    options($("group"), data.groups, "all", groupIs);
    options($("status"), data.statuses.map(([name]) => name), "any", statusIs);
    second = secondIs;
    const sides = [["none", "evidence"], ...(data.labels.includes("reference") ? [["reference", "differences from the reference"]] : []), ...(data.systems.length > 1 ? data.systems.map((name, place) => [String(place), `differences from ${name}`]) : [])];
    $("against").replaceChildren(...sides.map(([value, name]) => make("option", { value }, name)));
    $("group").parentNode.hidden = !data.groups.length;
    $("status").parentNode.hidden = !data.statuses.length;
    $("against").parentNode.hidden = sides.length < 2;
    $("fair-label").hidden = data.systems.length < 2 || !data.statuses.some(([, verdictIs]) => verdictIs === "undecided");
    $("words").value = "";
    $("fair").checked = false;
    const heading = [groupIs >= 0 && data.groups[groupIs], second >= 0 && data.groups[second], statusIs >= 0 && data.statuses[statusIs][0], systemIs >= 0 && data.systems[systemIs]].filter(Boolean);
    $("reader-h").textContent = heading.join(" · ") || "Sentences";
    choose();
    if (!reader.open) reader.showModal();
    reader.scrollTop = 0;
    $("reader-h").focus();
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-find]");
    if (button) open(button.dataset.find, button);
  });
  $("close").addEventListener("click", () => reader.close());
  reader.addEventListener("close", () => { if (opener) opener.focus(); });
  reader.addEventListener("click", (event) => { if (event.target === reader) reader.close(); });
  $("choice").addEventListener("submit", (event) => event.preventDefault());
  $("choice").addEventListener("input", choose);
  $("more").addEventListener("click", more);
  prepareIn(document);
})();
