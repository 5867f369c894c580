"""Access to things outside: optional packages, fingerprints of files, secrets, calls over HTTP."""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import re
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, quote_plus, urlsplit

from mtassay.data.errors import BusyError, ClosedError, RejectedError, ServiceError, UsageError

if TYPE_CHECKING:
    from mtassay.runtime.transfers import Share


HIDDEN = "[hidden]"
"""The replacement for a secret."""

_CLOSED = {401, 402, 403, 404, 405, 407, 410, 451}
_BUSY = {408, 409, 423, 425, 429}
_HALF = re.compile("[\ud800-\udfff]")
_VARIABLE = re.compile(r"\$\{([A-Z_][A-Z0-9_]*)\}")
KEY_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASS|PASSWORD|AUTH|CREDENTIALS?)(?:_|\d|$)", re.IGNORECASE)
"""Patterns of names of environment variables that hold a key."""
# Every secret that was read, in every form in which it may appear, with its replacement.
_secrets: dict[str, str] = {}
_settings: dict[str, str] = {}  # values of variables in the settings of engines, with their names


class Secret:
    """A key that is shown only on request.

    >>> key = Secret("s3cr3t-key-value")
    >>> f"{key} {key!r}", redact("the header was s3cr3t-key-value")
    ('[hidden] Secret([hidden])', 'the header was [hidden]')
    """

    def __init__(self, value: str, shown: str = HIDDEN) -> None:
        self._value = value
        if len(value) >= 4:
            _secrets.setdefault(value, shown)

    def reveal(self) -> str:
        """The key itself, only for the code that sends it."""
        return self._value

    def __str__(self) -> str:
        return HIDDEN

    def __repr__(self) -> str:
        return f"Secret({HIDDEN})"

    def __reduce__(self) -> str:
        raise TypeError("a secret must not be written to a file")


def secret_from(*variables: str, what: str) -> Secret:
    """The value of the first of these environment variables that is set."""
    for variable in variables:
        if value := os.environ.get(variable, "").strip():
            return Secret(value)
    raise ClosedError(f"{what} needs a key: set {' or '.join(variables)} in the environment.")


def redact(text: str) -> str:
    """The text without any secret that was ever read."""
    for value in sorted(_secrets, key=len, reverse=True):
        text = text.replace(value, _secrets[value])
    return text


def without_secrets(value: Any) -> Any:
    """Redact every text in the parameters of a run or in any other JSON value."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {key: without_secrets(inner) for key, inner in value.items()}
    return [without_secrets(inner) for inner in value] if isinstance(value, list | tuple) else value


def fill_variables(text: str, *, what: str, is_setting: bool = False) -> str:
    """Replace each `${NAME}` in a text by the variable's value; only for code that connects or opens.

    From then on the values are secrets, and signatures name the variables in the settings of an engine. A
    variable that is not set is a `UsageError`.
    """

    def value(match: re.Match[str]) -> str:
        found = os.environ.get(match[1], "").strip()
        if not found:
            raise UsageError(f"{what}: the environment has no {match[1]}. Set it: export {match[1]}=…")
        scheme, slashes, _ = found.partition("://")
        shown = f"{scheme}{slashes}{endpoint_of(found)}" if slashes else found
        for form in (found, found.rstrip("/"), shown, endpoint_of(found).rstrip("/")):
            _reveal(Secret(form, match[0]))
        if is_setting:
            learn_setting(match[1], found)
        return found

    return _VARIABLE.sub(value, text)


def name_variables(text: str) -> str:
    """Return a signature that contains names of environment variables, never their values.

    A variable whose name does not suggest a key may choose another server or model: a digest of its value
    keeps their answers apart.
    """

    def name(match: re.Match[str]) -> str:
        digest = hashlib.blake2b(os.environ.get(match[1], "").encode("utf-8", "replace"), digest_size=4)
        return match[0] if KEY_NAME.search(match[1]) else f"{match[0]}~{digest.hexdigest()}"

    # Do not replace all known secrets: they depend on earlier work, but a signature must not.
    for value, variable in _settings.items():
        text = text.replace(value, variable)
    return re.sub(rf"{_VARIABLE.pattern}(?!~)", name, text)


def learn_setting(name: str, value: str) -> None:
    """Make signatures show `${NAME}` for this variable's value in an engine's setting."""
    if len(value) >= 4:
        _settings[value] = f"${{{name}}}"
        _reveal(Secret(value, _settings[value]))


def call_json(
    url: str,
    *,
    body: Any = None,
    content: bytes | None = None,
    headers: Mapping[str, str | Secret] | None = None,
    parameters: Mapping[str, str | Secret | Sequence[str]] | None = None,
    method: str = "POST",
    timeout: float = 60.0,
    what: str,
    closed: frozenset[int] = frozenset(),
    busy: frozenset[int] = frozenset(),
    error_type: Callable[[int, Any], type[ServiceError] | None] | None = None,
) -> Any:
    """Call and return the parsed answer. `what` names the service; `closed` and `busy` are its status codes.

    Secrets may be anywhere in `body`, `headers` and `parameters`; a parameter with several values is sent
    several times. `content` replaces `body` if the exact bytes matter, as for a signature. `error_type` gets
    the status and the JSON of an error (`None` if it is no JSON) and returns the type of the error, or `None`
    to use the status. Redirects are not followed, since a key must not be sent to another host.
    """
    url = fill_variables(url, what=what)
    sent = {key: _reveal(value) for key, value in (headers or {}).items()}
    if body is not None:
        content = _encode(body, what)
        sent = {"Content-Type": "application/json", **sent}
    query = {key: _reveal(value) for key, value in (parameters or {}).items()}
    from mtassay.runtime.transfers import ENCODINGS, Share

    sent = {"Accept-Encoding": ENCODINGS, **sent}
    with Share() as share:
        status, answer_headers, answer = _exchange(
            method,
            url,
            share,
            content=content,
            headers=sent,
            params=query or None,
            timeout=timeout,
            what=what,
        )
        if 200 <= status < 300:
            return _parse(answer, what)
        kind = error_type(status, _json(answer)) if error_type else None
        raise _status_error(what, status, answer_headers, answer, kind=kind, closed=closed, busy=busy)


def check_address(url: str, *, what: str) -> str:
    """The address of a service without the last slash; `UsageError` if it is invalid, or has a password.

    Variables of the environment, `${NAME}`, stay in it until the connection is made. The value of a variable
    that holds a key becomes one.

    >>> check_address("http://localhost:8080/v1/", what="openai")
    'http://localhost:8080/v1'
    >>> check_address("localhost:8080", what="openai")
    Traceback (most recent call last):
    mtassay.data.errors.UsageError: openai: 'localhost:8080' is no address. Write it as http://HOST:PORT/PATH.
    """
    for name, value in sorted(os.environ.items()):
        if len(value) >= 8 and value in url and KEY_NAME.search(name) and _VARIABLE.match(f"${{{name}}}"):
            url = url.replace(value, f"${{{name}}}")  # added by a shell
    address = fill_variables(url, what=what)
    try:
        parts = urlsplit(address)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        # The part before an @ may be a password.
        shown = redact(address.rpartition("@")[2].partition("?")[0])
        raise UsageError(f"{what}: '{shown}' is no address. Write it as http://HOST:PORT/PATH.")
    if parts.username or parts.password:
        host = redact(parts.hostname or "")
        raise UsageError(f"{what}: remove the user name and password from the address of {host}.")
    for _, value in parse_qsl(parts.query):
        if len(value) >= 8:
            _reveal(Secret(value))
    return url.rstrip("/")


def is_local(url: str) -> bool:
    """Whether this is an address of this machine.

    >>> [is_local(url) for url in ("http://localhost:1/v1", "http://[::1]:1", "https://127.0.0.1.example.com")]
    [True, True, False]
    """
    host = urlsplit(fill_variables(url, what="the address")).hostname or ""
    return host in ("localhost", "::1") or (host.startswith("127.") and host.replace(".", "").isdigit())


def place(url: str) -> str:
    """Return host and path only, since a query or a user name may contain a key.

    >>> place("https://user:password@example.com:8080/v2?key=1"), place("http://[::1]:x")
    ('https://example.com:8080/v2', 'http://[::1]:x')
    """
    scheme, slashes, _ = url.partition("://")
    return redact(f"{scheme}{slashes}{endpoint_of(url)}" if slashes else endpoint_of(url))


def endpoint_of(url: str) -> str:
    """Host and path for a signature; a variable stays a variable.

    >>> endpoint_of("https://user:password@example.com:8080/v2?key=1"), endpoint_of("${SERVER}")
    ('example.com:8080/v2', '${SERVER}')
    """
    address = url.partition("?")[0].partition("#")[0].rpartition("://")[2]
    host, slash, path = address.partition("/")
    return f"{host.rpartition('@')[2]}{slash}{path}"


def host_of(url: str) -> str:
    """The host and port only."""
    return endpoint_of(url).partition("/")[0]


def excerpt(text: str | bytes) -> str:
    """The beginning of an answer, in one line and without secrets."""
    text = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    line = " ".join("".join(c if c.isprintable() else " " for c in redact(text)[:2000]).split())
    return (line[:200] + "…" if len(line) > 200 else line) or "(nothing)"


def seconds(retry_after: str | None) -> float | None:
    """Return the seconds to wait according to Retry-After, which has a number of seconds or a date.

    >>> seconds("2.5"), seconds("Sun, 06 Nov 1994 08:49:37 GMT"), seconds("soon"), seconds("nan")
    (2.5, 0.0, None, None)
    """
    if retry_after is None:
        return None
    try:
        wait = float(retry_after)
    except ValueError:
        try:
            from email.utils import parsedate_to_datetime

            moment = parsedate_to_datetime(retry_after)
        except (TypeError, ValueError, OverflowError):
            return None
        wait = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - time.time()
    return max(wait, 0.0) if math.isfinite(wait) else None


def field(answer: Any, *path: str | int) -> Any:
    """The value at this place of a JSON answer; `None` if there is no such place.

    >>> field({"data": [{"text": "eins"}]}, "data", 0, "text"), field([], "data")
    ('eins', None)
    """
    for step in path:
        try:
            answer = answer[step]
        except (KeyError, IndexError, TypeError):
            return None
    return answer


def _exchange(
    method: str, url: str, share: Share, *, timeout: float, what: str, **request: Any
) -> tuple[int, Mapping[str, str], bytes]:
    """Send a request; return status, headers, body. `timeout` covers the whole call, even a slow stream."""
    import httpx

    from mtassay.runtime.transfers import read_body, within

    try:
        with (
            within(timeout),
            _client(os.getpid()).stream(method, url, timeout=timeout, **request) as response,
        ):
            return response.status_code, response.headers, read_body(response, share, what=what)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        failure = _transport_error(error, url=url, timeout=timeout, what=what)
    # Raise here, so that no traceback leads to the request and the key in its headers.
    raise failure


def _parse(content: bytes, what: str) -> Any:
    from mtassay.runtime.transfers import check_values

    check_values(content, what=what)
    answer = _json(content)
    if answer is None and content.strip() != b"null":
        raise BusyError(f"{what} answered something that is not JSON: {excerpt(content)}")
    return answer


def _json(content: bytes) -> Any:
    try:
        answer = json.loads(content)
        # Half a surrogate pair is legal JSON, but no text that can be stored.
        return _mended(answer) if b"\\ud" in content.lower() else answer
    except (ValueError, RecursionError):
        return None


def _mended(answer: Any) -> Any:
    """Replace each half of a surrogate pair in the answer by NUL: callers accept neither."""
    if isinstance(answer, str):
        return _HALF.sub("\0", answer)
    if isinstance(answer, list):
        return [_mended(value) for value in answer]
    if isinstance(answer, dict):
        return {_mended(key): _mended(value) for key, value in answer.items()}
    return answer


def _encode(body: Any, what: str) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False, default=_reveal_in_body).encode()
    except ValueError as error:
        reason = (
            "half a surrogate pair" if isinstance(error, UnicodeError) else "a number JSON has no word for"
        )
        failure = RejectedError(f"{what}: the request has {reason}, and was not sent")
    raise failure


def _reveal_in_body(value: object) -> str:
    if not isinstance(value, Secret):
        raise TypeError(f"{type(value).__name__} is no JSON")
    return str(_reveal(value))


def _reveal(value: Any) -> Any:
    if not isinstance(value, Secret):
        return value
    text = value.reveal()
    # Known as secrets in these forms too: an error or a log may show a whole address or body.
    for form in (quote(text), quote(text, safe=""), quote_plus(text), json.dumps(text)[1:-1]):
        Secret(form, _secrets.get(text, HIDDEN))
    return text


@cache
def _client(process: int) -> Any:
    """One client for each process: it keeps connections open, and many threads may use it."""
    import logging

    import httpx

    from mtassay.runtime.transfers import make_client

    # These log the address of every call with its parameters, and the headers of every answer.
    for name in ("httpx", "httpcore.connection", "httpcore.http11", "httpcore.proxy"):
        logging.getLogger(name).addFilter(_without_secrets)
    direct = dict.fromkeys(("all://localhost", "all://127.0.0.1", "all://[::1]"))  # never through a proxy
    limits = httpx.Limits(max_connections=256, max_keepalive_connections=64)
    return make_client(limits=limits, mounts=direct)


def _without_secrets(record: Any) -> bool:
    record.msg, record.args = redact(record.getMessage()), ()
    return True


def _status_error(
    what: str,
    status: int,
    headers: Mapping[str, str],
    content: bytes,
    *,
    kind: type[ServiceError] | None = None,
    closed: frozenset[int] = frozenset(),
    busy: frozenset[int] = frozenset(),
) -> ServiceError:
    """The error for an answer without success. `kind` is its type if the caller knows it."""
    kind = kind or _kind(status, closed, busy)
    message = f"{what} answered {status}: {_reason(content)}"
    if 300 <= status < 400:
        target = place(headers.get("location", ""))
        message = f"{what} answered {status}: moved to {target or 'somewhere else'}. Give that address."
    if issubclass(kind, BusyError):
        return kind(message, retry_after=seconds(headers.get("retry-after")))
    return kind(message)


def _kind(status: int, closed: frozenset[int], busy: frozenset[int]) -> type[ServiceError]:
    """The error type that a status implies."""
    if status in closed:
        return ClosedError
    if status in busy or status in _BUSY or status >= 500:
        return BusyError
    return ClosedError if status in _CLOSED or 300 <= status < 400 else RejectedError


def _reason(content: bytes) -> str:
    """Return the service's message if its JSON has a usual form, else the beginning of the answer."""
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):
        return excerpt(content)
    if isinstance(answer, list) and answer:
        answer = answer[0]
    error = answer.get("error", answer) if isinstance(answer, dict) else None
    if isinstance(error, str) and error:
        return excerpt(error)
    if isinstance(error, dict) and isinstance(error.get("message"), str) and error["message"]:
        return excerpt(error["message"]) + _code(error)
    return excerpt(json.dumps(answer, ensure_ascii=False))  # not the raw text: it may spell / as \/


def _code(error: Mapping[str, Any]) -> str:
    code = next((error[key] for key in ("code", "type") if isinstance(error.get(key), str)), "")
    return f" ({excerpt(code)})" if code else ""


def _transport_error(error: Exception, *, url: str, timeout: float, what: str) -> ServiceError:
    """The error for a call without an answer. `error` is one of httpx, or a `ValueError`."""
    import ssl

    import httpx

    where = place(url)
    if isinstance(error, httpx.TimeoutException):
        return BusyError(f"{what} did not answer within {timeout:g} s")
    if isinstance(error, httpx.UnsupportedProtocol | httpx.InvalidURL):
        return ClosedError(f"{what}: {where} is no address of a web service")
    if isinstance(error, httpx.LocalProtocolError | ValueError):
        # The message would show the header, and with it the key.
        return ClosedError(f"{what}: the key, or a header, has a character that HTTP does not allow")
    if isinstance(error, httpx.RemoteProtocolError) and "location header" in str(error):
        return ClosedError(f"{what}: {where} has moved to an address that cannot be read")
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return ClosedError(f"{what} at {where}: its certificate cannot be trusted")
        if isinstance(cause, ConnectionRefusedError) or getattr(cause, "errno", None) == errno.ECONNREFUSED:
            return ClosedError(f"{what}: nobody answers at {where}. Is it running?")
        if isinstance(cause, socket.gaierror) and cause.errno != socket.EAI_AGAIN:
            host = redact(urlsplit(url).hostname or "")
            return ClosedError(f"{what}: there is no host {host}. Check the address.")
    return BusyError(f"{what} at {where}: {excerpt(str(error) or type(error).__name__)}")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
