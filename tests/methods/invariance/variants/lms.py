"""Language models for tests: fakes that answer from a table, and tiny real ones of random numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from mtassay.methods.invariance.substitutes import WordPlace
from mtassay.nlp.annotation import Annotation, Token
from mtassay.nlp.language_models import Gap, MaskedModel, Prediction, Row

NOUNS = ("house", "cat", "dog", "river", "bread", "book", "sun", "moon", "Paris")
ADJECTIVES = ("red", "small", "old")
WORDS = ("the", "a", "is", "near", "and", *NOUNS, *ADJECTIVES)
SENTENCES = [f"the {a} {b} is near a {c}." for a in ADJECTIVES for b in NOUNS for c in NOUNS]


def place(text: str, word: str) -> WordPlace:
    """The first place of a word in a text; words are between blanks and punctuation."""
    start = text.index(word)
    return WordPlace(Annotation(text, (Token(word, start, start + len(word)),)), 0)


class FakeMasked(MaskedModel):
    """Predicts the same pieces at every gap, with the scores of a table; remembers its batches.

    Rows are one number per character of the text, as far as they are not longer than `longest`.
    """

    longest = 40

    def __init__(self, scores: Mapping[str, float], *, budget: int = 1000) -> None:
        self.scores = scores
        self.pieces = list(scores)
        self.budget = budget
        self.batches: list[list[int]] = []

    def read(self, gaps: Sequence[Gap]) -> list[Row | None]:
        """The text with a mark at the gap."""
        return [self.row(f"{gap.before}_{gap.after}") for gap in gaps]

    def predict(self, rows: Sequence[Row], *, among: Sequence[int], count: int) -> list[list[Prediction]]:
        """The best pieces of the table."""
        self.batches.append([len(row.tokens) for row in rows])
        known = sorted((Prediction(i, self.scores[self.pieces[i]]) for i in among), key=lambda p: -p.score)
        return [known[:count] for _ in rows]

    def row(self, text: str) -> Row | None:
        """A text as the numbers of its characters."""
        return None if len(text) > self.longest else Row(tuple(map(ord, text)), len(text) - 1)


def build_bert(folder: Path, *, head: bool = True, cased: bool = False) -> Path:
    """A BERT with one word per piece, some continuations and some that are no words."""
    import torch
    from transformers import BertConfig, BertForMaskedLM, BertModel, BertTokenizerFast

    folder.mkdir(parents=True)
    words = [word if cased else word.lower() for word in WORDS]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[unused0]", ".", "7", "##s", "##ing", *words]
    (folder / "vocab.txt").write_text("\n".join(pieces), encoding="utf-8")
    BertTokenizerFast(
        vocab_file=str(folder / "vocab.txt"), do_lower_case=not cased, model_max_length=30
    ).save_pretrained(folder)
    torch.manual_seed(5)
    config = BertConfig(
        vocab_size=len(pieces),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
        initializer_range=0.5,
    )
    (BertForMaskedLM(config) if head else BertModel(config)).save_pretrained(folder)
    return folder


def build_xlmr(folder: Path) -> Path:
    """An XLM-R over a SentencePiece vocabulary trained on our sentences."""
    import sentencepiece
    import torch
    from transformers import XLMRobertaConfig, XLMRobertaForMaskedLM, XLMRobertaTokenizerFast

    folder.mkdir(parents=True)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES),
        model_prefix=str(folder / "sentencepiece.bpe"),
        vocab_size=60,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    tokenizer = XLMRobertaTokenizerFast(vocab_file=str(folder / "sentencepiece.bpe.model"))
    tokenizer.save_pretrained(folder)
    torch.manual_seed(5)
    config = XLMRobertaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=34,
        initializer_range=0.5,
    )
    XLMRobertaForMaskedLM(config).save_pretrained(folder)
    return folder


def build_gpt2(folder: Path) -> Path:
    """A GPT-2 over a byte-level vocabulary trained on our sentences."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import GPT2Config, GPT2LMHeadModel, GPT2TokenizerFast

    folder.mkdir(parents=True)
    bpe = ByteLevelBPETokenizer()
    bpe.train_from_iterator(
        SENTENCES, vocab_size=340, min_frequency=1, special_tokens=["<|endoftext|>"], show_progress=False
    )
    bpe.save_model(str(folder))
    tokenizer = GPT2TokenizerFast(
        vocab_file=str(folder / "vocab.json"), merges_file=str(folder / "merges.txt")
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(5)
    config = GPT2Config(
        vocab_size=len(tokenizer), n_positions=32, n_embd=16, n_layer=2, n_head=2, initializer_range=0.5
    )
    GPT2LMHeadModel(config).save_pretrained(folder)
    return folder
