"""What changed between runs and over time; gates; what failures have in common."""
