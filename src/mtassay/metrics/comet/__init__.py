"""COMET (Rei et al. 2020): the score of a trained model, each distinct text encoded once.

Rei et al. 2020, "COMET: A Neural Framework for MT Evaluation". The models are those of the official
package, which is imported when the first text is scored and not before.
"""

from mtassay.metrics.comet.metric import COMET
from mtassay.metrics.comet.models import CometSample, Predictor, local_checkpoint

__all__ = ["COMET", "CometSample", "Predictor", "local_checkpoint"]
