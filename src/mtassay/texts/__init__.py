"""What several rooms need of a text: how to show it, and what is in it."""
