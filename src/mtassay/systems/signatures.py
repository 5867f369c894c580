"""Requests signed with a derived key: Signature Version 4 (AWS) and TC3-HMAC-SHA256 (Tencent Cloud)."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence

from mtassay.runtime.http_calls import Secret


def authorization(
    algorithm: str,
    *,
    key_id: Secret,
    key: Secret,
    scope: Sequence[str],
    moment: str,
    headers: Mapping[str, str],
    content: bytes,
    method: str = "POST",
    path: str = "/",
    query: str = "",
) -> str:
    """The value of the `Authorization` header.

    `scope` begins with the date and ends with the word that closes it, as in
    `20150830/us-east-1/iam/aws4_request`; both schemes derive the signing key by going through its parts.
    `moment` is the time as the scheme writes it, `headers` are those to sign, `query` is in canonical form.
    """
    names = sorted(headers, key=str.lower)
    signed = ";".join(name.lower() for name in names)
    lines = "".join(f"{name.lower()}:{headers[name].strip()}\n" for name in names)
    request = f"{method}\n{path}\n{query}\n{lines}\n{signed}\n{_digest(content)}"
    place = "/".join(scope)
    text = f"{algorithm}\n{moment}\n{place}\n{_digest(request.encode())}"
    derived = (algorithm.split("-")[0] + key.reveal()).encode()
    for part in (*scope, text):
        derived = hmac.digest(derived, part.encode(), "sha256")
    return (
        f"{algorithm} Credential={key_id.reveal()}/{place}, SignedHeaders={signed}, Signature={derived.hex()}"
    )


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
