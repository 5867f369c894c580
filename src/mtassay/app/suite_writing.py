"""Writing suites in the browser: new files, items with example outputs, notes, and proposals for an editor.

A suite stays a YAML file of which only the lines concerned change. What people propose who are no editors
waits in the workspace, under their names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from mtassay.app.rulebook import Rulebook
from mtassay.data.errors import MtassayError, UsageError
from mtassay.data.formats.suite_editing import add_rules, set_fields
from mtassay.data.formats.suite_files import read_suite
from mtassay.data.formats.suite_items import Item, Rule, RuleField, Suite
from mtassay.methods.suite.acceptance import RuleTrial
from mtassay.methods.suite.authoring import Draft, add_drafts, approve, begin
from mtassay.methods.suite.rule_judge import Judge
from mtassay.runtime.workspace import Workspace
from mtassay.runtime.workspace_file import now_exactly

__all__ = [
    "EXAMPLES",
    "Proposal",
    "add_item",
    "approve",
    "change_item",
    "folder_of",
    "new_suite",
    "proposals",
    "propose",
    "settle",
    "suites_in",
    "trial_of",
]

_LISTS = ("focus", "positive", "negative", "references", "context")
_TEXTS = ("category", "phenomenon", "source", "note")
EXAMPLES: dict[str, RuleField] = {"right": "positive_tokens", "wrong": "negative_tokens"}
"""Example outputs, one a line, and what they become in the file."""
_NAME = re.compile(r"[\w-]{1,60}")


def folder_of(workspace: Path) -> Path:
    """Where the suites of a workspace are: in the folder that it was made in."""
    beside = workspace.resolve().parent
    return beside.parent if beside.name == ".mtassay" else beside


def suites_in(folder: Path) -> dict[str, Suite]:
    """The suites in a folder by their names; other YAML files are left out."""
    found = {}
    for path in sorted(folder.glob("*.yaml")):
        try:
            found[path.stem] = read_suite(path)
        except MtassayError:
            continue
    return found


def new_suite(folder: Path, name: str, langpair: str) -> Path:
    """Begin a suite without items; a `UsageError` for a name that is no name of a file, or is taken."""
    if not _NAME.fullmatch(name):
        raise UsageError("Call it by letters, digits, - and _, as german-verbs.")
    path = folder / f"{name}.yaml"
    begin(path, langpair=langpair, name=name)
    return path


def add_item(path: Path, fields: Mapping[str, str], author: str) -> list[str]:
    """Put an item with its example outputs into a suite; gives what should be looked at, one per line.

    Lists are given one entry a line. An example that the expressions judge otherwise is a `UsageError`.
    """
    draft = Draft(
        **{name: fields.get(name, "").strip() for name in _TEXTS},  # type: ignore[arg-type]
        **{name: _lines(fields.get(name, "")) for name in _LISTS},  # type: ignore[arg-type]
        author=author,
    )
    rules = _examples(fields, author)
    trial = Item(
        *("", "", draft.category, draft.phenomenon, draft.source),
        tuple(map(Rule, draft.positive)),
        tuple(map(Rule, draft.negative)),
    )
    _check_examples(read_suite(path), trial, rules)
    added = add_drafts(path, [(None, draft)])
    (item,) = added.items
    if rules:
        add_rules(path, {item.id: rules})
    return [f"Added {item.id}.", *(problem.what for problem in added.problems)]


def _examples(fields: Mapping[str, str], author: str) -> list[tuple[RuleField, Rule]]:
    today = date.today().isoformat()
    return [
        (kind, Rule(text, author=author, date=today))
        for name, kind in EXAMPLES.items()
        for text in _lines(fields.get(name, ""))
    ]


def _check_examples(suite: Suite, item: Item, rules: Sequence[tuple[RuleField, Rule]]) -> None:
    judge = Judge(replace(suite, items=()))
    for kind, rule in rules:
        said, meant = judge.judge(item, rule.text).status, kind.partition("_")[0]
        if said == {"positive": "incorrect", "negative": "correct"}[meant]:
            raise UsageError(f"The expressions call '{rule.text[:80]}' {said}: fix them, or the example.")


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def change_item(path: Path, item_id: str, fields: Mapping[str, str]) -> None:
    """Change texts of an item: category, phenomenon, source, note. Then it must be approved again."""
    item = next((item for item in read_suite(path).items if item.id == item_id), None)
    if item is None:
        raise UsageError(f"There is no item '{item_id[:60]}' in {path.name} any more.")
    changed = {
        name: text
        for name in _TEXTS
        if name in fields and (text := fields[name].strip()) != getattr(item, name)
    }
    if missing := [name for name in changed if name != "note" and not changed[name]]:
        raise UsageError(f"An item needs a {missing[0]}.")
    if changed:
        approver = {"approver": ""} if item.approver else {}
        set_fields(path, {item_id: {**changed, **approver}})


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
        """Whether it is a rule of an item that there is."""
        return "pattern" in self.content


def propose(store: Workspace, suite: str, content: Mapping[str, Any], person: str) -> None:
    """Keep what somebody proposes for a suite, by the name of the suite."""
    text = json.dumps(dict(content), ensure_ascii=False)
    with store.database.transaction():
        store.database.insert("proposals", [(suite, text, person, now_exactly())])


def proposals(store: Workspace) -> list[Proposal]:
    """What waits for an editor, the oldest first."""
    numbers = store.database.select("SELECT rowid FROM proposals WHERE settled = '' ORDER BY rowid")
    rows = store.database.read("proposals", "WHERE settled = '' ORDER BY rowid")
    return [
        Proposal(number, suite, json.loads(content), person, at)
        for (number,), (suite, content, person, at) in zip(numbers, rows, strict=True)
    ]


def trial_of(store: Workspace, path: Path, proposal: Proposal) -> RuleTrial:
    """What a proposed rule would do to all outputs that are known."""
    book, item = _book(path, proposal)
    text, is_right = proposal.content["output"], proposal.content["answer"] == "correct"
    return book.try_out(store, item, text, proposal.content["pattern"], correct=is_right)


def _book(path: Path, proposal: Proposal) -> tuple[Rulebook, Item]:
    suite = read_suite(path)
    item = next((item for item in suite.items if item.id == proposal.content["item"]), None)
    if item is None:
        raise UsageError(f"There is no item '{proposal.content['item'][:60]}' in {path.name} any more.")
    return Rulebook(str(path), suite), item


def settle(store: Workspace, folder: Path, number: int, *, accept: bool, editor: str) -> str:
    """Write a proposal into its suite under the name of who made it, or decline it; tells what was done."""
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
