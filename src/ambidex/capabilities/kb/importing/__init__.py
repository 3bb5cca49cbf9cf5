"""Files -> records: which files there are, what stands in them, what is new, and what was refused and why.

`finding` goes through folders, `reading` opens files, `markdown`, `jsonl` and `csv_rows` take one kind each apart, and
`importer` brings what they give into the base. Nothing here prints.
"""
