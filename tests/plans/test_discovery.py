"""What a folder holds is recognised by names, contents and languages, and becomes a plan that can be read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mtassay.app.plans.discovery import Discovery, discover
from mtassay.app.plans.drafts import init_plan, plan_text, step_names
from mtassay.app.plans.plan import read_plan
from mtassay.app.plans.plan_runs import check_plan
from mtassay.data.errors import UsageError
from tests.plans.test_mistakes import SUITE

ENGLISH = [
    "The old man and the sea were both calm that morning.",
    "She did not open the letter that you sent from the city.",
    "It was the best of times, and it was not with this that we began.",
]
PORTUGUESE = [
    "O velho e o mar estavam calmos naquela manhã, e você não foi.",
    "Ela não abriu a carta que você enviou da cidade em que eu nasci.",
    "Foi o melhor dos tempos, e não foi com isso que nós começamos também.",
]
TMX = """\
<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4"><header srclang="en" creationtool="x" creationtoolversion="1" segtype="sentence"
 o-tmf="x" adminlang="en" datatype="plaintext"/><body>
<tu><tuv xml:lang="pt"><seg>Bom dia.</seg></tuv><tuv xml:lang="en"><seg>Good morning.</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>Good night.</seg></tuv><tuv xml:lang="pt"><seg>Boa noite.</seg></tuv></tu>
</body></tmx>
"""


def write(folder: Path, **files: list[str] | str) -> None:
    """Files by name; a double underscore is a slash, a single one a dot."""
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else "".join(f"{line}\n" for line in content)
        path.write_text(text, encoding="utf-8")


def look(folder: Path) -> Discovery:
    """What is found, after the plan for it was read without a mistake."""
    found = discover(folder, engines={})
    (folder / "mtassay.yaml").write_text(plan_text(found), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert list(read_plan("mtassay.yaml").steps) == step_names(found)
    return found


def test_names_tell_source_reference_and_outputs(tmp_path: Path) -> None:
    write(tmp_path, source_txt=ENGLISH, ref_txt=PORTUGUESE, new_txt=PORTUGUESE, old_txt=PORTUGUESE)
    found = look(tmp_path)
    [test_set] = found.test_sets
    assert (test_set.source, test_set.references, test_set.n) == ("source.txt", ("ref.txt",), 3)
    assert found.pair == "en-pt"
    assert found.outputs == {"test": {"old": "old.txt", "new": "new.txt"}}, "the older one is the baseline"
    assert step_names(found) == ["score"]


def test_the_only_file_in_another_language_is_the_source(tmp_path: Path) -> None:
    write(tmp_path, one_txt=ENGLISH, reference_txt=PORTUGUESE, two_txt=PORTUGUESE)
    [test_set] = look(tmp_path).test_sets
    assert test_set.source == "one.txt"


def test_a_reference_alone_will_do(tmp_path: Path) -> None:
    write(tmp_path, reference_txt=PORTUGUESE, a_txt=PORTUGUESE, b_txt=PORTUGUESE)
    found = look(tmp_path)
    assert found.test_sets[0].source == ""
    assert found.pair == ""
    assert found.outputs == {"test": {"a": "a.txt", "b": "b.txt"}}


def test_a_folder_of_outputs_stands_for_all_of_them(tmp_path: Path) -> None:
    outputs = {f"outputs__sys{n}_txt": PORTUGUESE for n in range(9)}
    write(tmp_path, source_txt=ENGLISH, references__A_txt=PORTUGUESE, references__B_txt=PORTUGUESE, **outputs)
    found = look(tmp_path)
    assert found.test_sets[0].references == ("references/A.txt", "references/B.txt")
    assert found.folders == {"test": {"outputs": "outputs"}}


def test_language_codes_in_names_tell_the_pair(tmp_path: Path) -> None:
    write(tmp_path, **{"news_en-de_src_en": ["x"], "news_en-de_ref_de": ["y"], "news_en-de_mt_de": ["z"]})
    found = look(tmp_path)
    assert found.pair == "en-de"
    assert found.test_sets[0].name == "news"
    assert list(found.outputs["news"].values()) == ["news.en-de.mt.de"]


def test_two_test_sets_are_told_apart_by_their_lines(tmp_path: Path) -> None:
    write(tmp_path, news_ref_txt=PORTUGUESE, news_nmt_txt=PORTUGUESE)
    write(tmp_path, chat_ref_txt=PORTUGUESE[:2], chat_nmt_txt=PORTUGUESE[:2])
    found = look(tmp_path)
    assert step_names(found) == ["score-chat", "score-news"]
    assert found.outputs == {"chat": {"chat.nmt": "chat.nmt.txt"}, "news": {"news.nmt": "news.nmt.txt"}}


def test_the_layout_of_mt_metrics_eval_is_one_test_set_for_each_pair(tmp_path: Path) -> None:
    for pair in ("en-de", "en-cs"):
        write(tmp_path, **{f"sources__{pair}_txt": ["Hi."], f"references__{pair}_refA_txt": ["Hallo."]})
        write(tmp_path, **{f"system-outputs__{pair}__{name}_txt": ["Ho."] for name in ("A", "refA")})
    found = look(tmp_path)
    assert [test_set.pair for test_set in found.test_sets] == ["en-cs", "en-de"]
    assert [test_set.systems for test_set in found.test_sets] == [("A",), ("A",)]
    assert len(step_names(found)) == 2
    assert found.unused == []


def test_a_tmx_file_is_a_test_set_and_its_header_names_the_source(tmp_path: Path) -> None:
    write(tmp_path, memory_tmx=TMX, nmt_txt=["Bom dia.", "Boa noite!"])
    found = look(tmp_path)
    assert found.pair == "en-pt"
    assert found.test_sets[0].where == "memory.tmx"
    assert found.outputs == {"memory": {"nmt": "nmt.txt"}}


def test_a_table_of_everything_brings_its_systems_along(tmp_path: Path) -> None:
    rows = [f"{s}\t{t}\t{t}\n" for s, t in zip(ENGLISH, PORTUGUESE, strict=True)]
    write(tmp_path, all_tsv="source\treference\toutput:nmt\n" + "".join(rows))
    found = look(tmp_path)
    assert found.test_sets[0].systems == ("nmt",)
    assert found.has_systems


def test_outputs_by_id_go_with_the_suite_that_has_these_ids(tmp_path: Path) -> None:
    write(tmp_path, mine_yaml=SUITE, nmt_tsv="id\toutput\na\tNão sei.\n", other_tsv="id\toutput\nq\tSim.\n")
    found = look(tmp_path)
    assert found.suites[0].where == "mine.yaml"
    assert found.outputs == {"mine": {"nmt": "nmt.tsv"}}
    assert found.unused == ["other.tsv (outputs by id, of nothing that is here)"]


def test_systems_of_several_folders_that_are_called_alike_have_steps_of_their_own(tmp_path: Path) -> None:
    outputs = {f"{year}__{name}_tsv": "id\toutput\na\tx\n" for year in ("y1", "y2") for name in "ABC"}
    write(tmp_path, mine_yaml=SUITE, **outputs)
    assert step_names(look(tmp_path)) == ["suite-y1", "suite-y2"]


def test_how_a_server_is_asked_is_an_engine(tmp_path: Path) -> None:
    request = '{"url": "http://localhost:1/", "body": {"q": "${text}"}, "answer": "text"}'
    write(tmp_path, mine_yaml=SUITE, server_json=request, package_json='{"name": "x"}')
    assert look(tmp_path).engines == {"server": "http:server.json"}


def test_glossaries_are_named_and_left_to_the_person(tmp_path: Path) -> None:
    write(
        tmp_path, terms_tsv="EU\tUnião Europeia\n", source_txt=ENGLISH, ref_txt=PORTUGUESE, a_txt=PORTUGUESE
    )
    found = look(tmp_path)
    assert found.glossaries == ["terms.tsv"]
    assert "# Names that a glossary lets replace each other" in plan_text(found)


def test_what_is_not_used_is_said_with_the_reason(tmp_path: Path) -> None:
    write(
        tmp_path,
        ref_txt=PORTUGUESE,
        a_txt=PORTUGUESE,
        notes_txt=["one", "two"],
        bad_yaml="items:\n- {x: 1}\n",
    )
    unused = look(tmp_path).unused
    assert any(line.startswith("notes.txt (2 lines") for line in unused)
    assert any(line.startswith("bad.yaml (line 2") for line in unused)


def test_files_that_no_plan_uses_are_listed(tmp_path: Path) -> None:
    po = 'msgid "Hello"\n\nmsgstr "Oi"\n'
    write(tmp_path, ref_txt=PORTUGUESE, a_txt=PORTUGUESE, pt_po=po, ref_csv="a\nb\nc\n", film_srt=po)
    found = look(tmp_path)
    assert found.outputs == {"test": {"a": "a.txt"}}
    assert sorted(found.unused) == [
        "film.srt (subtitle files are not read)",
        "ref.csv (line 1: the header must name the columns source and target, …)",
    ]


def test_a_name_that_yaml_would_misread_is_quoted(tmp_path: Path) -> None:
    write(tmp_path, ref_txt=PORTUGUESE, no_txt=PORTUGUESE, **{"1_txt": PORTUGUESE, "a: b_txt": PORTUGUESE})
    found = look(tmp_path)
    assert set(found.outputs["test"]) == {"no", "1", "a: b"}
    assert '"no": no.txt' in plan_text(found)


ODD_NAMES = [
    "${HOME}",
    "$${HOME}",
    "$$${A}",
    "${}",
    "a\nb",
    "a: b",
    "a #b",
    "-t",
    "*a",
    "&a",
    "!a",
    "%a",
    "yes",
]
ODD_NAMES += [
    "1e3",
    "null",
    "~",
    "<<",
    "[a]",
    "{a}",
    'a"b',
    "a'b",
    "a\\n",
    " a ",
    "fake:upper",
    "deepl:",
    "a=b",
]
ODD_NAMES += ["\x1b[31m", "\x9b5m", "\u2028", "\ufeff", "\N{GRINNING FACE}"]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_file_of_any_name_is_found_by_the_plan(tmp_path: Path, name: str) -> None:
    write(tmp_path, source_txt=ENGLISH, old_txt=PORTUGUESE)
    for path in (f"{name}.new.txt", f"{name}.ref.txt", f"ref2.{name}.txt"):
        (tmp_path / path).write_text("\n".join(PORTUGUESE), encoding="utf-8")
    (tmp_path / name).mkdir()
    for system in "abc":
        (tmp_path / name / f"{system}.txt").write_text("\n".join(PORTUGUESE), encoding="utf-8")
    look(tmp_path)
    plan = check_plan(tmp_path / "mtassay.yaml")
    [step] = plan.steps.values()
    assert step.test_set is not None
    assert sorted(step.test_set.references) == sorted([f"{name}.ref.txt", f"ref2.{name}.txt"])
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        files = {os.path.normpath(what) for what in plan.systems_of(step).values()}
    assert files == {"old.txt", f"{name}.new.txt", *(f"{name}/{system}.txt" for system in "abc")}


def test_the_name_of_a_glossary_stays_in_its_comment(tmp_path: Path) -> None:
    write(tmp_path, ref_txt=PORTUGUESE, a_txt=PORTUGUESE, **{"glossary\nsteps: x_tsv": "a\tb\n"})
    look(tmp_path)


def test_files_whose_names_are_not_utf8_are_named_and_not_used(tmp_path: Path) -> None:
    write(tmp_path, ref_txt=PORTUGUESE, a_txt=PORTUGUESE)
    for name in (
        b"caf\xe9.txt",
        b"out\xff/a.txt",
        b"set\xff/sources/en-pt.txt",
        b"set\xff/system-outputs/x.txt",
    ):
        path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("a\n", encoding="utf-8")
    found = look(tmp_path)
    assert found.outputs == {"test": {"a": "a.txt"}}
    assert found.unused[:2] == [
        r"caf\xe9.txt (its name is not UTF-8)",
        r"out\xff/a.txt (its name is not UTF-8)",
    ]
    assert len(found.unused) == 4


def test_what_cannot_be_looked_into_is_not_used(tmp_path: Path) -> None:
    write(tmp_path, ref_txt=PORTUGUESE, a_txt=PORTUGUESE, deep_json='{"url": ' + "[" * 100_000)
    write(tmp_path, **{"sources__en-pt_txt": ENGLISH, "system-outputs__en-pt__A_txt": PORTUGUESE})
    (tmp_path / "sources" / "en-pt.txt").write_bytes(b"\xff\n")
    for link, target in {"loop": ".", "self.txt": "self.txt", "nowhere.txt": "gone"}.items():
        (tmp_path / link).symlink_to(target)
    found = discover(tmp_path, engines={})
    assert found.unused == ["sources/en-pt.txt (line 1: byte 0xFF (number 1 of the file) is not UTF-8)"]


def test_more_systems_than_a_step_can_have_make_no_plan(tmp_path: Path) -> None:
    write(tmp_path, ref_txt=PORTUGUESE, **{f"s{i}_txt": PORTUGUESE for i in range(301)})
    with pytest.raises(
        UsageError, match=r"301 files of outputs belong to 'test' .* a step can have 300 systems"
    ):
        init_plan(tmp_path)
    assert not (tmp_path / "mtassay.yaml").exists()


def test_other_files_of_a_project_are_left_alone(tmp_path: Path) -> None:
    write(
        tmp_path, ref_txt=PORTUGUESE, a_txt=PORTUGUESE, main_py="print()\n", README_md="x\n", data_csv="a,b\n"
    )
    write(tmp_path, build__ref_txt=["x"], **{"docker-compose_yml": "services: {}\n"})
    found = look(tmp_path)
    assert len(found.test_sets) == 1
    assert found.unused == []


def test_localisation_files_are_checked_with_the_glossary(tmp_path: Path) -> None:
    head = 'msgid ""\nmsgstr "Language: {}\\n"\n\n'
    unit = 'msgid "Do not open the old letter that she sent from the city."\nmsgstr "{}"\n'
    write(
        tmp_path,
        app_de_po=head.format("de") + unit.format("Öffne den alten Brief aus der Stadt nicht."),
        app_fr_po=head.format("fr") + unit.format(""),
        terms_csv="source,target\nletter,Brief\n",
    )
    found = look(tmp_path)
    [test_set] = found.test_sets
    assert (test_set.pair, test_set.where, test_set.systems) == ("en-de", "app.de.po", ("translation",))
    assert found.unused == ["app.fr.po (nothing in it is translated)"]
    text = plan_text(found)
    assert "check:\n    terms: terms.csv\n" in text
    assert "check.critical <= 0 %" in text
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        assert [*check_plan("mtassay.yaml").steps] == ["check"]
