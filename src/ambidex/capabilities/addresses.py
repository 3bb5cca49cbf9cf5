"""Which addresses of the network a server may be sent to by somebody else: only public ones."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network
from typing import TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address

_INTO_IPV4 = tuple(
    IPv6Network(net)
    for net in (
        "::/96",  # IPv4-compatible
        "::ffff:0:0/96",  # IPv4-mapped
        "::ffff:0:0:0/96",  # IPv4-translated
        "64:ff9b::/96",  # NAT64
        "64:ff9b:1::/48",  # NAT64, local use
        "2001::/32",  # Teredo
        "2002::/16",  # 6to4
    )
)
"""Ranges behind which an IPv4 address hides; nobody needs them to reach a public host."""


def is_public(address: Address) -> bool:
    if isinstance(address, IPv6Address) and (
        address.is_site_local or address.scope_id or any(address in net for net in _INTO_IPV4)
    ):
        return False
    inward = address.is_private or address.is_loopback or address.is_link_local or address.is_unspecified
    return address.is_global and not inward and not address.is_multicast and not address.is_reserved
