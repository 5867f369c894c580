"""`mtassay meta`: how good are the metrics themselves?"""

from __future__ import annotations

from mtassay.app.cli.groups import CommandGroup

register = CommandGroup(
    "meta",
    "How good are the metrics themselves?",
    {
        "correlate": "meta_agreement",
        "challenge": "meta_agreement",
        "blindspots": "meta_judges",
        "calibrate": "meta_judges",
        "judges": "meta_judges",
    },
).register
