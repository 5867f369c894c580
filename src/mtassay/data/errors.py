"""The exceptions that mtassay raises on purpose; any other is a bug in mtassay (exit code 70).

MtassayError
├── UsageError             the request makes no sense: unknown name, bad option        (exit code 2)
│   ├── MissingExtraError  an optional package is needed and not installed             (exit code 2)
│   └── PluginError        another package adds something that cannot be loaded        (exit code 2)
├── InputError             a file or record is wrong; says which, and the line         (exit code 2)
├── WorkspaceError         the workspace cannot be opened, read or written             (exit code 2)
└── ServiceError           an engine, model or service failed                          (exit code 3)
    ├── BusyError          it may work later: too many requests, overload, a lost line
    ├── RejectedError      this very request will never work: too long, malformed
    ├── ClosedError        no request will work: bad key, quota used up, nobody there
    └── WorkerError        workers were lost with their work again and again, or are not like this one
"""

from __future__ import annotations

from functools import partial
from os import PathLike
from typing import Any


class MtassayError(Exception):
    """Base of all our errors. The message is one line: what happened, where, what to do."""

    exit_code = 2


class UsageError(MtassayError):
    """The request makes no sense."""


class MissingExtraError(UsageError):
    """An optional package is needed.

    >>> print(MissingExtraError("metric 'comet'", package="unbabel-comet", extra="comet"))
    metric 'comet' needs unbabel-comet. Install it: pip install 'mtassay[comet]'
    """

    def __init__(self, what: str, *, package: str, extra: str) -> None:
        super().__init__(f"{what} needs {package}. Install it: pip install 'mtassay[{extra}]'")
        self._parts = {"what": what, "package": package, "extra": extra}

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(MissingExtraError, **self._parts), ()  # it may come from another process


class PluginError(UsageError):
    """An entry point of another package cannot be loaded; the message names both."""


class PluginWarning(UserWarning):
    """A warning while the work goes on: an unusable plug-in, an upgraded file."""


class InputError(MtassayError):
    """A file or record is wrong.

    >>> print(InputError("2 columns, expected 3", path="a.tsv", line=7))
    a.tsv line 7: 2 columns, expected 3
    """

    def __init__(
        self, what: str, *, path: str | PathLike[str] | None = None, line: int | None = None
    ) -> None:
        where = "" if path is None else str(path)
        if line is not None:
            where += f" line {line}"
        super().__init__(f"{where}: {what}" if where else what)


class WorkspaceError(MtassayError):
    """The workspace cannot be opened, read or written."""


class ServiceError(MtassayError):
    """An engine, model or service failed."""

    exit_code = 3


class BusyError(ServiceError):
    """The request may work later. `retry_after` is the waiting time in seconds that the service asks for."""

    def __init__(self, what: str, *, retry_after: float | None = None) -> None:
        super().__init__(what)
        self.retry_after = retry_after


class RejectedError(ServiceError):
    """This very request will never work; others may."""


class ClosedError(ServiceError):
    """No request will work until a person does something."""


class WorkerError(ServiceError):
    """Workers of an executor were lost repeatedly with their work, or differ from this process."""
