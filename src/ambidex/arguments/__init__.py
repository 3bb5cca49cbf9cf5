"""From raw arguments to canonical arguments, or to an answer from which a model can correct itself.

prepare      all of it, compiled once for each tool
parse        JSON text -> plain data, by strict rules; `plain` does the same for the mappings of an SDK
canonical    NFC text, integral floats as integers: one value, one form
check        the tool's schema
explain      what a failed check says: `failure` and `mistakes` one error, `branches` a choice of forms,
             `places` where, `wording` what is expected, `nearest` what was meant, `refusal` the fault
defaults     what was left out
clamp        the tighter bounds of a mode
"""
