"""What all annotators share: one annotation for every text, whatever happens to a single one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from mtassay.errors import MtassayError
from mtassay.tools.annotate.nouns import Annotation

Read = Callable[[list[str]], Iterable[Annotation]]


def read_each(texts: Sequence[str], read: Read, *, batch: int = 256) -> list[Annotation]:
    """One annotation per text, in order. `read` gets batches of texts and gives an annotation for each.

    Equal texts are read once, blank ones never. Where a batch fails, its texts are read one by one, and
    those that fail alone have the reason in `error`.

    >>> def read(texts):
    ...     return [Annotation(text) for text in texts if 1 / len(text.strip("!"))]
    >>> [annotation.error for annotation in read_each(["a", "!", "b", ""], read)]
    [None, 'ZeroDivisionError: division by zero', None, None]
    """
    known: dict[str, Annotation] = {}
    wanted = []
    for text in dict.fromkeys(texts):
        if not text or text.isspace():
            known[text] = Annotation(text)
        elif any("\ud800" <= character <= "\udfff" for character in text):
            known[text] = Annotation(text, error="the text is not valid Unicode")
        else:
            wanted.append(text)
    for start in range(0, len(wanted), batch):
        some = wanted[start : start + batch]
        known.update(zip(some, _read_batch(some, read), strict=True))
    return [known[text] for text in texts]


def _read_batch(texts: list[str], read: Read) -> list[Annotation]:
    try:
        annotations = list(read(texts))
        if len(annotations) != len(texts):
            raise ValueError(f"{len(annotations)} annotations for {len(texts)} texts")
        return annotations
    except MtassayError:
        raise
    except Exception as error:  # a model may fail in any way, and must not take the others down
        if len(texts) > 1:
            return [annotation for text in texts for annotation in _read_batch([text], read)]
        return [Annotation(texts[0], error=_one_line(error))]


def _one_line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300].removesuffix(": ")
