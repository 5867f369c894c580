"""Tencent: its signed request, its languages and its errors, which come with status 200."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mtassay.data.errors import BusyError, ClosedError, RejectedError, ServiceError
from mtassay.data.nouns import Request
from mtassay.runtime.http_calls import Secret
from mtassay.systems.web_services import authorization
from tests.systems.clouds import CLOUDS, VARIABLES
from tests.systems.conftest import KEY
from tests.systems.server import Server, json_reply

TENCENT = CLOUDS["tencent"]
ONE = [Request("1", "one")]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("TENCENTCLOUD_SECRET_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("TENCENTCLOUD_SECRET_KEY", KEY)


def test_the_request_is_as_documented_and_its_signature_fits_what_arrives(server: Server) -> None:
    server.always = TENCENT.echo
    TENCENT.make(server.url, pair="zh-TW:en", project=7).translate([Request("1", "一"), Request("2", "二")])
    (seen,) = server.seen
    assert (seen.method, seen.path, seen.query) == ("POST", "/", {})
    assert seen.header("X-TC-Action") == "TextTranslateBatch"
    assert seen.header("X-TC-Version") == "2018-03-21"
    assert seen.header("X-TC-Region") == "ap-guangzhou"
    assert seen.body == {"Source": "zh-TW", "Target": "en", "ProjectId": 7, "SourceTextList": ["一", "二"]}
    moment = seen.header("X-TC-Timestamp") or ""
    date = (seen.header("Authorization") or "").split("/")[1]
    assert seen.header("Authorization") == authorization(
        "TC3-HMAC-SHA256",
        key_id=Secret("AKIDEXAMPLE"),
        key=Secret(KEY),
        scope=(date, "tmt", "tc3_request"),
        moment=moment,
        headers={name: seen.header(name) or "" for name in ("content-type", "host")},
        content=seen.raw,
    )


def test_the_region_comes_from_the_option_or_the_environment(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.always = TENCENT.echo
    monkeypatch.setenv("TENCENTCLOUD_REGION", "ap-beijing")
    TENCENT.make(server.url).translate(ONE)
    system = TENCENT.make(server.url, region="ap-singapore", terms=("t1", "t2"))
    system.translate(ONE)
    assert [seen.header("X-TC-Region") for seen in server.seen] == ["ap-beijing", "ap-singapore"]
    assert server.seen[1].body["TermRepoIDList"] == ["t1", "t2"]
    assert system.signature == (
        f"tencent|host:127.0.0.1:{server.port}|region:ap-singapore|source:en|target:de|terms:t1+t2|adapter:1"
    )


@pytest.mark.parametrize(
    ("pair", "codes"),
    [
        ("en-zh", ("en", "zh")),
        ("en-zh-Hant", ("en", "zh-TW")),
        ("pt-BR:ja", ("pt", "ja")),
        ("ko-en", ("ko", "en")),
    ],
)
def test_languages_have_tencents_codes(server: Server, pair: str, codes: tuple[str, str]) -> None:
    server.always = TENCENT.echo
    TENCENT.make(server.url, pair=pair).translate(ONE)
    assert (server.seen[0].body["Source"], server.seen[0].body["Target"]) == codes


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("AuthFailure.SecretIdNotFound", ClosedError),
        ("AuthFailure.SignatureFailure", ClosedError),
        ("AuthFailure.SignatureExpire", ClosedError),
        ("AuthFailure.UnauthorizedOperation", ClosedError),
        ("FailedOperation", BusyError),
        ("FailedOperation.NoFreeAmount", ClosedError),
        ("FailedOperation.UserHasNoFreeAmount", ClosedError),
        ("FailedOperation.ServiceIsolate", ClosedError),
        ("FailedOperation.StopUsing", ClosedError),
        ("FailedOperation.UserNotRegistered", ClosedError),
        ("FailedOperation.RequestAiLabErr", BusyError),
        ("FailedOperation.LanguageRecognitionErr", RejectedError),
        ("InternalError", BusyError),
        ("InternalError.BackendTimeout", BusyError),
        ("InternalError.RequestFailed", BusyError),
        ("InvalidParameter", RejectedError),
        ("InvalidParameterValue", RejectedError),
        ("LimitExceeded", ClosedError),
        ("LimitExceeded.LimitedAccessFrequency", BusyError),
        ("MissingParameter", RejectedError),
        ("RequestLimitExceeded", BusyError),
        ("RequestLimitExceeded.UinLimitExceeded", BusyError),
        ("UnauthorizedOperation.ActionNotFound", ClosedError),
        ("UnsupportedOperation", RejectedError),
        ("UnsupportedOperation.TextTooLong", RejectedError),
        ("UnsupportedOperation.UnSupportedTargetLanguage", ClosedError),
        ("UnsupportedOperation.UnsupportedSourceLanguage", ClosedError),
        ("UnsupportedRegion", ClosedError),
        ("SomethingNew", RejectedError),
    ],
)
def test_every_documented_error_is_known(
    server: Server, code: str, error: type[ServiceError], assert_hidden: Callable[..., None]
) -> None:
    server.always = json_reply({"Response": {"Error": {"Code": code, "Message": f"no {KEY}\nno"}}})
    with pytest.raises(error, match=f"Tencent answered {code}: no") as caught:
        TENCENT.make(server.url).translate(ONE)
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)
    assert_hidden(caught.value)


@pytest.mark.parametrize("broken", [[], "text", {}, {"Code": []}], ids=repr)
def test_an_error_of_another_form_is_an_error(server: Server, broken: object) -> None:
    server.always = json_reply({"Response": {"Error": broken}})
    with pytest.raises(RejectedError, match="Tencent answered"):
        TENCENT.make(server.url).translate(ONE)
