"""Spanish language data for mtassay: see the README of this pack."""

from pathlib import Path

from mtassay.data.language_packs import LanguagePack

PACK = LanguagePack("es", Path(__file__).parent)
