"""Has a language model write sentences, change words in them, and say how probable the result is.

usage: python models/cloze/teach.py DATA MODEL.gguf OUT

DATA is the folder of `prepare.py`. The shipped network was taught by Qwen2.5-Coder-1.5B-Instruct (Q4_K_M,
Apache 2.0) for minutes on a graphics card: 36,688 sentences written, and 690,014 variants of these and of
Tatoeba's judged. OUT gets `gen.json`, the sentences, and `teach.jsonl`: a sentence and its variants as
place, word, other word, and the difference of the log-probabilities. Needs torch, transformers and gguf.
"""

from __future__ import annotations

import json
import random
import re
import sys
import time
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

WRITING, JUDGING = 100, 200  # seconds
KINDS = [
    *["a public health leaflet", "an encyclopaedia article", "a newspaper report"] * 3,
    "an everyday conversation",
    "a scientific article about medicine",
    "a travel guide or a history book",
]
ASK = (
    "<|im_start|>user\nWrite one sentence of 12 to 25 words, as it could stand in {kind}. It must use the"
    ' words "{one}" and "{other}". Reply with the sentence only.<|im_end|>\n<|im_start|>assistant\n'
)
WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
PLACES, EACH = 4, 3

chance = random.Random(7)


def main() -> None:
    folder, model_path, out = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
    out.mkdir(parents=True, exist_ok=True)
    data = json.loads((folder / "data.json").read_text(encoding="utf-8"))
    files = {"pretrained_model_name_or_path": str(model_path.parent), "gguf_file": model_path.name}
    tokens = AutoTokenizer.from_pretrained(**files)
    tokens.pad_token = tokens.pad_token or tokens.eos_token
    model = AutoModelForCausalLM.from_pretrained(**files, dtype=torch.bfloat16).cuda().eval()
    written = write(tokens, model, list(data["table"]))
    (out / "gen.json").write_text(json.dumps(written), encoding="utf-8")
    pool = written + [text for text in data["tatoeba"] if 7 <= len(text.split()) <= 30]
    chance.shuffle(pool)
    end = time.time() + JUDGING
    with (out / "teach.jsonl").open("w", encoding="utf-8") as lines:
        for start in range(0, len(pool), 3000):
            if time.time() > end:
                break
            for text, changes in judge(tokens, model, pool[start : start + 3000], data["table"]):
                lines.write(json.dumps([text, changes]) + "\n")


@torch.no_grad()
def write(tokens: Any, model: Any, words: list[str]) -> list[str]:
    """Sentences with two words of the table each."""
    tokens.padding_side = "left"
    stop = [tokens.convert_tokens_to_ids("<|im_end|>"), tokens.eos_token_id]
    sentences: list[str] = []
    end = time.time() + WRITING
    while time.time() < end:
        asked = [
            ASK.format(kind=chance.choice(KINDS), one=chance.choice(words), other=chance.choice(words))
            for _ in range(1536)
        ]
        read = tokens(asked, return_tensors="pt", padding=True).to("cuda")
        answers = model.generate(
            **read, max_new_tokens=42, do_sample=True, temperature=0.9, top_p=0.95, top_k=0,
            pad_token_id=tokens.pad_token_id, eos_token_id=stop,
        )  # fmt: skip
        replies = tokens.batch_decode(answers[:, read["input_ids"].shape[1] :], skip_special_tokens=True)
        for reply in replies:
            line = reply.strip().split("\n")[0].strip().strip('"')
            if line.endswith((".", "?", "!")) and 7 <= len(line.split()) <= 32 and line.isascii():
                sentences.append(line)
    return sentences


def changes_of(text: str, table: dict[str, list[str]]) -> list[tuple[int, str, str]]:
    """Words that may become others: where they begin, they, and the other; a or an stays right."""
    matches = list(WORD.finditer(text))
    have = {match.group().lower() for match in matches}
    places = [match for match in matches if match.group() in table]
    chance.shuffle(places)
    found = []
    for match in places[:PLACES]:
        others = [other for other in table[match.group()] if other not in have]
        for other in chance.sample(others, min(EACH, len(others))):
            article = re.search(r"\b(an?) $", text[: match.start()], re.IGNORECASE)
            if article is None or (other[0] in "aeiou") == (len(article[1]) == 2):
                found.append((match.start(), match.group(), other))
    return found


def judge(
    tokens: Any, model: Any, texts: list[str], table: dict[str, list[str]]
) -> list[tuple[str, list[Any]]]:
    """Each text with its changes, and what the model finds of them."""
    changes = {text: changes_of(text, table) for text in texts}
    variants = [
        (text, text[:start] + other + text[start + len(word) :])
        for text, found in changes.items()
        for start, word, other in found
    ]
    asked = list(dict.fromkeys([text for text in texts if changes[text]] + [v for _, v in variants]))
    known = dict(zip(asked, log_probabilities(tokens, model, asked), strict=True))
    differences = iter([round(known[variant] - known[text], 2) for text, variant in variants])
    return [
        (text, [(*change, next(differences)) for change in found]) for text, found in changes.items() if found
    ]


@torch.no_grad()
def log_probabilities(tokens: Any, model: Any, texts: list[str]) -> list[float]:
    """Of whole sentences, after the mark that begins a text."""
    first = tokens.bos_token_id if tokens.bos_token_id is not None else tokens.eos_token_id
    rows = [[first, *row] for row in tokens(texts, add_special_tokens=False)["input_ids"]]
    order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
    sums = [0.0] * len(rows)
    for start in range(0, len(order), 768):
        batch = order[start : start + 768]
        length = max(len(rows[number]) for number in batch)
        ids = torch.full((len(batch), length), first)
        real = torch.zeros((len(batch), length), dtype=torch.bool)
        for index, number in enumerate(batch):
            ids[index, : len(rows[number])] = torch.tensor(rows[number])
            real[index, : len(rows[number])] = True
        ids, real = ids.cuda(), real.cuda()[:, 1:]
        hidden, answers = model.model(input_ids=ids).last_hidden_state[:, :-1][real], ids[:, 1:][real]
        found = torch.zeros(real.shape, device="cuda")
        found[real] = torch.cat([
            torch.log_softmax(model.lm_head(part).float(), 1).gather(1, right[:, None])[:, 0]
            for part, right in zip(hidden.split(16384), answers.split(16384), strict=True)
        ])  # fmt: skip
        for number, value in zip(batch, found.sum(1).tolist(), strict=True):
            sums[number] = value
    return sums


if __name__ == "__main__":
    main()
