"""Four people, a service that fails and processes that die: the rules of a write hold."""
