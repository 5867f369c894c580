"""Changes from run to run and over time; gates; common features of failures."""
