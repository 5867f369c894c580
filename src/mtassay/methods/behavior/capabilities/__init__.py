"""What a system is tested for: each capability says which segments to edit, how, and what must hold."""
