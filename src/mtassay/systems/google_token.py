"""An access token for Google Cloud: from the environment, or from Google's own credentials."""

from __future__ import annotations

import os
import threading
from functools import cache
from importlib import import_module
from typing import Any

from mtassay.errors import BusyError, ClosedError, MissingExtraError
from mtassay.packages import Secret, excerpt

_SCOPE = "https://www.googleapis.com/auth/cloud-translation"
_one_at_a_time = threading.Lock()


def access_token() -> Secret:
    """GOOGLE_OAUTH_ACCESS_TOKEN, or a token of the application default credentials, renewed when old."""
    if token := os.environ.get("GOOGLE_OAUTH_ACCESS_TOKEN", "").strip():
        return Secret(token)
    try:
        auth, problems, transport = (
            import_module(f"google.auth{part}") for part in ("", ".exceptions", ".transport.requests")
        )
    except ImportError:
        raise MissingExtraError(
            "google:v3 without GOOGLE_OAUTH_ACCESS_TOKEN", package="google-auth", extra="google"
        ) from None
    with _one_at_a_time:
        try:
            credentials = _credentials(auth)
            if not credentials.valid:
                credentials.refresh(transport.Request())
        except problems.TransportError as error:
            raise BusyError(f"Google gave no access token ({excerpt(str(error))})") from None
        except problems.GoogleAuthError as error:
            raise ClosedError(
                f"Google gave no access token ({excerpt(str(error))})."
                " Run gcloud auth application-default login, or set GOOGLE_OAUTH_ACCESS_TOKEN."
            ) from None
        return Secret(credentials.token)


@cache
def _credentials(auth: Any) -> Any:
    return auth.default(scopes=[_SCOPE])[0]
