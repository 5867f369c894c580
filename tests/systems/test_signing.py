"""Signatures against those that the two providers publish."""

from __future__ import annotations

import pytest

from mtassay.runtime.http_calls import Secret
from mtassay.systems.web_services import authorization

FORM = "application/x-www-form-urlencoded"
LIST_USERS = "Action=ListUsers&Version=2010-05-08"


@pytest.mark.parametrize(
    ("service", "request_", "headers", "signature"),
    [
        # "Signature Version 4 signing process", the worked example with IAM.
        (
            "iam",
            {"method": "GET", "query": LIST_USERS, "content": b""},
            {"Content-Type": f"{FORM}; charset=utf-8", "Host": "iam.amazonaws.com"},
            "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
        ),
        # "Signature Version 4 test suite": get-vanilla, post-vanilla, post-x-www-form-urlencoded.
        (
            "service",
            {"method": "GET", "content": b""},
            {"Host": "example.amazonaws.com"},
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
        ),
        (
            "service",
            {"content": b""},
            {"Host": "example.amazonaws.com"},
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
        ),
        (
            "service",
            {"content": b"Param1=value1"},
            {"Content-Type": FORM, "Host": "example.amazonaws.com"},
            "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
        ),
    ],
)
def test_signature_version_4_is_that_of_the_published_examples(
    service: str, request_: dict[str, object], headers: dict[str, str], signature: str
) -> None:
    value = authorization(
        "AWS4-HMAC-SHA256",
        key_id=Secret("AKIDEXAMPLE"),
        key=Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
        scope=("20150830", "us-east-1", service, "aws4_request"),
        moment="20150830T123600Z",
        headers={**headers, "X-Amz-Date": "20150830T123600Z"},
        **request_,  # type: ignore[arg-type]
    )
    assert value.startswith(
        f"AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/{service}/aws4_request, SignedHeaders="
    )
    assert value.endswith(f"host;x-amz-date, Signature={signature}")


def test_tc3_is_that_of_the_published_example() -> None:
    """The worked example with CVM in the documentation "Signature v3"; its body has escapes, as written."""
    value = authorization(
        "TC3-HMAC-SHA256",
        key_id=Secret("AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE"),
        key=Secret("Gu5t9xGARNpq86cd98joQYCN3EXAMPLE"),
        scope=("2019-02-25", "cvm", "tc3_request"),
        moment="1551113065",
        headers={"Content-Type": "application/json; charset=utf-8", "Host": "cvm.tencentcloudapi.com"},
        content=rb'{"Limit": 1, "Filters": [{"Values": ["\u672a\u547d\u540d"], "Name": "instance-name"}]}',
    )
    assert value == (
        "TC3-HMAC-SHA256 Credential=AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE/2019-02-25/cvm/tc3_request, "
        "SignedHeaders=content-type;host, "
        "Signature=72e494ea809ad7a8c8f7a4507b9bddcbaa8e581f516e8da2f66e2c5a96525168"
    )
