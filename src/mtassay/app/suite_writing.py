"""Writing suites in the browser: new files, items with example outputs, notes, and proposals for an editor.

A suite stays a YAML file in which only the affected lines change. Proposals of people who are no editors wait
in the workspace, under their names.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from mtassay.app import library
from mtassay.app.rulebook import Rulebook
from mtassay.data.errors import MtassayError, UsageError
from mtassay.data.formats.suite_files import add_rules, read_suite, set_fields, set_macro
from mtassay.data.formats.suite_items import (
    REGEX_FIELDS,
    TOKEN_FIELDS,
    Item,
    Matching,
    Rule,
    RuleField,
    Suite,
)
from mtassay.data.marks import plural
from mtassay.methods.suite.acceptance import RuleTrial
from mtassay.methods.suite.authoring import Draft, add_drafts, begin
from mtassay.methods.suite.authoring import approve as approve
from mtassay.methods.suite.material import ItemMaterial
from mtassay.methods.suite.patterns import compile_rule
from mtassay.methods.suite.problems import lint
from mtassay.methods.suite.rule_judge import DETECTOR, Judge
from mtassay.runtime.database import checksum, now_exactly
from mtassay.runtime.workspace import Workspace

_LISTS = ("focus", "positive", "negative", "right", "wrong", "references", "context")
_TEXTS = ("category", "phenomenon", "source", "note")
_RULES: dict[str, RuleField] = {
    "positive": "positive_regex",
    "negative": "negative_regex",
    "right": "positive_tokens",
    "wrong": "negative_tokens",
}
"""Fields written one rule a line, and their names in the file; the last two are example outputs."""
_NAME = re.compile(r"[\w-]{1,60}")


def folder_of(workspace: Path) -> Path:
    """Return the folder of a workspace's suites: the one it was made in."""
    beside = workspace.resolve().parent
    return beside.parent if beside.name == ".mtassay" else beside


def suites_in(folder: Path) -> dict[str, Suite]:
    """List the suites in a folder by their names; other YAML files are left out."""
    found = {}
    for path in sorted(folder.glob("*.yaml")):
        with suppress(MtassayError):
            found[path.stem] = read_suite(path)
    return found


def new_suite(folder: Path, name: str, langpair: str) -> Path:
    """Create a suite without items; a `UsageError` for a name that no file can have, or that is taken."""
    if not _NAME.fullmatch(name):
        raise UsageError("Call it by letters, digits, - and _, as german-verbs.")
    path = folder / f"{name}.yaml"
    if path.exists():
        raise UsageError(f"There is a file {path.name} already. Choose another name.")
    begin(path, langpair=langpair, name=name)
    return path


def shown(item: Item) -> dict[str, str]:
    """Return the fields of a form for an item: texts, and lists with one entry a line."""
    lists = {name: getattr(item, _RULES.get(name, name)) for name in _LISTS}
    lines = {name: [e.text if isinstance(e, Rule) else e for e in lists[name]] for name in _LISTS}
    return {name: getattr(item, name) for name in _TEXTS} | {k: "\n".join(v) for k, v in lines.items()}


def refuse_blanks(fields: Mapping[str, str]) -> None:
    """Raise a `UsageError` for an item without category, phenomenon or source."""
    if missing := [name for name in _TEXTS if name != "note" and not fields.get(name, "").strip()]:
        raise UsageError(f"An item needs a {missing[0]}.")


def edited(item: Item, fields: Mapping[str, str], editor: str) -> Item:
    """Return the item as in a form; missing fields stay, and unchanged rules keep their authors.

    An item without category, phenomenon or source is a `UsageError`.
    """
    before, today = shown(item), date.today().isoformat()
    changed: dict[str, Any] = {}
    for name in (*_TEXTS, *_LISTS):
        text = "\n".join(fields.get(name, before[name]).split("\r\n")).strip()
        if text == before[name]:
            continue
        if name in _TEXTS:
            changed[name] = text
        elif name in _RULES:
            old = {rule.text: rule for rule in getattr(item, _RULES[name])}
            new = (old.get(line) or Rule(line, author=editor, date=today) for line in _lines(text))
            changed[_RULES[name]] = tuple(new)
        else:
            changed[name] = _lines(text)
    refuse_blanks({**before, **{name: changed[name] for name in _TEXTS if name in changed}})
    return replace(item, **changed)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def add_item(path: Path, fields: Mapping[str, str], author: str) -> list[str]:
    """Put an item into a suite; return warnings, one per line.

    Lists are given one entry a line. An example that the expressions contradict is a `UsageError`.
    """
    item = edited(_BLANK, fields, author)
    _check_examples(read_suite(path), item)
    draft = Draft(
        *(item.category, item.phenomenon, item.source, item.focus),
        positive=tuple(rule.text for rule in item.positive_regex),
        negative=tuple(rule.text for rule in item.negative_regex),
        references=item.references,
        context=item.context,
        note=item.note,
        author=author,
    )
    added = add_drafts(path, [(None, draft)])
    examples = [(kind, rule) for kind in TOKEN_FIELDS for rule in getattr(item, kind)]
    if examples:
        add_rules(path, {added.items[0].id: examples})
    return [f"Added {added.items[0].id}.", *(problem.what for problem in added.problems)]


_BLANK = Item("", "", "", "", "")


def _check_examples(suite: Suite, item: Item) -> None:
    judge = Judge(replace(suite, items=()))
    bare = replace(item, positive_tokens=(), negative_tokens=())
    for kind in TOKEN_FIELDS:
        for rule in getattr(item, kind):
            said = judge.judge(bare, rule.text).status
            if said == ("incorrect" if kind == "positive_tokens" else "correct"):
                raise UsageError(f"The expressions call '{rule.text[:80]}' {said}: fix them, or the example.")


def item_of(path: Path, item_id: str) -> Item:
    """Return the item of a suite; a `UsageError` if the file no longer has it."""
    item = next((item for item in read_suite(path).items if item.id == item_id), None)
    if item is None:
        raise UsageError(f"There is no item '{item_id[:60]}' in {path.name} any more.")
    return item


def version_of(item: Item) -> str:
    """Return a digest of an item in the file, so that nobody changes data they have not seen."""
    return str(checksum([repr(item)]))


def change_item(path: Path, item_id: str, fields: Mapping[str, str], editor: str) -> list[str]:
    """Change an item as in a form; return warnings, one per line. Then it must be approved again."""
    item = item_of(path, item_id)
    after = edited(item, fields, editor)
    suite = read_suite(path)
    _check_examples(suite, after)
    names = (*_TEXTS, *(_RULES.get(name, name) for name in _LISTS))
    changed = {name: getattr(after, name) for name in names if getattr(after, name) != getattr(item, name)}
    if not changed:
        return [f"Nothing of {item_id} has changed."]
    for kind in REGEX_FIELDS:
        for rule in changed.get(kind, ()):
            _compile(rule, suite.matching, suite.macros)
    set_fields(path, {item_id: {**changed, **({"approver": ""} if item.approver else {})}})
    return [f"Changed {item_id}.", *_problems(suite, after)]


def _compile(rule: Rule, matching: Matching, macros: Mapping[str, str]) -> None:
    try:
        compile_rule(rule, matching=matching, macros=dict(macros))
    except ValueError as error:
        raise UsageError(f"bad pattern '{rule.text[:80]}' ({error}). Nothing was written.") from None


def _problems(suite: Suite, item: Item) -> list[str]:
    found = lint(replace(suite, items=(item,)))
    return [problem.what for problem in found if problem.item and problem.severity != "info"]


def set_macro_of(path: Path, name: str, pattern: str) -> None:
    """Set a macro of a suite; a `UsageError` if a rule could no longer be read."""
    if not _NAME.fullmatch(name) or not pattern.strip():
        raise UsageError("A macro needs a name of letters, digits, - and _, and a pattern.")
    suite = read_suite(path)
    macros = {**suite.macros, name: pattern.strip()}
    _compile(Rule(f"{{{{{name}}}}}"), suite.matching, macros)
    for item in suite.items:
        for rule in (*item.positive_regex, *item.negative_regex):
            _compile(rule, suite.matching, macros)
    set_macro(path, name, pattern.strip())


@dataclass(frozen=True, slots=True)
class Effect:
    """The rules' verdict on a known text, before and after a change; `meant` is its known verdict."""

    text: str
    what: str
    before: str
    after: str
    meant: str = ""

    @property
    def is_wrong(self) -> bool:
        """Whether the rules contradict the known verdict."""
        return bool(self.meant) and self.after not in (self.meant, "undecided")


def effects(
    store: Workspace, path: Path, item: Item | None, fields: Mapping[str, str], editor: str
) -> tuple[list[Effect], list[str]]:
    """The rules' verdicts on references, examples and stored outputs of a form's item, and its problems.

    `item` is the item in the file now. Examples are judged by the expressions alone.
    """
    suite = read_suite(path)
    after = edited(item or _BLANK, fields, editor)
    for rule in (*after.positive_regex, *after.negative_regex):
        _compile(rule, suite.matching, suite.macros)
    material = ItemMaterial()
    if item is not None:
        material.add_item(store, item)
    known = dict.fromkeys(after.references, ("reference", "correct"))
    known |= {rule.text: ("correct example", "correct") for rule in after.positive_tokens}
    known |= {rule.text: ("incorrect example", "incorrect") for rule in after.negative_tokens}
    for text, systems in material.outputs.get(after.id, {}).items():
        known.setdefault(text, (f"output of {plural(len(systems), 'system')}", ""))
    for text, is_right in material.decisions(after.id).items():
        meant = "correct" if is_right else "incorrect"
        known[text] = (f"{meant}, say reviewers", meant)
    judge = Judge(replace(suite, items=()))
    old, new = (replace(each, positive_tokens=(), negative_tokens=()) for each in (item or _BLANK, after))
    found = [
        Effect(text, what, judge.judge(old, text).status, judge.judge(new, text).status, meant)
        for text, (what, meant) in known.items()
    ]
    return found, _problems(suite, after)


def judge_outputs(path: Path, system: str, text: str, workspace: Path) -> str:
    """Judge a system's outputs for the items, one line per item, as a saved run; return the verdicts."""
    outputs = text.replace("\r\n", "\n").strip("\n").split("\n")
    if not system.strip() or not system.isprintable():
        raise UsageError("Give the system a name.")
    if (items := len(read_suite(path).items)) != len(outputs):
        counted = f"{plural(items, 'item')}, but {plural(len(outputs), 'line')}"
        raise UsageError(f"{counted}: write one for each item.")
    run = library.suite(path, {system.strip(): outputs}, workspace=workspace, save=True, quiet=True)
    told = {"pass": "correct", "fail": "incorrect"}
    said = Counter(told.get(str(f.verdict), "to settle") for f in run.findings if f.detector == DETECTOR)
    counts = ", ".join(f"{count} {verdict}" for verdict, count in said.items())
    return f"Judged {plural(len(outputs), 'output')} of {system.strip()}: {counts}."


# Proposals -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Proposal:
    """A new item, or a rule (`item`, `output`, `pattern`, `answer`), that waits for an editor."""

    number: int
    suite: str
    content: Mapping[str, str]
    person: str
    at: str

    @property
    def is_rule(self) -> bool:
        """Whether it is a rule for an existing item."""
        return "pattern" in self.content


def propose(store: Workspace, suite: str, content: Mapping[str, Any], person: str) -> None:
    """Keep a proposal for a suite, by the name of the suite."""
    text = json.dumps(dict(content), ensure_ascii=False)
    with store.database.transaction():
        store.database.insert("proposals", [(suite, text, person, now_exactly())])


def proposals(store: Workspace) -> list[Proposal]:
    """List what waits for an editor, oldest first."""
    numbers = store.database.select("SELECT rowid FROM proposals WHERE settled = '' ORDER BY rowid")
    rows = store.database.read("proposals", "WHERE settled = '' ORDER BY rowid")
    return [
        Proposal(number, suite, json.loads(content), person, at)
        for (number,), (suite, content, person, at) in zip(numbers, rows, strict=True)
    ]


def trial_of(store: Workspace, path: Path, proposal: Proposal) -> RuleTrial:
    """Return the effect of a proposed rule on all known outputs."""
    book, item = _book(path, proposal)
    text, is_right = proposal.content["output"], proposal.content["answer"] == "correct"
    return book.try_out(store, item, text, proposal.content["pattern"], correct=is_right)


def _book(path: Path, proposal: Proposal) -> tuple[Rulebook, Item]:
    return Rulebook(str(path), read_suite(path)), item_of(path, proposal.content["item"])


def settle(store: Workspace, folder: Path, number: int, *, accept: bool, editor: str) -> str:
    """Write a proposal into its suite under its author's name, or decline it; return a summary."""
    proposal = next((each for each in proposals(store) if each.number == number), None)
    if proposal is None:
        raise UsageError("This proposal is settled already.")
    done = "Declined."
    if accept:
        path = folder / f"{proposal.suite}.yaml"
        if proposal.is_rule:
            book, item = _book(path, proposal)
            text, is_right = proposal.content["output"], proposal.content["answer"] == "correct"
            pattern = proposal.content["pattern"]
            lines = book.accept(store, item, text, pattern, correct=is_right, reviewer=proposal.person)
        else:
            lines = add_item(path, proposal.content, proposal.person)
        done = " ".join(lines)
    with store.database.transaction() as connection:
        said = f"{'accepted' if accept else 'declined'} by {editor}"
        connection.execute("UPDATE proposals SET settled = ? WHERE rowid = ?", (said, number))
    return done
