"""What reading, pairing and checking cost, beside the least that anyone could do with the same bytes."""
