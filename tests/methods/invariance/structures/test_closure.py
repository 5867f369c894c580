"""Word closures, with links that a test gives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mtassay.data.nouns import Edit
from mtassay.methods.invariance.closure import Closure, Linked, Paraphrase, WordClosures, find_closures
from mtassay.methods.invariance.relations import ComparedPair
from mtassay.nlp.aligners import Links, WordAligner, Words
from mtassay.nlp.annotation import Annotation, words_of
from mtassay.nlp.encoder import Vectors
from tests.methods.invariance.structures.build import compared, parsed

SOURCE = "she saw gold"
LINKS = {"ela": "she", "viu": "saw", "olhou": "saw", "vendeu": "saw", "ouro": "gold", "pau": "wood"}
GOLD = "ela/ela/PRON/2/nsubj viu/ver/VERB/0/root ouro/ouro/NOUN/2/obj"
WOOD = "ela/ela/PRON/2/nsubj viu/ver/VERB/0/root pau/pau/NOUN/2/obj"


class Dictionary(WordAligner):
    """Links each target word to the source word that it is said to translate; counts what it is asked."""

    name = "dictionary"

    def __init__(self, known: dict[str, str]) -> None:
        self.known, self.asked = known, 0

    @property
    def signature(self) -> str:
        return "dictionary"

    def align(self, pairs: Sequence[tuple[Words, Words]]) -> list[Links]:
        self.asked += len(pairs)
        return [
            frozenset(
                (s, t) for s, a in enumerate(one) for t, b in enumerate(other) if self.known.get(b) == a
            )
            for one, other in pairs
        ]


def pair(original: str, variant: str) -> ComparedPair:
    return compared(parsed(original), parsed(variant), source=SOURCE, after="wood", at=8, pos="NOUN")


def distance(original: str, variant: str, **more: str) -> float:
    return WordClosures(Dictionary(LINKS | more)).distances([pair(original, variant)])[0]


def test_closures_join_what_links_join() -> None:
    # a red cat -> um gato ruivo; a red dog -> um cachorro vermelho, whose "um" no link reaches.
    first = Linked(words_of(Annotation("a red cat")), 3, frozenset({(0, 0), (1, 2), (2, 1)}))
    second = Linked(words_of(Annotation("a red dog")), 3, frozenset({(1, 2), (2, 1)}))
    assert find_closures(first, second, Edit(6, 9, "cat", "dog", "NOUN")) == [
        Closure([0], []),
        Closure([1], [1], edited=True),
        Closure([2], [2]),
        Closure([], [0], loose=True),
    ]


def test_words_behind_an_edit_of_another_length_are_the_same_source_words() -> None:
    first = Linked(words_of(Annotation("a cat ran")), 1, frozenset({(2, 0)}))
    second = Linked(words_of(Annotation("a panther ran")), 1, frozenset({(2, 0)}))
    assert find_closures(first, second, Edit(2, 5, "cat", "panther", "NOUN")) == [Closure([0], [0])]


def test_the_closure_of_the_edited_word_is_set_aside() -> None:
    assert distance(GOLD, WOOD) == 0


def test_a_source_word_translated_otherwise_counts_on_both_sides() -> None:
    other = WOOD.replace("viu/ver", "vendeu/vender")
    assert distance(GOLD, other) == 2
    assert WordClosures(Dictionary(LINKS)).differences(pair(GOLD, other)) == ['"viu" became "vendeu"']


def test_words_that_come_and_go_count_once() -> None:
    other = f"{WOOD} ontem/ontem/ADV/2/advmod à/a/ADP/6/case noite/noite/NOUN/2/obl"
    # Two content words more; the preposition does not count.
    assert distance(GOLD, other) == distance(other.replace("pau", "ouro"), WOOD) == 2
    assert WordClosures(Dictionary(LINKS)).differences(pair(GOLD, other)) == [
        'new: "ontem"',
        'new: "noite"',
    ]


def test_a_word_that_the_aligner_misses_in_one_output_is_no_difference() -> None:
    # "VIU" is the same word, but the dictionary does not know it.
    assert distance(GOLD, WOOD.replace("viu/", "VIU/")) == 0


def test_a_translation_of_the_edited_word_that_no_link_reaches_is_no_difference() -> None:
    assert distance(GOLD, WOOD.replace("pau/pau", "lenha/lenha")) == 0


def test_an_original_is_aligned_once_for_all_its_variants() -> None:
    aligner = Dictionary(LINKS)
    others = [WOOD, WOOD.replace("viu/ver", "olhou/olhar"), WOOD.replace("viu/ver", "vendeu/vender")]
    assert WordClosures(aligner).distances([pair(GOLD, other) for other in others]) == [0, 2, 2]
    assert aligner.asked == 4


def test_fragments_that_say_the_same_are_no_difference() -> None:
    meaning = {"viu": [1.0, 0.1], "olhou": [1.0, 0.0], "vendeu": [0.0, 1.0]}

    def encode(texts: Sequence[str]) -> Vectors:
        return np.array([meaning[text] for text in texts], dtype=np.float32)

    structure = WordClosures(Dictionary(LINKS), Paraphrase(encode, "made-up"))
    pairs = [pair(GOLD, WOOD.replace("viu/ver", word)) for word in ("olhou/olhar", "vendeu/vender")]
    assert structure.distances(pairs) == [0, 2]
    assert structure.distances([pair(GOLD, WOOD)]) == [0]
    assert structure.signature == "closure|dictionary|made-up>=0.75"
