"""Pages across resources: Today, contact, deal, board, agenda, reports."""
