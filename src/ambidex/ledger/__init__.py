"""What lasts: sessions, turns, calls, confirmations and blocks as rows, and the atomic operations over them.

Every operation is a plain function over a store's transaction, so that one implementation serves every back end.
"""
