"""How the structure of two translations is compared: one class for each representation."""
