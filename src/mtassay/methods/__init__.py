"""The interface of a method, the engine that runs it, and the methods themselves."""
