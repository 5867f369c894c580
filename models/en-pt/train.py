"""Trains a small Transformer from English to Portuguese, to have an engine with faults of its own to test.

usage: python models/en-pt/train.py DATA OUT [--minutes 8] [--reverse] [--translate NAME=FILE ...]

DATA holds tatoeba-train.eng-por.tsv.gz and tatoeba-test.eng-por.tsv.gz (Tatoeba, CC BY 2.0 FR). Training
pairs whose source is in the test set are dropped. OUT gets the folder `model` as `transformers` reads it
(`-t small=transformers:OUT/model`), what it makes of every 13th test pair, and of the lines of every FILE.
With --reverse it translates from Portuguese to English.
Needs torch, transformers, sentencepiece, sacremoses and a GPU. Appendix D of Wu et al. (2023) trains a
Transformer base on millions of pairs; this one has a fifth of its size and 0.2 million short pairs.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import sentencepiece
import torch
from torch.nn.functional import cross_entropy
from transformers import GenerationConfig, MarianConfig, MarianMTModel, MarianTokenizer

SEED = 12345
VOCABULARY = 12_000
TOKENS = 24_000  # of source and target together, in one batch
LONGEST = 120  # pieces of a side; what is longer is left out
PEAK, WARM_UP = 1e-3, 1000
BEAMS, LONGEST_OUTPUT = 4, 256
PAD, END = "<pad>", "</s>"

Pair = tuple[list[int], list[int]]


def main() -> None:
    arguments = parse()
    random.seed(SEED)
    torch.manual_seed(SEED)
    torch.set_float32_matmul_precision("high")
    arguments.out.mkdir(parents=True, exist_ok=True)
    test, pairs = (
        read_pairs(arguments.data / f"tatoeba-{part}.eng-por.tsv.gz", reverse=arguments.reverse)
        for part in ("test", "train")
    )
    seen = {source for source, _ in test}
    train = [pair for pair in pairs if pair[0] not in seen]
    print(f"{len(train):,} pairs to learn from", flush=True)
    pieces = learn_pieces(train, arguments.out)
    vocabulary = write_vocabulary(pieces, arguments.out)
    model = MarianMTModel(shape(vocabulary)).cuda()
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters", flush=True)
    coded = [(code(s, pieces, vocabulary), code(t, pieces, vocabulary)) for s, t in train]
    coded = [pair for pair in coded if max(map(len, pair)) <= LONGEST]
    held_out, coded = coded[::100], [pair for i, pair in enumerate(coded) if i % 100]
    learn(model, coded, held_out, minutes=arguments.minutes)
    languages = ("pt", "en") if arguments.reverse else ("en", "pt")
    save(model.half(), arguments.out, arguments.out / "model", languages=languages)
    write(arguments.out / "test.tsv", translate(model, [s for s, _ in test[::13]], pieces, vocabulary))
    for each in arguments.translate:
        name, _, path = each.partition("=")
        lines = Path(path).read_text(encoding="utf-8").removesuffix("\n").split("\n")
        write(arguments.out / name, translate(model, lines, pieces, vocabulary))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--reverse", action="store_true")
    parser.add_argument("--translate", nargs="*", default=[])
    return parser.parse_args()


def read_pairs(path: Path, *, reverse: bool) -> list[tuple[str, str]]:
    text = gzip.decompress(path.read_bytes()).decode("utf-8")
    rows = [line.split("\t") for line in text.split("\n") if line]
    return [(row[1], row[0]) if reverse else (row[0], row[1]) for row in rows]


def learn_pieces(train: Sequence[tuple[str, str]], out: Path) -> sentencepiece.SentencePieceProcessor:
    """One set of word pieces for both languages; Marian wants it twice, under two names."""
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(text for pair in train for text in pair),
        model_prefix=str(out / "source"),
        vocab_size=VOCABULARY,
        character_coverage=1.0,
        byte_fallback=True,
    )
    model = out / "source.model"
    for name in ("source.spm", "target.spm"):
        (out / name).write_bytes(model.read_bytes())
    return sentencepiece.SentencePieceProcessor(model_file=str(model))


def write_vocabulary(pieces: sentencepiece.SentencePieceProcessor, out: Path) -> dict[str, int]:
    """Numbers of pieces, with the padding last, as Marian has it."""
    names = [pieces.id_to_piece(i) for i in range(len(pieces))]
    order = [END, "<unk>", *(name for name in names if name not in (END, "<unk>", "<s>")), PAD]
    vocabulary = {name: number for number, name in enumerate(order)}
    (out / "vocab.json").write_text(json.dumps(vocabulary, ensure_ascii=False), encoding="utf-8")
    return vocabulary


def save(
    model: MarianMTModel, pieces: Path, folder: Path, *, languages: tuple[str, str] = ("en", "pt")
) -> None:
    """All that `transformers` needs to translate with it: weights, settings, pieces and vocabulary.

    `pieces` is the folder with source.spm and vocab.json. Marian asks for the pieces of both languages.
    """
    spm = str(pieces / "source.spm")
    tokenizer = MarianTokenizer(
        source_spm=spm,
        target_spm=spm,
        vocab=str(pieces / "vocab.json"),
        source_lang=languages[0],
        target_lang=languages[1],
        model_max_length=model.config.max_position_embeddings,
    )
    tokenizer.save_pretrained(folder)
    (folder / "target.spm").write_bytes((pieces / "source.spm").read_bytes())
    model.generation_config = GenerationConfig(
        num_beams=BEAMS,
        max_length=LONGEST_OUTPUT,
        pad_token_id=model.config.pad_token_id,
        eos_token_id=model.config.eos_token_id,
        decoder_start_token_id=model.config.decoder_start_token_id,
    )
    model.save_pretrained(folder, max_shard_size="14MB")


def convert(weights: Path, folder: Path) -> None:
    """The same folder from bare weights (*.safetensors) beside source.spm and vocab.json."""
    from safetensors.torch import load_file

    vocabulary = json.loads((weights / "vocab.json").read_text(encoding="utf-8"))
    model = MarianMTModel(shape(vocabulary))
    state = {}
    for shard in sorted(weights.glob("*.safetensors")):
        state.update(load_file(shard))
    missing, unknown = model.load_state_dict(state, strict=False)
    # What is shared or computed is stored once or not at all.
    stored_elsewhere = ("embed_tokens", "embed_positions", "lm_head")
    lost = [name for name in missing if not any(part in name for part in stored_elsewhere)]
    if lost or unknown:
        raise SystemExit(f"{weights} has other weights: without {lost}, with {unknown}")
    model.tie_weights()
    save(model, weights, folder)


def shape(vocabulary: dict[str, int]) -> MarianConfig:
    pad = vocabulary[PAD]
    return MarianConfig(
        vocab_size=len(vocabulary),
        decoder_vocab_size=len(vocabulary),
        d_model=256,
        encoder_layers=5,
        decoder_layers=3,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=1024,
        decoder_ffn_dim=1024,
        dropout=0.2,
        attention_dropout=0.1,
        activation_function="swish",
        scale_embedding=True,
        max_position_embeddings=256,
        pad_token_id=pad,
        decoder_start_token_id=pad,
        eos_token_id=vocabulary[END],
        forced_eos_token_id=vocabulary[END],
    )


def code(text: str, pieces: sentencepiece.SentencePieceProcessor, vocabulary: dict[str, int]) -> list[int]:
    unknown = vocabulary["<unk>"]
    return [*(vocabulary.get(piece, unknown) for piece in pieces.encode(text, out_type=str)), vocabulary[END]]


def learn(model: MarianMTModel, pairs: list[Pair], held_out: list[Pair], *, minutes: float) -> None:
    optimizer = torch.optim.AdamW(model.parameters(), lr=PEAK, betas=(0.9, 0.98), weight_decay=0.01)
    start, step, epoch = time.monotonic(), 0, 0
    while (spent := (time.monotonic() - start) / 60) < minutes:
        epoch += 1
        model.train()
        total = 0.0
        for batch in batches(pairs, shuffle=True):
            step += 1
            spent = (time.monotonic() - start) / 60
            # Warm up, then down to nothing along a cosine over the minutes that are left.
            rate = min(step / WARM_UP, 0.5 * (1 + math.cos(math.pi * min(spent / minutes, 1))))
            for group in optimizer.param_groups:
                group["lr"] = PEAK * rate
            loss = loss_of(model, batch, smoothing=0.1)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            total += loss.detach()
        if epoch % 5 == 1:
            model.eval()
            with torch.no_grad():
                losses = [loss_of(model, batch, smoothing=0.0).item() for batch in batches(held_out)]
            mean = sum(losses) / len(losses)
            print(f"epoch {epoch} step {step} held-out loss {mean:.3f} after {spent:.1f} min", flush=True)
    model.eval()


def batches(pairs: list[Pair], *, shuffle: bool = False) -> Iterator[list[Pair]]:
    """Pairs of like length together, so that little is padded."""
    order = sorted(pairs, key=lambda pair: (len(pair[1]) + random.random(), len(pair[0])))
    found, batch, longest = [], [], 0
    for pair in order:
        longest = max(longest, len(pair[0]) + len(pair[1]))
        if batch and longest * (len(batch) + 1) > TOKENS:
            found.append(batch)
            batch, longest = [], len(pair[0]) + len(pair[1])
        batch.append(pair)
    found.append(batch)
    if shuffle:
        random.shuffle(found)
    yield from found


def loss_of(model: MarianMTModel, batch: list[Pair], *, smoothing: float) -> torch.Tensor:
    pad = model.config.pad_token_id
    sources = padded([source for source, _ in batch], pad)
    targets = padded([target for _, target in batch], pad)
    inputs = torch.cat([torch.full_like(targets[:, :1], pad), targets[:, :-1]], dim=1)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        logits = model(input_ids=sources, attention_mask=sources != pad, decoder_input_ids=inputs).logits
    return cross_entropy(
        logits.float().flatten(0, 1), targets.flatten(), ignore_index=pad, label_smoothing=smoothing
    )


def padded(rows: Sequence[Sequence[int]], pad: int) -> torch.Tensor:
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[pad] * (longest - len(row))] for row in rows]).cuda()


@torch.no_grad()
def translate(
    model: MarianMTModel,
    texts: Sequence[str],
    pieces: sentencepiece.SentencePieceProcessor,
    vocabulary: dict[str, int],
) -> list[tuple[str, str]]:
    names = {number: name for name, number in vocabulary.items()}
    special = {vocabulary[PAD], vocabulary[END]}
    outputs = []
    for start in range(0, len(texts), 64):
        rows = [code(text, pieces, vocabulary)[-250:] for text in texts[start : start + 64]]
        sources = padded(rows, vocabulary[PAD])
        made = model.generate(
            input_ids=sources,
            attention_mask=sources != vocabulary[PAD],
            num_beams=BEAMS,
            max_length=LONGEST_OUTPUT,
        )
        for row in made.tolist():
            outputs.append(pieces.decode_pieces([names[number] for number in row if number not in special]))
    return list(zip(texts, outputs, strict=True))


def write(path: Path, rows: Sequence[tuple[str, str]]) -> None:
    path.write_text("".join(f"{source}\t{output}\n" for source, output in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
