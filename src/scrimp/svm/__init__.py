"""Linear support vector machines whose groups of columns cost no more than a budget."""
