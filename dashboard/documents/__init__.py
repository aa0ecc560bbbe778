"""Estimates and invoices: documents with line items."""
