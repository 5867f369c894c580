"""Findings of checks for other tools: SARIF for code scanning, JUnit for CI, GitHub annotations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

from mtassay import __version__
from mtassay.data.grouping import gathered
from mtassay.data.marks import json_text, plural, printable
from mtassay.data.nouns import Finding, Run
from mtassay.data.registry import find, is_known
from mtassay.measures.check_run import CheckEvidence, id_of

_LEVELS: Mapping[str, tuple[str, str]] = {
    "critical": ("error", "error"),
    "major": ("warning", "warning"),
    "minor": ("note", "notice"),
}
"""The name of each severity in SARIF and at GitHub."""


def to_sarif(run: Run) -> str:
    """SARIF 2.1.0: a rule for each check, a result for each finding; ignored findings are suppressed."""
    found = [(finding, CheckEvidence.of(finding)) for finding in run.findings if id_of(finding)]
    checks = list(dict.fromkeys(id_of(finding) for finding, _ in found))
    rules = [{"id": name, "shortDescription": {"text": _about(name)}} for name in checks]
    results = []
    for finding, evidence in found:
        result: dict[str, Any] = {
            "ruleId": id_of(finding),
            "ruleIndex": checks.index(id_of(finding)),
            "level": _LEVELS[evidence.severity][0],
            "message": {"text": evidence.why},
            "locations": [_location(finding, evidence)],
            "partialFingerprints": {"mtassay/v1": f"{finding.system}/{finding.case_id}/{id_of(finding)}"},
        }
        if evidence.ignored:
            result["suppressions"] = [{"kind": "external", "justification": evidence.ignored}]
        results.append(result)
    driver = {"name": "mtassay", "version": __version__, "rules": rules}
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    }
    return json_text(log, indent=2)


def _location(finding: Finding, evidence: CheckEvidence) -> dict[str, Any]:
    key = evidence.key or finding.case_id
    location: dict[str, Any] = {
        "logicalLocations": [{"name": key, "fullyQualifiedName": f"{finding.system}/{finding.case_id}"}]
    }
    if evidence.file:
        physical: dict[str, Any] = {"artifactLocation": {"uri": quote(evidence.file)}}
        if evidence.line is not None:
            physical["region"] = {"startLine": max(1, evidence.line)}
        location["physicalLocation"] = physical
    return location


def to_junit(run: Run) -> str:
    """JUnit XML: a suite for each system and file, a test case for each check that was run."""
    failing = gathered(
        ((finding.system, CheckEvidence.of(finding).file, id_of(finding)), finding)
        for finding in run.findings
        if id_of(finding) and finding.verdict == "fail"
    )
    files = list(dict.fromkeys(str(segment.tags.get("file", "")) for segment in run.segments)) or [""]
    checks = list(run.result.basis.get("checks", {}).get("run", ())) or sorted({key[2] for key in failing})
    root = ElementTree.Element("testsuites", name="mtassay check")
    root.attrib |= {"tests": str(len(run.systems) * len(files) * len(checks)), "failures": str(len(failing))}
    for system in run.systems:
        for file in files:
            own = {name: failing.get((system, file, name), []) for name in checks}
            suite = ElementTree.SubElement(
                root,
                "testsuite",
                name=_xml(f"{system} {file}".strip()),
                tests=str(len(checks)),
                failures=str(sum(map(bool, own.values()))),
            )
            for name, findings in own.items():
                case = ElementTree.SubElement(suite, "testcase", name=name, classname=_xml(file or system))
                if findings:
                    worst = f"{plural(len(findings), 'finding')}: {_about(name)}"
                    failure = ElementTree.SubElement(case, "failure", message=_xml(worst))
                    failure.text = "\n".join(_xml(_line(finding)) for finding in findings)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def to_github(run: Run) -> str:
    """Workflow commands, which GitHub shows beside the lines of a pull request."""
    lines = []
    for finding in run.findings:
        if not id_of(finding) or finding.verdict != "fail":
            continue
        evidence = CheckEvidence.of(finding)
        place = {"file": evidence.file, "line": "" if evidence.line is None else str(evidence.line)}
        given = {**place, "title": f"{id_of(finding)} ({finding.system})"}
        properties = ",".join(f"{key}={_property(value)}" for key, value in given.items() if value)
        message = f"{evidence.key or finding.case_id}: {evidence.why}"
        lines.append(f"::{_LEVELS[evidence.severity][1]} {properties}::{_escaped(message)}")
    return "\n".join(lines)


def _line(finding: Finding) -> str:
    evidence = CheckEvidence.of(finding)
    place = ":".join(filter(None, (evidence.file, "" if evidence.line is None else str(evidence.line))))
    return " ".join(
        filter(None, (place, evidence.key or finding.case_id, f"({evidence.severity})", evidence.why))
    )


def _escaped(text: str) -> str:
    """The text, escaped for a workflow command.

    >>> _escaped("100 %\\nof it")
    '100 %25%0Aof it'
    """
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def _about(name: str) -> str:
    return str(find("check", name).about) if is_known("check", name) else name


def _xml(text: str) -> str:
    """The text without the characters that XML does not allow."""
    return re.sub("[\ufffe\uffff]", "\ufffd", printable(text))
