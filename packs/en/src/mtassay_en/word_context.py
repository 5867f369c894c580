"""Rules about required and forbidden words around an edit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from mtassay.nlp.annotation import Annotation, Token
from mtassay.nlp.word_forms import wants_an
from mtassay_en.inflections import cells_of_tag, takes_more
from mtassay_en.lexicon_entries import LANGUAGES, PARTS, LexiconEntry, rows_of, word_set

_IN_DAY = frozenset(("every", "meal", "part of day", "past day"))
"""Groups of words for a part of the day, such as `this morning`, and for activities in one."""
_CLOCK = re.compile(
    r"\bo['’]clock\b|\b(?:half|quarter) (?:past|to)\b|\d ?[ap]\.?m\b|\d:\d\d\b"
    r"|\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirty) (?:in the|at night)\b"
    r"|\bhoras\b|\d ?h(?:\d\d)?\b|\bàs? \w+(?: e \w+)? da\b|\bUhr\b|\bhalb \w|\bViertel (?:vor|nach)\b"
    r"|[\d一二三四五六七八九十两]点",
    re.IGNORECASE,
)
_MORE_SPANS = frozenset(("decade", "time", "weekend", "vez", "década", "Mal", "Wochenende"))
_MONTHS = frozenset(("month",))


def contradicts_time(language: str, annotation: Annotation, place: Place, entry: LexiconEntry) -> bool:
    """Whether another word would contradict the times in the sentence."""
    if entry.group in _IN_DAY:  # `half past seven in the morning`
        return _CLOCK.search(annotation.text) is not None
    if entry.group == "month":  # `from December 22 to January 4`
        months = _forms(language, _MONTHS)
        return sum(not months.isdisjoint(_spellings(token.text)) for token in annotation.tokens) > 1
    if entry.group == "order" and place[1] < len(annotation.tokens):  # `last Tuesday` is not a final one
        after = annotation.tokens[place[1]].text
        return after in _MORE_SPANS or after in _forms(language, word_set("spans"))
    return False


def _spellings(word: str) -> tuple[str, str]:
    """The word as written, and as inside a sentence: `Maio` may be `maio`, but `may` is not a month."""
    return word, word[:1].lower() + word[1:]


@cache
def _forms(language: str, groups: frozenset[str]) -> frozenset[str]:
    """All forms of the words of these groups."""
    return frozenset(
        form
        for name in ("calendar", "measures")
        for _, row in rows_of(name)
        if row["group"] in groups and row.get(language)
        for form in LANGUAGES[language](PARTS[name], row[language]).values()
    )


Place = tuple[int, int]
"""Token numbers: the first token, and the one after the last."""

_TAGS: dict[str, tuple[str, ...]] = {
    "NOUN": ("NN",), "VERB": ("VB",), "ADJ": ("JJ",), "ADV": ("RB",),
    "DET": ("DT", "JJ", "PRP$"),
    "PRON": ("DT", "NN", "PRP"),
}  # fmt: skip
_DAYS = frozenset(("today", "tomorrow", "tonight", "yesterday"))
"""Adverbs that taggers tag as nouns."""
_ALONE = frozenset(("speech", "evidence", "recall", "motion up", "growth", "wait", "live", "departure"))
"""The groups of verbs that need no object; all other verbs need a direct object."""
_BY_NUMBER = frozenset(("motion up", "growth"))
"""The groups of verbs that are replaced only if a number says how much."""
_GOVERNED = frozenset(("about", "against", "as", "for", "into", "of", "off", "on", "out", "over", "to", "up"))
"""Continuations that only some verbs allow: `work on`, but not `study on`."""
_INTENTS = frozenset(("attempt", "wish"))
"""The groups of verbs that are replaced only before an infinitive: `want to go`, not `want a dog`."""
_EVENTS = frozenset(("food", "handling", "outcome", "perception", "phase", "tongue"))
"""The groups of verbs whose only object is a thing."""
_PERSONAL = frozenset(("care", "regard", "treat"))
"""The groups of verbs whose object may be a pronoun before the Portuguese verb: `me ajudou`."""
_PLAIN = frozenset(("cause", "effect", "finding", "inclusion", "making", "measure"))
"""The groups of verbs with any direct object and no other dependents."""
_COUNTED = frozenset(("short time", "time span", "length", "short length", "volume", "currency"))
"""The groups of nouns that are replaced only after a number."""
_COMPLEMENTS = frozenset(("about", "as", "at", "for", "from", "of", "on", "than", "that", "to", "with"))
_CONTRASTS = frozenset(("as", "but", "even", "yet"))
"""Words after which the opposite of an adjective or adverb makes no sense."""
_NO_NOUN = frozenset(("VERB", "AUX", "ADP", "PUNCT", "SCONJ", "PRON", "PART"))
"""Words that cannot begin a noun phrase after an adjective."""
_SPEAKERS = frozenset(("i", "me", "us", "we"))


def is_unsafe_in_english(tokens: Sequence[Token], place: Place, entry: LexiconEntry) -> bool:
    """Whether the surrounding words make an edit of this token unsafe."""
    token = tokens[place[0]]
    is_day = entry.part == "ADV" and token.text.lower() in _DAYS and token.relation == "npadvmod"
    is_tagged = place[1] - place[0] == 1 and not is_day and bool(token.tag)
    if is_tagged and not token.tag.startswith(_TAGS.get(entry.part, ("",))):
        return True
    if entry.group.startswith(("state ", "city ")) and _in_address(tokens, place):
        return True
    check = {
        "NOUN": _noun, "VERB": _verb, "ADJ": _adjective, "ADV": _adverb, "DET": _determiner,
        "PRON": _pronoun,
    }.get(entry.part)  # fmt: skip
    return check is not None and check(tokens, place, entry)


def goes_with_words_before(
    tokens: Sequence[Token], place: Place, after: str, *, part: str, forms: Mapping[str, str]
) -> bool:
    """Whether `a`, `an`, `more`, `most` or `very` directly before a word can be before another word.

    `part` and `forms` belong to the other word.
    """
    before = tokens[place[0] - 1].text.lower() if place[0] else ""
    if before in ("more", "most") and part == "ADJ":
        return takes_more(after)
    if part == "ADJ" and before in word_set("degrees") and after in word_set("extremes"):
        return False
    if before in ("a", "an"):
        is_countable = part != "NOUN" or "pl" in forms
        return is_countable and wants_an(tokens[place[0]].text) == wants_an(after)
    return True


def apart(tokens: Sequence[Token], number: int) -> bool:
    """Whether there is more than a space before this token."""
    return tokens[number].start > tokens[number - 1].end + 1


def _noun(tokens: Sequence[Token], place: Place, entry: LexiconEntry) -> bool:
    before, after = _before(tokens, place), _after(tokens, place)
    if _in_title(tokens, place, entry):
        return True
    inside = {child.relation for child in tokens[place[0] : place[1]]}
    if "compound" in _relations(tokens, place) - inside:
        return True
    if tokens[place[1] - 1].relation in ("compound", "nmod", "amod"):
        return True
    if entry.group.removeprefix("british ") in _COUNTED and (before is None or before.pos != "NUM"):
        return True
    if after is not None and after.text in ("of", "per"):  # a part or an amount of something
        return True
    is_thing = "pl" in entry.source | entry.reference and tokens[place[1] - 1].tag == "NN"
    if is_thing and before is not None and before.pos == "ADP":  # `of university`, `by bus`
        return True
    # A noun that describes another noun, as in `city council`, found without the parser.
    return after is not None and after.pos in ("NOUN", "PROPN") and not apart(tokens, place[1])


def _verb(tokens: Sequence[Token], place: Place, entry: LexiconEntry) -> bool:
    relations = _relations(tokens, place)
    if entry.group in _INTENTS:
        first, second = [*tokens[place[1] : place[1] + 2], None, None][:2]
        if first is None or second is None or first.text != "to" or second.tag != "VB":
            return True
        # `what needs to be done`: nobody plans it
        return second.text == "be" and any(
            other.tag == "VBN" for other in tokens[place[1] + 2 : place[1] + 4]
        )
    if entry.group in _BY_NUMBER:
        if all(other.pos != "NUM" for other in tokens):
            return True
    elif _governs(tokens, place[1]):
        return True
    if entry.group in {"wait", "live"} | _SPEECH and relations & {"dobj", "obj"}:  # `sing a song`
        return True
    if entry.group in ("wait", "live") and _goes_somewhere(tokens, place):
        return True
    if entry.group == "wait" and tokens[place[0]].relation == "relcl":  # `the song that you sang`
        return True
    if entry.group not in _ALONE and not relations & {"dobj", "obj", "nsubjpass"}:
        return True
    if entry.group in _EVENTS and not relations & {"dobj", "obj"}:
        return True
    if entry.group in _PERSONAL and not any(map(_is_somebody, _objects(tokens, place))):
        return True
    if entry.group in _PERSONAL | _EVENTS | _PLAIN and relations & {
        "ccomp",
        "xcomp",
        "oprd",
        "dative",
        "acomp",
    }:
        return True  # `help me do it`, `call me Tom`
    objects = _objects(tokens, place)
    if entry.group not in _ALONE and (len(objects) > 1 or "dative" in relations):  # `it caused him pain`
        return True
    if entry.group == "tongue" and not all(one.text[:1].isupper() for one in objects):
        return True  # languages are spoken, computer science is not
    if entry.group not in _ALONE and _moves(tokens, place):
        return True  # `translate a letter into French`
    if any(
        other.text.lower().endswith(("self", "selves")) or other.text in ("each", "another")
        for other in tokens
    ):
        return True
    return "prt" in relations or tokens[place[0]].relation in ("compound", "amod")


_PATHS = frozenset(("across", "along", "around", "down", "past", "through", "toward", "towards"))


def _goes_somewhere(tokens: Sequence[Token], place: Place) -> bool:
    """Whether a way, a direction or a state follows, which only some verbs allow: `walk home`."""
    after = _after(tokens, place)
    if after is not None and (after.tag == "JJ" or after.text in ("home", "here", "still", "there")):
        return True
    return any(
        place[0] <= child.head < place[1]
        and (child.relation == "acomp" or (child.relation == "prep" and child.text.lower() in _PATHS))
        for child in tokens
    )


def _moves(tokens: Sequence[Token], place: Place) -> bool:
    """Whether an origin or a destination is given, which other verbs do not allow."""
    names = ("against", "from", "into", "off", "onto", "out", "to", "with")
    return any(
        place[0] <= child.head < place[1] and child.relation == "prep" and child.text.lower() in names
        for child in tokens
    )


def _objects(tokens: Sequence[Token], place: Place) -> list[Token]:
    return [
        child
        for child in tokens
        if place[0] <= child.head < place[1] and child.relation in ("dobj", "obj", "nsubjpass")
    ]


def _is_somebody(token: Token) -> bool:
    """Whether a word is a name or a word for a person."""
    return token.pos == "PROPN" or token.text.lower() in word_set("persons") or token.text in _people()


@cache
def _people() -> frozenset[str]:
    """All English words for people in the lexicon."""
    return frozenset(f for _, row in rows_of("people") for f in LANGUAGES["en"]("NOUN", row["en"]).values())


def _adjective(tokens: Sequence[Token], place: Place, entry: LexiconEntry) -> bool:
    before, after = _before(tokens, place), _after(tokens, place)
    if _in_title(tokens, place, entry) or _is_unexpected(before):
        return True
    if tokens[place[0]].relation in ("nsubj", "nsubjpass", "dobj"):  # `an original` is a noun
        return True
    follows = after.text.lower() if after else ""
    if entry.group == "fore" and (after is None or after.pos not in ("NOUN", "PROPN")):
        return True
    if entry.group == "task":
        verb = tokens[place[1] + 1] if place[1] + 1 < len(tokens) else None
        return follows != "to" or verb is None or verb.tag != "VB"
    if follows in ("about", "for", "from", "of", "with") or (
        entry.group in word_set("free") and follows in _COMPLEMENTS
    ):
        return True
    # `the final` is a noun
    return before is not None and before.pos == "DET" and (after is None or after.pos in _NO_NOUN)


def _adverb(tokens: Sequence[Token], place: Place, entry: LexiconEntry) -> bool:
    before, after = _before(tokens, place), _after(tokens, place)
    word = tokens[place[0]].text.lower()
    follows = after.tag if after else ""
    if _is_unexpected(before) or (word in _DAYS and follows.startswith(("NN", "POS", "VB", "MD"))):
        return True
    match entry.group:
        case "soon":  # `immediately following`, `later in life`
            is_graded = before is not None and before.pos == "ADV"  # `almost immediately`
            return is_graded or follows in ("JJ", "VB", "VBG", "VBN", "IN")
        case "degree":  # `very much`, `very many`; `so big that`, `too big to`
            is_more = after is not None and after.text in ("few", "little", "many", "much")
            return (
                follows not in ("JJ", "RB") or is_more or (word in _OPEN_DEGREES and _goes_on(tokens, place))
            )
        case "comparison" | "comparison most":  # `no more`, `the more the better`
            is_double = before is not None and before.text.lower() in (
                "no",
                "any",
                "once",
                "the",
                "much",
                "even",
            )
            return follows not in ("JJ", "RB", "VBN") or (is_double and word in ("more", "less"))
        case "gradation":  # `so much better`
            is_double = before is not None and before.text.lower() in ("so", "that", "too", "very")
            return follows not in ("JJR", "RBR") or is_double
        case "focus":  # `he also speaks French`
            return not follows.startswith("VB") or (before is not None and before.text == "not")
        case "middle" | "never":
            return _is_outside_middle(tokens, place)
        case "ending" | "today":
            is_bound = before is None or before.pos in ("ADP", "SCONJ", "ADV") or before.lemma == "be"
            return is_bound or (after is not None and after.pos != "PUNCT")
        case "whereabouts":  # `from here`
            return before is None or before.pos in ("ADP", "SCONJ", "ADV") or tokens[place[0]].pos != "ADV"
        case "manner":
            governor = tokens[tokens[place[0]].head] if tokens[place[0]].head >= 0 else None
            is_verb = governor is not None and governor.pos == "VERB"
            return not is_verb or (before is not None and before.pos == "ADV") or follows in ("JJ", "RB")
        case "emphasis":
            is_negated = before is not None and before.text.lower() in ("not", "n't", "n’t")
            is_noun = after is not None and after.pos in ("ADP", "DET", "NOUN", "PROPN", "ADJ")
            return is_negated or not is_noun or _is_amount(tokens, place[1])
        case "hour" | "hour later":
            is_graded = before is not None and before.text.lower() in word_set("degrees")  # `how late`
            return is_graded or (
                follows in ("IN", "TO", "NN")
                and after is not None
                and after.text in ("in", "for", "to", "or")
            )
    if "never" in {*entry.source.values()}:
        return any(other.text.lower() in word_set("negatives") for other in tokens)
    return False


_OPEN_DEGREES = frozenset(("so", "too"))


def _goes_on(tokens: Sequence[Token], place: Place) -> bool:
    """Whether a clause of degree follows: `so big that`, `too big to`."""
    return any(token.text.lower() in ("that", "to", "for", "as", "not") for token in tokens[place[1] :])


def _is_amount(tokens: Sequence[Token], number: int) -> bool:
    """Whether `little`, `few`, `a little`, `a few` or `a bit` is here."""
    words = [token.text.lower() for token in tokens[number : number + 2]]
    return words[-1:] in (["little"], ["few"], ["bit"]) or words[:1] in (["little"], ["few"])


def _is_outside_middle(tokens: Sequence[Token], place: Place) -> bool:
    """Whether an adverb is negated, or is not between a subject or auxiliary and its verb."""
    before, after = _before(tokens, place), _after(tokens, place)
    others = [*tokens[: place[0]], *tokens[place[1] :]]
    if before is None or after is None or any(token.text.lower() in word_set("not") for token in others):
        return True
    if before.pos not in ("PRON", "NOUN", "PROPN", "AUX", "DET"):
        return True
    if after.tag.startswith("VB"):
        return False
    is_only = tokens[place[0]].text.lower() in ("only", "just", "even", "really")
    return before.lemma != "be" or is_only or after.tag not in ("JJ", "VBN", "VBG", "IN", "DT")


def _determiner(tokens: Sequence[Token], place: Place, entry: LexiconEntry) -> bool:
    if entry.group == "all":  # `almost all the buses`
        before = _before(tokens, place)
        return before is not None and before.pos == "ADV"
    if entry.group.startswith("mine"):  # `I lost my way`
        return any(other.text.lower() in _SPEAKERS for other in tokens)
    if entry.group != "quantity":  # `this` alone refers to something said before
        after = _after(tokens, place)
        return after is None or after.pos in _NO_NOUN
    # `some damage` cannot be several.
    noun = next((other for other in tokens[place[1] : place[1] + 4] if other.pos in ("NOUN", "PROPN")), None)
    return noun is not None and noun.tag not in ("", "NNS", "NNPS")


def _pronoun(tokens: Sequence[Token], place: Place, entry: LexiconEntry) -> bool:
    """Whether a word is not used as a pronoun, or has dependents that fit only this pronoun."""
    token, after = tokens[place[0]], _after(tokens, place)
    places = ("dobj", "pobj") if entry.group == "what" else ("dobj", "pobj", "nsubj")
    is_followed = after is not None and (after.pos in ("ADJ", "NOUN") or after.text in ("else", "of", "that"))
    is_described = after is not None and after.pos == "ADV" and _next_pos(tokens, place[1] + 1) == "ADJ"
    is_denied = any(other.text.lower() in ("not", "n't", "n’t", "never", "no", "if") for other in tokens)
    # `do it like this`: it is unclear which word is `isso`
    is_one_of_two = any(
        other is not token and other.text.lower() in ("it", "this", "that") and other.relation in places[:2]
        for other in tokens
    )
    is_bound = is_followed or is_described or is_denied or is_one_of_two
    return token.pos != "PRON" or token.relation not in places or is_bound


def _next_pos(tokens: Sequence[Token], number: int) -> str:
    return tokens[number].pos if number < len(tokens) else ""


def _before(tokens: Sequence[Token], place: Place) -> Token | None:
    return tokens[place[0] - 1] if place[0] else None


def _after(tokens: Sequence[Token], place: Place) -> Token | None:
    return tokens[place[1]] if place[1] < len(tokens) else None


def _next_word(tokens: Sequence[Token], place: Place) -> str:
    after = _after(tokens, place)
    return after.text.lower() if after else ""


def _relations(tokens: Sequence[Token], place: Place) -> set[str]:
    """The relations of the dependents of these words."""
    return {child.relation for child in tokens if place[0] <= child.head < place[1]}


def _is_unexpected(before: Token | None) -> bool:
    return before is not None and before.text.lower() in _CONTRASTS


def _governs(tokens: Sequence[Token], number: int) -> bool:
    """Whether a preposition that belongs to the verb follows; before a date or a time, it does not."""
    word = tokens[number].text.lower() if number < len(tokens) else ""
    if word not in _GOVERNED:
        return False
    after = tokens[number + 1] if number + 1 < len(tokens) else None
    if after is None:
        return True
    is_time = after.pos == "NUM" or after.text in word_set("times") or (word == "on" and after.pos == "PROPN")
    return not is_time


def _in_title(tokens: Sequence[Token], place: Place, entry: LexiconEntry) -> bool:
    """Whether two capitalised words in a row make a title, as in `The Seventh Seal` or `Old Town`."""
    token, after = tokens[place[0]], _after(tokens, place)
    forms = {*entry.source.values(), *entry.reference.values()}
    is_raised = token.text[:1].isupper() and token.text not in forms
    return is_raised and after is not None and after.text[:1].isupper()


def _in_address(tokens: Sequence[Token], place: Place) -> bool:
    """Whether a comma and another name are directly before or after, as in `Portland, Oregon`."""
    near = (tokens[max(place[0] - 2, 0) : place[0]], tokens[place[1] : place[1] + 2][::-1])
    return any(
        len(both) == 2 and both[1].text == "," and both[0].pos == "PROPN" and both[0].text[:1].isupper()
        for both in near
    )


_TIES = frozenset(("que", "de", "para", "com", "em", "por", "quanto", "demais", "do", "da", "dos", "das"))
_OPENING = frozenset(".!?:\"“”«»'‘’—–-(¿¡…>")
_JOINTS = frozenset("-/_@{}<>%&")
_CLITICS = frozenset(["se", "me", "te", "lhe", "lhes", "nos", "vos"])
_OBJECTS = frozenset(["me", "te", "nos"])
_SPEECH = frozenset(("speech", "recall"))
_PLACES = frozenset(("city", "country", "state", "continent"))


def left_alone(language: str, annotation: Annotation, place: Place, entry: LexiconEntry) -> bool:
    """Whether the surrounding words make an edit of this token unsafe in a language."""
    first, last = annotation.tokens[place[0]], annotation.tokens[place[1] - 1]
    text = annotation.text
    around = text[first.start - 1 : first.start], text[last.end : last.end + 1]
    if language != "zh" and (around[0] in _JOINTS or around[1] in _JOINTS):
        return True
    if is_idiom(language, annotation, place):
        return True
    if entry.group.split(" ")[0] in _PLACES and _in_longer_name(annotation.tokens, place):
        return True
    if contradicts_time(language, annotation, place, entry):
        return True
    if entry.group in _SPEECH and language != "zh" and not _quotes(annotation, place):
        return True
    if entry.group == "evidence" and _next_word(annotation.tokens, place) not in ("that", "que"):
        return True
    by_number = ("amount", "bound", "minimum") if language == "en" else ("amount",)
    if entry.group in by_number and not _counts(annotation.tokens, place[1]):
        return True
    if language == "en":
        return is_unsafe_in_english(annotation.tokens, place, entry)
    return language == "pt" and _unsafe_in_portuguese(annotation.tokens, place, entry)


def is_idiom(language: str, annotation: Annotation, place: Place) -> bool:
    """Whether a word here belongs to an idiom; an entry of several words may itself be an idiom."""
    start, end = annotation.tokens[place[0]].start, annotation.tokens[place[1] - 1].end
    idioms = [one.span() for one in _idioms(language, annotation.text)]
    if place[1] - place[0] > 1 and (start, end) in idioms:  # `de novo`
        return False
    return any(first < end and last > start for first, last in idioms)


def opens_sentence(annotation: Annotation, first: int) -> bool:
    """Whether this token may be capitalised because it is the first of a sentence."""
    return first == 0 or annotation.tokens[first - 1].text[-1:] in _OPENING


def possible_cells(
    language: str, side: int, annotation: Annotation, place: Place, cells: set[tuple[str, str]]
) -> set[tuple[str, str]]:
    """Cells that fit the annotation of a word; `side` is 0 for the source.

    In English, the tagger decides. In Portuguese, the article decides if a word has both genders.
    """
    if language == "pt":
        before = annotation.tokens[place[0] - 1].text.lower() if place[0] else ""
        gender = "m" if before in word_set("masculine") else "f" if before in word_set("feminine") else ""
        if gender:
            other = {"m": "f", "f": "m"}[gender]
            kept = {pair for pair in cells if pair[side].rpartition(" ")[2] != other}
            return kept if before != "a" or all(pair[side].startswith("sg") for pair in kept) else cells
        return cells
    if language != "en" or place[1] - place[0] > 1:
        return cells
    cell = cells_of_tag(annotation.tokens[place[0]].tag)
    if cell is None or all(pair[side] == "" for pair in cells):
        return cells
    return {pair for pair in cells if pair[side] == cell}


def _counts(tokens: Sequence[Token], number: int) -> bool:
    """Whether this is a number or a sum."""
    if number >= len(tokens):
        return False
    token = tokens[number]
    return token.pos == "NUM" or any(c.isnumeric() or c in "$€£" for c in token.text)


def _in_longer_name(tokens: Sequence[Token], place: Place) -> bool:
    """Whether another part of a name is next to this token, as in `Vitória Régia` or `New England`."""
    for number, gap in ((place[0] - 1, place[0]), (place[1], place[1])):
        if 0 <= number < len(tokens) and not apart(tokens, gap) and tokens[number].pos == "PROPN":
            return tokens[number].text[:1].isupper() and tokens[gap - 1].end < tokens[gap].start
    return False


def _unsafe_in_portuguese(tokens: Sequence[Token], place: Place, entry: LexiconEntry) -> bool:
    before = tokens[place[0] - 1].text.lower() if place[0] else ""
    after = tokens[place[1]].text.lower() if place[1] < len(tokens) else ""
    if entry.part == "VERB":
        if entry.group in _INTENTS:
            is_object = before in _CLITICS or before in ("o", "a", "os", "as", "lo", "la")
            return is_object or not after.endswith(("ar", "er", "ir", "or", "pôr"))
        if entry.group == "wait" and (after in ("por", "pelo", "pela") or after in word_set("de")):
            return True
        is_participle = tokens[place[0]].text.lower().endswith(_PARTICIPLES)
        if entry.group in ("wait", "live") and place[1] < len(tokens) and tokens[place[1]].pos == "ADJ":
            return True  # `ficar quieto`
        if (
            entry.group not in _ALONE
            and not is_participle
            and (after in word_set("de") or after in ("ao", "à", "com", "em"))
        ):
            return True  # `esqueceu de`: the object is not direct
        return before in (_CLITICS - _OBJECTS if entry.group in _PERSONAL else _CLITICS) or after in _CLITICS
    is_free = entry.part == "ADJ" and not entry.group.startswith(("color", "nationality"))
    if is_free and before in word_set("de") and _next_pos(tokens, place[1]) not in ("NOUN", "PROPN", "ADJ"):
        return True  # `a estação de frio` is a noun
    if entry.part == "ADV" and _is_adverb_elsewhere(tokens, place, entry, before, after):
        return True
    if entry.group == "focus":
        is_verb = place[1] < len(tokens) and tokens[place[1]].pos in ("VERB", "AUX")
        return not is_verb or before in ("não", "nem")
    if entry.part == "ADV" and "nunca" in entry.reference.values():
        return any(other.text.lower() in word_set("negatives") for other in tokens)
    if entry.part == "PRON":
        return before in ("de", "em", "a", "por") or after in ("que", "mais", "de", "mesmo", "o")
    if entry.group == "another":
        return before in ("um", "uma", "de", "em", "a")
    is_first = place[1] < len(tokens) and tokens[place[1]].pos in ("NOUN", "PROPN")
    if entry.part == "ADJ" and entry.group in word_set("free"):
        is_last = place[0] > 0 and tokens[place[0] - 1].pos == "NOUN"
        ties = ("que", "quanto", "demais") if is_last else _TIES
        return is_first or after in ties
    if entry.group == "fore":  # `uma bela casa`
        return not is_first
    if entry.group == "task":  # `é difícil dizer`
        return not after.endswith(("ar", "er", "ir"))
    # `um bom advogado`, but `um advogado ruim`
    return entry.group == "quality" and place[1] < len(tokens) and tokens[place[1]].pos == "NOUN"


def _is_adverb_elsewhere(
    tokens: Sequence[Token], place: Place, entry: LexiconEntry, before: str, after: str
) -> bool:
    """Whether a Portuguese adverb is where other adverbs of its group cannot be."""
    follows = tokens[place[1]].pos if place[1] < len(tokens) else ""
    precedes = tokens[place[0] - 1].pos if place[0] else ""
    words = {token.text.lower() for token in tokens}
    match entry.group:
        case "degree":
            is_open = tokens[place[0]].text.lower() == "tão" and words & {"que", "quanto", "como"}
            return follows not in ("ADJ", "ADV") or after in word_set("degrees") or bool(is_open)
        case "comparison" | "comparison most":
            is_adjective = follows in ("ADJ", "ADV") or (follows == "VERB" and after.endswith(_PARTICIPLES))
            return not is_adjective or before in ("não", "nada", "ainda", "muito", "quanto")
        case "gradation":
            return after not in ("mais", "menos", "melhor", "pior", "maior", "menor", "melhores", "maiores")
        case "middle" | "never":
            is_near = follows in ("VERB", "AUX", "PRON") or precedes in ("VERB", "AUX")
            denied = words & {"não", "nem", "nada", "ninguém", "nenhum", "nenhuma", "sem"}
            return not is_near or bool(denied) or after in ("que", "mais", "assim", "se", "mesmo")
        case "ending" | "today":
            is_inside = place[1] < len(tokens) and follows != "PUNCT"
            return is_inside or before == "até" or bool(words & {"nunca", "mais"})
        case "soon" | "future day":  # `a manhã de amanhã`
            return before == "de"
        case "emphasis":
            is_noun = follows in ("ADP", "DET", "NOUN", "PROPN", "ADJ", "NUM")
            return not is_noun or before in ("até", "não", "nem") or after == "mesmo"
        case "hour" | "hour later":
            return after == "da" or before in ("até", "como", "mais", "muito", "tão")
    return False


_PARTICIPLES = ("ado", "ada", "ados", "adas", "ido", "ida", "idos", "idas")


def _quotes(annotation: Annotation, place: Place) -> bool:
    """Whether a verb of speech introduces direct speech or a clause with `that`, instead of a thing."""
    is_clause = _next_word(annotation.tokens, place) in ("that", "que")
    return is_clause or any(mark in annotation.text for mark in '"“”«»—')


def _idioms(language: str, text: str) -> list[re.Match[str]]:
    pattern = _idiom_pattern(language)
    return list(pattern.finditer(text)) if pattern else []


@cache
def _idiom_pattern(language: str) -> re.Pattern[str] | None:
    idioms = [row["idiom"] for _, row in rows_of("idioms") if row["language"] == language]
    edge = "" if language == "zh" else r"\b"
    return re.compile(rf"{edge}(?:{'|'.join(idioms)}){edge}", re.IGNORECASE) if idioms else None
