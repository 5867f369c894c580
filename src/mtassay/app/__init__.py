"""The parts that people use: the library's functions, plans, the command line, the page, the web app."""
