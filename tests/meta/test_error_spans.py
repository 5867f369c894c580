"""What a judge marks, compared with what people marked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mtassay.app.metric_agreement import correlate
from tests.metrics.test_llm import error, errors, says
from tests.systems.server import Seen, Server

OUTPUTS = ["eine falsche Zeile", "gut", "noch falsch hier", "ohne Urteil"]
PEOPLE = [[(5, 12)], [], [(0, 4), (5, 11)], None]
"""What people marked: "falsche"; nothing; "noch" and "falsch"; the last is unrated."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    def rating(spans: list[tuple[int, int]] | None) -> str:
        if spans is None:
            return "None"
        told = [{"start": a, "end": b, "category": "accuracy", "severity": "major"} for a, b in spans]
        return json.dumps({"errors": told})

    files = {
        "sources/en-de.txt": "one\ntwo\nthree\nfour\n",
        "references/en-de.refA.txt": "eins\nzwei\ndrei\nvier\n",
        "documents/en-de.docs": "news\td1\n" * 4,
        "human-scores/en-de.mqm.seg.rating": "".join(
            f"{name}\t{rating(spans)}\n" for name in ("X", "Y") for spans in PEOPLE
        ),
    }
    files |= {f"system-outputs/en-de/{name}.txt": "\n".join(OUTPUTS) + "\n" for name in ("X", "Y")}
    for name, text in files.items():
        path = tmp_path / "wmt" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "wmt"


def records(folder: Path) -> dict[str, Any]:
    """The same as texts, with what people marked as JSON Lines."""
    marked = [
        {
            "system": name,
            "id": str(i + 1),
            "errors": None
            if spans is None
            else [{"start": a, "end": b, "severity": "major"} for a, b in spans],
        }
        for name in ("X", "Y")
        for i, spans in enumerate(PEOPLE)
    ]
    path = folder / "people.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in marked), encoding="utf-8")
    outputs = {"X": OUTPUTS, "Y": OUTPUTS}
    return {"systems": outputs, "source": ["one", "two", "three", "four"], "human_scores": path}


@pytest.mark.parametrize("form", ["folder", "records"])
def test_precision_and_recall_are_of_characters(
    form: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The judge marks "falsch" wherever it is, and "gut": 12 of 15 characters are right, of 17 there are."""
    monkeypatch.chdir(tmp_path)

    def answer(seen: Seen) -> object:
        marked = [
            word
            for word in ("falsch", "gut")
            if word in seen.body["messages"][0]["content"].rpartition("German translation")[2]
        ]
        return says(errors(*map(error, marked)))

    with Server() as server:
        server.always = answer  # type: ignore[assignment]
        found = correlate(
            **{"folder": {"mtme": folder}, "records": records(tmp_path)}[form],
            langpair="en-de",
            metrics=f"llm:openai:m?url={server.url}/v1:form=errors:probe=0",
            level="segment",
            samples=100,
            quiet=True,
        )
    scores = {score["name"]: score for score in found.records() if score["name"].startswith("span")}
    assert scores["span precision"]["value"] == pytest.approx(100 * 12 / 15)
    assert scores["span recall"]["value"] == pytest.approx(100 * 12 / 17)
    assert scores["span F1"]["value"] == pytest.approx(200 * 12 / (15 + 17))
    assert scores["span F1"]["n"] == 6  # two systems; what people did not rate does not count
    assert scores["span F1"]["low"] < scores["span F1"]["value"] < scores["span F1"]["high"]
    assert "Error spans" in str(found)
