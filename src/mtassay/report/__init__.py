"""Renders the display types: to text, Markdown, LaTeX, TSV, HTML and plots."""
