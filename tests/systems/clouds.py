"""Three translation services of the cloud, each with a pretended endpoint, for tests that hold for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mtassay.data.languages import parse_pair
from mtassay.systems.google import Google
from mtassay.systems.live import LiveSystem
from mtassay.systems.web_services import DeepL, Microsoft
from tests.systems.conftest import KEY
from tests.systems.server import Reply, Seen, json_reply, translated

VARIABLES = [
    "DEEPL_AUTH_KEY",
    "DEEPL_SERVER_URL",
    "GOOGLE_API_KEY",
    "GOOGLE_OAUTH_ACCESS_TOKEN",
    "GOOGLE_CLOUD_PROJECT",
    "AZURE_TEXT_TRANSLATION_APIKEY",
    "AZURE_TEXT_TRANSLATION_REGION",
    "AZURE_TEXT_TRANSLATION_ENDPOINT",
    "AZURE_TRANSLATOR_KEY",
    "AZURE_TRANSLATOR_REGION",
]
"""All variables of the environment that change what an adapter does."""


@dataclass(frozen=True)
class Cloud:
    """A service: its adapter, the keys it wants, where a request has its texts and what an answer is."""

    system: type[LiveSystem]
    options: Mapping[str, Any]
    keys: tuple[str, ...]
    texts: Callable[[Any], list[str]]
    answer: Callable[[list[Any]], Any]

    def make(self, url: str, *, pair: str = "en-de", **options: Any) -> Any:
        return self.system(name="mt", pair=parse_pair(pair), **{**self.options, "url": url, **options})

    @property
    def environment(self) -> dict[str, str]:
        return dict.fromkeys(self.keys, KEY)

    def echo(self, seen: Seen) -> Reply:
        """Every text in guillemets, as this service would put it."""
        return json_reply(self.answer(list(translated(self.texts(seen.body)))))


CLOUDS = {
    "deepl": Cloud(
        DeepL,
        {},
        ("DEEPL_AUTH_KEY",),
        lambda body: body["text"],
        lambda texts: {"translations": [{"detected_source_language": "EN", "text": text} for text in texts]},
    ),
    "google-v2": Cloud(
        Google,
        {},
        ("GOOGLE_API_KEY",),
        lambda body: body["q"],
        lambda texts: {"data": {"translations": [{"translatedText": text} for text in texts]}},
    ),
    "google-v3": Cloud(
        Google,
        {"version": "v3", "project": "my-project"},
        ("GOOGLE_OAUTH_ACCESS_TOKEN",),
        lambda body: body["contents"],
        lambda texts: {"translations": [{"translatedText": text} for text in texts]},
    ),
    "microsoft": Cloud(
        Microsoft,
        {},
        ("AZURE_TEXT_TRANSLATION_APIKEY",),
        lambda body: [item["Text"] for item in body],
        lambda texts: [{"translations": [{"text": text, "to": "de"}]} for text in texts],
    ),
}
