"""The report as one page that needs nothing else: what matters first, tables, charts, and the sentences."""
