"""Which names a server goes by, and who can reach it."""

from __future__ import annotations

import ipaddress

__all__ = ["is_loopback", "is_welcome"]


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what is bound to a host.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host.lower() == "localhost":
        return True
    address = _address(host)
    return address is not None and address.is_loopback


def is_welcome(header: str, bound: str, hosts: frozenset[str] = frozenset()) -> bool:
    """Whether a request to a server that is bound to a host may name the host that it does.

    A number cannot be pointed elsewhere, so any number will do where all of them are bound.

    >>> [is_welcome(h, "127.0.0.1") for h in ("127.0.0.1:8765", "localhost", "evil.example", "10.0.0.1", "")]
    [True, True, False, False, False]
    >>> is_welcome("10.0.0.1:80", "0.0.0.0"), is_welcome("evil.example", "0.0.0.0")
    (True, False)
    """
    name = _host_of(header)
    if not name:
        return False
    if name in hosts or name == bound.lower():
        return True
    address, own = _address(name), _address(bound)
    if is_loopback(bound):
        return is_loopback(name)
    return own is not None and own.is_unspecified and (address is not None or name == "localhost")


def _host_of(header: str) -> str:
    """The name in a Host header, without its port and brackets; empty where it makes no sense."""
    text = header.strip().lower()
    if text.startswith("["):
        name, bracket, rest = text[1:].partition("]")
        is_fine = bool(bracket) and (not rest or (rest.startswith(":") and rest[1:].isdecimal()))
        return name if is_fine else ""
    name, colon, port = text.partition(":")
    return name if not colon or port.isdecimal() else ""


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
