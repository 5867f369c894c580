"""Two models as infiller: with fakes, and with tiny real ones of random numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from mtassay.data.errors import UsageError
from mtassay.data.nouns import apply_edits
from mtassay.methods.behavior.infiller import Filled, Rejected, open_infiller
from mtassay.methods.behavior.two_models import (
    MaskedProposer,
    Proposer,
    Seq2SeqProposer,
    TextWithGap,
    TwoModels,
)
from tests.methods.behavior.fakes import Memory
from tests.methods.behavior.infill.build import BOTH, EN_PT, SHOP, masked
from tests.methods.invariance.variants.lms import FakeMasked, build_bert


class Proposing(Proposer):
    """Proposes the same words everywhere, and remembers where."""

    identity = "fake"

    def __init__(self, *words: str) -> None:
        self.words, self.seen = words, list[TextWithGap]()

    def propose(self, gaps: Sequence[TextWithGap], *, count: int) -> list[list[str]]:
        """All words, for every gap."""
        self.seen += gaps
        return [list(self.words[:count]) for _ in gaps]


def test_the_second_model_sees_what_the_first_one_filled() -> None:
    source, reference = Proposing("Shop", "inn"), Proposing("loja", "pousada")
    [answer] = TwoModels(source, reference, EN_PT).fill([SHOP])
    assert isinstance(answer, Filled)
    assert (answer.source, answer.reference) == (
        "The inn is near the river.",
        "A pousada fica perto do rio.",
    )
    assert reference.seen == [TextWithGap("A ", " fica perto do rio.", "The inn is near the river.")]
    assert apply_edits(SHOP.pair.reference.text, answer.reference_changes) == answer.reference


def test_masks_are_filled_from_left_to_right() -> None:
    source, reference = Proposing("inn"), Proposing("mar")
    [answer] = TwoModels(source, reference, EN_PT).fill([BOTH])
    assert isinstance(answer, Filled)
    assert [(gap.before, gap.after) for gap in source.seen] == [
        ("The ", " is near the river."),
        ("The inn is near the ", "."),
    ]
    assert answer.reference == "A mar fica perto do mar."


def test_repetitions_take_the_next_best_word() -> None:
    pairs = [
        masked(SHOP.pair.source.text, SHOP.pair.reference.text, ("shop", "loja"), number=n) for n in range(3)
    ]
    answers = TwoModels(Proposing("inn", "shop", "house"), Proposing("casa"), EN_PT).fill(pairs)
    assert [answer.source.split()[1] for answer in answers if isinstance(answer, Filled)] == ["inn", "house"]
    assert answers[2] == Rejected(pairs[2], "no filling of the source")


def test_a_pair_without_a_filling_costs_only_itself() -> None:
    answers = TwoModels(Proposing("inn"), Proposing("loja"), EN_PT).fill(
        [SHOP, masked("A dog.", "Um cachorro.", ("dog", "cachorro"))]
    )
    assert answers[0] == Rejected(SHOP, "no filling of the reference", "The inn is near the river.")
    assert isinstance(answers[1], Filled)
    assert answers[1].reference == "Um loja."


def test_a_masked_model_proposes_whole_words_that_fit_there() -> None:
    model = FakeMasked({"▁inn": -1.0, "s": -0.5, "▁tea": -2.0, "▁": 0.0})
    model.longest = 100
    proposer = MaskedProposer("fake", loaded=model)
    gaps = [TextWithGap("The ", " is."), TextWithGap("(", ")", "The inn"), TextWithGap("x" * 200, "")]
    assert proposer.propose(gaps, count=2) == [["inn", "tea"], ["s"], []]


@pytest.fixture
def transformers() -> None:
    for package in ("torch", "transformers"):
        pytest.importorskip(package)


@pytest.mark.slow
def test_real_masked_models_fill_both_sides(transformers: None, tmp_path: Path) -> None:
    bert = build_bert(tmp_path / "bert")
    made = open_infiller(f"models:{bert},{bert}", EN_PT, Memory())
    one = masked("the red house is near a river.", "the old cat is near a moon.", ("house", "cat"))
    [answer] = made.fill([one])
    assert isinstance(answer, Filled)
    assert answer.changes[0].after != "house"
    assert answer.source == f"the red {answer.changes[0].after} is near a river."
    assert made.fill([one]) == [answer]
    assert made.signature == open_infiller(f"models:{bert},{bert}", EN_PT, Memory()).signature


@pytest.mark.slow
def test_a_writing_model_of_random_numbers_fills_nothing(transformers: None, tmp_path: Path) -> None:
    bart = build_bart(tmp_path / "bart")
    made = open_infiller(f"models:{bart},{bart}", EN_PT, Memory())
    assert isinstance(made, TwoModels)
    one = masked("the red house is near a river.", "the old cat is near a moon.", ("house", "cat"))
    assert made.fill([one, one]) == [Rejected(one, "no filling of the source")] * 2


@pytest.mark.slow
def test_what_a_writing_model_puts_into_the_gap_is_found(
    transformers: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposer = Seq2SeqProposer(str(build_bart(tmp_path / "bart")))
    texts = ["the sun is near", "the red sun is near", "a sun is near", "the moon is near"]
    monkeypatch.setattr(proposer._loaded[0], "batch_decode", lambda *_, **__: texts)
    found = proposer.propose([TextWithGap("the ", " is near", "o sol")], count=4)
    assert found == [["sun", "red sun", "moon"]]


@pytest.mark.slow
def test_what_is_no_model_is_one_line(transformers: None, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"infiller 'models': .* cannot be loaded"):
        open_infiller(f"models:{tmp_path},{tmp_path}", EN_PT, Memory())


def build_bart(folder: Path) -> Path:
    """A BART with one word per piece and random numbers."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import BartConfig, BartForConditionalGeneration, PreTrainedTokenizerFast

    folder.mkdir(parents=True)
    pieces = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", "the", "a", "is", "near", "red", "house", "sun", "."]
    words = models.WordLevel({piece: i for i, piece in enumerate(pieces)}, unk_token="<unk>")
    tokenizer = Tokenizer(words)
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        mask_token="<mask>",
        sep_token="</s>",
        model_max_length=64,
    ).save_pretrained(folder)
    torch.manual_seed(7)
    config = BartConfig(
        vocab_size=len(pieces),
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_position_embeddings=300,
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=2,
        forced_eos_token_id=2,
    )
    BartForConditionalGeneration(config).save_pretrained(folder)
    return folder
