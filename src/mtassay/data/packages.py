"""What many rooms need from outside: optional packages, fingerprints of files, secrets, calls over HTTP."""

from __future__ import annotations

import hashlib
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mtassay.data.errors import MissingExtraError, UsageError
from mtassay.data.formats.textfiles import check_file

if TYPE_CHECKING:
    pass

__all__ = ["fingerprint", "load_package", "package_version", "release_of"]


def load_package(module: str, *, what: str, package: str, extra: str) -> Any:
    """The imported module, loaded where it is used and not before."""
    try:
        return import_module(module)
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) and error.name == module.partition(".")[0]:
            raise MissingExtraError(what, package=package, extra=extra) from None
        raise UsageError(f"{what}: {package} is installed and cannot be loaded: {error}") from error


@cache
def release_of(package: str) -> str:
    """The installed release of a package that is there, without loading it."""
    spec = find_spec(package)
    folder = Path(spec.origin).parent.parent if spec and spec.origin else Path()
    # The name of the folder that an installer leaves beside a package, `sacrebleu-2.6.0.dist-info`.
    installed = [path.stem.partition("-")[2] for path in folder.glob(f"{package}-*.dist-info")]
    if len(installed) == 1:
        return installed[0]
    from importlib.metadata import version  # loads what reads e-mail

    return version(package)


def package_version(package: str, *, what: str, extra: str) -> str:
    """The installed release, for a signature; `MissingExtraError` where there is none."""
    from importlib.metadata import PackageNotFoundError, version  # loads what reads e-mail

    try:
        return version(package)
    except PackageNotFoundError:
        raise MissingExtraError(what, package=package, extra=extra) from None


def fingerprint(*paths: Path) -> str:
    """Twelve digits that change with the content of these files, so that a new model gets new answers.

    A file is read in full once per process, as long as its size and time stay the same.
    """
    digest = hashlib.blake2b(digest_size=6)
    for path in paths:
        status = path.stat()
        digest.update(_content(str(path), status.st_size, status.st_mtime_ns))
    return digest.hexdigest()


@lru_cache(maxsize=64)
def _content(path: str, size: int, modified: int) -> bytes:
    check_file(path)
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "blake2b").digest()
