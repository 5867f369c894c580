"""Editing suite files in place: what was asked for changes, and nothing else."""

from __future__ import annotations

import difflib
import multiprocessing
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import InputError, MtassayError, UsageError
from mtassay.data.formats.suite_files import add_items, add_rules, read_suite, set_fields
from mtassay.data.formats.suite_items import RULE_FIELDS, Item, Rule, RuleField

NEW = Item("new-1", "en-de", "Negation", "Scope", "Not all came.", positive_regex=(Rule("nicht alle"),))
HEAD = "# ours\nsuite: t\nlangpair: en-de   # both ways some day\n"
BODY = "category: Negation, phenomenon: Scope"


def lines_of(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def changes(old: str, new: str) -> list[str]:
    """The lines that went (-) and came (+)."""
    return [line.rstrip() for line in difflib.ndiff(lines_of(old), lines_of(new)) if line[0] in "-+"]


def edited(tmp_path: Path, text: str, *rules: tuple[str, str]) -> list[str]:
    path = tmp_path / "s.yaml"
    path.write_bytes(text.encode())
    add_rules(path, {"a": [(name, Rule(rule)) for name, rule in rules]})  # type: ignore[misc]
    return changes(text, path.read_bytes().decode())


LISTS = {
    "a block list": ("    positive_regex:\n      - one   # first\n    # behind\n", ["+       - two"]),
    "a block list that is not indented": ("    positive_regex:\n    - one\n", ["+     - two"]),
    "a list in brackets": (
        "    positive_regex: [one]   # c\n",
        ["-     positive_regex: [one]   # c", "+     positive_regex: [one, two]   # c"],
    ),
    "a list in brackets with a comma at its end": (
        "    positive_regex: [one, ]\n",
        ["-     positive_regex: [one, ]", "+     positive_regex: [one, two, ]"],
    ),
    "an empty list": (
        "    positive_regex: []\n",
        ["-     positive_regex: []", "+     positive_regex: [two]"],
    ),
    "a key without value": ("    positive_regex:   # none yet\n", ["+       - two"]),
    "one plain text": (
        "    positive_regex: one   # c\n",
        ["-     positive_regex: one   # c", "+     positive_regex:", "+       - one   # c", "+       - two"],
    ),
    "one mapping": (
        "    positive_regex: {regex: one, note: n}\n",
        [
            "-     positive_regex: {regex: one, note: n}",
            "+     positive_regex:",
            "+       - regex: one",
            "+         note: n",
            "+       - two",
        ],
    ),
    "a text of many lines": (
        "    positive_regex:\n      - |-\n        # one\n\n",
        ["+       - two"],
    ),
    "no list": ("", ["+     positive_regex:", "+       - two"]),
}


@pytest.mark.parametrize(("written", "expected"), LISTS.values(), ids=LISTS)
def test_a_rule_is_added_to(written: str, expected: list[str], tmp_path: Path) -> None:
    text = (
        f"{HEAD}items:\n  - id: a\n    category: N\n    phenomenon: S\n    source: x\n{written}    note: n\n"
    )
    text += "  # the next one\n  - id: b\n    category: N\n    phenomenon: S\n    source: y\n"
    assert edited(tmp_path, text, ("positive_regex", "two")) == expected


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("ending", ["", "\n"])
def test_a_rule_is_added_at_the_end_of_the_file(newline: str, ending: str, tmp_path: Path) -> None:
    text = f"{HEAD}items:\n- id: a\n  category: N\n  phenomenon: S\n  source: x{ending}".replace(
        "\n", newline
    )
    path = tmp_path / "s.yaml"
    path.write_bytes(text.encode())
    add_rules(path, {"a": [("negative_tokens", Rule("No: it is.", author="ana", date="2026-01-02"))]})
    assert path.read_bytes().decode().startswith(text)
    assert path.read_bytes().count(b"\r\n") == (path.read_bytes().count(b"\n") if newline == "\r\n" else 0)
    (item,) = read_suite(path).items
    assert item.negative_tokens == (Rule("No: it is.", author="ana", date="2026-01-02"),)


def test_an_item_in_braces_gets_new_lists_in_brackets(tmp_path: Path) -> None:
    text = f"{HEAD}items:\n  - {{id: a, {BODY}, source: x}}  # short\n"
    assert edited(tmp_path, text, ("positive_tokens", "Ja, gut."), ("negative_regex", "n")) == [
        f"-   - {{id: a, {BODY}, source: x}}  # short",
        f"+   - {{id: a, {BODY}, source: x, negative_regex: [n], positive_tokens: ['Ja, gut.']}}  # short",
    ]


ITEMS = {
    "an indented list": "items:\n  - id: a\n    category: N\n    phenomenon: S\n    source: x\n\n# the end\n",
    "a list that is not indented": "items:\n- id: a\n  category: N\n  phenomenon: S\n  source: x\n",
    "an empty list": "items: []   # none yet\n",
    "no list": "items:   # none yet\n",
    "a list in brackets": f"items: [{{id: a, {BODY}, source: x}}]\n",
    "a list before the header": f"items:\n  - {{id: a, {BODY}, source: x}}\nabout: later\n",
    "a list without a line end": f"items:\n  - {{id: a, {BODY}, source: x}}",
    "a byte order mark": "items: []\n",
}


@pytest.mark.parametrize("name", ITEMS)
def test_an_item_is_added_to(name: str, tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    mark = "\ufeff" if name == "a byte order mark" else ""
    text = mark + HEAD + ITEMS[name]
    path.write_text(text, encoding="utf-8")
    before = read_suite(path).items
    add_items(path, [NEW])
    assert read_suite(path).items == (*before, NEW)
    gone = [line for line in changes(text, path.read_text(encoding="utf-8")) if line[0] == "-"]
    only_list = {"an empty list": 1, "a list in brackets": 1, "a byte order mark": 1}
    assert len(gone) == only_list.get(name, 1 if name == "a list without a line end" else 0)
    assert "# the end" in path.read_text(encoding="utf-8") or "# the end" not in text
    assert path.read_text(encoding="utf-8").startswith(mark + HEAD)


def test_a_field_is_set_where_it_belongs(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    head = "items:\n- id: a\n  category: N\n  phenomenon: S\n  source: x\n"
    for written, expected in (
        ("  author: ana\n  tags: [t]\n", "  author: ana\n  approver: ben\n  tags: [t]\n"),
        ("  approver:   # who?\n", "  approver: ben   # who?\n"),
        ("  approver: 'eva'\n", "  approver: ben\n"),
    ):
        path.write_text(head + written, encoding="utf-8")
        set_fields(path, {"a": {"approver": "ben"}})
        assert path.read_text(encoding="utf-8") == head + expected


def test_an_item_with_new_rules_loses_its_approver_and_no_other_does(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    item = f"- {{id: %s, {BODY}, source: x, approver: eva}}\n"
    path.write_text(HEAD + "items:\n" + "".join(item % key for key in "abc"), encoding="utf-8")
    suite = add_rules(path, {"a": [("positive_tokens", Rule("Z."))], "b": []})
    assert [each.approver for each in suite.items] == ["", "eva", "eva"]
    assert [each.approver for each in read_suite(path).items] == ["", "eva", "eva"]


def test_a_dfki_file_is_not_edited(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text('{"items": []}', encoding="utf-8")
    with pytest.raises(UsageError, match="is only read"):
        add_rules(path, {})


def _plain(tmp_path: Path) -> Path:
    path = tmp_path / "plain.yaml"
    path.write_text(
        f"langpair: en-de\nitems:\n- {{id: a, {BODY}, source: x, positive_regex: one}}\n", encoding="utf-8"
    )
    return path


def test_what_cannot_be_edited_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    shared = f"langpair: en-de\nitems:\n- {{id: a, {BODY}, source: x, positive_regex: &r [one]}}\n"
    path.write_text(shared + f"- {{id: b, {BODY}, source: x, positive_regex: *r}}\n", encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(InputError, match="does not allow an edit"):
        add_rules(path, {"b": [("positive_regex", Rule("two"))]})
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["s.yaml"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda path: add_items(path, [NEW, NEW]), "There is an item 'new-1' already"),
        (lambda path: add_rules(path, {"c": []}), "No item 'c'"),
        (lambda path: add_rules("en-pt", {}), "comes with a language pack"),
        (lambda path: add_rules(path.with_name("no.yaml"), {}), "There is no suite file"),
    ],
)
def test_a_wrong_edit_says_so(call: object, message: str, tmp_path: Path) -> None:
    with pytest.raises(MtassayError, match=message):
        call(_plain(tmp_path))  # type: ignore[operator]


def test_the_mode_of_a_secret_file_stays(tmp_path: Path) -> None:
    path = _plain(tmp_path)
    path.chmod(0o600)
    add_items(path, [NEW])
    assert path.stat().st_mode & 0o777 == 0o600


def _add_many(path: Path, name: str) -> None:
    for number in range(25):
        add_rules(path, {"a": [("positive_tokens", Rule(f"{name} {number}"))]})


def test_two_processes_lose_nothing(tmp_path: Path) -> None:
    path = _plain(tmp_path)
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_add_many, args=(path, name)) for name in "xy"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    tokens = {rule.text for rule in read_suite(path).items[0].positive_tokens}
    assert tokens == {f"{name} {number}" for name in "xy" for number in range(25)}


TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp", "Cn"]), min_size=1
).filter(lambda text: text.strip() and "\ufeff" not in text and "\x85" not in text)
RULES = st.builds(Rule, TEXTS, note=st.just("") | TEXTS)


Line = tuple[tuple[str, str] | None, str]
"""A line with the item and list that it belongs to."""

VALUES = ["[]", "", "one", "[one, 'two']", "\nLIST", "[one,\n     two]", "|-\n     x\n     # y"]


@st.composite
def layouts(draw: st.DrawFn) -> list[Line]:
    """A suite of two items in some layout, with comments anywhere."""
    dash = draw(st.sampled_from(["", "  ", "    "]))
    lines: list[Line] = [(None, "langpair: en-de"), (None, "items:")]
    for item_id in "ab":
        fields: list[tuple[str, str]] = [("", f"id: {item_id}"), ("", "category: N")]
        fields += [("", "phenomenon: S"), ("", "source: 'x # y'")]
        approver = draw(st.sampled_from(["", "", "approver: eva", "approver: 'eva'   # in May"]))
        fields += [("approver", approver)] if approver else []
        for name in draw(st.lists(st.sampled_from(RULE_FIELDS), unique=True, max_size=3)):
            indent = dash + draw(st.sampled_from(["  ", "    "]))
            value = draw(st.sampled_from(VALUES)).replace("LIST", f"{indent}- one\n{indent}- two")
            fields.append((name, f"{name}: " + value.replace("\n     ", f"\n{dash}      ")))
        for place, (name, field) in enumerate(draw(st.permutations(fields))):
            text = f"{dash}{'  ' if place else '- '}{field}"
            lines += [((item_id, name) if name else None, line) for line in text.split("\n")]
            if comment := draw(st.sampled_from(["", "", "# a comment", "   # another", " "])):
                lines.append((None, comment))
    return lines + draw(st.sampled_from([[], [(None, "")], [(None, "# the end"), (None, "")]]))


@given(
    layouts(),
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(RULE_FIELDS), RULES), min_size=1, max_size=4),
)
def test_random_edits_keep_all_other_lines(
    lines: list[Line], added: list[tuple[str, RuleField, Rule]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.yaml"
        path.write_text("\n".join(line for _, line in lines), encoding="utf-8", newline="")
        before = read_suite(path)
        new = {key: [(kind, rule) for k, kind, rule in added if k == key] for key, _, _ in added}
        add_rules(path, new)
        after = read_suite(path)
        written = iter(path.read_bytes().decode().split("\n"))
    for item, now in zip(before.items, after.items, strict=True):
        assert now.approver == ("" if item.id in new else item.approver)
        for name in RULE_FIELDS:
            rules = tuple(rule for kind, rule in new.get(item.id, []) if kind == name)
            assert getattr(now, name) == (*getattr(item, name), *rules)
    touched = {(key, kind) for key, rule, _ in added for kind in (rule, "approver")}
    # Each of these lines is still there, in this order: `in` takes an iterator as far as it must.
    assert all(line in written for owner, line in lines if owner not in touched)
