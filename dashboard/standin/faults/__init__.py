"""Faults on request: what can go wrong, and for which requests it does.

`kinds` is the table of all kinds, `rules` decides which request gets which, and the other modules
are the functions of the kinds by where they act.
"""
