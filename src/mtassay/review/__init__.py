"""Human review: questions, answers, queues, campaigns, agreement."""
