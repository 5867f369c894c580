"""The past perfect of German verbs: `ging nach Hause` becomes `war nach Hause gegangen`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from mtassay.nlp.annotation import Annotation, Token
from mtassay_en.lexicon_entries import rows_of
from mtassay_en.offers import fitted


@dataclass(frozen=True, slots=True)
class VerbGroup:
    """A finite verb with what helps it, in characters, and the same in the past perfect.

    `head` is the number of the verb itself, `anchors` those of the words by which it is known on the other
    side. `time` is `past`, `present` or `perfect`; `kind` is `active`, `passive` or `be`.
    """

    start: int
    end: int
    head: int
    anchors: frozenset[int]
    time: str
    kind: str
    after: str


_BOUNDARIES = frozenset((",", ";", ":", ".", "!", "?", "–", "-", "(", ")", "…"))
_QUOTES = frozenset("\"„“”»«‚‘’'")
_INSEPARABLE = ("be", "ver", "er", "ent", "zer", "ge", "miss", "emp")
_SEPARABLE = (
    "ab", "an", "auf", "aus", "bei", "ein", "fest", "fort", "her", "hin", "los", "mit", "nach", "statt",
    "teil", "vor", "weg", "weiter", "zu", "zurück", "zusammen", "bekannt", "dar", "klar", "bereit", "frei",
    "hervor", "heraus", "hinaus", "hinzu", "herum", "entgegen", "wieder", "nieder", "empor", "hoch",
)  # fmt: skip
_BASES = (
    "arbeiten", "bauen", "decken", "drehen", "drücken", "führen", "fügen", "holen", "hören", "kaufen",
    "leben", "legen", "lehnen", "leiten", "lernen", "machen", "merken", "passen", "richten", "sagen",
    "schalten", "schauen", "schicken", "setzen", "spielen", "stellen", "suchen", "teilen", "wechseln",
)  # fmt: skip
"""Weak verbs that have many prefixes; with one that we do not know, nobody can tell where `ge` goes."""
_PASTS = {
    "hat": "hatte", "habe": "hatte", "haben": "hatten", "hast": "hattest",
    "ist": "war", "bin": "war", "sind": "waren",
}  # fmt: skip
_SEIN = {
    "war": ("past", ""), "waren": ("past", "n"), "ist": ("present", ""), "bin": ("present", ""),
    "sind": ("present", "n"),
}  # fmt: skip
_STRONG = {
    verb: {form: ("present", "")}
    for verb, form in (
        ("geben", "gibt"), ("nehmen", "nimmt"), ("sehen", "sieht"), ("sprechen", "spricht"),
        ("helfen", "hilft"), ("treffen", "trifft"), ("werfen", "wirft"), ("essen", "isst"),
        ("vergessen", "vergisst"), ("lesen", "liest"), ("halten", "hält"), ("erhalten", "erhält"),
        ("fallen", "fällt"), ("laufen", "läuft"), ("schlafen", "schläft"), ("tragen", "trägt"),
        ("wachsen", "wächst"), ("haben", "hat"), ("wissen", "weiß"), ("sterben", "stirbt"),
        ("empfehlen", "empfiehlt"), ("gelten", "gilt"), ("enthalten", "enthält"),
        ("gefallen", "gefällt"), ("werden", "wird"),
    )
}  # fmt: skip
_PASSIVES = {"wurde": "war", "wurden": "waren", "wird": "war"}


@dataclass(frozen=True, slots=True)
class _Clause:
    """The tokens between two marks, by number, and whether the finite verb is at the end."""

    inside: range
    verb: int
    is_last: bool


def german_groups(annotation: Annotation) -> list[VerbGroup]:
    """The finite verbs of a German text in preterite, perfect or passive, in order.

    A participle goes to the end of the clause, so only clauses with one finite verb are taken, of which that
    end is known: the end of the sentence, or a comma before a conjunction.
    """
    groups = (_group(annotation, clause) for clause in _clauses(annotation.tokens))
    return [group for group in groups if group]


def _clauses(tokens: Sequence[Token]) -> list[_Clause]:
    clauses, first = [], 0
    for number in range(len(tokens) + 1):
        if number < len(tokens) and not _is_boundary(tokens, first, number):
            continue
        inside = range(first, number)
        first = number + 1
        finite = [i for i in inside if _tag(tokens[i]).endswith("FIN")]
        if len(finite) == 1 and not any(tokens[i].text in _QUOTES for i in inside):
            is_last = finite[0] == inside[-1] and _is_subordinate(tokens, inside)
            clauses.append(_Clause(inside, finite[0], is_last))
    return [clause for clause in clauses if _is_whole(tokens, clause)]


def _is_subordinate(tokens: Sequence[Token], inside: range) -> bool:
    return _tag(tokens[inside[0]]).startswith(("KOUS", "PREL", "PWAV", "PWS"))


def _is_boundary(tokens: Sequence[Token], first: int, number: int) -> bool:
    """Whether a clause ends here: at a mark, or at an `und` with a finite verb on either side."""
    if tokens[number].text in _BOUNDARIES:
        return True
    if _tag(tokens[number]) != "KON":
        return False
    after = next((i for i in range(number, len(tokens)) if tokens[i].text in _BOUNDARIES), len(tokens))
    return all(
        any(_tag(tokens[i]).endswith("FIN") for i in part)
        for part in (range(first, number), range(number, after))
    )


def _is_whole(tokens: Sequence[Token], clause: _Clause) -> bool:
    """Whether a clause begins and ends at these marks, so that nothing of it is behind them."""
    if clause.is_last != _is_subordinate(tokens, clause.inside):
        return False
    if any(_tag(tokens[i]) in ("KOKOM", "PTKZU") for i in clause.inside):
        return False
    end = clause.inside.stop
    if not clause.is_last and not _starts_well(tokens, clause):
        return False
    if end >= len(tokens) or tokens[end].text in (".", "!", ";", ":") or _tag(tokens[end]) == "KON":
        return True
    follows = _tag(tokens[end + 1]) if end + 1 < len(tokens) else ""
    return tokens[end].text == "," and (clause.is_last or follows.startswith(("KOU", "PREL", "KON")))


def _starts_well(tokens: Sequence[Token], clause: _Clause) -> bool:
    """Whether a main clause begins here: the verb is not first, and nothing is before but a sentence."""
    first = clause.inside[0]
    before = tokens[first - 1].text if first else "."
    return clause.verb > first and (before in (".", "!", "?", ";", ":") or _tag(tokens[first]) == "KON")


def _group(annotation: Annotation, clause: _Clause) -> VerbGroup | None:
    tokens = annotation.tokens
    token = tokens[clause.verb]
    participles = [i for i in clause.inside if _tag(tokens[i]).endswith("PP")]
    infinitives = [i for i in clause.inside if _tag(tokens[i]).endswith(("INF", "IZU"))]
    text = token.text.lower()
    if infinitives or _tag(token).startswith("VM"):
        return None
    if participles:
        ends = participles[-1] == (clause.inside[-1] if not clause.is_last else clause.verb - 1)
        return _compound(annotation, clause, participles, text) if ends else None
    particle = tokens[clause.inside[-1]] if _tag(tokens[clause.inside[-1]]) == "PTKVZ" else None
    lemma = "sein" if text in _SEIN else (particle.text if particle else "") + token.lemma
    if token.lemma.startswith(particle.text) if particle else False:
        lemma = token.lemma
    form = _form(text, lemma)
    if form is None:
        return None
    words = {tokens[i].text.lower() for i in clause.inside}
    if words & {"du", "ihr"} or (words & {"sich", "mich", "uns"} and form.auxiliary.startswith("war")):
        return None
    participle, auxiliary, time = form
    kind = "be" if lemma == "sein" or (lemma == "geben" and "es" in words) else "active"
    last = clause.inside[-1]
    anchors = frozenset({clause.verb, last} if particle else {clause.verb})
    if clause.is_last:
        after = f"{participle} {auxiliary}"
        return VerbGroup(token.start, token.end, clause.verb, anchors, time, kind, after)
    end = tokens[last].start if particle else tokens[last].end
    between = annotation.text[token.end : end].strip()
    after = " ".join(filter(None, (fitted(auxiliary, token.text), between, participle)))
    return VerbGroup(token.start, tokens[last].end, clause.verb, anchors, time, kind, after)


def _compound(
    annotation: Annotation, clause: _Clause, participles: Sequence[int], text: str
) -> VerbGroup | None:
    """A perfect, whose auxiliary changes, or a passive, which gets `worden` too."""
    tokens = annotation.tokens
    token, last = tokens[clause.verb], participles[-1]
    participle = tokens[participles[0]].text
    anchors = frozenset((clause.verb, participles[0]))
    if text in _PASTS and len(participles) <= 2:
        is_passive = tokens[last].text == "worden"
        if len(participles) == 2 and not is_passive:
            return None
        if _PASTS[text].startswith("war") and not is_passive and participle not in _with_sein():
            return None  # `ist verheiratet` is no perfect
        kind = "passive" if is_passive else "active"
        after = fitted(_PASTS[text], token.text)
        return VerbGroup(token.start, token.end, clause.verb, anchors, "perfect", kind, after)
    if text not in _PASSIVES or len(participles) != 1:
        return None
    time = "present" if text == "wird" else "past"
    if clause.is_last:
        after = f"worden {_PASSIVES[text]}"
        return VerbGroup(token.start, token.end, clause.verb, anchors, time, "passive", after)
    between = annotation.text[token.end : tokens[last].end]
    after = f"{fitted(_PASSIVES[text], token.text)}{between} worden"
    return VerbGroup(token.start, tokens[last].end, clause.verb, anchors, time, "passive", after)


class _Form(NamedTuple):
    """What a finite form becomes: the participle, `hatte`, `war` or their plural, and when it was."""

    participle: str
    auxiliary: str
    time: str


def _form(text: str, lemma: str) -> _Form | None:
    """What a form becomes; `None` where it is no present or preterite that we know."""
    prefix = next((p for p in sorted(_SEPARABLE, key=len, reverse=True) if lemma.startswith(p)), "")
    if lemma in _irregular() or len(lemma) - len(prefix) < 4:
        prefix = ""
    base = lemma.removeprefix(prefix)
    if not prefix and lemma not in _irregular() and _has_strange_prefix(lemma):
        return None
    past, participle, with_sein = _irregular().get(base) or _weak(base)
    if participle == "-":
        return None
    written = text.removeprefix(prefix) if text not in (past, base) else text
    stem = re.sub(r"e?n$", "", base)
    times = {
        past: ("past", ""), past + ("n" if past.endswith("e") else "en"): ("past", "n"),
        base: ("present", "n"), f"{stem}e": ("present", ""), f"{stem}t": ("present", ""),
        f"{stem}et": ("present", ""),
    } | (_SEIN if base == "sein" else _STRONG.get(base, {}))  # fmt: skip
    if written not in times:
        return None
    time, ending = times[written]
    auxiliary = "war" + ("en" if ending else "") if with_sein else "hatte" + ending
    return _Form(prefix + participle, auxiliary, time)


def _has_strange_prefix(lemma: str) -> bool:
    known = ("", *_INSEPARABLE)
    return any(lemma.endswith(base) and lemma.removesuffix(base) not in known for base in _BASES)


def _weak(infinitive: str) -> tuple[str, str, bool]:
    stem = re.sub(r"e?n$", "", infinitive)
    link = "e" if re.search(r"(?:[dt]|[^aeiouhlrm]m|[^aeiouhlrn]n)$", stem) else ""
    has_ge = not (stem.startswith(_INSEPARABLE) or stem.endswith("ier"))
    return f"{stem}{link}te", f"{'ge' if has_ge else ''}{stem}{link}t", False


def _tag(token: Token) -> str:
    """The tag of the Stuttgart-Tübingen set, which HanTa writes with brackets: `VV(FIN)`."""
    return token.tag.replace("(", "").replace(")", "")


@cache
def _irregular() -> dict[str, tuple[str, str, bool]]:
    """Preterite, participle and whether it goes with `sein`, by infinitive."""
    verbs = [row["verb"].split(", ") for _, row in rows_of("irregular_verbs") if row["language"] == "de"]
    return {verb[0]: (verb[1], verb[2], len(verb) > 3) for verb in verbs}


@cache
def _with_sein() -> frozenset[str]:
    """The participles that go with `sein`, those of separable verbs too."""
    plain = [participle for _, participle, with_sein in _irregular().values() if with_sein]
    return frozenset([*plain, *(prefix + participle for prefix in _SEPARABLE for participle in plain)])
