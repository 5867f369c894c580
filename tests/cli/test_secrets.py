"""No value of the environment reaches the workspace, the screen or a report: every engine, every place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mtassay.runtime.workspace import Workspace
from tests.cli.conftest import Run
from tests.systems.clouds import CLOUDS
from tests.systems.server import Behaviour, Reply, Seen, Server, json_reply, status, translated

SECRET = "s3cr3t/v4lue+9"
SPELLINGS = (b"s3cr3t", b"v4lue")


def openai(seen: Seen) -> Reply:
    (text,) = translated([seen.body["messages"][-1]["content"]])
    return json_reply({"choices": [{"index": 0, "message": {"content": text}}]})


def own(seen: Seen) -> Reply:
    return json_reply({"translatedText": translated(seen.body["q"])})


ENGINES: dict[str, tuple[str, Behaviour]] = {
    "openai": ("openai:m?url={url}", openai),
    "http": ("http:service.json?url={url}", own),
    "deepl": ("deepl:?url={url}", CLOUDS["deepl"].echo),
    "google": ("google:?url={url}", CLOUDS["google-v2"].echo),
    "google v3": ("google:?version=v3&project=p&url={url}", CLOUDS["google-v3"].echo),
    "microsoft": ("microsoft:?url={url}", CLOUDS["microsoft"].echo),
}


def moved(seen: Seen) -> Reply:
    return Reply(status=302, headers={"Location": f"http://elsewhere.test{seen.path}"})


def told(seen: Seen) -> Reply:
    return status(400, {"error": {"message": f"no such place: {seen.path} {dict(seen.query)}"}})


@pytest.fixture
def environment() -> dict[str, str]:
    keys = {key: "0123456789abcdef" for cloud in CLOUDS.values() for key in cloud.keys}
    return {**keys, "GATE_KEY": SECRET, "GATE": SECRET, "OPENAI_API_KEY": "0123456789abcdef"}


def leaks(folder: Path, *texts: str) -> list[str]:
    """Where the secret can be read."""
    files = {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    files |= {f"text {number}": text.encode() for number, text in enumerate(texts)}
    return [name for name, data in files.items() if any(part in data for part in SPELLINGS)]


@pytest.mark.parametrize(
    ("engine", "where"),
    [
        *((engine, where) for engine in ENGINES for where in ("{server}/{secret}/v1", "{whole}")),
        *((engine, "{server}/v1?code={secret}") for engine in ("openai", "http", "deepl", "google")),
    ],
)
@pytest.mark.parametrize("written", ["${GATE_KEY}", "${GATE}", SECRET])
def test_a_secret_in_an_address_is_sent_and_nowhere_else(
    run: Run, tmp_path: Path, environment: dict[str, str], engine: str, where: str, written: str
) -> None:
    text, answer = ENGINES[engine]
    (tmp_path / "source.txt").write_text("one\n", encoding="utf-8")
    template = {"url": "http://localhost/", "body": {"q": "${texts}"}, "answer": "translatedText"}
    (tmp_path / "service.json").write_text(json.dumps(template), encoding="utf-8")
    with Server() as server:
        whole = f"{server.url}/{SECRET}/v1"
        if where == "{whole}":
            environment |= {"GATE_KEY": whole, "GATE": whole}
        address = where.format(
            server=server.url, secret=written, whole=whole if written == SECRET else written
        )
        words = ("translate", "source.txt", "-l", "en-de", "-t", "x=" + text.format(url=address))
        server.then(told, moved)
        done = [run(*words, **environment) for _ in range(2)]
        server.always = answer
        done += [run(*words, **environment) for _ in range(2)]
        assert [d.returncode for d in done] == [3, 3, 0, 0], done
        calls = len(server.seen)
        assert calls == 3, "what was answered is not asked again"
        assert "s3cr3t" in f"{server.seen[-1].path} {dict(server.seen[-1].query)}"
    assert leaks(tmp_path, *(part for d in done for part in (d.stdout, d.stderr))) == []
    (signature,) = Workspace(tmp_path / ".mtassay" / "workspace.db").database.select(
        "SELECT DISTINCT signature FROM answers"
    )
    assert signature[0].startswith(engine.split()[0])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_password_in_an_address_is_refused_and_not_shown(
    run: Run, tmp_path: Path, environment: dict[str, str], engine: str
) -> None:
    (tmp_path / "source.txt").write_text("one\n", encoding="utf-8")
    template = {"url": "http://localhost/", "body": {"q": "${texts}"}, "answer": "translatedText"}
    (tmp_path / "service.json").write_text(json.dumps(template), encoding="utf-8")
    for address in ("http://me:s3cr3t@localhost:1", "http://me:${GATE}@localhost:1", "http:/me:s3cr3t@x"):
        text = ENGINES[engine][0].format(url=address)
        done = run(
            "translate", "source.txt", "-l", "en-de", "-t", f"x={text}", **environment | {"GATE": "s3cr3t"}
        )
        assert done.returncode == 2
        assert leaks(tmp_path, done.stdout, done.stderr) == []


def test_another_value_of_a_key_keeps_the_answers_and_another_server_does_not(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "source.txt").write_text("one\n", encoding="utf-8")

    def calls(variable: str, value: str) -> int:
        text = f"x=openai:m?url={server.url}/${{{variable}}}/v1"
        before = len(server.seen)
        assert run("translate", "source.txt", "-l", "en-de", "-t", text, **{variable: value}).returncode == 0
        return len(server.seen) - before

    with Server() as server:
        server.always = openai
        assert [calls("MY_KEY", value) for value in ("first-one", "second-one")] == [1, 0]
        assert [calls("DEPLOYMENT", value) for value in ("first-one", "second-one", "first-one")] == [1, 1, 0]


def test_a_variable_in_a_plan_is_in_no_signature_parameter_or_report(
    run: Run, tmp_path: Path, environment: dict[str, str]
) -> None:
    for name in ("source.txt", "reference.txt"):
        (tmp_path / name).write_text("one\ntwo\n", encoding="utf-8")
    with Server() as server:
        server.always = json_reply({"choices": [{"index": 0, "message": {"content": "50"}}]})
        engine = f"openai:${{GATE}}?reasoning_effort=${{GATE}}&url={server.url}/${{GATE_KEY}}/v1"
        (tmp_path / "mtassay.yaml").write_text(
            "pair: en-de\ntest_sets: {t: {source: source.txt, references: [reference.txt]}}\n"
            f"systems:\n  x: {engine}\n  y: 'command:sed s,${{GATE}},x,'\n"
            f"steps:\n  score:\n    metrics: [bleu, 'llm:{engine}']\n"
            "report: report.html\n",
            encoding="utf-8",
        )
        done = run("run", **environment)
        assert done.returncode == 0, done.stderr
    shown = run("runs", "show", "last", "--format", "json", **environment)
    assert leaks(tmp_path, done.stdout, done.stderr, shown.stdout) == []
