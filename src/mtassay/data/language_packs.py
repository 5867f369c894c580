"""Language packs: packages with data for one language, found through entry points.

The core has small tables that cover many languages. A pack is a folder of files (word lists, a spaCy
pipeline, suites, the weights of a judge) and a `LanguagePack`, which an entry point of the group
`mtassay.pack` names. Code that needs such a file calls `pack_file`; without one, `missing_pack` says what
to install. Nothing is read before that.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from mtassay.data.errors import MissingExtraError, UsageError
from mtassay.data.formats.textfiles import check_file
from mtassay.data.languages import Pair, name_of
from mtassay.data.registry import each

# Optional packages and fingerprints of files.


def load_package(module: str, *, what: str, package: str, extra: str) -> Any:
    """Import a module at the place that uses it."""
    try:
        return import_module(module)
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) and error.name == module.partition(".")[0]:
            raise MissingExtraError(what, package=package, extra=extra) from None
        raise UsageError(f"{what}: {package} is installed and cannot be loaded: {error}") from error


@cache
def release_of(package: str) -> str:
    """The release of an installed package, found without loading it."""
    spec = find_spec(package)
    folder = Path(spec.origin).parent.parent if spec and spec.origin else Path()
    # The name of the folder that an installer leaves beside a package, `sacrebleu-2.6.0.dist-info`.
    installed = [path.stem.partition("-")[2] for path in folder.glob(f"{package}-*.dist-info")]
    if len(installed) == 1:
        return installed[0]
    from importlib.metadata import version  # loads what reads e-mail

    return version(package)


def cache_folder() -> Path:
    """The user's folder for files that are unpacked once and can be made again."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "mtassay"


def package_version(package: str, *, what: str, extra: str) -> str:
    """The installed release, for a signature; `MissingExtraError` if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # loads what reads e-mail

    try:
        return version(package)
    except PackageNotFoundError:
        raise MissingExtraError(what, package=package, extra=extra) from None


def fingerprint(*paths: Path) -> str:
    """Twelve digits that change with the content of these files, so that a new model is asked again.

    A file is read once per process while its size and time stay the same.
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


# Language packs.


PackPart = Literal[
    "suites",
    "pipelines",
    "words",
    "neighbours",
    "negations",
    "alignments",
    "judges",
    "substitutes",
    "collocations",
    "cloze",
]
"""Parts of a pack, each in a folder of this name (docs/howto/language-pack.md has the formats)."""


class OurPack(NamedTuple):
    """A pack in `packs/`: its content in words, and the names of its files by part."""

    adds: str
    files: dict[PackPart, str]


OUR_PACKS = {
    "de": OurPack("a suite for en-de", {"suites": "en-de"}),
    "en": OurPack(
        "words to change (invariance), a lexicon to edit pairs with (behavior)",
        {"substitutes": "en", "collocations": "en", "cloze": "en"},
    ),
    "es": OurPack("a suite for en-es", {"suites": "en-es"}),
    "pt": OurPack(
        "suites, a spaCy pipeline, lists of words, a word aligner and a trained judge for en-pt",
        {
            "suites": "en-pt en-pt-context en-pt-hard pt-en pt-en-hard",
            "pipelines": "pt",
            "words": "pt",
            "neighbours": "pt",
            "alignments": "en-pt",
            "judges": "en-pt",
        },
    ),
    "zh": OurPack("a word aligner for en-zh", {"alignments": "en-zh"}),
}
"""Our packs by language, to name packs that are not installed. A test compares this with the files."""


@dataclass(frozen=True, slots=True)
class LanguagePack:
    """The files of a package for one language.

    Files are named after their use: `suites/en-pt.yaml` is the suite `en-pt`, `words/pt.gz` the word list of
    Portuguese, `judges/en-pt.json` the weights of a judge for that pair, `pipelines/pt` a folder.

    Args:
        language: The code of the language, such as `pt`.
        folder: Where the files are; usually the folder of the package.

    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> (folder / "words").mkdir()
    >>> _ = (folder / "words" / "tok.gz").write_bytes(b"")
    >>> pack = LanguagePack("tok", folder)
    >>> pack.parts, list(pack.files("words")), pack.files("suites")
    (['words'], ['tok'], {})
    """

    language: str
    folder: Path

    @property
    def parts(self) -> list[PackPart]:
        """The parts it has, in the order of `PackPart`."""
        return [part for part in get_args(PackPart) if self.files(part)]

    def files(self, part: PackPart) -> dict[str, Path]:
        """The files (or folders) of one part by name: a language, a pair, or the name of a suite."""
        found = sorted((self.folder / part).glob("[!_.]*"), key=lambda path: path.name.partition(".")[0])
        return {path.name.partition(".")[0]: path for path in found if path.suffix not in (".md", ".py")}


def installed_packs() -> list[LanguagePack]:
    """The installed packs in alphabetical order, without those that cannot be loaded."""
    return list(each("pack"))


def pack_files(part: PackPart) -> dict[str, Path]:
    """All files of a part by name, from all installed packs; the first of equal names counts."""
    files: dict[str, Path] = {}
    for pack in installed_packs():
        files = {**pack.files(part), **files}
    return dict(sorted(files.items()))


def pack_file(part: PackPart, name: str) -> Path | None:
    """The file of this part and name; `None` if no installed pack has it."""
    return pack_files(part).get(name)


def missing_pack(part: PackPart, *names: str, what: str = "it") -> str:
    """A sentence naming our pack that is not installed and has a file of one of these names.

    Args:
        part: The kind of file.
        names: Languages, pairs or suites; one of them is enough.
        what: The content of the pack, as the sentence calls it.

    Returns:
        The sentence with the command to type; empty if no pack would help.

    >>> missing_pack("judges", "ja-fi")
    ''
    """
    installed = {pack.language for pack in installed_packs()}
    for code, pack in OUR_PACKS.items():
        if code not in installed and not {*names}.isdisjoint(pack.files.get(part, "").split()):
            return f"The {name_of(code)} pack has {what}: {install_line(code)}"
    return ""


def install_line(code: str) -> str:
    """The command that installs one of our packs.

    >>> install_line("pt")
    'pip install ./packs/pt'
    """
    return f"pip install ./packs/{code}"


def packs_for(pair: Pair | None = None) -> dict[str, LanguagePack | None]:
    """Packs by language, ours and installed ones; `None` is one of ours that is not installed.

    Args:
        pair: Only packs for one of these two languages. Default: all.
    """
    packs = {**dict.fromkeys(OUR_PACKS), **{pack.language: pack for pack in installed_packs()}}
    codes = sorted(packs) if pair is None else dict.fromkeys((pair.source.code, pair.target.code))
    return {code: packs[code] for code in codes if code in packs}
