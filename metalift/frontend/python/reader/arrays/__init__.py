"""Array code: statements of NumPy on whole arrays, read as the loops that they stand for.

What an operator makes of arrays element by element stays an expression until it is stored or given a name (`Whole`); a slice is
a `Section`, which shares the elements of its array. Whatever runs over several elements, such as a sum or a product of matrices,
is computed where it stands, into a number or a new array.
"""
