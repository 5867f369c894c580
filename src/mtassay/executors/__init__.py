"""Where large work is computed: in this process, in several, or on a Ray cluster; results are the same."""

from __future__ import annotations

from mtassay.errors import UsageError
from mtassay.executors.base import Executor, Local

__all__ = ["EXECUTORS", "Executor", "Local", "open_executor"]

EXECUTORS = ("local", "processes", "ray")


def open_executor(name: str = "local", *, address: str | None = None) -> Executor:
    """The executor of this name; `address` is that of a Ray cluster, without which one is started here.

    >>> open_executor("local").workers
    1
    >>> open_executor("cluster")
    Traceback (most recent call last):
    mtassay.errors.UsageError: No executor 'cluster'. Available: local, processes, ray.
    """
    if name not in EXECUTORS:
        raise UsageError(f"No executor '{name}'. Available: {', '.join(EXECUTORS)}.")
    if address is not None and name != "ray":
        raise UsageError("The address of a Ray cluster goes with the executor ray: add --executor ray.")
    if name == "processes":
        from mtassay.executors.processes import Processes

        return Processes()
    if name == "ray":
        from mtassay.executors.ray_cluster import RayCluster

        return RayCluster(address)
    return Local()
