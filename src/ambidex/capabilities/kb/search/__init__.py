"""What searching is made of, whatever holds the records: passages, snippets, fusion, relevance."""
