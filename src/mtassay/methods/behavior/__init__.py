"""Behavioural testing by bilingual pair generation (Wu, Liu, Yeung 2023): edit both sides, ask again."""
