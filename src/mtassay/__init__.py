"""mtassay tests machine translation."""

__version__ = "0.1.0"
