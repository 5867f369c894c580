"""A Ray cluster as workers: that of an address, or one that is started on this machine.

Ray itself gives the batches of a lost worker to others, and uses workers that join meanwhile. mtassay must be
installed in the same version wherever workers run, with what the batches need.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from mtassay import __version__
from mtassay.errors import MissingExtraError, ServiceError, WorkerError
from mtassay.executors.base import Spread, compute
from mtassay.processes import process_count

__all__ = ["TRIES", "RayCluster"]

TRIES = 3
"""So often a batch is tried again that its worker does not survive."""
PATIENCE = 10.0
"""Seconds in which a cluster must answer."""
STORE = 256 * 2**20
"""Bytes that batches and answers may take in a cluster that is started here."""


class RayCluster(Spread[Any]):
    """Each core of the cluster is a worker; without an address, each core of this machine."""

    name: ClassVar[str] = "ray"

    def __init__(self, address: str | None = None) -> None:
        try:
            import ray
        except ImportError:
            raise MissingExtraError("executor 'ray'", package="ray", extra="ray") from None
        self._ray = ray
        self._is_ours = not ray.is_initialized()
        if self._is_ours:
            self._connect(address)
        task = ray.remote(num_cpus=1, max_retries=TRIES, scheduling_strategy="SPREAD")
        self._task = task(_compute_as)

    def _connect(self, address: str | None) -> None:
        """Join the cluster, or start one. Workers do not start workers of their own."""
        alone = dict.fromkeys(("MTASSAY_PROCESSES", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        own = {} if address else {"num_cpus": process_count(), "object_store_memory": STORE}
        try:
            if address and ":" in address:
                _knock(address)
            self._ray.init(
                address=address or "local",
                include_dashboard=None if address else False,
                log_to_driver=False,
                logging_level="ERROR",
                runtime_env={"env_vars": alone},
                **own,
            )
        except (OSError, RuntimeError, ValueError) as error:
            reason = str(error).strip().split("\n")[0].rstrip(".")
            if address is None:
                raise ServiceError(f"Ray cannot be started on this machine: {reason}.") from None
            raise ServiceError(
                f"Ray at {address} cannot be reached: {reason}. Check --ray-address."
            ) from None

    @property
    def workers(self) -> int:
        """The cores that the cluster has now."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def _send(self, function: Callable[[Any], Any]) -> Any:
        # Ray's own pickle takes along what a script or notebook defines, which no node could import.
        return self._ray.put(self._ray.cloudpickle.dumps(function))

    def _submit(self, function: Any, batch: Any) -> Any:
        return self._task.remote(__version__, function, batch)

    def _result(self, job: Any, jobs: Iterable[Any]) -> Any:
        errors = self._ray.exceptions
        try:
            return self._ray.get(job)
        except errors.RayTaskError as error:
            if isinstance(error.cause, Exception):
                raise error.cause from None
            raise
        except (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError) as error:
            raise WorkerError(
                f"{TRIES + 1} workers were lost with the same batch ({type(error).__name__}); is there "
                "enough memory on the nodes?"
            ) from None

    def _cancel(self, jobs: Iterable[Any]) -> None:
        for job in jobs:
            self._ray.cancel(job, force=False)

    def close(self) -> None:
        """Leave the cluster; one that was started here ends."""
        if self._is_ours and self._ray.is_initialized():
            self._ray.shutdown()


def _knock(address: str) -> None:
    """`OSError` where nobody listens, or no address is meant: Ray itself would try for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not port.isdecimal():
        raise ValueError("an address is HOST:PORT, ray://HOST:PORT or auto")
    socket.create_connection((host, int(port)), PATIENCE).close()


def _compute_as(version: str, function: bytes, batch: Any) -> Any:
    """`compute`, where the worker has the version of who asks."""
    if version != __version__:
        raise WorkerError(
            f"A worker has mtassay {__version__}, and not {version}: install the same on all nodes."
        )
    return compute(function, batch)
