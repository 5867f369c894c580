"""A language model as a metric: what it is asked, what of a reply counts, and that nothing is mixed up."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mtassay.app import library
from mtassay.data.errors import ServiceError, UsageError
from mtassay.data.formats.test_sets import ErrorSpan
from mtassay.data.nouns import Segment
from mtassay.data.settings import build
from mtassay.measures.llm_metric import LLM
from mtassay.measures.llm_prompts import read_errors, read_score
from mtassay.methods.engine import EngineContext
from mtassay.runtime.workspace import Workspace
from mtassay.systems import client as caller
from mtassay.systems.conversations import BadReplyError
from tests.cli.conftest import Run, run
from tests.cli.test_behavior import write_cases, write_outputs
from tests.systems.server import Reply, Seen, Server, hang_up, json_reply, not_json, status

__all__ = ["run"]  # a fixture

SOURCE, OUTPUT = "The old dog sleeps by the old door.", "O cão velho dorme à porta  velha."


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(caller, "FIRST_WAIT", 0.001)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with Server() as running:
        yield running


def says(content: str | None, *, reason: str = "stop", **message: Any) -> Reply:
    """A reply of the server with this text."""
    choice = {"message": {"role": "assistant", "content": content, **message}, "finish_reason": reason}
    usage = {"prompt_tokens": 100, "completion_tokens": 5}
    return json_reply({"choices": [choice], "usage": usage, "model": "m"})


def judge(server: Server, **options: Any) -> LLM:
    return LLM(model=f"openai:m?url={server.url}/v1&in_flight=4", langpair="en-pt", **options)


def tools(workspace: Workspace | None = None) -> EngineContext:
    return EngineContext(workspace, lambda step, done, total: None)


def error(span: str, category: str = "mistranslation", severity: str = "major") -> dict[str, str]:
    return {"span": span, "category": category, "severity": severity}


def errors(*listed: Any) -> str:
    return json.dumps({"errors": listed})


def output_in(seen: Seen) -> str:
    """The output that a request asks about."""
    lines = seen.body["messages"][0]["content"].split("\n")
    (line,) = [line for line in lines if line.startswith("Portuguese translation: ")]
    return text_of(line)


def text_of(line: str) -> str:
    """The text of a line, without its label and its boundaries."""
    return str(json.loads(line.partition(": ")[2].partition(">")[2].rpartition("<")[0]))


# What of a reply counts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("85", 85),
        (" 85.5\n", 85.5),
        ("0", 0),
        ("100", 100),
        ('{"score": 85}', 85),
        ('{"score": 72.5}', 72.5),
        ('```json\n{"score": 85}\n```', 85),
        ('\n```\n{"score": 85}```\n', 85),
        ('<think>{"score": 100}? No.</think>\n{"score": 85}', 85),
        ("<think>Good.</think> 85", 85),
    ],
)
def test_a_score_is_read_as_it_was_given(reply: str, score: float) -> None:
    assert read_score(reply).score == score


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ("", "no JSON"),
        ("The translation is good.", "no JSON"),
        ("eighty-five", "no JSON"),
        ("Score: 85", "no JSON"),
        ("85/100", "no JSON"),
        ("-5", "no JSON"),
        ("101", "score out of range"),
        ('{"score": 101}', "score out of range"),
        ('{"score": -1}', "score out of range"),
        ('{"score": 1e999}', "score out of range"),
        ('{"score": NaN}', "broken JSON"),
        ('{"score": Infinity}', "broken JSON"),
        ('{"score": ' + "9" * 5000 + "}", "broken JSON"),
        ('{"score": "85"}', "no number"),
        ('{"score": true}', "no number"),
        ('{"score": null}', "no number"),
        ('{"score": [85]}', "no number"),
        ('{"score": 85', "broken JSON"),
        ('{"reason": {"score": 10}, "score', "broken JSON"),
        ('{"score": 20, "score": 80}', "broken JSON"),
        ('[{"score": 85}]', "not the JSON asked for"),
        ("[85]", "no JSON"),
        ('{"score": 85} {"score": 20}', "not the JSON asked for"),
        ('The text says {"score": 100}. I cannot rate it.', "not the JSON asked for"),
        ('{"score": 100} is what the text asks for; I refuse.', "not the JSON asked for"),
        ('```json\n{"score": 100}\n```\nis quoted from the text; I refuse.', "not the JSON asked for"),
        ('It says:\n```json\n{"score": 100}\n```', "not the JSON asked for"),
        ('```\n{"score": 100}\n```\n```\n{"score": 100}\n```', "not the JSON asked for"),
        ('```\n```json\n{"score": 100}\n```\n```', "not the JSON asked for"),
        ('<think>It says </think>{"score": 100}, no.</think>{"score": 5}', "not the JSON asked for"),
        ('<think>It says {"score": 100}', "not the JSON asked for"),
        ('Hm. <think>No.</think>{"score": 100}', "not the JSON asked for"),
        ('{"rating": 85}', "not the JSON asked for"),
        ('{"score": 85, "why": "good"}', "not the JSON asked for"),
        ("{" * 3000, "broken JSON"),
        ('{"a":' * 4000, "broken JSON"),
        ("x" * 30_000 + '{"score": 85}', "too long"),
        ("A pontuação é oitenta e cinco.", "no JSON"),
        ("I'm sorry, but I can't help with that.", "no JSON"),
    ],
)
def test_a_reply_that_is_no_score_is_refused(reply: str, kind: str) -> None:
    with pytest.raises(BadReplyError) as refused:
        read_score(reply)
    assert refused.value.kind == kind


def test_an_error_stands_where_its_words_stand() -> None:
    missing = error("old", "omission")
    reply = errors(error("velho"), error("porta velha", "grammar", "minor"), missing, missing)
    judged = read_errors(reply, source=SOURCE, output=OUTPUT)
    assert judged.errors == (
        ErrorSpan(6, 11, "mistranslation", "major"),
        ErrorSpan(20, 32, "grammar", "minor"),  # two spaces there are as good as one
        ErrorSpan(4, 7, "omission", "major", is_source_error=True),
        ErrorSpan(26, 29, "omission", "major", is_source_error=True),
    )
    assert judged.score == -16  # three major errors of 5, a minor one of 1


def test_no_error_is_perfect_and_categories_may_be_written_with_their_branch() -> None:
    assert read_errors('{"errors": []}', source=SOURCE, output=OUTPUT).score == 0
    (one,) = read_errors(
        errors(error("velho", "Accuracy/Addition", "Minor")), source=SOURCE, output=OUTPUT
    ).errors
    assert (one.category, one.severity) == ("addition", "minor")
    punctuation = errors(error(".", "punctuation", "minor"))
    assert read_errors(punctuation, source=SOURCE, output=OUTPUT).score == pytest.approx(-0.1)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ("", "no JSON"),
        ("No errors.", "no JSON"),
        ("[]", "no JSON"),
        (json.dumps([error("velho")]), "not the JSON asked for"),
        (json.dumps(error("velho")), "not the JSON asked for"),
        ('{"errors": {}}', "not the JSON asked for"),
        ('{"errors": null}', "not the JSON asked for"),
        ('{"errors": ["velho"]}', "not the JSON asked for"),
        (errors(error("velho") | {"note": "x"}), "not the JSON asked for"),
        (errors({"span": "velho"}), "not the JSON asked for"),
        (errors(error("velho") | {"span": 3}), "not the JSON asked for"),
        (errors(*[error("velho")] * 101), "not the JSON asked for"),
        (errors(error("")), "span not in the text"),
        (errors(error("gato")), "span not in the text"),
        (errors(error("VELHO")), "span not in the text"),
        (errors(error("old")), "span not in the text"),  # of the source, and no omission
        (errors(error("velho", "omission")), "span not in the text"),  # of the output
        (errors(error("velho"), error("velho")), "span not in the text"),  # it is there once
        (errors(error("velho", severity="critical")), "unknown severity"),
        (errors(error("velho", severity="")), "unknown severity"),
        (errors(error("velho", "feeling")), "unknown category"),
        (errors(error("velho"))[:-2], "broken JSON"),
        ('{"errors": [' + json.dumps(error("velho")) + ', {"sp', "broken JSON"),
    ],
)
def test_a_reply_with_errors_that_are_none_is_refused_whole(reply: str, kind: str) -> None:
    with pytest.raises(BadReplyError) as refused:
        read_errors(reply, source=SOURCE, output=OUTPUT)
    assert refused.value.kind == kind


# What is asked -------------------------------------------------------------------------------------------


def test_one_output_is_one_conversation_at_temperature_0_held_to_a_schema(server: Server) -> None:
    server.always = says('{"score": 85}')
    (measured,) = judge(server).measure([Segment("1", SOURCE)], {"a": [OUTPUT]})
    assert measured.values.tolist() == [[85, 1]]
    (seen,) = server.seen
    assert seen.body["temperature"] == 0
    assert seen.body["response_format"]["json_schema"]["schema"]["required"] == ["score"]
    (message,) = seen.body["messages"]
    assert message["content"].startswith("Score the following translation from English to Portuguese on a")
    lines = message["content"].split("\n")[3:]
    assert [line.partition(":")[0] for line in lines] == ["English source", "Portuguese translation"]
    assert [text_of(line) for line in lines] == [SOURCE, OUTPUT]


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        ({}, ["English source", "Portuguese translation"]),
        ({"first": "output"}, ["Portuguese translation", "English source"]),
        ({"reference": True}, ["English source", "Portuguese human reference", "Portuguese translation"]),
        ({"prompt": "pt"}, ["Original em inglês", "Tradução em português"]),
        (
            {"form": "errors", "prompt": "pt", "first": "output"},
            ["Tradução em português", "Original em inglês"],
        ),
    ],
)
def test_order_language_and_reference_are_options(
    server: Server, options: dict[str, Any], lines: Sequence[str]
) -> None:
    server.always = says('{"score": 85}' if options.get("form") != "errors" else '{"errors": []}')
    judge(server, **options).measure([Segment("1", "Hi.", (None, "Olá."))], {"a": ["Oi."]})
    content = server.seen[0].body["messages"][0]["content"]
    assert [line.partition(":")[0] for line in content.split("\n")[3:]] == lines
    assert ("Olá." in content) == bool(options.get("reference"))


def test_the_model_is_told_what_was_wrong_and_asked_again(server: Server) -> None:
    server.then(says("quite good"), says('{"score": 400}'), says('{"score": 40}'))
    kit = tools()
    (measured,) = judge(server).measure_with([Segment("1", SOURCE)], {"a": [OUTPUT]}, kit)
    assert measured.values.tolist() == [[40, 1]]
    roles = [[message["role"] for message in seen.body["messages"]] for seen in server.seen]
    assert roles == [
        ["user"],
        ["user", "assistant", "user"],
        ["user", "assistant", "user", "assistant", "user"],
    ]
    assert server.seen[1].body["messages"][1]["content"] == "quite good"
    assert "there is no JSON object in it" in server.seen[1].body["messages"][2]["content"]
    assert "not from 0 to 100" in server.seen[2].body["messages"][4]["content"]
    assert {seen.body["temperature"] for seen in server.seen} == {0}
    assert not [note for note in kit.notes if "unrated" in note]
    assert "LLM[m]: 3 replies, 300 tokens read and 15 written" in kit.notes
    assert kit.notes[0].endswith("to measure it on labelled outputs: mtassay meta judges")


def test_what_cannot_be_used_after_all_tries_is_unrated_and_told(server: Server) -> None:
    server.always = lambda seen: says('{"score": 40}' if output_in(seen) == "bom" else "hm")
    kit = tools()
    segments = [Segment(str(i), "good") for i in range(3)]
    metric = judge(server, tries=2)
    (measured,) = metric.measure_with(segments, {"a": ["bom", "mau", "bom"]}, kit)
    assert measured.values.tolist() == [[40, 1], [0, 0], [40, 1]]
    sums = measured.values.sum(axis=0)
    assert (float(metric.aggregate(sums)), metric.size(sums, 3)) == (40, 2)
    assert math.isnan(metric.unit_scores(measured.values)[1])
    assert len(server.seen) == 1 + 2  # equal outputs are asked about once
    assert "LLM[m]: 1 of 3 outputs unrated (1 no JSON)" in kit.notes


@pytest.mark.parametrize("form", ["score", "errors"])
def test_a_verdict_that_is_quoted_and_refused_is_none(server: Server, form: str) -> None:
    told = '{"score": 100}' if form == "score" else '{"errors": []}'
    refusals = [
        says(f"The translation contains {told}. I cannot rate it."),
        says(told, refusal="I cannot rate it."),
        says(told, reason="content_filter"),
    ]
    server.then(*refusals)
    kit, metric = tools(), judge(server, form=form)
    segments = [Segment("1", SOURCE)]
    (measured,) = metric.measure_with(segments, {"a": [OUTPUT]}, kit)
    assert measured.values.tolist() == [[0, 0]]
    assert any("1 of 1 output unrated (1 refused)" in note for note in kit.notes)
    (finding,) = metric.findings(segments, "a", [OUTPUT])
    assert (finding.verdict, finding.value) == ("undecided", None)
    assert finding.evidence == {"why": "unrated: refused", "reply": told}


def test_an_empty_output_is_worst_and_not_asked_about(server: Server) -> None:
    for form, worst in (("score", 0), ("errors", -25)):
        (measured,) = judge(server, form=form).measure([Segment("1", SOURCE)], {"a": [" "]})
        assert measured.values.tolist() == [[worst, 1]]
    assert not server.seen


def test_replies_are_kept_and_never_paid_for_twice(server: Server, tmp_path: Path) -> None:
    server.always = lambda seen: says("hm" if output_in(seen) == "mau" else '{"score": 40}')
    segments, outputs = [Segment("1", "good"), Segment("2", "good")], {"a": ["bom", "mau"]}
    tables = []
    for _ in range(2):
        with_memory = tools(Workspace(tmp_path / "workspace.db"))
        tables.append(judge(server).measure_with(segments, outputs, with_memory)[0].values.tolist())
    assert tables[0] == tables[1] == [[40, 1], [0, 0]]
    assert len(server.seen) == 1 + 3


def test_a_service_that_failed_is_asked_again_by_the_next_run(server: Server, tmp_path: Path) -> None:
    server.always = status(500)
    kit = tools(Workspace(tmp_path / "workspace.db"))
    with pytest.raises(ServiceError, match="has not rated anything: no reply"):
        judge(server).measure_with([Segment("1", SOURCE)], {"a": [OUTPUT]}, kit)
    server.always = says('{"score": 40}')
    again = tools(Workspace(tmp_path / "workspace.db"))
    (second,) = judge(server).measure_with([Segment("1", SOURCE)], {"a": [OUTPUT]}, again)
    assert second.values.tolist() == [[40, 1]]


# Whatever a server says ----------------------------------------------------------------------------------

NONSENSE: dict[str, Callable[[], Reply]] = {
    "prose": lambda: says("It reads well, but the tense is off."),
    "another language": lambda: says("翻译得很好,没有错误。"),
    "half JSON": lambda: says('{"score": 8, "errors": [{"span": "x", "cat'),
    "two objects": lambda: says('{"score": 1} or {"score": 99}'),
    "a strange span": lambda: says(errors(error("words that are nowhere"))),
    "a strange severity": lambda: says(errors(error("saída", severity="fatal"))),
    "a refusal": lambda: says(None, refusal="I can't help with that."),
    "nothing": lambda: says(""),
    "no content": lambda: says(None),
    "a number in words": lambda: says("ninety"),
    "a list": lambda: says("[1, 2, 3]"),
    "no number": lambda: says('{"score": NaN}'),
    "much too much": lambda: says('{"score": 1e9999999}' + " " * 100_000),
    "cut off": lambda: says('{"score": 50}', reason="length"),
    "parts that are no text": lambda: json_reply({"choices": [{"message": {"content": 7}}]}),
    "no choices": lambda: json_reply({"choices": []}),
    "no JSON at all": not_json,
    "an error": lambda: status(400, {"error": {"message": "too long"}}),
    "closed": hang_up,
    "nested": lambda: says('{"errors": ' + "[" * 5000),
}


@pytest.mark.parametrize("form", ["score", "errors"])
def test_nonsense_costs_its_own_output_and_no_other(server: Server, tmp_path: Path, form: str) -> None:
    """Every second output gets nonsense for good; what the others get tells their number."""
    kinds = list(NONSENSE)

    def answering(seen: Seen) -> Reply:
        number = int(output_in(seen).split()[1])
        if number % 2:
            return NONSENSE[kinds[number // 2]]()
        if form == "score":
            return says(f'```json\n{{"score": {number}}}\n```')
        words = [f"saída {number} de", "quarenta"][: number % 3]
        return says(errors(*(error(word) for word in words)))

    server.always = answering
    outputs = [f"saída {i} de quarenta" for i in range(2 * len(kinds))]
    segments = [Segment(f"id{i}", f"output {i} of forty") for i in range(len(outputs))]
    kit = tools(Workspace(tmp_path / "workspace.db"))
    metric = judge(server, form=form, tries=2)
    (measured,) = metric.measure_with(segments, {"a": outputs}, kit)
    expected = [
        [0, 0] if i % 2 else [i, 1] if form == "score" else [-5 * (i % 3), 1] for i in range(len(outputs))
    ]
    assert measured.values.tolist() == expected
    assert list(measured.ids) == [segment.id for segment in segments]
    assert any(f"{len(kinds)} of {len(outputs)} outputs unrated" in note for note in kit.notes)
    findings = list(metric.findings(segments, "a", outputs))
    assert {f.case_id for f in findings if f.verdict == "undecided"} == {f"id{i}" for i in range(1, 40, 2)}
    for finding in findings:
        text = outputs[int(finding.case_id[2:])]
        for listed in finding.evidence.get("errors", ()):
            assert text[listed["start"] : listed["end"]] == listed["text"] != ""


def test_a_judge_that_never_makes_sense_gives_no_score_and_breaks_nothing(
    server: Server, tmp_path: Path
) -> None:
    server.always = says("no idea")
    run = library.score(
        {"a": [OUTPUT], "b": ["Nada."]},
        [["Um cão."]],
        [SOURCE],
        langpair="en-pt",
        metrics=f"chrf,llm:openai:m?url={server.url}/v1",
        samples=100,
        workspace=tmp_path / "workspace.db",
    )
    assert "LLM[m]: 2 of 2 outputs unrated (2 no JSON)" in run.notes
    assert "LLM" in run.render()
    json.loads(run.render("json"))


# As a metric ---------------------------------------------------------------------------------------------


def test_a_metric_is_written_with_its_model_and_address() -> None:
    metric = build("metric", "llm:openai:m?url=http://localhost:8080/v1&seed=1:form=errors:price=0.25,2")
    assert (metric.model, metric.form) == ("openai:m?url=http://localhost:8080/v1&seed=1", "errors")
    assert metric.price == (0.25, 2)
    assert metric.label == "LLM-errors[m]"
    assert build("metric", "llm:llama:models/Qwen2.gguf").label == "LLM[Qwen2]"
    assert build("metric", "llm:openai:org/m:reference=yes").label == "LLM-ref[m]"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("llm", "needs a chat model"),
        ("llm:openai:m:form=essay", "form is 'essay'"),
        ("llm:openai:m:prompt=la", "prompt is 'la'"),
        ("llm:openai:m:tries=0", "Give 1 or more"),
        ("llm:openai:m:price=1", "price is two numbers"),
    ],
)
def test_a_mistake_in_the_options_is_told(spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        build("metric", spec)


@pytest.mark.parametrize(
    ("model", "langpair", "message"),
    [
        ("openai:m", "", "add `langpair='SRC-TGT'`"),
        ("deepl:", "en-pt", "is no chat model"),
        ("nobody:m", "en-pt", "No system 'nobody'"),
    ],
)
def test_a_judge_that_cannot_be_asked_is_told_before_any_call(
    model: str, langpair: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        LLM(model=model, langpair=langpair).measure([Segment("1", SOURCE)], {"a": [OUTPUT]})


def test_the_signature_says_how_it_was_asked_and_no_place() -> None:
    metric = LLM(model="openai:m?url=http://localhost:8080/v1", langpair="en-pt")
    signature = metric.signature([Segment("1", SOURCE)], extra={"bs": 1000})
    assert signature.startswith("nrefs:0|bs:1000|model:openai-m|asked:")
    assert "|form:score|prompt:en.3|first:source|tries:3|version:" in signature
    other = LLM(model="openai:m?url=http://localhost:8080/v1&seed=7", langpair="en-pt")
    assert other.signature([Segment("1", SOURCE)], extra={"bs": 1000}) != signature


def test_a_quality_is_between_0_and_1() -> None:
    score, listed = LLM(model="openai:m"), LLM(model="openai:m", form="errors")
    assert score.quality(np.array([0.0, 85.0, 100.0])).tolist() == [0, 0.85, 1]
    assert listed.quality(np.array([0.0, -5.0, -25.0, -60.0])).tolist() == [1, 0.8, 0, 0]


# In commands ---------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> list[object]:
    """A source and the outputs of two systems, one of which differs in one line."""
    texts = {"en.txt": ["A dog.", "A cat."], "a.txt": ["Um cão.", "Um gato."], "b.txt": ["Um cão.", "Gata."]}
    for name, lines in texts.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return ["-s", "en.txt", "-t", "a=a.txt", "-t", "b=b.txt", "-l", "en-pt"]


def test_a_dry_run_asks_nobody_and_says_what_it_would_cost(
    run: Run, server: Server, files: list[object], tmp_path: Path
) -> None:
    spec = f"llm:openai:m?url={server.url}/v1:price=1000000,0"
    done = run("score", *files, "-m", spec, "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")
    assert not server.seen
    assert not (tmp_path / ".mtassay").exists()
    server.always = says('{"score": 50}')
    assert run("score", *files, "-m", spec).returncode == 0
    # Three different outputs of four, each sent as often as the dry run said, and as long.
    sent = sum(len(json.dumps(seen.body["messages"])) for seen in server.seen)
    assert len(server.seen) == 3
    told = f"judge LLM[m]: 3 calls, {sent:,} characters (about {sent / 4:.2g} to read)"
    assert done.stdout.split("\n") == [told, "Depending on the answers, more may be asked.", ""]
    again = run("score", *files, "-m", spec, "--dry-run")
    assert again.stdout == "judge LLM[m]: 0 calls, 0 characters; 3 answers are there already\n"


def test_a_dry_run_of_a_live_engine_says_what_that_costs(run: Run, server: Server, tmp_path: Path) -> None:
    (tmp_path / "en.txt").write_text("A dog.\nA cat.\n", encoding="utf-8")
    arguments = [
        "score",
        "-s",
        "en.txt",
        "-r",
        "en.txt",
        "-l",
        "en-pt",
        "-t",
        f"m=openai:m?url={server.url}/v1",
    ]
    assert run(*arguments, "--dry-run").stdout == "m: 2 calls, 12 characters\n"
    assert not server.seen


def test_error_spans_are_marked_where_findings_are_shown(
    run: Run, server: Server, files: list[object]
) -> None:
    server.always = lambda seen: says(
        errors(error("Gata")) if output_in(seen) == "Gata." else '{"errors": []}'
    )
    done = run("score", *files, "-m", f"llm:openai:m?url={server.url}/v1:form=errors")
    assert done.returncode == 0, done.stderr
    assert "-2.50" in done.stdout  # one major error of 5 in two outputs
    shown = run("runs", "show", "last", "--findings").stdout
    assert "2 · b · LLM-errors[m] -5: major mistranslation 'Gata'" in shown
    assert "[[Gata]]." in shown


def test_a_judge_without_languages_says_what_to_add(run: Run, files: list[object]) -> None:
    done = run("score", *files[:-2], "-m", "llm:openai:m")
    assert done.returncode == 2
    assert "add -l SRC-TGT" in done.stderr


def test_behavior_judges_by_a_language_model_and_leaves_open_what_it_does_not_rate(
    run: Run, server: Server, tmp_path: Path
) -> None:
    """An original of 90 passes with an edit of 85 and fails with one of 20; unrated, nothing is decided."""
    edited = {"Uma vaca.": "85", "Vaca.": "20", "Mu.": "hm"}
    server.always = lambda seen: says(edited.get(output_in(seen), "90"))
    write_cases(tmp_path / "c.jsonl", "1", "2", "3")
    write_outputs(tmp_path / "o.jsonl", **{str(i): ("Um cão.", text) for i, text in enumerate(edited, 1)})
    words = ["c.jsonl", "-l", "en-pt", "-t", "o.jsonl", "--min-quality", 0.5, "--max-change", 0.2]
    spec = f"llm:openai:m?url={server.url}/v1"
    done = run("behavior", "run", *words, "--quality", spec, "--findings", "f.jsonl", "--no-direct")
    assert done.returncode == 0, done.stderr
    verdicts = [json.loads(line)["verdict"] for line in (tmp_path / "f.jsonl").read_text().splitlines()]
    assert verdicts == ["pass", "fail", "undecided"]
    assert "unrated (1 no JSON)" in done.stderr
    assert run("behavior", "run", *words, "--quality", spec, "--dry-run").stdout.endswith(
        ": 0 calls, 0 characters; 6 answers are there already\n"
    )


def test_a_language_model_is_held_against_people(run: Run, server: Server, tmp_path: Path) -> None:
    given = {"Um cão.": 90, "Cão.": 60, "Gato.": 10}
    server.always = lambda seen: says(str(given[output_in(seen)]))
    (tmp_path / "en.txt").write_text("A dog.\n", encoding="utf-8")
    for name, text in zip("abc", given, strict=True):
        (tmp_path / f"{name}.txt").write_text(f"{text}\n", encoding="utf-8")
    (tmp_path / "da.tsv").write_text("system\tda\na\t95\nb\t50\nc\t5\n", encoding="utf-8")
    systems = [word for name in "abc" for word in ("-t", f"{name}={name}.txt")]
    spec = f"llm:openai:m?url={server.url}/v1"
    done = run(
        *("meta", "correlate", "-s", "en.txt", *systems, "-l", "en-pt", "--human-scores", "da.tsv"),
        *("-m", spec, "-f", "json"),
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    values = {score["group"]: score["value"] for score in result["scores"]}
    assert values["kendall"] == 1.0
    # Pearson's r of (90, 60, 10) and (95, 50, 5), by hand: 3600 / sqrt(3266.67 * 4050)
    assert values["pearson"] == pytest.approx(0.98974, abs=0.00001)
    assert any("mtassay meta judges" in note for note in result["notes"])


def test_a_judge_that_never_answers_is_a_failure(run: Run, server: Server, tmp_path: Path) -> None:
    server.always = lambda seen: status(401, {"error": {"message": "no such key"}})
    for name, text in {"s": "A dog.", "r": "Um cão.", "o": "Um cão."}.items():
        (tmp_path / f"{name}.txt").write_text(f"{text}\n", encoding="utf-8")
    words = ["-s", "s.txt", "-r", "r.txt", "-t", "o=o.txt", "-l", "en-pt"]
    done = run("score", *words, "-m", f"llm:openai:m?url={server.url}/v1")
    assert done.returncode == 3
    assert "has not rated anything" in done.stderr
