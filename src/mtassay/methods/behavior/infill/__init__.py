"""Who fills the masked places of a pair: a language model, a bilingual lexicon, or two separate models."""
