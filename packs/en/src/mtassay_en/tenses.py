"""Puts verbs of the past into the past perfect: `went` and `foi` become `had gone` and `tinha ido`.

Verbs of the present stay: `the hotels had been expensive` does not go with `the village is full`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from mtassay.methods.behavior.pairs import ReadPair
from mtassay.nlp.annotation import Annotation, Token
from mtassay_en.inflections import english_forms, portuguese_forms
from mtassay_en.lexicon_entries import DATA, Substitute, rows_of, word_set
from mtassay_en.offers import Offer, fitted

TENSE_PAIRS = frozenset((("en", "pt"), ("pt", "en")))
"""The pairs of languages in which a verb can be put into the past perfect."""


@dataclass(frozen=True, slots=True)
class VerbGroup:
    """A finite verb with what helps it, in characters, and the same in the past perfect.

    `head` is the number of the verb itself, `anchors` those of the words by which it is known on the other
    side. `kind` is `active`, `passive` or `be`.
    """

    start: int
    end: int
    head: int
    anchors: frozenset[int]
    kind: str
    after: str


def tense_offers(languages: tuple[str, str], pair: ReadPair) -> list[Offer]:
    """One offer for each verb that can be put into the past perfect on both sides, in order.

    The aligner must link the two verbs, and neither with another one, unless they are the only ones; and
    their tenses must go together, so that a wrong link is seen.
    """
    if languages not in TENSE_PAIRS:
        return []
    sides = _GROUPS[languages[0]](pair.source), _GROUPS[languages[1]](pair.reference)
    alone = _are_alone(languages, pair)
    linked = [
        (group, other)
        for group in sides[0]
        for other in sides[1]
        if (alone and group.kind == other.kind and _has_no_other(pair, group, other))
        or _are_linked(languages, pair, group, other)
    ]
    offers = []
    for group, other in linked:
        is_only = sum(group is a or other is b for a, b in linked) == 1
        if (
            is_only
            and _go_together(group, other)
            and _of_one_sentence(pair, group, other)
            and group.after != pair.source.text[group.start : group.end]
        ):
            place = (group.start, group.end, other.start, other.end)
            substitute = Substitute(group.after, other.after)
            offers.append(Offer(*place, group.head, "tense", ("VP",), (substitute,)))
    return offers


def _are_linked(languages: tuple[str, str], pair: ReadPair, group: VerbGroup, other: VerbGroup) -> bool:
    """Whether the aligner links two verbs."""
    here, there = _anchors(languages[0], group, other), _anchors(languages[1], other, group)
    return any((a, b) in pair.links for a in here for b in there)


def _has_no_other(pair: ReadPair, group: VerbGroup, other: VerbGroup) -> bool:
    """Whether the aligner links neither verb with another, as `took` with `ao tomar`."""
    return not any(
        pair.reference.tokens[b].pos == "VERB" and pair.source.tokens[a].pos in ("VERB", "AUX")
        for a, b in pair.links
        if (a in group.anchors) != (b in other.anchors)
    )


def _anchors(language: str, group: VerbGroup, other: VerbGroup) -> frozenset[int]:
    """By what a verb is known beside another: `are` of `are based` is no `têm`, but may be `são`."""
    is_other_voice = language == "en" and group.kind == "passive" and other.kind != "passive"
    return frozenset((group.head,)) if is_other_voice else group.anchors


_END = re.compile(r"[.!?](?=\s)")


def _of_one_sentence(pair: ReadPair, group: VerbGroup, other: VerbGroup) -> bool:
    """Whether two verbs are in the same sentence of their sides, where both sides have as many."""
    ends = [[m.end() for m in _END.finditer(side.text)] for side in (pair.source, pair.reference)]
    if len(ends[0]) != len(ends[1]):
        return True
    return sum(end <= group.start for end in ends[0]) == sum(end <= other.start for end in ends[1])


def _are_alone(languages: tuple[str, str], pair: ReadPair) -> bool:
    """Whether each side has one verb, its auxiliaries left aside, so that no link is needed."""
    sides = ((languages[0], pair.source), (languages[1], pair.reference))
    return all(sum(_is_finite(language, token) for token in side.tokens) == 1 for language, side in sides)


def _is_finite(language: str, token: Token) -> bool:
    if language == "en":
        return token.tag in _FINITE
    return token.features.get("VerbForm") == "Fin"


def _go_together(group: VerbGroup, other: VerbGroup) -> bool:
    return (group.kind == "be") == (other.kind == "be")


_SUBJECTS = frozenset(("nsubj", "nsubjpass", "expl", "csubj"))
_UNSAFE = re.compile(
    r"\b(?:if|unless|whether|tomorrow|tonight|let['’]s|wish|as though|used to|supposed to|ago)\b"
    r"|\bnext (?:week|month|year|time|\w+day)\b"
    r"|\b(?:do|does|did|is|are|was|were|have|has)(?:n['’]t)? (?:I|you|he|she|it|we|they)\?|\?.*\?",
    re.IGNORECASE,
)
"""What does not go with another tense: conditions, the future, questions behind a statement."""
_FINITE = frozenset(("VBD", "VBZ", "VBP", "MD"))
_TIED = frozenset(("when", "while", "as", "since", "until", "till", "once", "like", "where", "whenever"))
"""What joins a clause whose tense goes with that of the other."""
_LEFT_ALONE = frozenset(("get", "have", "let", "suppose", "mean"))
"""Verbs of English that are often more than a verb: `have to go`, `has got`, `I mean`."""


def english_groups(annotation: Annotation) -> list[VerbGroup]:
    """The verbs in the past tense of an English text that have a subject before them, in order.

    Left out are modal verbs, progressive forms, questions and conditions.
    """
    if _UNSAFE.search(annotation.text):
        return []
    groups = (_english_group(annotation, number) for number in range(len(annotation.tokens)))
    return [group for group in groups if group]


def _english_group(annotation: Annotation, verb: int) -> VerbGroup | None:
    tokens = annotation.tokens
    token = tokens[verb]
    below = [i for i, other in enumerate(tokens) if other.head == verb]
    helpers = [i for i in below if tokens[i].relation in ("aux", "auxpass")]
    negations = [i for i in below if tokens[i].relation == "neg" and i < verb + 2]
    subjects = [i for i in below if tokens[i].relation in _SUBJECTS]
    if token.pos not in ("VERB", "AUX") or token.relation in ("aux", "auxpass", "amod", "compound"):
        return None
    chain = sorted([*helpers, *negations, verb])
    if not subjects or min(subjects) > chain[0] or any(tokens[i].relation == "prt" for i in below):
        return None
    if any(tokens[i].text.lower() in _TIED for i in below):
        return None
    while chain[0] - 1 in below and tokens[chain[0] - 1].tag in ("RB", "RBR"):  # `often went`
        chain.insert(0, chain[0] - 1)
    following = max(chain) + 1
    if token.lemma == "be" and following in below and tokens[following].text.lower() in word_set("after be"):
        chain.append(following)  # `is always`, but `had always been`
    finite = helpers[0] if helpers else verb
    parts = _english_parts(tokens, helpers, verb)
    if parts is None or tokens[finite].tag != "VBD":
        return None
    # `was also used`: adverbs may be between.
    verbal = {*helpers, *negations, verb}
    between = [i for i in range(chain[0], chain[-1] + 1) if i not in verbal]
    if any(tokens[i].pos != "ADV" or tokens[i].head != verb for i in between):
        return None
    kept = [annotation.text[tokens[i].start : tokens[i].end] for i in sorted([*between, *negations])]
    if kept and kept[0] in ("n't", "n’t"):
        kept, had = kept[1:], "had" + kept[0]
    else:
        had = "had"
    kind = "be" if token.lemma == "be" else "passive" if "been" in parts else "active"
    start, end = tokens[chain[0]].start, tokens[chain[-1]].end
    joined = chain[0] > 0 and tokens[chain[0] - 1].end == start
    if joined and (tokens[finite].lemma != "be" or kind != "be"):  # `she's seen` may be anything
        return None
    after = " ".join([had, *kept, *parts])
    anchors = frozenset({verb, *(i for i in helpers if tokens[i].relation == "auxpass")})
    return VerbGroup(start, end, verb, anchors, kind, f" {after}" if joined else after)


def _english_parts(tokens: Sequence[Token], helpers: Sequence[int], verb: int) -> list[str] | None:
    """What is behind `had` and its adverbs; `None` where the verb is in another form."""
    token, words = tokens[verb], [tokens[i].lemma for i in helpers]
    if token.lemma in _LEFT_ALONE:
        return None
    if not words and token.tag == "VBD":
        participle = "been" if token.lemma == "be" else _participle(token)
        return [participle] if participle else None
    if words == ["do"] and token.tag == "VB" and any(other.relation == "neg" for other in tokens):
        participle = _participle(token)
        return [participle] if participle else None
    is_passive = words == ["be"] and token.tag == "VBN" and tokens[helpers[0]].relation == "auxpass"
    return ["been", token.text] if is_passive else None


def _participle(token: Token) -> str | None:
    irregular = _irregular("en").get(token.lemma)
    if irregular is not None:
        return None if irregular["part"] == "-" else irregular["part"]
    if token.tag == "VBD":
        return token.text if token.text.endswith("ed") else None
    return english_forms("VERB", token.lemma)["part"] if token.lemma.isalpha() else None


_TER = {"1sg": "tinha", "3sg": "tinha", "1pl": "tínhamos", "3pl": "tinham"}
_PORTUGUESE_TIMES = ("pres", "pret", "impf")
_COPULAS = frozenset(("ser", "estar", "ficar", "haver", "existir"))


def portuguese_groups(annotation: Annotation) -> list[VerbGroup]:
    """The finite verbs of a Portuguese text in preterite or imperfect, in order.

    Of a passive the form of `ser` is what changes. Left out are verbs with a pronoun behind a hyphen, and
    those that help another verb.
    """
    groups = (_portuguese_group(annotation, number) for number in range(len(annotation.tokens)))
    return [group for group in groups if group]


def _portuguese_group(annotation: Annotation, verb: int) -> VerbGroup | None:
    tokens = annotation.tokens
    token = tokens[verb]
    after = annotation.text[token.end : token.end + 1]
    if token.pos not in ("VERB", "AUX") or token.features.get("VerbForm", "Fin") != "Fin" or after == "-":
        return None
    head = tokens[token.head] if token.head >= 0 else None
    relation = token.relation
    is_participle = head is not None and head.features.get("VerbForm") == "Part"
    form = _portuguese_form(token.text.lower(), token.lemma)
    if form is None:
        return None
    person, lemma, participle = form
    if relation == "aux:pass" and is_participle and lemma == "ser":
        anchors, kind = frozenset((verb, token.head)), "passive"
    elif relation == "cop" or (lemma in _COPULAS and relation != "aux" and relation != "aux:pass"):
        anchors, kind = frozenset((verb,)), "be"
    elif relation.startswith("aux") or any(
        other.head == verb and other.relation.startswith(("aux", "cop")) for other in tokens
    ):
        return None
    else:
        anchors, kind = frozenset((verb,)), "active"
        following = [other.text.lower() for other in tokens[verb + 1 : verb + 3]]
        if lemma == "ter" and following[:1] in (["que"], ["de"]):  # `tem que ir`
            return None
    written = fitted(f"{_TER[person]} {participle}", token.text)
    return VerbGroup(token.start, token.end, verb, anchors, kind, written)


def _portuguese_form(text: str, lemma: str) -> tuple[str, str, str] | None:
    """The person, the verb and its participle; `None` of the present, or where it may be of two verbs."""
    verbs = _by_form().get(text, {})
    participles = {_conjugation(verb)["part sg m"] for verb in verbs}
    # Of `ser` and `ir` the annotator and the other side know which; of `ver` and `vir` they do not.
    if len(participles) > 1 and set(verbs) != {"ser", "ir"}:
        return None
    verb = lemma if lemma in verbs else next(iter(verbs), None)
    if verb is None:
        return None
    persons = {_TER[cell[4:]]: cell[4:] for cell in verbs[verb]}
    # `compramos` is present and preterite alike.
    if len(persons) != 1 or all(cell.startswith("pres") for cell in verbs[verb]):
        return None
    return persons.popitem()[1], verb, _conjugation(verb)["part sg m"]


@cache
def _by_form() -> dict[str, dict[str, list[str]]]:
    """The verbs of each form in present, preterite and imperfect, and the cells that it has there."""
    forms: dict[str, dict[str, list[str]]] = {}
    for verb in (*_irregular("pt"), *sorted(_infinitives())):
        for cell, form in _conjugation(verb).items():
            if cell[:4] in _PORTUGUESE_TIMES and cell[4:] in _TER:
                cells = forms.setdefault(form, {}).setdefault(verb, [])
                if cell not in cells:
                    cells.append(cell)
    return forms


@cache
def _conjugation(verb: str) -> dict[str, str]:
    return _irregular("pt").get(verb) or portuguese_forms("VERB", verb)


@cache
def _infinitives() -> frozenset[str]:
    """The regular verbs of Portuguese that we know."""
    listed = (DATA / "infinitives_pt.txt").read_text(encoding="utf-8").split()
    ours = {row["pt"] for _, row in rows_of("verbs") if row.get("pt", "").isalpha()}
    return frozenset({*listed, *ours} - set(_irregular("pt")))


@cache
def _irregular(language: str) -> dict[str, dict[str, str]]:
    """The forms of the irregular verbs of a language, by infinitive."""
    make = {"en": english_forms, "pt": portuguese_forms}[language]
    rows = (row["verb"] for _, row in rows_of("irregular_verbs") if row["language"] == language)
    return {text.split(",")[0]: make("VERB", text) for text in rows}


_GROUPS: dict[str, Callable[[Annotation], list[VerbGroup]]] = {
    "en": english_groups,
    "pt": portuguese_groups,
}
