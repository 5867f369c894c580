"""Yes to no, and no to yes: how a text is made to say the opposite, by language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from mtassay.data.nouns import Edit
from mtassay.nlp.annotation import Annotation, Token

__all__ = ["FLIPPED", "flips", "says_no"]

_NO = {
    "en": r"\b(?:not|never|cannot|no|none|nobody|nothing|nowhere|neither|nor|without|hardly)\b|n['’]t\b",
    "pt": r"\b(?:não|nunca|jamais|nenhum\w*|ninguém|nem|nada|tampouco|sem)\b",
    "es": r"\b(?:no|nunca|jamás|ningún|ningun[oa]s?|nadie|ni|nada|tampoco|sin)\b",
    "it": r"\b(?:non|nessun\w*|niente|nulla|né|mai|neanche|nemmeno|neppure|senza)\b",
    "fr": r"\b(?:ne|pas|jamais|rien|aucune?|ni|sans|personne)\b|\bn['’]",
    "de": r"\b(?:nicht|kein\w{0,2}|nie|niemals|niemand\w{0,2}|nichts|weder|ohne|kaum)\b",
    "zh": r"不|没|無|无|未|非|别",
}
FLIPPED = tuple(_NO)
"""The languages that are known here."""

_FORMAL = re.compile(
    r"only|just|merely|simply|least|until|necessarily|all|every\w*|yet|so|too|sure"
    r"|só|apenas|somente|obstante|sólo|solo|solamente|soltanto|seulement|nur|bloß",
    re.IGNORECASE,
)
"""What follows a negation that denies something else, or nothing."""


def says_no(text: str, language: str) -> bool:
    """Whether anything in a text denies; never, in a language that is not known here.

    >>> says_no("She didn't come.", "en"), says_no("Ela veio.", "pt")
    (True, False)
    """
    pattern = _NO.get(language)
    return pattern is not None and re.search(pattern, text.casefold()) is not None


def flips(text: Annotation, language: str) -> Iterator[Edit]:
    """All single changes that turn a statement of the text round; none in a language that is not known.

    >>> [(edit.before, edit.after) for edit in flips(Annotation("他会来。"), "zh")]
    [('会', '不会')]
    """
    if language in _FLIPS and not text.text.rstrip().endswith(("?", "？")):
        yield from _FLIPS[language](text)


def _english(text: Annotation) -> Iterator[Edit]:
    tokens = text.tokens
    if says_no(text.text, "en"):
        for i, token in enumerate(tokens[1:], 1):
            behind = tokens[i + 1].text if i + 1 < len(tokens) else ""
            if token.lemma != "not" or tokens[i - 1].pos != "AUX" or _FORMAL.fullmatch(behind):
                continue
            whole = {"ca": "can", "wo": "will", "sha": "shall"}.get(tokens[i - 1].text.lower())
            if whole and token.text.lower() != "not":
                yield _edit(text, tokens[i - 1].start, token.end, whole)
            else:
                start = token.start - 1 if text.text[token.start - 1].isspace() else token.start
                yield _edit(text, start, token.end, "")
        return
    for i, token in enumerate(tokens):
        following = tokens[i + 1] if i + 1 < len(tokens) else None
        if following is None or not i:
            continue
        if token.pos == "AUX" and (token.tag == "MD" or token.features.get("VerbForm") == "Fin"):
            # "Is it": the subject comes behind, and "have to" takes another way.
            if following.text.lower() not in ("to", "until") and following.relation not in (
                "nsubj",
                "nsubjpass",
                "expl",
            ):
                yield _edit(text, token.end, token.end, " not")
        elif token.pos == "VERB" and token.tag in ("VBD", "VBZ") and token.relation in ("root", "ccomp"):
            joined = any(t.head == i and t.relation in ("conj", "aux", "auxpass", "neg") for t in tokens)
            if token.lemma.isalpha() and token.lemma != token.text and not joined:
                helper = "did" if token.tag == "VBD" else "does"
                yield _edit(text, token.start, token.end, f"{helper} not {token.lemma}")


def _before_the_verb(word: str, language: str) -> Callable[[Annotation], Iterator[Edit]]:
    """For languages that put one word before the finite verb and its pronouns: não, no, non."""

    def flip(text: Annotation) -> Iterator[Edit]:
        tokens = text.tokens
        if says_no(text.text, language):
            for i, token in enumerate(tokens[:-1]):
                following = tokens[i + 1]
                is_before_verb = following.pos in ("VERB", "AUX") or _is_clitic(following)
                if token.text.lower() == word and is_before_verb and (not i or tokens[i - 1].text != "se"):
                    yield _without(text, token, following)
            return
        for i, token in enumerate(tokens):
            if token.pos in ("VERB", "AUX") and token.features.get("VerbForm") == "Fin":
                # Of "has been made" the first verb is the one that is denied.
                if i and tokens[i - 1].pos == "AUX":
                    continue
                first = i
                while first and _is_clitic(tokens[first - 1]):
                    first -= 1
                yield _prefixed(text, tokens[first], word)

    return flip


def _is_clitic(token: Token) -> bool:
    return token.pos == "PRON" and "Nom" not in token.features.get("Case", "Nom")


def _without(text: Annotation, token: Token, following: Token) -> Edit:
    """Without a word, and with a capital behind it where it had one."""
    first = following.text[:1].upper() if token.text[:1].isupper() else following.text[:1]
    return _edit(text, token.start, following.start + 1, first)


def _prefixed(text: Annotation, token: Token, word: str) -> Edit:
    if token.start == 0 and token.text[:1].isupper():
        return _edit(text, 0, 1, f"{word.capitalize()} {token.text[:1].lower()}")
    return _edit(text, token.start, token.start, f"{word} ")


def _french(text: Annotation) -> Iterator[Edit]:
    tokens = text.tokens
    if says_no(text.text, "fr"):
        # One edit cannot take both parts out, but in between there is only the verb.
        for match in re.finditer(r"\b(?:ne |n['’])(\S+) pas\b(?! (?:seulement|que)\b)", text.text):
            yield _edit(text, match.start(), match.end(), match[1])
        return
    for i, token in enumerate(tokens):
        if token.pos in ("VERB", "AUX") and token.features.get("VerbForm") == "Fin":
            before = tokens[i - 1] if i else None
            if (
                before is None
                or _is_clitic(before)
                or before.pos == "AUX"
                or before.text.endswith(("'", "’"))
            ):
                continue
            ne = "n'" if token.text[:1].lower() in "aeiouéêhy" else "ne "
            yield _edit(text, token.start, token.end, f"{ne}{token.text} pas")


def _german(text: Annotation) -> Iterator[Edit]:
    if says_no(text.text, "de"):
        for match in re.finditer(
            r"\bnicht (?!nur\b|bloß\b|zuletzt\b)|\bk(?=ein(?:e|en|em|er|es)?\b)", text.text
        ):
            yield _edit(text, match.start(), match.end(), "")
        return
    for match in re.finditer(r"\bein(?=(?:e|en|em|er|es)? [\wÄÖÜäöüß])", text.text):
        yield _edit(text, match.start(), match.start(), "k")


def _chinese(text: Annotation) -> Iterator[Edit]:
    if says_no(text.text, "zh"):
        for match in re.finditer(r"不(?=[是会能可要想])|没(?=有)", text.text):
            yield _edit(text, match.start(), match.end(), "")
        return
    for match in re.finditer(
        r"(?<![总但要就还只可不])是(?!否)|(?<![机社开大])会(?![议员])|可以|(?<!只)能(?![力源够量])|有(?!些|的|人)",
        text.text,
    ):
        yield _edit(
            text, match.start(), match.end(), ("没" if match.group() == "有" else "不") + match.group()
        )


def _edit(text: Annotation, start: int, end: int, after: str) -> Edit:
    return Edit(start, end, text.text[start:end], after)


_FLIPS: dict[str, Callable[[Annotation], Iterator[Edit]]] = {
    "en": _english,
    "pt": _before_the_verb("não", "pt"),
    "es": _before_the_verb("no", "es"),
    "it": _before_the_verb("non", "it"),
    "fr": _french,
    "de": _german,
    "zh": _chinese,
}
