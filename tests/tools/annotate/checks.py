"""What holds for every annotation of every annotator."""

from __future__ import annotations

from hypothesis import strategies as st

from mtassay.nlp.annotation import Annotation, Annotator

# Anything that can be in an output: scripts, emoji, half characters, white space of all kinds, no text.
TEXTS = st.one_of(
    st.text(max_size=40),
    st.lists(
        st.sampled_from(
            ["Ana", "viu", "o", "mar", "d'água", "😀", "שלום", "你好", "\n", "  ", "\0", "…", "3,5%"]
        )
    ).map(" ".join),
)


def assert_well_formed(annotation: Annotation, annotator: Annotator) -> None:
    """Offsets are exact and in order, heads make trees, spans lie inside, and an error leaves no tokens."""
    text, tokens = annotation.text, annotation.tokens
    if annotation.error is not None:
        assert annotation.error.strip()
        assert "\n" not in annotation.error
        assert not tokens
    end = 0
    for token in tokens:
        assert end <= token.start < token.end
        assert text[token.start : token.end] == token.text
        assert token.text.strip()
        end = token.end
    for index, token in enumerate(tokens):
        assert -1 <= token.head < len(tokens)
        seen = {index}
        while token.head >= 0:
            assert token.head not in seen
            seen.add(token.head)
            token = tokens[token.head]
    end = 0
    for entity in annotation.entities:
        assert end <= entity.start < entity.end <= len(tokens)
        assert entity.label
        end = entity.end
    for span in annotation.constituents or ():
        assert 0 <= span.start < span.end <= len(tokens)
    if "pos" in annotator.gives:
        assert all(token.pos for token in tokens)
    if "dependencies" not in annotator.gives:
        assert all(token.head == -1 and not token.relation for token in tokens)
    elif tokens:
        assert any(token.head == -1 for token in tokens)
