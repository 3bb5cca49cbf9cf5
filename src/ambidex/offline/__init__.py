"""The provider that needs no key: it routes by meaning, fills arguments by rules and answers with words of records.

`provider` is what an agent sees. `dialogue` decides one step from a conversation's items, with the help of
`moderation`, `router`, `slots/` and `answers`. Nothing in here runs a tool or knows a policy: that is the pipeline's,
as for any model.
"""
