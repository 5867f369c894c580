"""Structure-invariant testing (He, Meister, Su 2020): change one word, compare the translations."""
