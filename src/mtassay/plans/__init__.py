"""Plans: all tests of a team in one file, read, described to editors, and written for a folder."""
