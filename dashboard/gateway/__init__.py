"""The gateway: the External Business API over HTTP. Knows no Django."""
