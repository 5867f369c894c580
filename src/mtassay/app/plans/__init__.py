"""Plans: all tests of a team in one file."""
