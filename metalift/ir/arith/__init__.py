"""What is known of integers: polynomials, intervals, sums."""
