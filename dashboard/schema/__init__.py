"""What a resource declares: fields, forms, columns, filters, values, checks."""
