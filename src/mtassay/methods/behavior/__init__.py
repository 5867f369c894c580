"""Behavioural testing by bilingual pair generation (Wu, Liu, Yeung 2023): edit both, translate again."""
