def inverted_index(docs):
    """For each word the numbers of the documents that it occurs in, in order."""
    index = {}
    for i, doc in enumerate(docs):
        for word in doc.lower().split():
            if word not in index:
                index[word] = []
            # a word may occur more than once in a document
            if not index[word] or index[word][-1] != i:
                index[word].append(i)
    return index
