"""How good metrics and judges are, compared with people."""
