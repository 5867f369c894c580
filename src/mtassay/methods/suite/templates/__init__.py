"""Templates of items: slots, inflection and rules that make whole paradigms (Macketanz et al. 2022, 3.1a)."""

from mtassay.methods.suite.templates.additions import carry_over, keep_work
from mtassay.methods.suite.templates.files import read_templates, templates_from_text
from mtassay.methods.suite.templates.filler import load_inflector
from mtassay.methods.suite.templates.generation import MAX_ITEMS, GeneratedSuite, TemplateCounts, generate
from mtassay.methods.suite.templates.template import ItemTemplate, SlotRecord, TemplateFile

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
