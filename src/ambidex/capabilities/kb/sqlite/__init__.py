"""The engine in one SQLite file: the file is the truth, the indexes beside it can be made anew."""
