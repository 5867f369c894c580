"""The library: every method as a function, on files or on texts in memory, and the run that it gives.

All functions take, besides the parameters of their method, how to run it: `save` keeps the run in the
workspace, `workspace` is its file (default: `$MTASSAY_WORKSPACE` or `.mtassay/workspace.db`), `max_calls` and
`max_characters` are the budget of each live engine and `max_seconds` the time after which it gets no new
calls, `cache` (on) reuses what was computed before, `fresh` asks live engines again for what they answered
earlier and keeps both answers, `dry_run` asks nobody and raises `DryRun` with what would be asked, `quiet`
shows no progress (default: it is shown where a person looks on), and `listen` is told every note at once.
`executor` says where large work is computed: `local`, `processes` or `ray`, on the cluster at `ray_address`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from os import PathLike
from pathlib import Path
from typing import Any, cast

from mtassay import core
from mtassay.api.runs import Read, Run, RunSettings, Work, load, open_workspace, workspace_path
from mtassay.core import Generated, Segment, System
from mtassay.errors import UsageError
from mtassay.formats import Stream, read_references, read_stream, read_test_set
from mtassay.formats.segments import join, read_documents, read_table
from mtassay.languages import Pair, parse_pair
from mtassay.method import Method
from mtassay.registry import find
from mtassay.systems.roster import Given, is_folder, named, open_systems, stored_among
from mtassay.systems.stored import Stored

__all__ = [
    "Run",
    "RunSettings",
    "Texts",
    "Work",
    "behavior",
    "generate",
    "invariance",
    "listed",
    "load",
    "open_workspace",
    "read",
    "read_test_texts",
    "read_texts",
    "run",
    "score",
    "suite",
    "variants",
    "workspace_path",
]

Texts = str | PathLike[str] | Sequence[str | None]
"""A file, or texts in memory."""


def score(
    systems: Given = (),
    references: Texts | Sequence[Texts] = (),
    source: Texts | None = None,
    *,
    langpair: str | None = None,
    test_set: str | PathLike[str] | None = None,
    documents: str | PathLike[str] | None = None,
    entities: str | PathLike[str] | None = None,
    stream: bool = False,
    **options: Any,
) -> Run:
    """Corpus metrics against references, with intervals, significance and clusters.

    References are files, or lists of texts: one list for each reference. A `test_set` brings source,
    references and outputs along; `references` then are the names of some of its references. Parameters:
    those of `ScoreMethod`, as `metrics="bleu,chrf++"`. With `stream` all are files of lines, which are read
    block by block: ten million lines take no more memory than a hundred thousand.

    >>> run = score({"a": ["Olá."], "b": ["Oi."]}, [["Olá."]], metrics="chrf", samples=100)
    >>> run.systems, round(run.result.scores[0].value)
    (['a', 'b'], 100)
    """
    settings, parameters = RunSettings.split(options)
    parameters.setdefault("evidence", settings.save)
    if stream:
        if test_set is not None or documents is not None or entities is not None:
            raise UsageError("--stream reads files of lines: leave out --test-set, --documents, --entities.")
        from mtassay.api.streaming import stream_scores

        return stream_scores(systems, listed(references), source, langpair, settings, parameters)
    return score_work(
        systems,
        references,
        source,
        langpair=langpair,
        test_set=test_set,
        documents=documents,
        entities=entities,
        **parameters,
    ).run(settings)


def score_work(
    systems: Given,
    references: Texts | Sequence[Texts],
    source: Texts | None,
    *,
    langpair: str | None,
    test_set: str | PathLike[str] | None,
    documents: str | PathLike[str] | None,
    entities: str | PathLike[str] | None,
    **parameters: Any,
) -> Work:
    """What `score` does, before it is done."""
    from mtassay.methods.score.method import ScoreMethod

    pair = None if langpair is None else parse_pair(langpair)
    labels: dict[str, str] = {}
    inside: dict[str, System] = {}
    chosen: list[str] = []
    outside = systems
    if test_set is None:
        segments = read_test_texts(source, listed(references), documents, pair)
    else:
        if brought := [o for o, value in (("-s", source), ("--documents", documents)) if value is not None]:
            raise UsageError(f"--test-set brings source and documents along: leave out {brought[0]}.")
        names = [str(name) for name in listed(references)]
        test_data = read_test_set(Path(test_set), pair=pair, references=names)
        segments = test_data.segments
        labels = {"test": test_data.name, "lang": str(pair)} if pair else {"test": test_data.name}
        chosen = [name for name in systems if name in test_data.outputs]
        inside = {
            name: Stored(name, dict(zip((s.id for s in segments), test_data.outputs[name], strict=True)))
            for name in chosen or test_data.outputs
        }
        if not isinstance(systems, Mapping):
            outside = [name for name in systems if name not in chosen]
    if not inside and not outside:
        raise UsageError("There is no system to score: add -t NAME=FILE.")
    if entities is not None:
        from mtassay.formats.entities import read_entities

        segments = read_entities(Path(entities), segments)
    # Nobody gave an order to the files of a folder, or to all systems of a test set.
    parameters.setdefault("against_best", not chosen if inside else is_folder(outside))
    method = ScoreMethod.resolve(
        {"pair": None if pair is None else str(pair), "labels": labels, **parameters}
    )
    return Work(method, segments, {**inside, **named(outside)}, pair)


def suite(suite: Any, systems: Given, **options: Any) -> Run:
    """A linguistic test suite: what does each system get right?

    `suite` is a file, the name of one that comes with mtassay (`en-pt`), or a `Suite`. Parameters: those of
    `SuiteMethod`, as `category="Negation"` for some of its items.

    >>> run = suite("en-pt", {"nmt": ["Ambos os pais são médicos."]}, item="false-friends-nouns-1")
    >>> run.findings[0].verdict
    'pass'
    """
    settings, parameters = RunSettings.split(options)
    return suite_work(suite, systems, **parameters).run(settings)


def suite_work(suite: Any, systems: Given, **parameters: Any) -> Work:
    """What `suite` does, before it is done."""
    from mtassay.methods.suite.method import SuiteMethod

    method = SuiteMethod.resolve({"suite": suite, **parameters})
    if not systems:
        raise UsageError("There is no system to judge: add -t NAME=FILE or -t NAME=scheme:rest.")
    return Work(method, method.segments, systems, method.pair)


def invariance(sentences: Any, systems: Given, *, langpair: str, **options: Any) -> Run:
    """Change one word, translate again, report translations whose structure moved; needs no reference.

    `sentences` are a file or a list of texts, or segments with their variants. Parameters: those of
    `InvarianceMethod`.
    """
    settings, parameters = RunSettings.split(options)
    return invariance_work(sentences, systems, langpair=langpair, **parameters).run(settings)


def invariance_work(sentences: Any, systems: Given, *, langpair: str, **parameters: Any) -> Work:
    """What `invariance` does, before it is done."""
    from mtassay.methods.invariance.method import InvarianceMethod

    pair = parse_pair(langpair)
    method = InvarianceMethod.resolve({"pair": str(pair), **parameters})
    if not systems:
        raise UsageError("There is no system to test: add -t NAME=scheme:rest.")
    return Work(method, method.read(sentences), systems, pair)


def variants(sentences: Any, *, langpair: str, phrases: bool = False, **options: Any) -> Generated:
    """What `invariance` asks of a system: sentences and their variants; nothing is translated.

    `phrases` adds the noun phrases that the detector 'referential' asks for. Parameters: those of
    `InvarianceMethod`.
    """
    from mtassay.methods.invariance.method import InvarianceMethod

    settings, parameters = RunSettings.split(options)
    method = InvarianceMethod.resolve({"pair": str(parse_pair(langpair)), "detectors": (), **parameters})
    with settings.tools(is_live=method.asks_models) as tools:
        return method.with_variants(method.read(sentences), tools, phrases=phrases)


def behavior(source: Any, reference: Any, systems: Given, *, langpair: str, **options: Any) -> Run:
    """Edit both sides of a parallel text, and see which capabilities a system lacks.

    `source` and `reference` are files or lists of texts; with `reference=None`, `source` is a file of cases
    that were made before. Parameters: those of `BehaviorMethod`, and of `Recipe` where cases are made.
    """
    settings, parameters = RunSettings.split(options)
    return behavior_work(source, reference, systems, langpair=langpair, **parameters).run(settings)


def behavior_work(source: Any, reference: Any, systems: Given, *, langpair: str, **parameters: Any) -> Work:
    """What `behavior` does, before it is done."""
    from mtassay.methods.behavior.method import BehaviorMethod

    pair = parse_pair(langpair)
    if not systems:
        ways = "-t NAME=scheme:rest" if reference is not None else "-t NAME=FILE or -t NAME=scheme:rest"
        raise UsageError(f"There is no system to {'judge' if reference is None else 'test'}: add {ways}.")
    method = BehaviorMethod.resolve({"pair": str(pair), "recipe": reference is not None, **parameters})
    ready: Given | Sequence[System] = systems
    if reference is not None:
        if stored := stored_among(systems):
            raise UsageError(
                f"'{stored[0]}' is no live engine, and new cases have no stored outputs. "
                "Use 'mtassay behavior generate', then 'mtassay behavior judge'."
            )
        ready = open_systems(systems, [], pair)  # what cannot be opened is known before cases are made
    return Work(method, lambda tools: method.read(source, reference, tools), ready, pair)


def read(
    source: Any, references: Texts | Sequence[Texts] = (), *, langpair: str | None = None
) -> list[Segment]:
    """Segments for `run`: of a file with sources, references and tags, of several files, or of texts.

    >>> read(["Hi."], [["Olá."]])
    [Segment(id='1', source='Hi.', references=('Olá.',), document=None, tags={})]
    """
    pair = None if langpair is None else parse_pair(langpair)
    return read_texts(source, pair, listed(references))


def run(
    method: str | Method, segments: Any, systems: Given, *, langpair: str | None = None, **options: Any
) -> Run:
    """Any method by its name, or as an object, on segments: a file, a list of texts, or of `Segment`s.

    >>> run("score", [Segment("1", "Hi.", ("Olá.",))], {"a": ["Olá."]}, samples=100).method
    'score'
    """
    settings, parameters = RunSettings.split(options)
    return method_work(method, segments, systems, langpair=langpair, **parameters).run(settings)


def method_work(
    method: str | Method, segments: Any, systems: Given, *, langpair: str | None, **parameters: Any
) -> Work:
    """What `run` does, before it is done."""
    pair = None if langpair is None else parse_pair(langpair)
    if isinstance(method, str):
        cls = cast("type[Method]", find("method", method))
        takes_pair = pair is not None and any(f.name == "pair" for f in fields(cls))
        method = cls.resolve({**({"pair": str(pair)} if takes_pair else {}), **parameters})
    if not systems:
        raise UsageError("There is no system to test: add -t NAME=FILE or -t NAME=scheme:rest.")
    return Work(method, read_texts(segments, pair), systems, pair)


def generate(method: Method, read: Read, **options: Any) -> core.Generated:
    """What a method makes of the segments that `read` reads, with all that it refused; nothing is asked."""
    settings, _ = RunSettings.split(options)
    with settings.tools(is_live=True) as tools:  # a language model may be asked, whose answers are kept
        return method.generate(read(tools), tools)


def listed(references: Texts | Sequence[Texts]) -> list[Texts]:
    """One or several references as a list."""
    return (
        [references] if isinstance(references, str | PathLike) else list(cast("Sequence[Texts]", references))
    )


def _refuse_sentence(what: Any, instead: str) -> None:
    """A text where a file is meant is a slip of who thinks of texts in memory."""
    if isinstance(what, str) and " " in what.strip() and not Path(what).exists():
        shown = what if len(what) <= 40 else f"{what[:39]}…"
        raise UsageError(f"There is no file {shown!r}. Texts in memory are given as {instead}")


def read_test_texts(
    source: Texts | None, references: Sequence[Texts], documents: Any, pair: Pair | None
) -> list[Segment]:
    """The segments of files and of texts in memory, joined."""
    for what in references:
        _refuse_sentence(what, "a list for each reference: [[…]]")
    streams = [
        stream
        for what in references
        for stream in (
            read_references(Path(what), pair=pair)
            if isinstance(what, str | PathLike)
            else [Stream("the reference", list(what), None)]
        )
    ]
    first = None
    if isinstance(source, str | PathLike):
        first = read_stream(Path(source), role="source", pair=pair)
    elif source is not None:
        first = Stream("the source", list(source), None)
    return join(first, streams, documents=None if documents is None else read_documents(Path(documents)))


def read_texts(texts: Any, pair: Pair | None, references: Sequence[Texts] = ()) -> list[Segment]:
    """Segments from a file, from texts, or as they are; a file that holds references brings them along."""
    _refuse_sentence(texts, "a list: ['…']")
    if not isinstance(texts, str | PathLike):
        numbered = enumerate(texts, start=1)
        segments = [s if isinstance(s, Segment) else Segment(str(i), s) for i, s in numbered]
        return (
            segments
            if not references
            else read_test_texts([s.source for s in segments], references, None, pair)
        )
    table = None if references else read_table(Path(texts), pair=pair)
    if table is None:
        return read_test_texts(texts, references, None, pair)
    return join(read_stream(Path(texts), role="source", pair=pair), table.only("reference"))
