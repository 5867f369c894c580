"""Statistics as pure functions on arrays: tests, intervals, clusters, correlation, agreement."""
