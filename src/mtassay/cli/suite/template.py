"""The file that `mtassay suite new` writes."""

from __future__ import annotations

import yaml

__all__ = ["template"]

_TEXT = """\
# A test suite for machine translation. Every item tests one phenomenon in one sentence.
# Add items here, or with: mtassay suite add {path}
# Then: mtassay suite check {path}   and: mtassay suite run {path} -t NAME=FILE
suite: {name}
langpair: {pair}
about: What it is for, by whom, and its licence.
# Upper and lower case, how accents are encoded, and extra spaces make no difference to the rules.
match: {{case: ignore, unicode: NFC, whitespace: collapse}}
# A macro is a part of patterns that comes again and again; write {{{{name}}}} where it belongs.
# macros:
#   nobody: nobody|no one|not anybody
#
# An item looks like this; only id, category, phenomenon and source must be there:
#   - id: negation-001
#     category: Negation
#     phenomenon: Negative concord
#     source: The sentence that systems translate.
#     focus: [the words of it that carry the phenomenon]
#     positive_regex:            # found anywhere in an output: it is correct
#       - \\b(one|another) right wording\\b
#     negative_regex:            # found anywhere: it is incorrect
#       - regex: \\ba mistake that systems make\\b
#         note: why it is wrong
#     references: [A correct translation.]
items: []
"""


def template(path: str, *, name: str, pair: str) -> str:
    """A suite without items that explains itself."""
    return _TEXT.format(path=path, name=yaml.safe_dump(name, allow_unicode=True).splitlines()[0], pair=pair)
