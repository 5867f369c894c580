"""Makes variants of many sentences at once: finds places and words, and keeps plausible variants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from mtassay.data.errors import UsageError
from mtassay.data.languages import Pair
from mtassay.data.nouns import Edit, RunContext, Segment, original_of
from mtassay.data.settings import setting
from mtassay.methods.invariance.invariance_answers import variant_of
from mtassay.methods.invariance.relations import phrase_segments
from mtassay.methods.invariance.substitutes import Substituter, WordPlace, open_substituter
from mtassay.methods.invariance.variant_places import (
    changeable,
    fit,
    same_structure,
    similarities,
    universal_parts,
    words,
)
from mtassay.nlp.annotation import Annotation, Annotator, Layer
from mtassay.nlp.annotators import SpreadAnnotator, SpreadEncoder, advice, check_annotator, open_annotator
from mtassay.nlp.encoder import Encoder, is_installed, open_encoder
from mtassay.nlp.plain_places import PlainAnnotator, name_places, number_places

Report = Callable[[str, int, int | None], None]
"""Called with the step, its finished part, and the total."""

LEXICON = "lexicon"
_LAYERS: tuple[Layer, ...] = ("pos", "dependencies")

# Candidates per wanted variant, since some are too dissimilar and some change the parse.
_ASKED, _ENCODED = 4, 2


@dataclass(frozen=True, kw_only=True)
class VariantSettings:
    """Which words change, into which words, and how often; defaults are the paper's where it has them.

    A word gets at most `per_word` variants and a sentence at most `per_sentence`; sentences of more than
    `longest` words get none. `ends` lets the first and the last token change. `substitutes` names the source
    of new words, and `similarity` is the lowest cosine of a variant and its original. `seed` decides which
    words are used if not all can be. `source_annotator` names a language tool.
    """

    pos: tuple[str, ...] = setting(
        ("noun", "adj"),
        "Parts of speech to change: noun, adj, verb, adv, propn.",
        metavar="NAMES",
        kind=str,
        default="noun,adj",
    )
    per_sentence: int = setting(10, "At most N variants of a sentence.", metavar="N", least=1)
    per_word: int = setting(5, "At most N variants of a word.", metavar="N", least=1, is_hidden=True)
    longest: int = setting(35, "Leave out longer sentences.", metavar="WORDS", least=2, is_hidden=True)
    ends: bool = setting(False, "Also change the first and the last word.", "--ends", is_hidden=True)
    substitutes: str = setting(
        LEXICON,
        "Where new words come from: lexicon (ours, English), file:TABLE.tsv, fill-mask:MODEL "
        "(the paper's way), llm:openai:MODEL.",
        metavar="WHAT",
    )
    similarity: float = setting(
        0.8, "How near a variant must be to its original (encoder cosine).", least=0, most=1, is_hidden=True
    )
    source_annotator: str | None = setting(
        None, "Language tool for sources: spacy, stanza:en…", metavar="NAME", is_hidden=True
    )
    seed: int = setting(
        12345, "Seed of all draws. Default: $SACREBLEU_SEED or 12345.", kind=int | None, least=0
    )

    def __post_init__(self) -> None:
        if not 0 <= self.similarity <= 1:
            raise UsageError(f"The similarity must be between 0 and 1, not {self.similarity:g}.")


def make_variants(
    segments: Sequence[Segment],
    pair: Pair,
    settings: VariantSettings,
    context: RunContext,
    *,
    phrases: bool = False,
) -> list[Segment]:
    """Return each original followed by its variants and, with `phrases`, by its noun phrases.

    Notes say if weaker tools than usual were used.
    """
    language = str(pair.source)
    if settings.substitutes == LEXICON and settings.source_annotator is None:
        lacking = _lacking(pair)
        if lacking:
            more = "With a parser and a lexicon, nouns and adjectives change too."
            context.note(f"Only numbers and names of people change. {more} {lacking}")
            return _plain_variants(segments, pair.source.code, settings)
    annotator = open_annotator(language, needs=_LAYERS, name=settings.source_annotator)
    substituter = open_substituter(settings.substitutes, language).lent(context)
    encoder = open_encoder() if is_installed() else None
    if encoder is None:
        context.note("variants are not ranked in context: pip install 'mtassay[use]'")
    generated = generate(
        segments,
        SpreadAnnotator(annotator, context),
        substituter,
        settings,
        encoder=SpreadEncoder(encoder, context) if encoder else None,
        report=context.progress,
    )
    if not substituter.has_matched:
        context.note(
            f"no row of {settings.substitutes} is for a word of these sentences that may change;"
            " a row needs its inflection (English: NN, NNS, JJ …) and the word"
        )
    return _with_phrases(generated, annotator) if phrases else generated


def _lacking(pair: Pair) -> str:
    """What to install so that words of the source language can change; empty if nothing is missing."""
    language = str(pair.source)
    try:
        check_annotator(language, _LAYERS)
    except UsageError:
        return advice(pair.source.code, frozenset(_LAYERS))
    try:
        open_substituter(LEXICON, language)
    except UsageError as missing:
        return str(missing)
    return ""


def _plain_variants(segments: Sequence[Segment], code: str, settings: VariantSettings) -> list[Segment]:
    """Return each original followed by variants with other numbers and names, which need no parser."""
    work = [_Work(segment, skip=_unusable(segment.source)) for segment in segments]
    for task in work:
        if task.skip is not None:
            continue
        sentence = PlainAnnotator.read(task.segment.source or "")
        both, number = (sentence, sentence), words(sentence)
        places = sorted([*number_places((code, code), both), *name_places((code, code), both)])
        if number > settings.longest:
            task.skip = f"{number} words, more than {settings.longest}"
        elif not places:
            task.skip = "no number or name that may change"
        random = Random(f"{settings.seed}/{task.segment.id}")
        for place in places if task.skip is None else ():
            edits = [
                Edit(place.start, place.end, sentence.text[place.start : place.end], new, place.labels[0])
                for new, _ in random.sample(place.others, min(settings.per_word, len(place.others)))
            ]
            task.choices.append([_Choice(WordPlace(sentence, place.number), e, 0.0, 0.0) for e in edits])
        task.kept = _take(task.choices, settings.per_sentence, settings.per_word)
    return [segment for task in work for segment in _segments(task)]


def _with_phrases(segments: Sequence[Segment], annotator: Annotator) -> list[Segment]:
    """Add each original's noun phrases after its variants."""
    originals = [s for s in segments if original_of(s) is None and s.source]
    families: dict[str, list[Segment]] = {}
    for segment in segments:
        families.setdefault(original_of(segment) or segment.id, []).append(segment)
    for phrase in phrase_segments(originals, annotator.annotate([s.source or "" for s in originals])):
        families[str(original_of(phrase))].append(phrase)
    return [segment for family in families.values() for segment in family]


@dataclass
class _Choice:
    """A new word for a place, and the facts about it."""

    place: WordPlace
    edit: Edit
    score: float
    order: float  # 0 for the proposer's best, to 1
    similarity: float | None = None

    @property
    def text(self) -> str:
        return self.edit.apply(self.place.sentence.text)

    @property
    def rank(self) -> float:
        """The proposer's order, since similarity does not say whether a variant reads naturally."""
        return -self.order


@dataclass
class _Work:
    """An original in progress; `choices` has a list for each place, best first."""

    segment: Segment
    skip: str | None = None
    places: list[WordPlace] = field(default_factory=list)
    choices: list[list[_Choice]] = field(default_factory=list)
    kept: list[_Choice] = field(default_factory=list)


def generate(
    segments: Sequence[Segment],
    annotator: Annotator,
    substituter: Substituter,
    settings: VariantSettings,
    *,
    encoder: Encoder | None = None,
    report: Report | None = None,
) -> list[Segment]:
    """Return each original followed by its variants, in the order of the changed words.

    `tags["edit"]` of a variant has its `similarity` (missing without an encoder) and the substituter's
    `score`. `tags["skip"]` of an original says why it has no variant.
    """
    tell = report or (lambda step, done, total: None)
    work = [_Work(segment, skip=_unusable(segment.source)) for segment in segments]
    _find_places(work, annotator, settings, tell)
    _propose(work, substituter, settings, annotator.language, tell)
    if encoder is not None:
        _compare(work, encoder, settings, tell)
    _check(work, annotator, settings, tell)
    return [segment for task in work for segment in _segments(task)]


def _unusable(source: str | None) -> str | None:
    if source is None:
        return "no source"
    return None if source.strip() else "the source is empty"


def _find_places(work: list[_Work], annotator: Annotator, settings: VariantSettings, tell: Report) -> None:
    parts = universal_parts(settings.pos)
    usable = [task for task in work if task.skip is None]
    tell("reading", 0, len(usable))
    sentences = annotator.annotate([task.segment.source or "" for task in usable])
    for task, sentence in zip(usable, sentences, strict=True):
        task.skip = _unreadable(sentence, settings.longest)
        if task.skip is None:
            task.places = changeable(sentence, parts, ends=settings.ends, language=annotator.language)
            # A random generator per text, so that adding a sentence does not change the others.
            Random(f"{settings.seed}/{task.segment.id}").shuffle(task.places)
            if not task.places:
                task.skip = f"no {' or '.join(settings.pos)} that may change"
    tell("reading", len(usable), len(usable))


def _unreadable(sentence: Annotation, longest: int) -> str | None:
    if sentence.error is not None:
        return f"the source could not be read: {sentence.error}"
    number = words(sentence)
    if number == 0:
        return "no words"
    if number == 1:
        return "one word only"
    return f"{number} words, more than {longest}" if number > longest else None


def _propose(
    work: list[_Work], substituter: Substituter, settings: VariantSettings, language: str, tell: Report
) -> None:
    places = [place for task in work for place in task.places]
    tell("substitutes", 0, len(places))
    proposals = iter(substituter.substitutes(places, count=_ASKED * settings.per_word))
    for task in work:
        for place in task.places:
            candidates = next(proposals)
            choices = [
                _Choice(place, edit, candidate.score, order / len(candidates))
                for order, candidate in enumerate(candidates)
                if (edit := fit(place, candidate.word, language=language)) is not None
            ]
            task.choices.append(choices)
    tell("substitutes", len(places), len(places))


def _compare(work: list[_Work], encoder: Encoder, settings: VariantSettings, tell: Report) -> None:
    """Keep choices that are similar enough in meaning, in the order of the proposer."""
    for task in work:
        tried = set(
            map(id, _take(task.choices, _ENCODED * settings.per_sentence, _ENCODED * settings.per_word))
        )
        task.choices = [[choice for choice in choices if id(choice) in tried] for choices in task.choices]
    all_choices = [choice for task in work for choices in task.choices for choice in choices]
    tell("similarity", 0, len(all_choices))
    values = similarities(encoder, [(choice.place.sentence.text, choice.text) for choice in all_choices])
    for choice, value in zip(all_choices, values, strict=True):
        choice.similarity = value
    for task in work:
        task.choices = [
            sorted(
                (choice for choice in choices if (choice.similarity or 0.0) >= settings.similarity),
                key=lambda choice: -choice.rank,
            )
            for choices in task.choices
        ]
    tell("similarity", len(all_choices), len(all_choices))


def _check(work: list[_Work], annotator: Annotator, settings: VariantSettings, tell: Report) -> None:
    """Parse variants in rounds; each round fills the gaps that the previous round left."""
    done = 0
    while True:
        trials = [(task, choice) for task in work for choice in _next_choices(task, settings)]
        if not trials:
            return
        tell("parsing variants", done, done + len(trials))
        read = annotator.annotate([choice.text for _, choice in trials])
        for (task, choice), variant in zip(trials, read, strict=True):
            if same_structure(choice.place.sentence, variant, choice.place.token):
                task.kept.append(choice)
        done += len(trials)
        tell("parsing variants", done, done)


def _next_choices(task: _Work, settings: VariantSettings) -> list[_Choice]:
    """Remove the next choices to parse from the list, and return them."""
    missing = settings.per_sentence - len(task.kept)
    kept = [choice.place.token for choice in task.kept]
    room = [settings.per_word - kept.count(place.token) for place in task.places]
    chosen = _take(
        [choices if left > 0 else [] for choices, left in zip(task.choices, room, strict=True)],
        missing,
        settings.per_word,
    )
    chosen_ids = set(map(id, chosen))
    task.choices = [
        [choice for choice in choices if id(choice) not in chosen_ids] for choices in task.choices
    ]
    return chosen


def _take(choices: list[list[_Choice]], count: int, per_place: int) -> list[_Choice]:
    """Take the best choice of each place in turn, so that many different words change."""
    best: list[_Choice] = []
    for turn in range(per_place):
        for place in choices:
            if turn < len(place) and len(best) < count:
                best.append(place[turn])
    return best


def _segments(task: _Work) -> Iterator[Segment]:
    original = task.segment
    kept = sorted(task.kept, key=lambda choice: (choice.place.token, -choice.rank))
    reason = task.skip or (None if kept else "no substitute fits")
    yield original if reason is None else original._replace(tags={**original.tags, "skip": reason})
    for choice in kept:
        facts = {"score": round(choice.score, 4)}
        if choice.similarity is not None:
            facts["similarity"] = round(choice.similarity, 4)
        yield variant_of(original, choice.edit, choice.place.token, facts)
