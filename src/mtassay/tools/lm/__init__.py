"""Language models: what fills a gap in a sentence, and how probable a whole sentence is."""
