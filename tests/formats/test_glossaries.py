"""Glossaries: every format gives the same terms, and a bad file is one line that names the place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mtassay.data.errors import InputError
from mtassay.data.formats.glossaries import Glossary, Term, read_glossaries, read_segment_terms

FILE = Term("file", "Datei")
DOCUMENT = Term("file", "Dokument", "forbidden")
TBX_2008 = """<?xml version="1.0"?>
<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif type="TBX" xml:lang="en"><text><body><termEntry id="c1">
<langSet xml:lang="en"><tig><term>file</term></tig></langSet>
<langSet xml:lang="de">
<tig><term>Datei</term><termNote type="administrativeStatus">preferredTerm-admn-sts</termNote></tig>
<ntig><termGrp><term>File</term>
<termNote type="administrativeStatus">admittedTerm-admn-sts</termNote></termGrp></ntig>
<tig><term>Dokument</term><termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></tig>
</langSet></termEntry></body></text></martif>"""
TBX_2019 = """<tbx xmlns="urn:iso:std:iso:30042:ed-2" xmlns:min="http://www.tbxinfo.net/ns/min" style="dct"
type="TBX-Min" xml:lang="en"><text><body><conceptEntry id="c1">
<langSec xml:lang="en"><termSec><term>file</term></termSec></langSec>
<langSec xml:lang="de"><termSec><term>Datei</term></termSec>
<termSec><term>File</term><min:administrativeStatus>admittedTerm-admn-sts</min:administrativeStatus></termSec>
<termSec><term>Dokument</term>
<min:administrativeStatus>supersededTerm-admn-sts</min:administrativeStatus></termSec>
</langSec></conceptEntry></body></text></tbx>"""


def read(tmp_path: Path, name: str, content: str) -> Glossary:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return read_glossaries([path])


@pytest.mark.parametrize(
    ("name", "content", "terms"),
    [
        ("g.csv", "source,target\nfile,Datei\n", [FILE]),
        ("g.csv", "source;target;status\nfile;Datei;\nfile;Dokument;forbidden\n", [FILE, DOCUMENT]),
        ("g.csv", '"file","Datei"\n', [FILE]),
        ("g.tsv", "file\tDatei\n\nscreen\tBildschirm\n", [FILE, Term("screen", "Bildschirm")]),
        ("g.tsv", "Source term\tTranslation\tUsage\nfile\tDatei\tPreferred\n", [FILE]),
        ("g.tsv", "source\ttarget\tforbidden\tid\nfile\tDatei\tDokument\t7\n", [FILE, DOCUMENT]),
        ("g.csv", "source,target\nfile,Datei | File\n", [FILE, Term("file", "File")]),
        ("g.csv", "source,target,case sensitive\nIT,EDV,yes\n", [Term("IT", "EDV", case=True)]),
        ("g.csv", "term,do not translate\nGitHub,yes\n", [Term("GitHub", status="do-not-translate")]),
        ("g.csv", "source,target,status\nGitHub,,DNT\n", [Term("GitHub", status="do-not-translate")]),
        ("g.csv", "source,target,status\n,Handy,forbidden\n", [Term("", "Handy", "forbidden")]),
        ("g.csv", "source,de,fr\nfile,Datei,fichier\n",
         [Term("file", "Datei", target_language="de"), Term("file", "fichier", target_language="fr")]),
        ("g.csv", "source,target,target language,note\nfile,Datei,de-AT,IT\n",
         [Term("file", "Datei", target_language="de-AT", note="IT")]),
        ("g.json", '{"file": "Datei"}', [FILE]),
        ("g.json", '{"file": ["Datei", "File"], "GitHub": null}',
         [FILE, Term("file", "File"), Term("GitHub", status="do-not-translate")]),
        ("g.json", '{"file": {"target": "Datei", "forbidden": ["Dokument"]}}', [FILE, DOCUMENT]),
        ("g.json", '[{"source": "file", "target": "Datei", "case": true}]',
         [Term("file", "Datei", case=True)]),
        ("g.csv", "\ufeffsource,target\nfile,Datei\n", [FILE]),
    ],
)  # fmt: skip
def test_every_way_to_write_a_term(tmp_path: Path, name: str, content: str, terms: list[Term]) -> None:
    assert list(read(tmp_path, name, content).terms) == terms


@pytest.mark.parametrize("content", [TBX_2008, TBX_2019], ids=["2008", "2019"])
def test_tbx_of_both_styles_has_terms_in_both_directions(tmp_path: Path, content: str) -> None:
    glossary = read(tmp_path, "g.tbx", content)
    german = [(term.source, term.target, term.status) for term in glossary.for_pair("en-GB", "de")]
    assert german == [
        ("file", "Datei", "preferred"),
        ("file", "File", "allowed"),
        ("file", "Dokument", "forbidden"),
    ]
    english = [(term.source, term.target) for term in glossary.for_pair("de", "en")]
    assert english == [("Datei", "file"), ("File", "file"), ("Dokument", "file")]
    assert glossary.for_pair("en", "fr") == []


def test_columns_named_by_languages_serve_every_pair(tmp_path: Path) -> None:
    glossary = read(tmp_path, "g.csv", "en,de,pt-BR\nfile,Datei,arquivo\nscreen,,tela\n")
    assert [term.target for term in glossary.for_pair("en", "pt")] == ["arquivo", "tela"]
    assert [(term.source, term.target) for term in glossary.for_pair("pt-BR", "de")] == [("arquivo", "Datei")]
    assert glossary.for_pair("en", "pt-PT") == []


def test_several_files_are_one_glossary_without_repetitions(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("source,target\nfile,Datei\n", encoding="utf-8")
    (tmp_path / "b.json").write_text(json.dumps({"file": ["Datei", "File"]}), encoding="utf-8")
    glossary = read_glossaries([tmp_path / "a.csv", tmp_path / "b.json"])
    assert [term.target for term in glossary.terms] == ["Datei", "File"]
    assert len(glossary) == 2
    assert glossary.digest != read_glossaries([tmp_path / "a.csv"]).digest


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("g.csv", "source,target\nfile\n", "g.csv line 2: 1 columns, expected 2"),
        ("g.csv", "source,target\nfile,\n", "g.csv line 2: no translation"),
        ("g.csv", "source,target\n,Datei\n", "g.csv line 2: no source term"),
        ("g.csv", "source,target,status\nfile,Datei,fine\n", "g.csv line 2: no status 'fine'. Avail"),
        ("g.csv", "source,target,case\nfile,Datei,perhaps\n", "g.csv line 2: 'perhaps' is neither yes"),
        ("g.csv", 'source,target\n"a\nb",c\nfile\n', "g.csv line 4: 1 columns, expected 2"),
        ("g.csv", 'source,target\n"file,Datei\n', "g.csv line 2: not CSV"),
        ("g.csv", "a,b,c\n", "g.csv line 1: 3 columns without names"),
        ("g.csv", "source,target,source term\nx,y,z\n", "g.csv line 1: the column 'source' occurs twice"),
        ("g.csv", "target,status\nDatei,\n", "g.csv line 1: no column 'source' among target, status"),
        ("g.csv", "source,target\n", "g.csv: no terms"),
        ("g.tsv", "file\n", "g.tsv line 1: one column, expected a term and its translation"),
        ("g.csv", "source,target,source language\nfile,Datei,xx-nothing\n", "g.csv line 2: no language"),
        ("g.csv", "source,target,status\nfile,Datei,\nfile,Datei,forbidden\n",
         "g.csv line 3: 'Datei' for 'file' is forbidden, but preferred in .*g.csv line 2"),
        ("g.json", '{"file":\n "Datei"', "g.json line 2: not JSON"),
        ("g.json", '{"file": 7}', "g.json: 'target' must be a text or a list of texts"),
        ("g.json", '[{"source": "file"}]', "g.json: term file: no translation"),
        ("g.json", "7", "g.json: not a glossary"),
        ("g.tbx", "<tbx>\n<text></tbx>", "g.tbx line 2: not well-formed XML"),
        ("g.tbx", "<tmx></tmx>", "g.tbx line 1: <tmx> has no conceptEntry"),
        ("g.tbx", TBX_2008.replace('xml:lang="de"', 'xml:lang="qq9"'), "g.tbx line 5: no language 'qq9'"),
        ("g.tbx", TBX_2008.replace(">Datei<", "><"), "g.tbx line 6: an empty term"),
        ("g.tbx", TBX_2008.replace("admittedTerm", "wildTerm"), "g.tbx line 8: no status 'wildTerm-admn"),
        ("g.doc", "file", "g.doc: a glossary is a .tbx, .csv, .tsv or .json file"),
    ],
)  # fmt: skip
def test_a_bad_glossary_is_one_line_that_names_the_place(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path, name, content)
    assert "\n" not in str(caught.value)


def test_a_tbx_file_cannot_read_other_files(tmp_path: Path) -> None:
    hostile = TBX_2008.replace(
        'SYSTEM "TBXcoreStructV02.dtd"', '[<!ENTITY x SYSTEM "file:///etc/hostname">]'
    ).replace(">Datei<", ">&x;<")
    with pytest.raises(InputError, match="declares entities"):
        read(tmp_path, "g.tbx", hostile)


def test_terms_of_each_segment_are_found_by_source_and_where_sources_repeat_by_id(tmp_path: Path) -> None:
    path = tmp_path / "test.jsonl"
    records = [
        {"id": 1, "source": "Open it.", "proper": {"open": "öffnen"}},
        {"id": 2, "source": "Open it.", "proper": {"it": "es"}},
        {"id": 3, "source": "Close it.", "proper": {}},
    ]
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    terms = read_segment_terms(str(path), column="proper")
    assert terms.of("2", "Open it.") == (Term("it", "es"),)
    assert terms.of("elsewhere", "Close it.") == ()
    assert terms.of("9", "Nothing.") is None
    with pytest.raises(InputError, match=r"line 1: no terms in column 'random'. Columns with terms: proper"):
        read_segment_terms(str(path), column="random")
