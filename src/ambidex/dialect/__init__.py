"""JSON and JSON Schema 2020-12 as Ambidex accepts them: keywords, formats, pointers, validators, canonical bytes."""
