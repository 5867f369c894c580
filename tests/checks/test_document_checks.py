"""Checks over a document: what is found, what is not, and that both places are marked."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtassay.app.library import check
from mtassay.data.registry import find
from mtassay.measures.check import Alarm, CheckContext, Unit

Texts = list[tuple[str, str]]


def units(texts: Texts) -> list[Unit]:
    return [Unit(str(i), output, source, document="a") for i, (source, output) in enumerate(texts)]


def alarms(name: str, pair: str, texts: Texts) -> list[Alarm]:
    return list(find("check", name)().find(units(texts), CheckContext(*pair.split("-"))))


WRONG: list[tuple[str, str, Texts, str, str]] = [
    (
        "number-drift",
        "en-cs",
        [("1.35 t", "1,35 t"), ("2.5 t", "2,5 t"), ("4.75 t", "4.75 t")],
        "4.75",
        "1,35",
    ),
    (
        "number-drift",
        "en-de",
        [("62,985 people", "62.985 Leute"), ("10,000 t", "10.000 t"), ("177,000", "177 000")],
        "177 000",
        "62.985",
    ),
    (
        "list-drift",
        "en-fr",
        [("- milk", "• lait"), ("- bread", "• pain"), ("- eggs", "- œufs")],
        "-",
        "•",
    ),
    (
        "repeated-sentence",
        "en-es",
        [
            ("The harbour was closed all winter.", "El puerto estuvo cerrado todo el invierno."),
            ("Nobody sold fish.", "El puerto estuvo cerrado todo el invierno. Nadie vendía."),
        ],
        "El puerto estuvo cerrado todo el invierno.",
        "El puerto estuvo cerrado todo el invierno.",
    ),
    (
        "narration-drift",
        "en-es",
        [
            ("He was old.", "Era viejo."),
            ("He had a dog.", "Tenía un perro."),
            ("It went.", "Se fue, era tarde."),
            ("She was late.", "Ella va tarde."),
        ],
        "va",
        "Era",
    ),
    (
        "narration-drift",
        "en-de",
        [
            ("He lost his hat.", "Er verlor den Hut."),
            ("She found it.", "Sie fand ihn."),
            ("He thanked her.", "Er dankte ihr."),
            ("She kept his hat.", "Sie behielt meinen Hut."),
        ],
        "meinen",
        "E",
    ),
    (
        "gender-drift",
        "en-cs",
        [
            ("I went.", "Šla jsem domů."),
            ("I slept.", "Dlouho jsem spala."),
            ("I ate.", "Snědla jsem to."),
            ("I wrote.", "Napsal jsem dopis."),
        ],
        "Napsal jsem",
        "Šla jsem",
    ),
    (
        "gender-drift",
        "en-pl",
        [("Nela stood up.", "Nela wstała."), ("Nela left.", "Nela wyjechała."), ("Nela ate.", "Nela zjadł.")],
        "Nela zjadł",
        "Nela wstała",
    ),
    (
        "name-drift",
        "en-es",
        [
            ("RFS was long.", "La RFS fue larga."),
            ("RFS fell.", "La RFS cayó."),
            ("RFS ended.", "La SRF acabó."),
        ],
        "SRF",
        "RFS",
    ),
    (
        "name-drift",
        "en-de",
        [("Then Tokavev spoke.", "Dann sprach Tokavev."), ("He met Tokavev.", "Er traf Tokajew.")],
        "Tokajew",
        "Tokavev",
    ),
    (
        "address-drift",
        "en-de",
        [("Do you hear?", "Hören Sie?"), ("Wait.", "Warten Sie."), ("You know.", "Weißt du.")],
        "du",
        "Hören Sie",
    ),
]


@pytest.mark.parametrize(("name", "pair", "texts", "here", "there"), WRONG)
def test_what_one_text_does_otherwise_is_found_and_both_places_are_marked(
    name: str, pair: str, texts: Texts, here: str, there: str
) -> None:
    (alarm,) = alarms(name, pair, texts)
    own, other = (mark for mark in alarm.marks if mark.side == "output")
    assert alarm.index == len(texts) - 1
    assert texts[alarm.index][1][own.start : own.end].strip() == here
    assert other.index is not None
    assert texts[other.index][1][other.start : other.end].strip() == there


RIGHT: list[tuple[str, str, Texts]] = [
    # A release of a program is written as it is; four digits need no mark.
    ("number-drift", "en-de", [("1.5 m", "1,5 m"), ("2.5 m", "2,5 m"), ("SPSS 22.0", "SPSS 22.0")]),
    ("number-drift", "en-de", [("62,985", "62.985"), ("10,000", "10.000"), ("1,200", "1200")]),
    ("list-drift", "en-de", [("1. A", "1. A"), ("2. B", "2. B"), ("See 3. B", "Siehe 3. B")]),
    # The source says it twice, too.
    ("repeated-sentence", "en-de", [("The door is closed today.", "Die Tür ist heute geschlossen.")] * 2),
    # Reported speech has its own tense, and German tells the past with "hat", too.
    (
        "narration-drift",
        "en-de",
        [
            ("He was old.", "Er war alt."),
            ("He had it.", "Er hatte es."),
            ("He was in.", "Er war drin."),
            ("He said that it was late.", "Er sagte, dass es spät wird, und geht."),
            ("It was.", "Es hat."),
        ],
    ),
    # Another person is another person, and a name that is no subject agrees with nothing.
    ("gender-drift", "en-cs", [("Ana sat.", "Ana seděla."), ("Petr sat.", "Petr seděl.")] * 2),
    (
        "gender-drift",
        "en-cs",
        [
            ("Ana sat.", "Ana seděla."),
            ("Ana ate.", "Ana jedla."),
            ("He saw Ana.", "Petr ji pak u Ana viděl."),
        ],
    ),
    # A word of the language is a translation; an abbreviation of something else is no drift.
    (
        "name-drift",
        "en-de",
        [("The Wagner Group left.", "Die Wagner Group ging."), ("A Group", "Die Gruppe")],
    ),
    (
        "name-drift",
        "en-es",
        [("NAC in RCTs", "ECA con QNA"), ("NAC helps", "La NAC ayuda"), ("NAC stays", "La NAC queda")],
    ),
    # Two people talk.
    (
        "address-drift",
        "en-de",
        [
            ("(ANNA) Do you hear?", "(ANNA) Hören Sie?"),
            ("(ANNA) Wait.", "(ANNA) Warten Sie."),
            ("(BEN) You know.", "(BEN) Weißt du."),
        ],
    ),
]


@pytest.mark.parametrize(("name", "pair", "texts"), RIGHT)
def test_what_the_source_explains_is_no_alarm(name: str, pair: str, texts: Texts) -> None:
    assert not alarms(name, pair, texts)


def test_another_document_decides_for_itself() -> None:
    texts = [Unit(str(i), o, s, document="ab"[i == 2]) for i, (s, o) in enumerate(WRONG[0][2])]
    assert not list(find("check", "number-drift")().find(texts, CheckContext("en", "cs")))


def test_a_finding_shows_the_other_place_with_its_text(tmp_path: Path) -> None:
    sources, outputs = zip(*WRONG[0][2], strict=True)
    # A text without an answer does not move the places.
    (tmp_path / "documents.txt").write_text("a\n" * 4, "utf-8")
    run = check(
        systems={"nmt": ["", *outputs]},
        source=["Hello.", *sources],
        langpair="en-cs",
        documents=tmp_path / "documents.txt",
        checks="number-drift",
        save=False,
    )
    (finding,) = [finding for finding in run.findings if finding.verdict == "fail"]
    assert finding.evidence["marks"][1] == {"side": "output", "start": 0, "end": 4, "id": "2"}
    (block,) = run.blocks()
    shown = {line.label: (line.text, list(line.marks)) for line in block.lines}
    assert shown["output"] == ("4.75 t", [(0, 4)])
    assert shown["compare"] == ("1,35 t", [(0, 4)])


@pytest.mark.parametrize(
    ("pair", "source", "output", "words"),
    [
        ("en-zh", "She sold her boat.", "他卖了船。", ("She", "他")),
        ("zh-en", "他回家了。", "She went home.", ("他", "She")),
        ("en-ja", "He waited.", "彼女は待った。", ("He", "彼女")),
    ],
)
def test_a_pronoun_of_the_other_gender_is_marked_in_both_languages(
    pair: str, source: str, output: str, words: tuple[str, str]
) -> None:
    (alarm,) = alarms("gender-drift", pair, [(source, output), ("Yes.", "是。")])
    texts = {"source": source, "output": output}
    assert tuple(texts[mark.side][mark.start : mark.end] for mark in alarm.marks) == words


def test_whoever_replies_may_be_somebody_else() -> None:
    said = [("I went.", "Šla jsem."), ("I slept.", "Spala jsem."), ("I ate.", "Jedla jsem.")]
    assert alarms("gender-drift", "en-cs", [*said, ("I wrote.", "Psal jsem.")])
    assert not alarms("gender-drift", "en-cs", [*said, ("@anna I wrote.", "@anna Psal jsem.")])
