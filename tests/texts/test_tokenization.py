"""Tokenised text is known by its signs, and plain text of any language has none."""

from __future__ import annotations

import pytest

from mtassay.nlp.identification import tokenization_of

PLAIN = [
    ["The dog, old and tired, sleeps.", "It costs 3.50, or so.", "No dots here"],
    ["Vous venez ? Oui : demain !", "« Non », dit-il.", "Elle dort, enfin."],
    ["他在 Paris 买了 iPhone 手机。", "今天天气很好，我们去散步。", "你好！"],
    ["วันนี้ อากาศ ดี มาก และ เรา ออกไป", "ไป เดิน เล่น กัน", "สวัสดี"],
    ["Use .NET or .5 of it.", "Files end in .txt , he said.", "Right.", "Yes, sir.", "Well."],
    ["write to a@b.example", "user_name", "R&D is AT&amp;T", "one", "two"],
    [],
    ["", None],
]


@pytest.mark.parametrize("texts", PLAIN)
def test_plain_text_has_no_sign(texts: list[str | None]) -> None:
    assert tokenization_of(texts * 4) is None


@pytest.mark.parametrize(
    ("texts", "what", "lines", "fix"),
    [
        (["The dog , it sleeps .", "It sleeps .", "No , never .", "Yes"], "spaces before commas", 3, "detok"),
        (["a well @-@ known dog", "it said &quot; no &quot;", "&apos;s"], "words split by Moses", 3, "detok"),
        (["the slee@@ ping dog", "un@@ related", "it ru@@ ns", "yes"], "pieces of BPE", 3, "sed -E"),
        (["▁the ▁slee ping ▁dog", "▁yes", "▁no"], "pieces of SentencePiece", 3, "tr -d"),
        (
            ["今天 天气 很 好 ，", "我们 去 公园 散步 。", "狗 在 那里 睡觉 。"],
            "between Chinese or Japanese",
            3,
            "tr -d",
        ),
    ],
)
def test_each_kind_of_tokenisation_is_named_with_its_lines_and_fix(
    texts: list[str], what: str, lines: int, fix: str
) -> None:
    found = tokenization_of(texts * 2)
    assert found is not None
    assert what in found.what
    assert (found.lines, fix in found.fix) == (2 * lines, True)


def test_a_few_tokenised_lines_make_no_tokenised_file() -> None:
    assert tokenization_of(["The dog , it sleeps ."] * 4) is None
    assert tokenization_of(["The dog , it sleeps ."] * 4 + ["It sleeps, and so does he."] * 6) is None
