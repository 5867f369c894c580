"""What a method is, the engine that runs it, and the methods themselves."""
