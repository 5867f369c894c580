"""Quality of metrics and judges, compared with people."""
