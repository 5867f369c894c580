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

from mtassay.data.errors import InputError, ServiceError
from mtassay.data.nouns import Segment
from mtassay.runtime.executors import open_executor
from mtassay.runtime.ray_cluster import RayCluster

ray = pytest.importorskip("ray", reason="needs Ray: pip install 'mtassay[ray]'")
pytestmark = pytest.mark.slow

NODE = {"num_cpus": 1, "object_store_memory": 80 * 2**20}


def slow_square(batch: list[int]) -> tuple[list[int], str]:
    """The squares, and which node computed them."""
    time.sleep(0.3)
    return [number**2 for number in batch], ray.get_runtime_context().get_node_id()


def chrf_statistics(batch: list[str]) -> bytes:
    """Statistics as bytes, as a metric gives them."""
    from mtassay.measures.chrf import ChrF

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
    assert pickle.dumps(spread) == pickle.dumps(list(map(chrf_statistics, batches)))


def test_an_address_where_nobody_is_is_told_in_a_line() -> None:
    with pytest.raises(ServiceError, match=r"127\.0\.0\.1:1.*`ray_address`"):
        open_executor("ray", address="127.0.0.1:1")


def test_ray_without_tokens_is_refused_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray, "__version__", "2.51.2")
    with pytest.raises(ServiceError, match=r"Ray 2\.51\.2 .*pip install 'mtassay\[ray\]'"):
        open_executor("ray")


STRANGER = """
import sys, ray
try:
    ray.init(address=sys.argv[1], log_to_driver=False)
except Exception as error:
    print("refused", type(error).__name__)
else:
    print("joined")
"""


def test_our_cluster_listens_on_this_machine_only_and_lets_nobody_in_without_its_token(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")  # what a user has set opens no cluster of ours
    with open_executor("ray") as executor:
        assert list(executor.map(len, ["ab", "c"])) == [2, 1]
        ours = [pid for pid in [os.getpid(), *_descendants(os.getpid())] if _lives(pid)]
        listening = [address for pid in ours for address in _listening(pid)]
        assert len(listening) > 3
        loopback = ("0100007F", "0000000000000000FFFF00000100007F")
        assert [address for address in listening if address.split(":")[0] not in loopback] == []

        assert "RAY_AUTH_TOKEN" not in os.environ
        environment = next(_environment(pid) for pid in ours if "RAY_AUTH_TOKEN" in _environment(pid))
        token = environment["RAY_AUTH_TOKEN"]
        assert len(token) == 64
        folder = Path(ray._private.worker._global_node.get_session_dir_path())
        assert folder.parent.parent.stat().st_mode & 0o077 == 0
        written = [path for path in folder.rglob("*") if path.is_file()]
        assert written
        assert not [path for path in written if token.encode() in path.read_bytes()]

        address = ray.get_runtime_context().gcs_address
        assert _join(address, RAY_AUTH_MODE="disabled").startswith("refused")
        assert _join(address, RAY_AUTH_MODE="token", RAY_AUTH_TOKEN="0" * 64).startswith("refused")
        assert _join(address, RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=token) == "joined"
    assert not folder.exists()


def _join(address: str, **environment: str) -> str:
    """What becomes of a process that wants to join; it takes 127.0.0.1 as it is, as Ray itself does not."""
    return subprocess.run(
        [sys.executable, "-c", STRANGER, address],
        env={**os.environ, "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", **environment},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout.strip()


def _listening(pid: int) -> list[str]:
    """Where a process listens, as /proc has it: the address in hexadecimal, a colon, the port."""
    rows = [
        line.split()
        for name in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]
    ]
    where = {f"socket:[{row[9]}]": row[1] for row in rows if row[3] == "0A"}
    files = (str(file.readlink()) for file in Path(f"/proc/{pid}/fd").iterdir() if file.is_symlink())
    return [where[file] for file in files if file in where]


def _environment(pid: int) -> dict[str, str]:
    rows = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    return dict(row.split("=", 1) for row in rows if "=" in row)


SCRIPT = """
import os, sys, time
from mtassay.runtime.executors import open_executor
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
