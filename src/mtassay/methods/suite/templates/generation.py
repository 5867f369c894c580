"""Makes the items of templates: each combination of slots once, in the order of the file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from math import prod
from pathlib import PurePath
from typing import Any

from mtassay.display import Table
from mtassay.errors import InputError
from mtassay.formats.suite import REGEX_FIELDS, Item, Suite
from mtassay.formats.suite.records import item_from_record
from mtassay.methods.suite.judge import Judge
from mtassay.methods.suite.templates.filler import Filler, Inflector, NoFormError, capitalized
from mtassay.methods.suite.templates.locations import line_of
from mtassay.methods.suite.templates.template import ItemTemplate, SlotRecord, TemplateFile
from mtassay.texts.marks import plural

__all__ = ["MAX_COMBINATIONS", "MAX_ITEMS", "GeneratedSuite", "TemplateCounts", "generate"]

MAX_ITEMS = 5000
MAX_COMBINATIONS = 200_000
"""So many combinations of slots of one template are looked at, whatever is chosen of them."""

_SENTENCES = ("source", "references", "context")

Report = Callable[[str, int, int | None], None]
"""Told what is being done, and how much of how much is done."""


def _no_report(step: str, done: int, total: int | None) -> None:
    """Nobody asked."""


@dataclass(slots=True)
class TemplateCounts:
    """What became of the combinations of one template.

    `excluded` by conditions, `duplicates` of a source that was there before, `sampled_out` by chance, the
    rest are `items`. `empty_rules` counts rules that were left out since no form remained to look for.
    """

    id: str
    phenomenon: str
    combinations: int
    excluded: int = 0
    duplicates: int = 0
    sampled_out: int = 0
    items: int = 0
    empty_rules: int = 0


@dataclass(frozen=True, slots=True)
class GeneratedSuite:
    """The suite, and for each template what was made of it.

    `doubtful` names items one of whose references is not correct by their own rules, with the status.
    """

    suite: Suite
    counts: tuple[TemplateCounts, ...]
    doubtful: Mapping[str, str] = field(default_factory=dict)

    def remarks(self) -> list[str]:
        """What a person should look at before the items are used."""
        remarks = []
        for number, what in (
            (sum(c.duplicates for c in self.counts), "left out: their source was there before"),
            (sum(c.empty_rules for c in self.counts), "rules left out: no form is left to look for"),
        ):
            if number:
                remarks.append(f"{number:,} {what}")
        remarks += [f"the template '{c.id}' makes no items" for c in self.counts if not c.items]
        if self.doubtful:
            item_id, status = next(iter(self.doubtful.items()))
            remarks.append(
                f"{plural(len(self.doubtful), 'item')} with a reference that is not correct by the rules, "
                f"the first {item_id} ({status})"
            )
        return remarks

    def table(self) -> Table:
        """For each template, and for all, what was made of its combinations."""
        columns = ("combinations", "excluded", "duplicates", "sampled_out", "items")
        rows = [[c.id, *(f"{getattr(c, column):,}" for column in columns)] for c in self.counts]
        totals = [sum(getattr(c, column) for c in self.counts) for column in columns]
        rows.append(["all", *(f"{total:,}" for total in totals)])
        return Table(["Template", *(column.replace("_", " ") for column in columns)], rows)

    def record(self) -> dict[str, Any]:
        """The JSON shape."""
        return {
            "items": len(self.suite.items),
            "templates": [asdict(count) for count in self.counts],
            "doubtful": dict(self.doubtful),
        }

    def examples(self) -> list[Item]:
        """One item of each template, from its middle: the first one is the least telling."""
        items, place = [], 0
        for count in self.counts:
            if count.items:
                items.append(self.suite.items[place + count.items // 2])
            place += count.items
        return items


def generate(
    file: TemplateFile,
    *,
    sample: int | None = None,
    seed: int = 12345,
    max_items: int = MAX_ITEMS,
    inflectors: Mapping[str, Inflector] | None = None,
    report: Report = _no_report,
) -> GeneratedSuite:
    """All items of all templates, in order; the same file gives the same items.

    `sample` takes at most so many of each template. The draw goes by the seed and the id, so that most of
    a sample stays the same when a slot gets more values. `inflectors` are more functions for placeholders.
    Too many items, and whatever is wrong in the file, are an `InputError`.
    """
    filler = Filler(file.tables, inflectors or {})
    items: list[Item] = []
    counts = []
    sources: set[tuple[object, ...]] = set()
    for number, template in enumerate(file.templates):
        report("making items", number, len(file.templates))
        count = TemplateCounts(template.id, "", _combinations(template, file))
        template_items = []
        for item in _items(template, file, filler, count):
            key = (item.langpair, item.source, item.context)
            if key in sources:
                count.duplicates += 1
                continue
            sources.add(key)
            template_items.append(item)
            if sample is None:
                _check_number(len(items) + len(template_items), max_items, file.path)
        chosen = template_items if sample is None else _sampled(template_items, sample, seed)
        count.sampled_out = len(template_items) - len(chosen)
        count.items = len(chosen)
        count.phenomenon = chosen[0].phenomenon if chosen else str(template.record["phenomenon"])
        counts.append(count)
        items += chosen
        _check_number(len(items), max_items, file.path)
    suite = replace(file.header, items=tuple(items), path=file.path)
    return GeneratedSuite(suite, tuple(counts), _doubtful(suite, report))


def _check_number(number: int, most: int, path: str) -> None:
    if number > most:
        raise InputError(
            f"the templates make more than {most:,} items. Take fewer with --sample N, give fewer"
            " values, or allow more with --max-items",
            path=path,
        )


def _combinations(template: ItemTemplate, file: TemplateFile) -> int:
    sizes = {slot: len(file.slots[slot]) for slot in template.slots}
    if (number := prod(sizes.values())) > MAX_COMBINATIONS:
        product_text = " × ".join(f"{size} {slot}" for slot, size in sizes.items())
        raise InputError(
            f"the template '{template.id}' has {number:,} combinations ({product_text}), more than"
            f" {MAX_COMBINATIONS:,}. Give fewer values, or split it",
            path=file.path,
            line=template.line,
        )
    return number


def _items(
    template: ItemTemplate, file: TemplateFile, filler: Filler, count: TemplateCounts
) -> Iterator[Item]:
    for records in product(*(file.slots[slot] for slot in template.slots)):
        chosen = dict(zip(template.slots, records, strict=True))
        columns = {slot: record.columns for slot, record in chosen.items()}
        if not all(c.holds(columns) for c in template.when) or any(
            c.holds(columns) for c in template.excluded
        ):
            count.excluded += 1
            continue
        filling = _Filling(filler, columns, file.path, count)
        record = {key: filling.value(value, key) for key, value in template.record.items()}
        record["id"] = "-".join([template.id, *(slot_record.name for slot_record in records)])
        record["note"] = _note(template, file, chosen, record.get("note", ""))
        yield item_from_record(
            record, path=file.path, line=template.line, langpair=file.header.langpair, author=file.author
        )


def _note(template: ItemTemplate, file: TemplateFile, chosen: Mapping[str, SlotRecord], own: str) -> str:
    values = ", ".join(f"{slot} {record.name}" for slot, record in chosen.items())
    origin = f"Template {template.id} of {PurePath(file.path).name}{': ' if values else ''}{values}"
    return f"{own} ({origin})" if own else origin


@dataclass(frozen=True, slots=True)
class _Filling:
    """Fills the values of one item."""

    filler: Filler
    columns: Mapping[str, Mapping[str, tuple[str, ...]]]
    path: str
    count: TemplateCounts

    def value(self, value: Any, key: str, *, within: str = "") -> Any:
        """Texts filled, in lists and mappings too; expressions that have nothing to look for are left out."""
        if isinstance(value, list):
            filled = [self.value(entry, key) for entry in value]
            return [entry for entry in filled if entry is not None]
        if isinstance(value, Mapping):
            record = {str(name): self.value(inner, key, within=str(name)) for name, inner in value.items()}
            return None if None in record.values() else record
        try:
            if key.endswith("_regex") and within in ("", "regex"):
                return self.filler.expression(str(value), self.columns)
            text = self.filler.text(str(value), self.columns)
        except NoFormError as error:
            if key.endswith("_regex"):
                self.count.empty_rules += 1
                return None
            raise InputError(str(error), path=self.path, line=line_of(value)) from None
        except ValueError as error:
            raise InputError(str(error), path=self.path, line=line_of(value)) from None
        return capitalized(text) if key in _SENTENCES else text


def _sampled(items: list[Item], number: int, seed: int) -> list[Item]:
    def rank(item: Item) -> str:
        return hashlib.sha256(f"{seed}\t{item.id}".encode()).hexdigest()

    chosen = {item.id for item in sorted(items, key=rank)[:number]}
    return [item for item in items if item.id in chosen]


def _doubtful(suite: Suite, report: Report) -> dict[str, str]:
    """References that the rules do not find correct; judging them also finds expressions that are wrong."""
    judge = Judge(suite)
    doubtful: dict[str, str] = {}
    for place, item in enumerate(suite.items):
        report("checking rules", place, len(suite.items))
        for kind in REGEX_FIELDS:
            for rule in getattr(item, kind):
                judge.pattern(item, rule)
        if not item.has_rules:
            continue
        statuses = [judge.judge(item, reference).status for reference in item.references]
        if wrong := [status for status in statuses if status != "correct"]:
            doubtful[item.id] = wrong[0]
    return doubtful
