"""sacreBLEU's own paired tests are the oracle: same seed, same p-values, same intervals."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest, Result, estimate_ci

from mtassay.stats.resampling import bootstrap_scores, interval, paired_bootstrap, paired_randomization


class Oracle:
    """A sacreBLEU metric as statistics and aggregate, so that only the resampling differs."""

    def __init__(
        self, metric: Any, systems: list[tuple[str, list[str]]], references: list[list[str]]
    ) -> None:
        self.metric, self.systems, self.references = metric, systems, references
        extracted = [metric._extract_corpus_statistics(outputs, references) for _, outputs in systems]
        self.statistics = np.stack([np.array(part) for part in extracted], axis=1)

    def aggregate(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        rows = sums.reshape(-1, sums.shape[-1]).tolist()
        scores = [self.metric._compute_score_from_stats(row).score for row in rows]
        return np.array(scores, dtype=np.float64).reshape(sums.shape[:-1])

    def paired_test(self, kind: str, samples: int) -> list[Result]:
        test = PairedTest(
            self.systems, {"metric": self.metric}, self.references, test_type=kind, n_samples=samples
        )
        scores = test()[1]
        (name,) = scores.keys() - {"System"}
        return scores[name]  # type: ignore[return-value]


@pytest.fixture(autouse=True)
def seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "321")


def invented(n: int, noise: list[float]) -> tuple[list[tuple[str, list[str]]], list[list[str]]]:
    """References of invented words, and systems that garble a share of them."""
    rng = random.Random(n)
    words = ["".join(rng.choices("abcdefgh", k=4)) for _ in range(60)]
    references = [rng.choices(words, k=rng.randint(3, 15)) for _ in range(n)]
    systems = []
    for share in noise:
        garbled = [[rng.choice(words) if rng.random() < share else w for w in line] for line in references]
        systems.append((f"garbles {share}", [" ".join(line) for line in garbled]))
    return systems, [[" ".join(line) for line in references]]


def check(oracle: Oracle, *, samples: int, trials: int) -> None:
    scores = oracle.aggregate(oracle.statistics.sum(axis=0))
    resampled = bootstrap_scores(oracle.statistics, oracle.aggregate, samples=samples, seed=321)
    low, high = interval(resampled)
    p = paired_bootstrap(scores, resampled)
    bootstrap = oracle.paired_test("bs", samples)
    for system, result in enumerate(bootstrap):
        assert scores[system] == result.score
        # sacreBLEU scores resamples in single precision, hence no closer.
        assert (high[system] - low[system]) / 2 == pytest.approx(result.ci, abs=1e-4)
        assert resampled[:, system].mean() == pytest.approx(result.mean, abs=1e-4)
        assert (high[system] - low[system]) / 2 == estimate_ci(resampled[:, system])[1]
        if system:
            assert p[0, system] == result.p_value
    shuffled = paired_randomization(oracle.statistics, oracle.aggregate, trials=trials, seed=321)
    for system, result in enumerate(oracle.paired_test("ar", trials)[1:], start=1):
        assert shuffled[0, system] == result.p_value


@pytest.mark.parametrize("metric", [BLEU(), CHRF(word_order=2)], ids=["BLEU", "chrF++"])
@pytest.mark.parametrize("n", [5, 64, 131])
def test_p_values_and_intervals_on_invented_words(n: int, metric: Any) -> None:
    check(Oracle(metric, *invented(n, [0.3, 0.32, 0.35, 0.5])), samples=200, trials=300)


def test_p_values_and_intervals_on_wmt22(data_folder: Path) -> None:
    folder = data_folder / "wmt22" / "de-en"

    def lines(path: str) -> list[str]:
        return (folder / path).read_text(encoding="utf-8").removesuffix("\n").split("\n")

    systems = [(name, lines(f"outputs/{name}.txt")) for name in ("Online-W", "Online-A", "Online-B")]
    check(Oracle(BLEU(), systems, [lines("references/A.txt")]), samples=1000, trials=1000)
