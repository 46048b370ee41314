"""Normalises the interface configuration of several platforms to one set of fields."""

from ttp_templates.utils.models import InterfaceConfigRecord
from ttp_templates.utils.shared import dicts, mask_length, prefixes, whole


def checked(**values):
    """Fields that a platform does not report are None."""
    return InterfaceConfigRecord.complete(values)


def kind_of(name, kinds):
    """@param kinds by part of the name; the first match wins."""
    lower = name.lower()
    for mark, kind in kinds:
        if mark in lower:
            return kind
    return "other"


def is_enabled(interface):
    return True if interface.get("enabled") is None else interface["enabled"]


def common(interface, kind, switching, convert, **more):
    name = interface["name"]
    mode, untagged, tagged = switching
    values = {
        "name": name,
        "type": kind,
        "enabled": is_enabled(interface),
        "parent": name.split(".")[0] if "." in name else None,
        "lag_id": interface.get("lag_id"),
        "lag_type": interface.get("lag_type"),
        "lacp_mode": interface.get("lacp_mode"),
        "mtu": interface.get("mtu"),
        "mac_address": interface.get("mac_address"),
        "duplex": interface.get("duplex"),
        "description": interface.get("description") or "",
        "mode": mode,
        "untagged_vlan": untagged,
        "tagged_vlans": tagged,
        "ipv4_addresses": prefixes(interface.get("ipv4_addresses"), convert),
        "ipv6_addresses": prefixes(interface.get("ipv6_addresses"), convert),
        "vrf": interface.get("vrf"),
    }
    values.update(more)
    return InterfaceConfigRecord.complete(values)


def named(payload):
    return [interface for interface in dicts(payload) if interface.get("name")]


def lag_name(prefix, interface, kind):
    return f"{prefix}{interface['lag_id']}" if interface.get("lag_id") and kind != "lag" else None


def thousandfold(speed):
    return None if speed is None else speed * 1000


def numbers(values):
    return sorted({number for number in values if number is not None})


def vlan_numbers(values):
    """Collects numbers from text, lists and nested lists."""
    if values is None:
        return []
    found = []
    for item in values if isinstance(values, list) else [values]:
        if isinstance(item, list):
            found += vlan_numbers(item)
        else:
            found += [int(part) if part.isdecimal() else whole(part) for part in str(item).split(",")]
    return numbers(found)


def with_dot1q(interface, mode, tagged):
    dot1q = interface.get("dot1q")
    if dot1q is None or dot1q in tagged:
        return mode, tagged
    return mode or "tagged", numbers([*tagged, dot1q])


def cisco_switching(interface):
    tagged = vlan_numbers(interface.get("tagged_vlans"))
    mode, tagged = with_dot1q(interface, interface.get("mode"), tagged)
    return mode, interface.get("untagged_vlan"), tagged


def guessed(switching):
    mode, untagged, tagged = switching
    if mode is None:
        mode = "access" if untagged is not None else "tagged" if tagged else None
    return mode, untagged, tagged


def cisco_ios_transform_interfaces_config(payload):
    return [ios_interface(interface) for interface in named(payload)]


VIRTUAL = [(".", "virtual"), ("loopback", "virtual"), ("tunnel", "virtual")]
IOS_KINDS = [("vlan", "bridge"), ("bvi", "bridge"), ("port-channel", "lag"), *VIRTUAL]


def ios_interface(interface):
    name = interface["name"]
    kind = kind_of(name, IOS_KINDS)
    mode, untagged, tagged = guessed(cisco_switching(interface))
    if kind == "bridge":
        own = name.lower().replace("vlan" if "vlan" in name.lower() else "bvi", "", 1)
        mode, untagged = "access", whole(own)
    return common(
        interface,
        kind,
        (mode, untagged, tagged),
        mask_length,
        lag=lag_name("Port-channel", interface, kind),
        mtu=interface.get("mtu") or None,
        speed=thousandfold(whole(interface.get("speed"))),
        qinq_svlan=interface.get("qinq_svlan"),
    )


def cisco_nxos_transform_interfaces_config(payload):
    return [nxos_interface(interface) for interface in named(payload)]


NXOS_KINDS = [("vlan", "bridge"), ("port-channel", "lag"), *VIRTUAL, ("nve", "virtual")]


def nxos_interface(interface):
    name = interface["name"]
    kind = kind_of(name, NXOS_KINDS)
    switching = cisco_switching(interface)
    own = whole(name.lower().replace("vlan", "")) if kind == "bridge" else None
    if own is not None:
        switching = ("access", own, switching[2])
    elif kind != "bridge":
        switching = guessed(switching)
    lag = lag_name("Port-channel", interface, kind)
    return common(interface, kind, switching, mask_length, lag=lag, speed=thousandfold(interface.get("speed")))


def cisco_xr_transform_interfaces_config(payload):
    return [xr_interface(interface) for interface in named(payload)]


XR_KINDS = [("bvi", "bridge"), *VIRTUAL, ("bundle", "lag")]


def xr_interface(interface):
    kind = kind_of(interface["name"], XR_KINDS)
    switching = (interface.get("mode"), interface.get("untagged"))
    if kind == "bridge":
        switching = ("access", whole(interface["name"].lower().replace("bvi", "")))
    dot1q = interface.get("dot1q")
    return common(
        interface,
        kind,
        (*switching, [] if dot1q is None else [dot1q]),
        mask_length,
        lag=lag_name("Bundle-Ether", interface, kind),
        speed=thousandfold(interface.get("speed")),
        ipv6_addresses=prefixes(interface.get("ipv6_addresses")),
    )


def linux_transform_interfaces(payload):
    return [linux_interface(interface) for interface in named(payload)]


LINUX_VIRTUAL = ("dummy", "gpd", "gre", "ipip", "sit", "tun", "tap", "vrf", "wg")


def linux_kind(name, flags):
    lower = name.lower()
    if lower.startswith(("br", "docker")):
        return "bridge"
    if lower.startswith(("bond", "team")):
        return "lag"
    marked = any(flag in flags for flag in ["LOOPBACK", "POINTOPOINT", "MASTER"])
    return "virtual" if marked or "." in name or lower == "lo" or lower.startswith(LINUX_VIRTUAL) else "other"


def linux_interface(interface):
    flags = [flag.strip() for flag in str(interface.get("flags") or "").split(",")]
    master = interface.get("master")
    return checked(
        name=interface["name"],
        type=linux_kind(interface["name"], flags),
        enabled="UP" in flags,
        parent=interface["name"].split(".")[0] if "." in interface["name"] else None,
        mtu=interface.get("mtu") or None,
        mac_address=interface.get("mac_address"),
        description="",
        tagged_vlans=[],
        ipv4_addresses=prefixes(interface.get("ipv4_addresses")),
        ipv6_addresses=prefixes(interface.get("ipv6_addresses")),
        vrf=master if str(master or "").lower().startswith("vrf") else None,
    )
