"""A real Ray cluster on this machine: results are those of one process, whatever becomes of its nodes."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mtassay.core import Segment
from mtassay.errors import InputError, ServiceError
from mtassay.executors import Local, open_executor
from mtassay.executors.ray_cluster import RayCluster

ray = pytest.importorskip("ray", reason="needs Ray: pip install 'mtassay[ray]'")
pytestmark = pytest.mark.slow

NODE = {"num_cpus": 1, "object_store_memory": 80 * 2**20}


def slow_square(batch: list[int]) -> tuple[list[int], str]:
    """The squares, and which node computed them."""
    time.sleep(0.3)
    return [number**2 for number in batch], ray.get_runtime_context().get_node_id()


def chrf_statistics(batch: list[str]) -> bytes:
    """Statistics as bytes, as a metric gives them."""
    from mtassay.metrics.chrf import ChrF

    segments = [Segment(str(number), "", (text[::-1],)) for number, text in enumerate(batch)]
    (measured,) = ChrF().measure(segments, {"a": batch})
    return bytes(measured.values.tobytes())


def fails(batch: int) -> int:
    raise InputError("this is no number", path="numbers.txt", line=batch)


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A cluster with a head that computes nothing, and two nodes with a core each."""
    from ray.cluster_utils import Cluster

    made = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 0, "object_store_memory": 80 * 2**20, "include_dashboard": False},
    )
    nodes = [made.add_node(**NODE) for _ in range(2)]
    made.wait_for_nodes()
    yield made, nodes
    ray.shutdown()
    made.shutdown()


def test_a_node_is_killed_and_another_joins_and_the_answers_are_the_same(cluster: Any) -> None:
    made, nodes = cluster
    batches = [list(range(n, n + 3)) for n in range(40)]
    with RayCluster(made.address) as executor:
        assert executor.workers == 2
        answers = executor.map(slow_square, batches)
        found = [next(answers) for _ in range(8)]
        before = {node for _, node in found}
        made.remove_node(nodes[0], allow_graceful=False)
        found += [next(answers) for _ in range(4)]
        made.add_node(**NODE)
        found += list(answers)
    assert [squares for squares, _ in found] == [[n**2 for n in batch] for batch in batches]
    after = {node for _, node in found[-12:]}
    assert len(before) == 2
    assert after - before, "the node that joined has not computed anything"


def test_statistics_are_equal_byte_for_byte_and_errors_come_back(cluster: Any) -> None:
    made, _ = cluster
    batches = [[f"line {n} of batch {b}, with words" for n in range(50)] for b in range(6)]
    with RayCluster(made.address) as executor:
        spread = list(executor.map(chrf_statistics, batches))
        with pytest.raises(InputError, match=r"numbers\.txt line 7: this is no number"):
            list(executor.map(fails, [7]))
        assert list(executor.map(lambda number: number + len(batches), [1, 2])) == [7, 8]
    assert pickle.dumps(spread) == pickle.dumps(list(Local().map(chrf_statistics, batches)))


def test_an_address_where_nobody_is_is_told_in_a_line() -> None:
    with pytest.raises(ServiceError, match=r"127\.0\.0\.1:1.*--ray-address"):
        open_executor("ray", address="127.0.0.1:1")


SCRIPT = """
import os, sys, time
from mtassay.executors import open_executor
sys.path.insert(0, {tests!r})
from tests.test_ray import slow_square
executor = open_executor("ray")
answers = executor.map(slow_square, ([n] for n in range(10000)))
print(next(answers), flush=True)
list(answers)
"""


def test_a_cluster_that_was_started_here_ends_with_this_process() -> None:
    project = str(Path(__file__).resolve().parent.parent)
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(tests=project)],
        stdout=subprocess.PIPE,
        env={**os.environ, "MTASSAY_PROCESSES": "2"},
    )
    assert process.stdout is not None
    assert process.stdout.readline()
    children = _descendants(process.pid)
    assert len(children) > 2
    process.kill()
    process.wait()
    until = time.monotonic() + 240  # Ray's own agents look round now and then
    while living := [pid for pid in children if _lives(pid)]:
        assert time.monotonic() < until, f"{living} still live"
        time.sleep(0.2)


def _descendants(pid: int) -> list[int]:
    listed = subprocess.run(["ps", "-Ao", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(child): int(parent) for child, parent in (line.split() for line in listed.splitlines())}
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return sorted(found - {pid})


def _lives(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    try:
        return status.read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
