"""Makes the items of templates: each combination of slots once, in the order of the file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import product
from math import prod
from pathlib import Path, PurePath
from typing import Any

from mtassay.data.display import Table
from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.suite_files import read_suite
from mtassay.data.formats.suite_items import (
    REGEX_FIELDS,
    RULE_FIELDS,
    Item,
    Suite,
    item_from_record,
    suite_from_header,
)
from mtassay.data.formats.textfiles import FilePath, check_columns, decode, read_bytes, read_lines, shown
from mtassay.data.marks import plural
from mtassay.methods.suite.rule_judge import Judge
from mtassay.methods.suite.template_filling import Filler, Inflector, NoFormError, capitalized
from mtassay.methods.suite.templates import (
    Condition,
    FormTable,
    InflectedForm,
    ItemTemplate,
    LocatedDict,
    SlotRecord,
    TemplateFile,
    features_of,
    line_of,
    load,
    parse_condition,
    plain,
    slots_in,
    slug,
    unique_slugs,
)

__all__ = [
    "MAX_COMBINATIONS",
    "MAX_ITEMS",
    "GeneratedSuite",
    "Kept",
    "TemplateCounts",
    "carry_over",
    "generate",
    "keep_work",
    "read_templates",
    "templates_from_text",
]

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
            f"the templates make more than {most:,} items. Take fewer with `sample=N`, give fewer"
            " values, or allow more with `max_items`",
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


_HEADER = ("suite", "langpair", "about", "match", "macros")
_OWN = ("author", "category", "slots", "tables", "when", "except", "templates")
_TEMPLATE = (*(field.name for field in fields(Item) if field.name not in ("extra", "line")), "when", "except")
_DEFAULTS = ("category", "author", "langpair")
"""Keys of an item that may stand once at the top, for all templates that do not say otherwise."""


def read_templates(path: FilePath) -> TemplateFile:
    """The template file; slots and tables in files of their own are looked for beside it."""
    name = shown(path)
    return templates_from_text(decode(read_bytes(path), name), path=name, folder=Path(path).parent)


def templates_from_text(text: str, *, path: str, folder: Path = Path()) -> TemplateFile:
    """The template file in a YAML text; `path` is for messages and notes."""
    reader = _Reader(path, folder)
    return reader.file(load(text, path=path))


class _Reader:
    """Knows where it is reading, for messages and for files beside it."""

    def __init__(self, path: str, folder: Path) -> None:
        self._path, self._folder = path, folder

    def _wrong(self, what: str, where: object = None) -> InputError:
        return InputError(what, path=self._path, line=line_of(where))

    def file(self, content: Any) -> TemplateFile:
        if not isinstance(content, LocatedDict) or not isinstance(content.get("templates"), list):
            raise InputError(
                "this is no template file: it needs a list 'templates:'", path=self._path, line=1
            )
        self._check(content, (*_HEADER, *_OWN), "a template file")
        header = {key: plain(value) for key, value in content.items() if key in _HEADER}
        suite = suite_from_header(header, (), path=self._path)
        slots = {
            str(name): self._slot(str(name), value) for name, value in self._mapping(content, "slots").items()
        }
        tables = {
            str(name): self._table(str(name), value)
            for name, value in self._mapping(content, "tables").items()
        }
        columns = {name: frozenset(c for r in records for c in r.columns) for name, records in slots.items()}
        when = self._conditions(content.get("when"), columns)
        excluded = self._conditions(content.get("except"), columns)
        defaults = {key: content[key] for key in _DEFAULTS if key in content}
        templates = [
            self._template({**defaults, **self._record(entry)}, entry, columns, when, excluded)
            for entry in content["templates"]
        ]
        ids: set[str] = set()
        for template in templates:
            if template.id in ids:
                raise InputError(
                    f"two templates have the id '{template.id}'. Give one its own 'id:'",
                    path=self._path,
                    line=template.line,
                )
            ids.add(template.id)
        return TemplateFile(suite, slots, tables, templates, str(content.get("author", "")), self._path)

    def _check(self, record: LocatedDict, keys: Sequence[str], what: str) -> None:
        if unknown := [key for key in record if key not in keys]:
            raise self._wrong(
                f"{what} has no '{unknown[0]}'. Available: {', '.join(keys)}", record[unknown[0]] or record
            )

    def _mapping(self, content: LocatedDict, key: str) -> Mapping[str, Any]:
        value = content.get(key) or {}
        if not isinstance(value, Mapping):
            raise self._wrong(f"'{key}' must map names to values", value)
        return value

    def _record(self, entry: Any) -> LocatedDict:
        if not isinstance(entry, LocatedDict):
            raise self._wrong("a template must be a mapping with phenomenon, source and rules", entry)
        self._check(entry, _TEMPLATE, "a template")
        return entry

    def _slot(self, name: str, value: Any) -> tuple[SlotRecord, ...]:
        if isinstance(value, str):
            rows = [columns for _, columns in self._rows(value)]
        elif isinstance(value, list):
            rows = [self._columns(name, entry) for entry in value]
        else:
            raise self._wrong(f"the slot '{name}' must be a list, or the name of a .tsv file", value)
        if not rows:
            raise self._wrong(f"the slot '{name}' has no values", value)
        names = unique_slugs([columns.get("id") or next(iter(columns.values())) for columns in rows])
        return tuple(SlotRecord(*named) for named in zip(names, rows, strict=True))

    def _columns(self, slot: str, entry: Any) -> dict[str, tuple[str, ...]]:
        if isinstance(entry, str):
            return {"text": (str(entry),)}
        if not isinstance(entry, LocatedDict) or not entry:
            raise self._wrong(f"a value of the slot '{slot}' must be a text or a mapping of columns", entry)
        columns = {}
        for key, value in entry.items():
            forms = value if isinstance(value, list) else [value]
            if not forms or not all(isinstance(form, str) for form in forms):
                raise self._wrong(
                    f"'{key}' of the slot '{slot}' must be a text or a list of texts", value or entry
                )
            columns[str(key)] = tuple(map(str, forms))
        return columns

    def _rows(self, name: str) -> Iterator[tuple[int, dict[str, tuple[str, ...]]]]:
        """The rows of a TSV file with a header; `|` separates forms, an empty cell is no column."""
        path = self._folder / name
        if not path.exists():
            raise self._wrong(f"there is no file {path}", name)
        header, *lines = read_lines(path)
        keys = header.split("\t")
        check_columns(keys, path)
        for number, line in enumerate(lines, 2):
            cells = line.split("\t")
            if len(cells) != len(keys):
                raise InputError(f"{len(cells)} columns, expected {len(keys)}", path=path, line=number)
            if filled := {k: tuple(c.split("|")) for k, c in zip(keys, cells, strict=True) if c}:
                yield number, filled

    def _table(self, name: str, value: Any) -> FormTable:
        entries: dict[str, list[InflectedForm]] = {}
        if isinstance(value, str):
            for number, row in self._rows(value):
                if missing := [key for key in ("lemma", "features", "form") if key not in row]:
                    raise InputError(
                        f"no '{missing[0]}': a table has the columns lemma, features, form",
                        path=self._folder / value,
                        line=number,
                    )
                features = features_of(row["features"][0])
                entries.setdefault(row["lemma"][0], []).extend(
                    InflectedForm(features, form) for form in row["form"]
                )
        elif isinstance(value, LocatedDict):
            for lemma, forms in value.items():
                entries[str(lemma)] = list(self._entries(name, forms, frozenset()))
        else:
            raise self._wrong(f"the table '{name}' must map lemmas to forms, or name a .tsv file", value)
        return FormTable(name, entries)

    def _entries(self, table: str, value: Any, features: frozenset[str]) -> Iterator[InflectedForm]:
        """Forms under their features; mappings within mappings add up their features."""
        if isinstance(value, LocatedDict):
            for key, inner in value.items():
                yield from self._entries(table, inner, features | features_of(str(key)))
            return
        for form in value if isinstance(value, list) else [value]:
            if not isinstance(form, str) or not features:
                raise self._wrong(f"the table '{table}' must be lemma: {{features: form}}", form or value)
            yield InflectedForm(features, str(form))

    def _conditions(self, value: Any, columns: Mapping[str, frozenset[str]]) -> tuple[Condition, ...]:
        conditions = []
        for text in value if isinstance(value, list) else [value] if value else []:
            if not isinstance(text, str):
                raise self._wrong("a condition must be a text: slot.column = value", text)
            try:
                conditions.append(parse_condition(text, columns))
            except ValueError as error:
                raise self._wrong(str(error), text) from None
        return tuple(conditions)

    def _template(
        self,
        record: dict[str, Any],
        entry: LocatedDict,
        columns: Mapping[str, frozenset[str]],
        when: tuple[Condition, ...],
        excluded: tuple[Condition, ...],
    ) -> ItemTemplate:
        own_when = self._conditions(record.pop("when", None), columns)
        own_excluded = self._conditions(record.pop("except", None), columns)
        for key in ("source", "phenomenon", "category"):
            if not isinstance(record.get(key), str) or not record[key].strip():
                raise self._wrong(f"a template has no text '{key}'", entry)
        asked = [
            *self._slots_of(record.get("source"), columns),
            *self._slots_of(record.get("context"), columns),
        ]
        used = dict.fromkeys((*asked, *self._slots_of(record, columns)))
        for condition in (*own_when, *own_excluded):
            if strange := sorted(condition.slots - set(used)):
                raise self._wrong(
                    f"a condition speaks of '{strange[0]}', which the template does not use", entry
                )
        shared = frozenset(used)
        return ItemTemplate(
            str(record.pop("id", "")) or slug(record["phenomenon"]),
            record,
            tuple(used),
            (*(c for c in when if c.slots <= shared), *own_when),
            (*(c for c in excluded if c.slots <= shared), *own_excluded),
            entry.line,
        )

    def _slots_of(self, value: Any, columns: Mapping[str, frozenset[str]]) -> Iterator[str]:
        """The slots used anywhere in a value."""
        if isinstance(value, str):
            try:
                yield from slots_in(str(value), tuple(columns))
            except ValueError as error:
                raise self._wrong(str(error), value) from None
        elif value:
            for inner in value.values() if isinstance(value, Mapping) else value:
                yield from self._slots_of(inner, columns)


@dataclass(frozen=True, slots=True)
class Kept:
    """The new suite with what people added to the old one.

    `items` are how many of them carry something over; `lost` are the ids of old items that hold work of
    people and that the templates do not make any more, with the same source.
    """

    suite: Suite
    items: int = 0
    lost: tuple[str, ...] = ()


def carry_over(old: Suite, new: Suite) -> Kept:
    """What people added: tokens, rules with a date, items held back, and approvals of what did not change.

    Items are the same if id and source are. Items of the old suite that no template made are people's work.
    """
    old_by_id = {item.id: item for item in old.items}
    new_by_id = {item.id: item for item in new.items}
    items = []
    changed = 0
    for item in new.items:
        old_item = old_by_id.get(item.id)
        kept = _kept(old_item, item) if old_item and old_item.source == item.source else item
        changed += kept != item
        items.append(kept)
    lost = [
        item.id
        for item in old.items
        if _is_work(item) and (item.id not in new_by_id or new_by_id[item.id].source != item.source)
    ]
    return Kept(replace(new, items=tuple(items)), changed, tuple(lost))


def keep_work(path: Path, new: Suite) -> Kept:
    """What people added to the suite in a file, put into the new one; work that would be lost is refused."""
    kept = carry_over(read_suite(path), new)
    if kept.lost:
        raise UsageError(
            f"{path}: work of people is in {plural(len(kept.lost), 'item')} no longer made "
            f"({', '.join(kept.lost[:3])}{'…' if len(kept.lost) > 3 else ''}). Write to another file, "
            "or drop it with `overwrite`."
        )
    return kept


def _kept(old: Item, new: Item) -> Item:
    rules: dict[str, Any] = {
        name: (*getattr(new, name), *(r for r in getattr(old, name) if _is_added(name, r, new)))
        for name in RULE_FIELDS
    }
    item = replace(new, **rules, public=new.public and old.public)
    return replace(item, approver=old.approver) if replace(item, approver=old.approver) == old else item


def _is_added(name: str, rule: Any, new: Item) -> bool:
    return (name.endswith("tokens") or bool(rule.date)) and rule not in getattr(new, name)


def _is_work(item: Item) -> bool:
    """Whether a person wrote the item, settled one of its outputs, or approved it."""
    if not ("Template " in item.note and " of " in item.note):
        return True
    tokens = item.positive_tokens or item.negative_tokens
    dated = any(rule.date for name in RULE_FIELDS for rule in getattr(item, name))
    return bool(item.approver or tokens or dated)
