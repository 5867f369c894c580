"""`mtassay meta`: how good are the metrics themselves?"""

from __future__ import annotations

from mtassay.cli.groups import CommandGroup

register = CommandGroup(
    "meta",
    "How good are the metrics themselves?",
    {
        "correlate": "agreement",
        "rank": "agreement",
        "challenge": "agreement",
        "detect": "agreement",
        "blindspots": "judges",
        "calibrate": "judges",
        "judges": "judges",
    },
).register
