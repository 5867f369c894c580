"""What people are asked, what they answered, and what holds: queues, campaigns, agreement."""
