"""Public addresses, and all the spellings of those that are not."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from ambidex.capabilities.addresses import is_public

INWARD = """
    0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255
    192.0.0.1 192.0.2.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255
    :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::7f00:1
    64:ff9b::808:808 64:ff9b:1::1 100::1 2001::1 2001:db8::1 2002:7f00:1:: fc00::1 fd12:3456::1 fe80::1 fe80::1%1
    2606:4700::1111%1 fec0::1 ff02::1
""".split()


@pytest.mark.threat("H06")
@pytest.mark.parametrize("text", INWARD)
def test_an_address_that_leads_inward_or_may_do_so_is_not_public(text: str) -> None:
    assert not is_public(ip_address(text))


@pytest.mark.parametrize("text", ["8.8.8.8", "93.184.216.34", "2606:4700:4700::1111", "2a00:1450:4001:80b::200e"])
def test_ordinary_hosts_are_public(text: str) -> None:
    assert is_public(ip_address(text))
