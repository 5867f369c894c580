"""The examples of docs/extending.md work as they are, in a package of their own."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

import mtassay as mt
from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.segment_files import read_stream
from mtassay.data.formats.test_sets import read_test_set
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Edit, Segment
from mtassay.data.registry import find, names
from mtassay.data.run_view import RunView
from mtassay.methods.behavior.capability import open_capability
from mtassay.methods.behavior.infiller import Filled, Masked, infiller_names, open_infiller
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair
from mtassay.methods.behavior.recipe import Recipe
from mtassay.methods.engine import execute
from mtassay.methods.invariance.invariance_answers import variant_of
from mtassay.methods.invariance.invariance_method import InvarianceMethod
from mtassay.methods.invariance.substitutes import open_substituter
from mtassay.methods.invariance.variants import VariantSettings, generate
from mtassay.nlp.annotators import open_annotator
from mtassay.nlp.links import aligner_names, open_aligner
from mtassay.systems.roster import Stored
from tests.fake_annotator import FakeAnnotator
from tests.methods.behavior.fakes import Memory

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "extending.md").read_text(encoding="utf-8")
ORIGINAL = Segment("1", "Good morning.")
SEGMENTS = [ORIGINAL, variant_of(ORIGINAL, Edit(5, 12, "morning", "day"), 1)._replace(id="1/x")]


def code_of(heading: str) -> str:
    """The example of a section."""
    [code] = re.findall(r"```python\n(.*?)```", section_of(heading), re.DOTALL)
    return str(code)


def section_of(heading: str) -> str:
    return PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def install(heading: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes a package of the code and the entry points of a section, as `pip install` would."""
    [points] = re.findall(r"```toml\n(.*?)```", section_of(heading), re.DOTALL)
    written = ""
    for group, values in tomllib.loads(points)["project"]["entry-points"].items():
        for name, value in values.items():
            module = value.partition(":")[0]
            path = folder / f"{module.replace('.', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(code_of(heading), encoding="utf-8")
            written += f"[{group}]\n{name} = {value}\n"
            for part in (module, module.partition(".")[0]):
                monkeypatch.delitem(sys.modules, part, raising=False)
    info = folder / "my_package-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1\n")
    (info / "entry_points.txt").write_text(written)
    monkeypatch.syspath_prepend(str(folder))


def test_the_metric_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install("A metric", tmp_path, monkeypatch)
    run = mt.score({"a": ["One two.", "Three."]}, [["One.", "Three."]], metrics="length", samples=100)
    assert run.result.scores[0].value == 150.0


def test_the_system_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install("A system", tmp_path, monkeypatch)
    found = mt.translate(["Hi there"], "shout:!!", langpair="en-pt", workspace=tmp_path / "w.db")
    assert found == ["HI THERE!!"]


def test_the_method_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install("A method", tmp_path, monkeypatch)
    run = mt.run("lengths", ["One two three.", "Four."], {"a": ["Um.", "Quatro."]}, ratio=0.4)
    assert [(finding.case_id, finding.verdict) for finding in run.findings] == [("1", "fail"), ("2", "pass")]
    assert "short     50" in str(run)


def test_a_run_shows_itself_through_the_view_of_its_method(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("A method", tmp_path, monkeypatch)
    run = mt.run("lengths", ["One two three.", "Four."], {"a": ["Um.", "Quatro."]}, ratio=0.4)
    made: dict[str, type[RunView]] = {}
    exec(code_of("The view of a method"), made)
    monkeypatch.setattr(find("method", "lengths"), "view", made["LengthsView"])
    assert [table.rows for table in run.tables()] == [[["a", "50.0 %"]]]
    assert "too short" in str(run)
    assert run.headlines(), "all else is as for every method"


def test_the_language_tool_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install("A language tool", tmp_path, monkeypatch)
    assert names("annotator")[-1] == "blanks"
    annotator = open_annotator("cy", needs=["tokens"], name="blanks")
    [found] = annotator.annotate(["Bore da."])
    assert [(token.text, token.start, token.end) for token in found.tokens] == [("Bore", 0, 4), ("da.", 5, 8)]


def test_the_word_aligner_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install("A word aligner", tmp_path, monkeypatch)
    assert aligner_names()[-1] == "same-word"
    aligner = open_aligner("cs-en", name="same-word")
    assert aligner.align([(["Praha", "1989"], ["In", "1989"]), ([], ["x"])]) == [{(1, 1)}, set()]
    with pytest.raises(UsageError, match=r"No word aligner 'same-word:x'\. Available: table, "):
        open_aligner("cs-en", name="same-word:x")


def test_the_capability_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install("A capability", tmp_path, monkeypatch)
    assert names("capability")[-1] == "acronym"
    assert Recipe.resolve({"capabilities": "abbreviation,noun", "no_filter": True}).capabilities == (
        *("acronym", "noun"),
    )
    capability = open_capability("acronym")
    [source] = FakeAnnotator("en").annotate(["He left NATO"])
    pair = ReadPair("1", source, source, frozenset())
    places = [AlignedSpan(0, 2, 0, 2, "PRON", 0), AlignedSpan(8, 12, 8, 12, "PROPN", 2)]
    assert capability.spans(pair, places) == places[1:]
    assert capability.instruction(pair, places[1]) == 'an acronym other than "NATO"'
    assert capability.objection(source, [Edit(8, 12, "NATO", "Rome")]) == '"Rome" is no acronym'
    assert capability.objection(source, [Edit(8, 12, "NATO", "OPEC")]) is None


def test_the_infiller_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install("An infiller", tmp_path, monkeypatch)
    assert infiller_names()[-1] == "same:WORD"
    infiller = open_infiller("same:OK", parse_pair("en-pt"), Memory())
    source, reference = FakeAnnotator("en").annotate(["Go to bed", "Vai dormir"])
    pair = ReadPair("1", source, reference, frozenset())
    masked = Masked(pair, "noun", (AlignedSpan(6, 9, 4, 10, "NOUN", 2),), ("a noun",))
    [answer] = infiller.fill([masked])
    assert (answer.masked, infiller.signature) == (masked, "same:OK")
    assert isinstance(answer, Filled)
    assert (answer.source, answer.reference) == ("Go to OK", "Vai OK")


def test_the_structure_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install("A structure", tmp_path, monkeypatch)
    assert names("structure")[-1] == "marks"
    given = {"pair": "en-cy", "structure": "marks", "preset": "sure", "checks": ()}
    method = InvarianceMethod.resolve(given)
    assert (method.threshold, method.detector) == (3, "invariance:marks")
    run = execute(method, SEGMENTS, [Stored("nmt", {"1": "Bore da.", "1/x": "Bore; da!?"})])
    (finding,) = run.findings
    assert (finding.verdict, finding.value) == ("fail", 4)
    assert run.findings[0].evidence["variants"][0]["differences"][0] == "mark: !"


def test_the_check_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install("A check", tmp_path, monkeypatch)
    given = {"pair": "en-cy", "structure": "raw", "checks": "numbers, shouting"}
    method = InvarianceMethod.resolve(given)
    run = execute(method, SEGMENTS, [Stored("nmt", {"1": "Bore da.", "1/x": "BORE DA."})])
    (finding,) = [finding for finding in run.findings if finding.detector == "check:shouting"]
    assert (finding.case_id, finding.evidence["why"]) == ("1/x", "the output is in capitals")
    with pytest.raises(UsageError, match=r"No check 'shuoting'\. Near: shouting"):
        InvarianceMethod.resolve({**given, "checks": "shuoting"})


def test_the_substitutes_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install("Substitutes", tmp_path, monkeypatch)
    annotator = FakeAnnotator("en", pos={"a": "DET", "red": "ADJ", "green": "ADJ", "blue": "ADJ"})
    colours = open_substituter("colours:red+green+blue", "en")
    made = generate([Segment("1", "See a red car .")], annotator, colours, VariantSettings())
    assert [segment.id for segment in made] == ["1", "1/2-green", "1/2-blue"]
    with pytest.raises(UsageError, match="'colours:' needs more: colours:WORDS, words between plus signs"):
        open_substituter("colours:", "en")


def test_the_file_format_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install("A file format", tmp_path, monkeypatch)
    (tmp_path / "a.bars").write_text("The sea. ||| O mar.\nHello. ||| Olá.\n", encoding="utf-8")
    assert read_stream(tmp_path / "a.bars", role="reference").texts == ["O mar.", "Olá."]
    assert read_test_set(tmp_path / "a.bars").segments[1] == Segment("2", "Hello.", ("Olá.",))
    (tmp_path / "b.bars").write_text("The sea.\n")
    with pytest.raises(InputError, match=r"b\.bars line 1: no ' \|\|\| ' in it"):
        read_stream(tmp_path / "b.bars", role="source")
