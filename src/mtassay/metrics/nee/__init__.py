"""Named-entity evaluation (NEE): how many of the reference's names a translation has.

Papineni, Roukos, Ward, Henderson and Reeder, "Corpus-based Comprehensive and Diagnostic MT Evaluation:
Initial Arabic, Chinese, French, and Spanish Results", HLT 2002, section 2.2.
"""

from mtassay.metrics.nee.metric import NEE, annotate

__all__ = ["NEE", "annotate"]
