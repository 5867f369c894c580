"""How good metrics themselves are: their agreement with people."""
