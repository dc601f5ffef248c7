"""What is there already, taken in: transcripts of every host, and what other memory tools have kept."""
