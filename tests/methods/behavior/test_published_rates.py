"""The judge beside the published table of Wu, Liu, Yeung (2023), on their own cases and outputs."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from mtassay.measures.chrf import ChrF
from mtassay.methods.behavior.behavior_method import BehaviorMethod
from mtassay.methods.behavior.case_files import read_cases, read_outputs
from mtassay.methods.behavior.pairs import segments_of
from mtassay.methods.engine import execute
from mtassay.stats import correlation
from mtassay.systems.roster import Stored

PROJECT = Path(__file__).resolve().parents[3]
GOOD = ("google", "azure", "deepl", "tencent", "chat")
PUBLISHED = {
    "noun": (88.26, 87.25, 92.11, 88.87, 87.05),
    "verb": (88.83, 83.25, 89.63, 84.84, 86.70),
    "adjective": (89.83, 91.49, 91.91, 88.80, 90.66),
    "adverb": (84.19, 85.58, 86.51, 85.58, 84.65),
    "others": (94.00, 91.07, 93.27, 91.07, 92.68),
}
"""Table 4, in percent, for `GOOD`."""


def bench() -> ModuleType:
    spec = spec_from_file_location("behavior_data", PROJECT / "bench" / "behavior_data.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_chrf_agrees_with_the_published_rates_as_far_as_unfiltered_cases_can(
    data_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench().convert(data_folder / "btpgbt", tmp_path)
    cases = [case for case in read_cases(tmp_path / "cases.jsonl") if case.capability in PUBLISHED]
    segments = [segment for case in cases for segment in segments_of(case)]
    systems = [Stored(name, read_outputs(tmp_path / f"{name}.jsonl")) for name in (*GOOD, "trans")]
    method = BehaviorMethod("en-zh", {"chrf": ChrF()})
    result = execute(method, segments, systems).result
    rates = {(score.system, score.group): score.value or 0 for score in result.scores}
    for capability in PUBLISHED:
        assert rates["trans", capability] < min(rates[system, capability] for system in GOOD)
    ours = np.array([[rates[system, capability] for capability in PUBLISHED] for system in GOOD])
    published = np.array(list(PUBLISHED.values())).T
    assert correlation.pearson(ours.ravel(), published.ravel()) >= 0.6
    within = [correlation.spearman(mine, theirs) for mine, theirs in zip(ours, published, strict=True)]
    assert np.mean(within) >= 0.7
