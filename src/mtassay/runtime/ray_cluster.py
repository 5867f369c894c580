"""A Ray cluster as workers: an existing one by its address, or one started on this machine.

Ray itself moves the batches of a lost worker to others, and uses workers that join later. Every worker needs
the same version of mtassay, and what the batches need.

Anybody who can connect to a cluster can run code on it. So a cluster that is started here listens only on
127.0.0.1, requires a secret token, and keeps its files in a folder that only its user may open.
"""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

from mtassay import __version__
from mtassay.data.errors import MissingExtraError, ServiceError, WorkerError
from mtassay.runtime.executors import Executor, compute
from mtassay.runtime.processes import process_count

OLDEST = (2, 52)
"""The first release of Ray whose clusters ask for a token."""

TRIES = 3
"""Number of further tries for a batch whose worker dies."""
PATIENCE = 10.0
"""Seconds that a cluster has to answer."""
STORE = 256 * 2**20
"""Bytes that batches and answers may use in a cluster that is started here."""


class RayCluster(Executor[Any]):
    """Makes each core of the cluster a worker; without an address, each core of this machine."""

    name: ClassVar[str] = "ray"

    def __init__(self, address: str | None = None) -> None:
        try:
            import ray
        except ImportError:
            raise MissingExtraError("executor 'ray'", package="ray", extra="ray") from None
        if tuple(int(part) for part in ray.__version__.split(".")[:2]) < OLDEST:
            raise ServiceError(
                f"Ray {ray.__version__} lets anyone run code on its clusters. "
                "Update it: pip install 'mtassay[ray]'."
            )
        self._ray = ray
        self._folder = ExitStack()
        self._is_ours = not ray.is_initialized()
        if self._is_ours:
            self._connect(None if address == "local" else address)
        task = ray.remote(num_cpus=1, max_retries=TRIES, scheduling_strategy="SPREAD")
        self._task = task(_compute_as)

    def _connect(self, address: str | None) -> None:
        """Join the cluster, or start one. Workers do not start workers of their own."""
        alone = dict.fromkeys(("MTASSAY_PROCESSES", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        options = {"log_to_driver": False, "logging_level": "ERROR", "runtime_env": {"env_vars": alone}}
        try:
            if address:
                if ":" in address:
                    _knock(address)
                _read_environment()
                self._ray.init(address=address, **options)
            else:
                with _own_cluster():
                    self._ray.init(address="local", include_dashboard=False, **options, **self._limits())
                self._refuse_strangers()
        except (OSError, RuntimeError, ValueError, self._ray.exceptions.AuthenticationError) as error:
            self.close()
            reason = str(error).strip().split("\n")[0].rstrip(".")
            if not address:
                raise ServiceError(f"Ray cannot be started on this machine: {reason}.") from None
            raise ServiceError(
                f"Ray at {address} cannot be reached: {reason}. Check `ray_address`, and if the cluster asks "
                "for a token, RAY_AUTH_MODE=token and RAY_AUTH_TOKEN."
            ) from None

    def _limits(self) -> dict[str, Any]:
        # Everyone may write into Ray's folder, so use one inside a folder of ours: not in $TMPDIR,
        # which may be too long for the path of a socket.
        within = os.environ.get("RAY_TMPDIR") or ("/tmp" if Path("/tmp").is_dir() else None)
        folder = self._folder.enter_context(TemporaryDirectory(dir=within, ignore_cleanup_errors=True))
        return {
            "num_cpus": process_count(),
            "object_store_memory": STORE,
            "_temp_dir": str(Path(folder) / "ray"),
        }

    def _refuse_strangers(self) -> None:
        """Raise `RuntimeError` if Ray did not do what `_own_cluster` asked for."""
        address = self._ray.get_runtime_context().gcs_address
        if not address.startswith("127.0.0.1:"):
            raise RuntimeError(f"Ray {self._ray.__version__} listens at {address}, not only on this machine")

    @property
    def workers(self) -> int:
        """The number of cores that the cluster has now."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def _send(self, function: Callable[[Any], Any]) -> Any:
        # Ray's own pickle includes what a script or notebook defines, which no node could import.
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
        self._folder.close()


@contextmanager
def _own_cluster() -> Iterator[None]:
    """Make clusters started in this context listen on 127.0.0.1 only, and ask for a new token.

    Only the processes of the cluster get the token; it stays in no environment that other programs get.
    """
    from ray._private import ray_constants

    before, clusters = dict(os.environ), ray_constants.ENABLE_RAY_CLUSTER
    os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
    # Ray replaces a 127.0.0.1 that it gets, unless it may not make clusters of several machines.
    ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        _read_environment()
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = clusters
        for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN"):
            os.environ.pop(name)
            if name in before:
                os.environ[name] = before[name]


def _read_environment() -> None:
    """Make Ray read mode and token again, since it normally reads them only once."""
    from ray._raylet import AuthenticationTokenLoader, Config

    Config.initialize("")
    AuthenticationTokenLoader.instance().reset_cache()


def _knock(address: str) -> None:
    """Raise `OSError` if nothing listens or the address is invalid; Ray itself would try for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not port.isdecimal():
        raise ValueError("an address is HOST:PORT, ray://HOST:PORT or auto")
    socket.create_connection((host, int(port)), PATIENCE).close()


def _compute_as(version: str, function: bytes, batch: Any) -> Any:
    """Call `compute` if the worker has the same version as the caller."""
    if version != __version__:
        raise WorkerError(
            f"A worker has mtassay {__version__}, and not {version}: install the same on all nodes."
        )
    return compute(function, batch)
