"""The metric `terms`: hits of terms, consistency, and the published figures of WMT25."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import pytest

import mtassay as mt
from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.segment_files import read_segments
from mtassay.data.formats.textfiles import read_lines
from mtassay.data.nouns import Segment
from mtassay.measures.term_success import Terms

SOURCES = ["Open the file.", "The screen shows all files.", "Nothing here.", "The screen is off."]
OUTPUTS = {
    "a": ["Die Datei öffnen.", "Der Bildschirm zeigt alle Dateien.", "Nichts.", "Die Anzeige ist aus."],
    "b": ["Die Akte öffnen.", "Der Bildschirm zeigt alle Akten.", "Nichts.", "Der Bildschirm ist aus."],
}
SEGMENTS = [Segment(str(n), source) for n, source in enumerate(SOURCES)]


@pytest.fixture
def glossary(tmp_path: Path) -> str:
    path = tmp_path / "g.csv"
    path.write_text("source,target\nfile,Datei\nscreen,Bildschirm|Anzeige\n", encoding="utf-8")
    return str(path)


def test_hits_terms_and_consistency_of_each_segment(glossary: str) -> None:
    metric = Terms(glossaries=(glossary,), langpair="en-de")
    a, b = metric.measure(SEGMENTS, OUTPUTS)
    assert list(a.columns) == ["hits", "terms", "consistent", "repeated"]
    # Of "screen" in two ways, the first counts as the usual one.
    assert a.values.tolist() == [[1, 1, 1, 1], [2, 2, 2, 2], [0, 0, 0, 0], [1, 1, 0, 1]]
    assert b.values.tolist() == [[0, 1, 0, 1], [1, 2, 1, 2], [0, 0, 0, 0], [1, 1, 1, 1]]
    assert float(metric.aggregate(b.values.sum(axis=0))) == 50
    assert metric.size(b.values.sum(axis=0), 4) == 4
    assert math.isnan(float(metric.aggregate(b.values[2])))
    assert metric.groups(b.columns) == {"consistency": [2, 3]}


def test_a_miss_is_a_finding_with_its_place(glossary: str) -> None:
    metric = Terms(glossaries=(glossary,), langpair="en-de")
    first, second = metric.findings(SEGMENTS, "b", OUTPUTS["b"])
    assert (first.case_id, first.value, second.value) == ("0", 0, 0.5)
    assert first.evidence["why"] == "'file' should be 'Datei'"
    assert first.evidence["errors"][0]["start"] == SOURCES[0].index("file")


def test_score_compares_systems_by_terms_and_a_saved_run_opens_again(glossary: str, tmp_path: Path) -> None:
    options = {"langpair": "en-de", "metrics": "terms", "samples": 100, "trials": 100}
    run = mt.score(OUTPUTS, source=SOURCES, terms=glossary, workspace=tmp_path / "w.db", save=True, **options)
    values = {s.system: s.value for s in run.result.scores if s.group == "all"}
    assert values == {"a": 100, "b": 50}
    assert {s.group for s in run.result.scores} >= {"consistency"}
    assert "terms" in str(mt.load("last", workspace=tmp_path / "w.db"))
    with pytest.raises(UsageError, match="needs a glossary"):
        mt.score(OUTPUTS, source=SOURCES, **options)


def test_terms_of_each_segment_count_where_the_source_has_them(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    lists = [{"file": "Datei", "le": "x"}, {"file": "Datei", "screen": "Anzeige"}, {}, {"screen": "Schirm"}]
    rows = [{"source": source, "proper": own} for source, own in zip(SOURCES, lists, strict=True)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (a,) = Terms(glossaries=(str(path),), column="proper", langpair="en-de").measure(
        SEGMENTS, {"a": OUTPUTS["a"]}
    )
    assert a.values[:, :2].tolist() == [[1, 1], [1, 2], [0, 0], [0, 1]]
    # WMT25 counts any run of letters: "le" in "file", "Schirm" in "Bildschirm".
    anywhere = Terms(glossaries=(str(path),), column="proper", match="anywhere", langpair="en-de")
    (b,) = anywhere.measure(SEGMENTS, {"b": OUTPUTS["b"]})
    assert b.values[:, :2].tolist() == [[0, 2], [0, 2], [0, 0], [1, 1]]
    with pytest.raises(InputError, match="no terms for segment '9'"):
        anywhere.measure([Segment("9", "Unknown.")], {"b": ["Unbekannt."]})


def test_the_signature_names_the_glossary_by_its_content(glossary: str) -> None:
    metric = Terms(glossaries=(glossary,), langpair="en-de")
    before = metric.signature(SEGMENTS)
    assert "forms:simplemma-" in before
    Path(glossary).write_text("source,target\nfile,Akte\n", encoding="utf-8")
    assert Terms(glossaries=(glossary,), langpair="en-de").signature(SEGMENTS) != before


@pytest.mark.parametrize("pair", ["en-de", "en-es"])
@pytest.mark.parametrize("kind", ["proper", "random"])
def test_wmt25_success_rates_are_near_the_published_ones(data_folder: Path, pair: str, kind: str) -> None:
    folder = data_folder / "terminology" / pair
    if not folder.exists():
        pytest.skip("needs WMT25's terminology task")
    official = json.loads(gzip.decompress((folder / "official.json.gz").read_bytes()))
    outputs, published = {}, {}
    for path in sorted((folder / "outputs").iterdir()):
        system, _, mode = path.name.removesuffix(".txt.gz").rpartition(".")
        rate = official[mode][system].get(f"{kind}_term_success_rate")
        if rate is not None:
            outputs[path.name], published[path.name] = read_lines(path), 100 * rate
    metric = Terms(glossaries=(str(folder / "test.jsonl.gz"),), column=kind, langpair=pair)
    measured = metric.measure(read_segments(folder / "test.jsonl.gz", []), outputs)
    rates = {own.system: float(metric.aggregate(own.values.sum(axis=0))) for own in measured}
    differences = [abs(rate - published[system]) for system, rate in rates.items()]
    assert len(differences) > 50
    assert sum(differences) / len(differences) <= 1
    assert max(differences) <= 2.5
