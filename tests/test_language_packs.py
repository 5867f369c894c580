"""Language packs: what ours hold, what is said where one is missing, and that a stranger's is used."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from mtassay.app.doctor import check_packs
from mtassay.data.errors import UsageError
from mtassay.data.formats.suite_files import read_suite
from mtassay.data.language_packs import (
    OUR_PACKS,
    LanguagePack,
    installed_packs,
    missing_pack,
    pack_file,
    packs_for,
)
from mtassay.data.languages import parse_pair
from mtassay.data.registry import find
from mtassay.measures.judge import open_judge
from mtassay.measures.polarity import target_words
from mtassay.methods.invariance.invariance_method import InvarianceMethod
from mtassay.methods.invariance.substitute_lexicon import SubstituteLexicon
from mtassay.methods.suite.authoring import overview
from mtassay.nlp.table_aligner import read_lexicon
from tests.conftest import PROJECT
from tests.installed import LARGEST, PACKED

FOLDERS = sorted(path.parent for path in (PROJECT / "packs").glob("*/pyproject.toml"))
PAGE = PROJECT / "docs" / "howto" / "language-pack.md"


class TestOurs:
    def test_the_table_names_every_pack_and_file(self) -> None:
        assert {
            pack.language: {part: " ".join(pack.files(part)) for part in pack.parts} for pack in all_packs()
        } == {code: dict(pack.files) for code, pack in OUR_PACKS.items()}

    @pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
    def test_a_pack_says_which_licence_each_part_is_under(self, folder: Path) -> None:
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        readme = (folder / "README.md").read_text(encoding="utf-8")
        rows = [line for line in readme.splitlines() if line.startswith("| `")]
        for part in LanguagePack(folder.name, package_of(folder)).parts:
            (row,) = [row for row in rows if row.startswith(f"| `{part}`")]
            licence = row.split("|")[-2].strip().replace(" ", "-")
            assert licence in project["license"], row
        assert all((folder / name).is_file() for name in project["license-files"])

    def test_make_and_mypy_know_every_pack(self) -> None:
        makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
        settings = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
        for folder in FOLDERS:
            assert f"-e ./packs/{folder.name}" in makefile
            assert f"packs/{folder.name}/src" in settings["tool"]["mypy"]["mypy_path"]

    def test_the_core_holds_no_data_of_a_language(self) -> None:
        """`make build` checks the same of the wheel."""
        files = [path for path in (PROJECT / "src").rglob("*") if path.is_file() and path.suffix != ".pyc"]
        assert [path for path in files if str(path).endswith(PACKED)] == []
        assert sum(path.stat().st_size for path in files if path.suffix != ".py") < LARGEST / 3
        texts = [path for path in files if path.suffix in (".md", ".txt")]
        assert [path for path in texts if "CC BY" in path.read_text(encoding="utf-8")] == []


def all_packs() -> list[LanguagePack]:
    """Those in `packs/`, installed or not."""
    return [LanguagePack(folder.name, package_of(folder)) for folder in FOLDERS]


def package_of(folder: Path) -> Path:
    return folder / "src" / f"mtassay_{folder.name}"


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine without packs."""
    monkeypatch.setattr("mtassay.data.language_packs.each", lambda kind: iter(()))


@pytest.mark.usefixtures("bare")
class TestWithoutPacks:
    @pytest.mark.parametrize(
        ("ask", "told"),
        [
            (
                lambda: read_suite("en-pt"),
                r"no suite file en-pt\. The Portuguese pack has it: pip install \./packs/pt$",
            ),
            (
                lambda: read_suite("en-xx"),
                r"no suite file en-xx\. Suites of language packs: none is installed\.$",
            ),
            (lambda: read_lexicon.__wrapped__("en-zh"), r"The Chinese pack has it: pip install \./packs/zh$"),
            (lambda: SubstituteLexicon.open("", "en"), r"The English pack has it: pip install \./packs/en$"),
            (
                lambda: SubstituteLexicon.open("", "fi"),
                r"No lexicon for 'fi' \(there is one for no l",
            ),
        ],
    )
    def test_an_error_names_the_pack(self, ask: Callable[[], object], told: str) -> None:
        with pytest.raises(UsageError, match=told):
            ask()

    def test_nothing_else_is_promised(self) -> None:
        assert missing_pack("judges", "en-pt") == "The Portuguese pack has it: pip install ./packs/pt"
        assert missing_pack("judges", "ja-pt") == ""
        assert pack_file("words", "pt") is None

    def test_the_judge_says_what_a_pack_would_add(self) -> None:
        told = open_judge(parse_pair("en-pt")).record([])
        assert told.endswith("The Portuguese pack has more evidence: pip install ./packs/pt")
        assert "pip" not in open_judge(parse_pair("en-fi")).record([])

    def test_a_list_of_no_suites_says_where_there_are_some(self) -> None:
        with pytest.raises(UsageError, match=r"No language pack with a suite.* pip install \./packs/pt$"):
            overview()

    def test_a_structure_that_needs_no_parser_is_offered(self) -> None:
        method = InvarianceMethod(pair="en-xh", checks=())
        with pytest.raises(UsageError, match=r"No annotator on this machine.*`structure='tokens'`$"):
            _ = method._annotator

    def test_the_doctor_says_what_a_pack_would_add(self) -> None:
        (check,) = [check for check in check_packs(parse_pair("fr-pt")) if check.state == "missing"]
        assert check.what.startswith("pip install ./packs/pt adds suites, a spaCy pipeline")

    def test_packs_that_would_help_are_known(self) -> None:
        assert packs_for(parse_pair("en-pt")) == {"en": None, "pt": None}
        assert packs_for(parse_pair("ja-fi")) == {}


def test_an_infiller_that_is_in_a_pack_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mtassay.data.registry._entry_points", lambda kind: ())
    with pytest.raises(UsageError, match=r"No infiller 'lexicon'.*The English pack has it: pip install"):
        find("infiller", "lexicon")


@pytest.fixture
def tok(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The pack of the page, with what an installer leaves beside it; the folder that it is in."""
    page = PAGE.read_text(encoding="utf-8")
    for name, content in re.findall(
        r"^`(tok/[^`]+)`[^\n]*:\n\n```\w+\n(.*?)^```$", page, re.DOTALL | re.MULTILINE
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    source = tmp_path / "tok" / "src"
    project = tomllib.loads((tmp_path / "tok" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = source / "mtassay_tok-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 0.1.0\n")
    ((group, points),) = project["entry-points"].items()
    lines = [f"{name} = {value}" for name, value in points.items()]
    (info / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines, ""]))
    monkeypatch.syspath_prepend(str(source))
    monkeypatch.setenv("PYTHONPATH", str(source), prepend=":")
    return tmp_path


def test_a_pack_is_found_when_it_is_installed(tok: Path) -> None:
    (pack,) = [pack for pack in installed_packs() if pack.language == "tok"]
    assert pack.parts == ["suites", "words", "negations"]
    assert [item.id for item in read_suite("en-tok").items] == ["negation-1"]
    words = target_words(parse_pair("en-tok"))
    assert words is not None
    assert (words.frequency("jan"), words.frequency("waso")) == (5.0, 0.0)


def test_every_command_of_the_page_uses_it(tok: Path) -> None:
    said = {}
    page = PAGE.read_text(encoding="utf-8")
    for block in re.findall(r"^```sh\n(.*?)^```$", page, re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            if not line.startswith("pip "):
                command = line.replace("mtassay ", f"{sys.executable} -m mtassay ", 1)
                done = subprocess.run(
                    command, cwd=tok, shell=True, capture_output=True, text=True, check=False, timeout=300
                )
                assert done.returncode == 0, done.stderr
                said[line] = done.stdout
    assert "✓ language pack tok       suites, words, negations" in said["mtassay doctor -l en-tok"]
    assert "en-tok" in said["mtassay suite list"]
    assert re.search(
        r"^mine +1 +0 +1 +0 ", said["mtassay suite run en-tok -t mine=outputs.tsv"], re.MULTILINE
    )
    judged = next(text for line, text in said.items() if "--checks negation" in line)
    assert "'not' is lost: nothing in the output denies" in judged


def test_a_broken_table_of_a_pack_is_named(tok: Path) -> None:
    (tok / "tok/src/mtassay_tok/negations/tok.tsv").write_text("never ala\n")
    (tok / "s.txt").write_text("No.\n")
    command = [
        sys.executable,
        "-m",
        "mtassay",
        *["check", "-s", "s.txt", "-t", "a=s.txt", "-l", "en-tok", "--checks", "negation"],
    ]
    done = subprocess.run(command, cwd=tok, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 2
    assert re.search(r"tok\.tsv.*1: write formal, plain, hidden, a tab and an expression", done.stderr)


def test_no_pack_is_loaded_before_one_is_asked_for() -> None:
    code = "import mtassay, mtassay.data.formats.suite_files, sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert "mtassay_pt" not in done.stdout
    assert "importlib.metadata" not in done.stdout


def test_a_plan_that_names_a_suite_says_which_pack_has_it(tmp_path: Path) -> None:
    (tmp_path / "mtassay.yaml").write_text(
        "pair: en-pt\nsystems: {copy: 'fake:copy'}\nsteps:\n  suite: {suite: en-pt}\n", encoding="utf-8"
    )
    code = (
        "import mtassay.data.language_packs as packs; packs.each = lambda kind: iter(());"
        "from mtassay.__main__ import main; main()"
    )
    command = [sys.executable, "-c", code, "run", "--check"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "there is no suite 'en-pt'. The Portuguese pack has it: pip install ./packs/pt" in done.stderr
