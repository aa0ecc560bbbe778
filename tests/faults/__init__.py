"""Proofs of the rules of a write against the stand-in's faults: `python -m tests.faults`."""
