"""Learns the pieces of words of the models of this folder.

usage: python models/infill/vocabularies.py TEXTS OUT

TEXTS is the folder of texts.py. OUT gets three folders that `transformers` reads: `masked-en`, `masked-pt`
(WordPiece, cased, as BERT's) and `infill` (byte-level pairs of both languages, as BART's).
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

from tokenizers import AddedToken, ByteLevelBPETokenizer, Tokenizer
from tokenizers.implementations import BertWordPieceTokenizer
from tokenizers.processors import RobertaProcessing
from transformers import BertTokenizerFast, PreTrainedTokenizerFast

PIECES = {"en": 16_000, "pt": 12_000, "both": 12_000}
SPECIAL = [
    AddedToken("<s>", special=True),
    AddedToken("<pad>", special=True),
    AddedToken("</s>", lstrip=True, rstrip=True, special=True),  # takes the spaces around it
    AddedToken("<unk>", special=True),
    AddedToken("<mask>", lstrip=True, special=True),  # takes the space before it
]


def read(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode("utf-8").split("\n")


def learn_words(texts: list[str], size: int, out: Path) -> None:
    learner = BertWordPieceTokenizer(lowercase=False, strip_accents=False)
    learner.train_from_iterator(texts, vocab_size=size, min_frequency=3, show_progress=False)
    BertTokenizerFast(tokenizer_object=learner._tokenizer, do_lower_case=False).save_pretrained(out)


def learn_pairs(texts: list[str], size: int, out: Path) -> None:
    learner = ByteLevelBPETokenizer()
    learner.train_from_iterator(
        texts, vocab_size=size, min_frequency=3, special_tokens=SPECIAL, show_progress=False
    )
    pieces: Tokenizer = learner._tokenizer
    pieces.post_processor = RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    begin, pad, end, unknown, mask = SPECIAL
    PreTrainedTokenizerFast(
        tokenizer_object=pieces, bos_token=begin, cls_token=begin, pad_token=pad, eos_token=end,
        sep_token=end, unk_token=unknown, mask_token=mask,
    ).save_pretrained(out)  # fmt: skip


def main() -> None:
    texts, out = Path(sys.argv[1]), Path(sys.argv[2])
    english, portuguese = (read(texts / f"{name}.txt.gz") for name in ("en", "pt"))
    learn_words(english, PIECES["en"], out / "masked-en")
    learn_words(portuguese, PIECES["pt"], out / "masked-pt")
    learn_pairs([*english[::2], *portuguese], PIECES["both"], out / "infill")


if __name__ == "__main__":
    main()
