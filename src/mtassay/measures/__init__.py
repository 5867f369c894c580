"""What says something about an output: metrics, checks, judges."""
