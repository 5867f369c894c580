"""Glossaries say which names are as good as each other."""

from __future__ import annotations

import pytest

from mtassay.data.errors import InputError
from mtassay.data.formats.entity_markup import Entity
from mtassay.data.nouns import Segment
from mtassay.measures.name_matches import read_glossary
from mtassay.measures.nee import NEE

TBX_2 = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif type="TBX" xml:lang="en"><text><body><termEntry id="1">
<langSet xml:lang="en"><tig><term>Turin</term></tig><tig><term>Torino</term></tig></langSet>
<langSet xml:lang="de"><ntig><termGrp><term>Augusta <hi>T</hi></term></termGrp></ntig></langSet>
</termEntry></body></text></martif>
"""
TBX_3 = """<tbx xmlns="urn:iso:std:iso:30042:ed-2" type="TBX-Basic" xml:lang="en"><text><body>
<conceptEntry id="1">
<langSec xml:lang="en-GB">
<termSec><term>Turin</term></termSec><termSec><term>Torino</term></termSec></langSec>
<langSec xml:lang="it"><termSec><term>Taurinum</term></termSec></langSec>
</conceptEntry></body></text></tbx>
"""


def score(reference: str, name: str, output: str, **settings: object) -> float:
    start = reference.index(name)
    entity = Entity(name, "LOC", start, start + len(name))
    metric = NEE(**settings)
    [statistics] = metric.measure(
        [Segment("1", None, (reference,), None, {"entities": (entity,)})], {"s": [output]}
    )
    return float(metric.aggregate(statistics.values.sum(axis=0)))


@pytest.mark.parametrize(
    ("output", "expected"),
    [("in Turin", 100), ("in TORINO", 100), ("in Augusta T", 100), ("in Rome", 0)],
)
def test_any_variant_counts_as_a_match(tmp_path, output, expected):
    path = tmp_path / "names.tsv"
    path.write_text("Turin\tTorino\tAugusta T\n\nMilan\tRome\n", encoding="utf-8")
    assert score("in Turin", "Turin", output, glossary=str(path)) == expected
    assert score("in Turin", "Turin", "in Torino") == 0


def test_variants_hold_in_both_directions(tmp_path):
    path = tmp_path / "names.tsv"
    path.write_text("Turin\tTorino\n", encoding="utf-8")
    assert score("in Torino", "Torino", "in Turin", glossary=str(path)) == 100


@pytest.mark.parametrize(
    ("name", "content", "language", "rows"),
    [
        ("t.tbx", TBX_2, "", [("Turin", "Torino", "Augusta T")]),
        ("t.tbx", TBX_2, "en", [("Turin", "Torino")]),
        ("t.tbx", TBX_2, "de", [("Augusta T",)]),
        ("terms", TBX_2, "en-US", [("Turin", "Torino")]),
        ("t.xml", TBX_3, "en", [("Turin", "Torino")]),
        ("t.xml", TBX_3, "fr", [()]),
        ("t.tsv", "Turin\t Torino \n", "en", [("Turin", "Torino")]),
    ],
)
def test_tables_and_termbases_are_read(tmp_path, name, content, language, rows):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert read_glossary(str(path), language=language) == rows


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.tsv", "Turin\tTorino\nMilan\n", "t.tsv line 2: expected an entity, a tab and a variant"),
        ("t.tbx", "<martif>\n<text></martif>", "t.tbx line 2: not well-formed XML"),
        ("t.tbx", "<tmx></tmx>", "t.tbx line 1: <tmx> has no conceptEntry or termEntry: this is not TBX"),
    ],
)
def test_a_bad_glossary_is_one_line_that_names_the_place(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        read_glossary(str(path))
    assert "\n" not in str(caught.value)


def test_a_termbase_cannot_read_other_files(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("secret", encoding="utf-8")
    path = tmp_path / "t.tbx"
    path.write_text(
        f'<!DOCTYPE m [<!ENTITY x SYSTEM "{secret.as_uri()}">]><martif><termEntry><langSet xml:lang="en">'
        "<term>a&x;</term><term>b</term></langSet></termEntry></martif>",
        encoding="utf-8",
    )
    with pytest.raises(InputError, match="declares entities"):
        read_glossary(str(path))


def test_the_signature_changes_with_the_glossary(tmp_path):
    path = tmp_path / "names.tsv"
    signatures = set()
    for content in ("Turin\tTorino\n", "Turin\tTaurinum\n"):
        path.write_text(content, encoding="utf-8")
        signatures.add(
            NEE(glossary=str(path)).signature([Segment("1", None, ("x",), None, {"entities": ()})])
        )
    assert len(signatures) == 2
    assert all("|glossary:names.tsv(" in signature for signature in signatures)
