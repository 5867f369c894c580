"""The checks of a filled pair, one by one, and the blocklist."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from mtassay.data.errors import InputError
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Edit, apply_edits
from mtassay.methods.behavior.capability import Capability
from mtassay.methods.behavior.infiller import Filled, Masked
from mtassay.methods.behavior.objections import REASONS, Blocklist, case_key, objection, read_blocklist, told
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair
from mtassay.nlp.annotation import Annotation
from tests.methods.behavior.infill.build import BOTH, EN_PT, SHOP, masked


def filled(one: Masked, source: str, reference: str, *, adapted: str | None = None) -> Filled:
    """The masked pair with these words in its first place."""
    span = one.spans[0]
    texts = one.pair.source.text, one.pair.reference.text
    here = Edit(span.start, span.end, texts[0][span.start : span.end], source)
    there = Edit(
        span.reference_start,
        span.reference_end,
        texts[1][span.reference_start : span.reference_end],
        reference,
    )
    whole = adapted or apply_edits(texts[1], [there])
    return Filled(one, apply_edits(texts[0], [here]), whole, (here,), () if adapted else (there,))


ZH = masked("The shop on the corner sells old books.", "街角的商店卖旧书。", ("shop", "商店"))
ARTICLE = masked("He has a shop there.", "Ele tem uma loja lá.", ("shop", "loja"))
EN_ZH = parse_pair("en-zh")


@pytest.mark.parametrize(
    ("one", "source", "reference", "why"),
    [
        (SHOP, "inn", "pousada", None),
        (SHOP, "big hotel", "grande pousada", None),
        (SHOP, "<mask>", "pousada", "mask left"),
        (SHOP, "inn", "[MASK]", "mask left"),
        (SHOP, "SHOP", "pousada", "source unchanged"),
        (SHOP, "inn", "Loja", "reference unchanged"),
        (SHOP, "inn", "", "reference not filled"),
        (SHOP, "inn", ",", "reference not filled"),
        (SHOP, "商店", "pousada", "other language"),
        (SHOP, "inn", "гостиница", "other language"),
        (ZH, "market", "市场", None),
        (ZH, "market", "market", "other language"),
        (ZH, "IKEA", "IKEA", None),
        (SHOP, "inn is", "pousada", "not fluent"),
        (ARTICLE, "hotel", "pousada", None),
        (ARTICLE, "inn", "pousada", "not fluent"),
        (SHOP, "inn", "pousada fica", "not fluent"),
        (SHOP, "inn " + "that nobody has ever seen " * 4, "pousada", "not fluent"),
        (SHOP, "inn", "pousada " + "que ninguém jamais viu " * 4, "not fluent"),
    ],
)
def test_each_fault_has_its_name(one: Masked, source: str, reference: str, why: str | None) -> None:
    assert objection(filled(one, source, reference), pair=EN_ZH if one is ZH else EN_PT) == why
    assert why is None or why in REASONS


def test_a_reference_in_the_wrong_language_is_seen_without_its_script() -> None:
    wrong = filled(SHOP, "inn", "", adapted="The small inn is very near the river.")
    assert objection(wrong, pair=EN_PT) == "other language"
    assert objection(wrong) is None


@pytest.mark.parametrize(
    "changed",
    [
        Filled(SHOP, "An inn is near the river.", "A pousada", (Edit(4, 8, "shop", "inn"),)),
        Filled(SHOP, "An inn is near the river.", "A pousada", (Edit(0, 8, "The shop", "An inn"),)),
        Filled(
            SHOP, "The shop is near the sea.", "A loja fica perto do mar.", (Edit(21, 26, "river", "sea"),)
        ),
        Filled(SHOP, "The inn is near the river.", "A pousada", (Edit(4, 8, "ship", "inn"),)),
        Filled(SHOP, "The inn is near the river.", "A pousada", ()),
    ],
)
def test_a_source_that_changed_elsewhere_is_seen(changed: Filled) -> None:
    assert objection(changed) == "source changed elsewhere"


def test_one_of_several_masks_may_not_stay_as_it_was() -> None:
    changes = (Edit(4, 8, "shop", "inn"), Edit(21, 26, "river", "river"))
    same = Filled(BOTH, "The inn is near the river.", "A pousada fica perto do rio.", changes)
    assert objection(same) == "source unchanged"


class OneWord(Capability):
    """Only single words will do."""

    name = "one word"

    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        return list(aligned)

    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        return "a word"

    def objection(
        self, edited: Annotation, changes: Sequence[Edit], *, original: Annotation | None = None
    ) -> str | None:
        return "two words" if any(" " in change.after for change in changes) else None


def test_the_capability_is_asked_about_the_edited_source() -> None:
    two = filled(SHOP, "old inn", "velha pousada")
    read = Annotation(two.source)
    assert objection(two, OneWord(), source_annotation=read) == "not the capability"
    assert objection(two, OneWord()) is None
    assert objection(filled(SHOP, "inn", "pousada"), OneWord(), source_annotation=read) is None


def test_a_blocked_word_on_either_side_is_found() -> None:
    blocked = Blocklist.of(["Inn"])
    assert objection(filled(SHOP, "inn", "pousada"), blocked=blocked) == "blocked word"
    assert objection(filled(SHOP, "hotel", "inn"), blocked=blocked) == "blocked word"
    assert objection(filled(SHOP, "winner", "hotel"), blocked=blocked) is None


def test_a_case_that_exists_is_not_made_again() -> None:
    inn = filled(SHOP, "inn", "pousada")
    assert objection(filled(SHOP, "Inn", "estalagem"), case_keys={case_key(inn)}) == "same as another case"
    assert objection(filled(SHOP, "hotel", "pousada"), case_keys={case_key(inn)}) is None


def test_every_reason_can_be_told_to_a_model() -> None:
    for reason in (*REASONS, "reply not understood", "reference adapted too much", "anything"):
        assert told(reason, SHOP, EN_PT).endswith((".", ">", "river.", "rio."))
    assert '"shop"' in told("source unchanged", SHOP, EN_PT)


def test_a_blocklist_is_a_file_of_words(tmp_path: Path) -> None:
    path = tmp_path / "blocked.txt"
    path.write_text("# our own\n\nDarn\nbad  luck\n坏话\n", encoding="utf-8")
    blocked = read_blocklist(path)
    assert blocked.words == ("darn", "bad luck", "坏话")
    assert [blocked.word_in(text) for text in ("such bad\nluck", "ＤＡＲＮ!", "darned", "说坏话")] == [
        "bad luck", "darn", None, "坏话",
    ]  # fmt: skip


def test_a_blocklist_without_words_is_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "blocked.txt"
    path.write_text("# nothing\n", encoding="utf-8")
    with pytest.raises(InputError, match="there is no word in it"):
        read_blocklist(path)
