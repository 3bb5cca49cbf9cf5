"""Phone numbers, by the rules of each country's numbering plan."""

from __future__ import annotations

from .spans import Claims


class UnknownRegion(ValueError):
    pass


def find_phones(text: str, region: str, taken: Claims) -> list[tuple[str, int, int]]:
    """E.164 form and place of every valid number; one without a country code is read as `region` dials it."""
    import phonenumbers

    if region not in phonenumbers.SUPPORTED_REGIONS:
        raise UnknownRegion(region)
    return [
        (phonenumbers.format_number(match.number, phonenumbers.PhoneNumberFormat.E164), match.start, match.end)
        for match in phonenumbers.PhoneNumberMatcher(text, region, leniency=phonenumbers.Leniency.VALID)
        if taken.claim(match.start, match.end)
    ]
