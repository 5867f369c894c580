"""A language model as a judge of translations: what it is told, what of its reply counts, and the metric."""

from mtassay.metrics.llm.metric import LLM

__all__ = ["LLM"]
