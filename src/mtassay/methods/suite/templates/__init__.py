"""Templates of items: slots, inflection and rules that make whole paradigms (Macketanz et al. 2022, 3.1a)."""

from mtassay.methods.suite.templates.filling import load_inflector
from mtassay.methods.suite.templates.generating import MAX_ITEMS, GeneratedSuite, TemplateCounts, generate
from mtassay.methods.suite.templates.keeping import carry_over, keep_work
from mtassay.methods.suite.templates.nouns import ItemTemplate, SlotRecord, TemplateFile
from mtassay.methods.suite.templates.reading import read_templates, templates_from_text

__all__ = [
    "MAX_ITEMS",
    "GeneratedSuite",
    "ItemTemplate",
    "SlotRecord",
    "TemplateCounts",
    "TemplateFile",
    "carry_over",
    "generate",
    "keep_work",
    "load_inflector",
    "read_templates",
    "templates_from_text",
]
