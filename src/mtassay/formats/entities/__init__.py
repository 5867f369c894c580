"""Named entities in references: read from inline tags, IOB2 or standoff JSON, and attached to segments."""

from mtassay.formats.entities.attach import read_entities
from mtassay.formats.entities.markup import Entity

__all__ = ["Entity", "read_entities"]
