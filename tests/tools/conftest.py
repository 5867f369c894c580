"""Tools that call a service are tested against the same server as systems."""

from tests.systems.conftest import assert_hidden, server

__all__ = ["assert_hidden", "server"]
