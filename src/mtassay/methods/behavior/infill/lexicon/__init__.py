"""The lexicon infiller: puts a word of the same kind on both sides, where nothing else has to change."""
