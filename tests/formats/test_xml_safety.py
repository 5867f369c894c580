"""XML that attacks the reader is refused in one line, and nothing it points to is opened."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from mtassay.data.errors import InputError
from mtassay.data.formats.segment_files import read_stream
from mtassay.data.languages import parse_pair
from tests.formats.conftest import Write

BODY = '<dataset><doc id="d"><src><seg id="1">{}</seg></src></doc></dataset>'
LAUGHS = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))


def refuse(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_stream(path, role="source", pair=parse_pair("en-de"))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    "document_type",
    [
        f'<!DOCTYPE dataset [<!ENTITY a0 "ha">{LAUGHS}]>',
        '<!DOCTYPE dataset [<!ENTITY a11 SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE dataset [<!ENTITY a11 "harmless">]>',
        "<!DOCTYPE dataset [<!ENTITY % a11 \"<!ENTITY a11 'x'>\">]>",
        '<!DOCTYPE dataset [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>',
    ],
    ids=["billion laughs", "file", "harmless", "parameter", "used parameter"],
)
@pytest.mark.parametrize("text", ["&a11;", "no entity"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_document_that_declares_entities_is_refused(
    write: Write, document_type: str, text: str, encoding: str
) -> None:
    message = refuse(write("a.xml", (document_type + BODY.format(text)).encode(encoding)))
    assert "entit" in message.lower()


@pytest.mark.parametrize("text", ["&undefined;", "&nbsp;"])
def test_an_entity_nobody_defined_is_refused_with_its_line(write: Write, text: str) -> None:
    assert "line 1: not well-formed XML: Entity" in refuse(write("a.xml", BODY.format(text)))
    with_type = '<!DOCTYPE dataset SYSTEM "none.dtd">\n' + BODY.format(text)
    assert f"line 2: entity {text} is not defined" in refuse(write("b.xml", with_type))


def test_characters_by_number_are_read(write: Write) -> None:
    path = write("a.xml", BODY.format("&#228;&#x1F600;&lt;"))
    assert read_stream(path, role="source").texts == ["ä\U0001f600<"]


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    """A real server that notes what it is asked for."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}", asked
        running.shutdown()


def test_nothing_is_fetched(write: Write, server: tuple[str, list[str]]) -> None:
    address, asked = server
    path = write("a.xml", f'<!DOCTYPE dataset SYSTEM "{address}/a.dtd">' + BODY.format("x"))
    assert read_stream(path, role="source").texts == ["x"]
    refuse(write("b.xml", f'<!DOCTYPE dataset [<!ENTITY x SYSTEM "{address}/x">]>' + BODY.format("&x;")))
    include = f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{address}/i"/>'
    assert "<include/> holds no text" in refuse(write("c.xml", BODY.format(include)))
    assert asked == []


def test_a_document_nested_too_deeply_is_refused(write: Write) -> None:
    assert "not well-formed XML" in refuse(write("a.xml", BODY.format("<b>" * 5000 + "</b>" * 5000)))
