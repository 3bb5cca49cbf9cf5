"""E-mail addresses and telephone numbers in a text, each only if it could be one."""

from __future__ import annotations

import re

_EMAIL = re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")


def emails(text: str) -> list[str]:
    """In the order they stand, each once."""
    from email_validator import EmailNotValidError, validate_email

    found: dict[str, None] = {}
    for candidate in _EMAIL.findall(text):
        try:
            checked = validate_email(
                candidate, check_deliverability=False, test_environment=True, globally_deliverable=False
            )
        except EmailNotValidError:
            continue
        found[checked.normalized] = None
    return list(found)


def phones(text: str, region: str) -> list[str]:
    """As E.164."""
    import phonenumbers

    matches = phonenumbers.PhoneNumberMatcher(text, region)
    return [phonenumbers.format_number(match.number, phonenumbers.PhoneNumberFormat.E164) for match in matches]
