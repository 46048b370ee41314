"""Normalises the interface configuration of Arista, A10 and Junos; the last two also use other configuration sections."""

import re

from ttp_templates.utils.interfaces import checked, common, is_enabled, kind_of, numbers, with_dot1q
from ttp_templates.utils.shared import as_dict, as_list, dicts, mask_length, prefixes, whole


def arista_eos_transform_interfaces_config(payload):
    return [arista_interface(one) for item in dicts(payload) for one in arista_records(item)]


def arista_records(item):
    """Accepts one record or a dictionary of records by name, optionally below `interfaces`."""
    inside = item.get("interfaces")
    if isinstance(inside, dict):
        return [{**as_dict(value), "name": name} for name, value in inside.items()]
    if item.get("name"):
        return [item]
    return [{**value, "name": name} for name, value in item.items() if isinstance(value, dict)]


ARISTA_KINDS = [("vlan", "bridge"), ("port-channel", "lag"), (".", "virtual"), ("loopback", "virtual")]


def arista_speed(value):
    """Converts `10g`, `100g-4` to kbit/s; as in the reference, `10half` yields a tenth of the correct value."""
    if match := re.match(r"(\d+)g(-\d)?$", str(value)):
        return int(match.group(1)) * 1000000
    match = re.match(r"(10|100)(full|half)$", str(value))
    return int(match.group(1)) * 100 if match else None


def arista_interface(interface):
    name = str(interface["name"])
    kind = kind_of(name, ARISTA_KINDS)
    lag = interface.get("lag_id")
    return common(
        {**interface, "name": name},
        kind,
        arista_switching(interface, name.lower()),
        str,
        lag=f"Port-Channel{lag}" if lag and kind != "lag" else None,
        lag_type=interface.get("lag_type") or None,
        lacp_mode=interface.get("lacp_mode") or None,
        speed=arista_speed(interface.get("speed")),
        duplex=str(interface.get("duplex") or "").strip().lower() or None,
        qinq_svlan=interface.get("qinq_svlan"),
        vrf=interface.get("vrf") or None,
    )


def arista_switching(interface, name):
    untagged = interface.get("untagged_vlan") or None
    mode = interface.get("mode") or None
    tagged = numbers([whole(vlan) for vlan in as_list(interface.get("tagged_vlans"))])
    if untagged is None and "vlan" in name:
        mode, untagged = "access", int(name.replace("vlan", ""))
    if interface.get("allowed_vlan_all"):
        mode, tagged = "tagged-all", []
    mode, tagged = with_dot1q(interface, mode, tagged)
    return mode, untagged, tagged


def a10_id(identifier):
    """`1/100` and `100` both mean VLAN 100."""
    return None if identifier is None else whole(str(identifier).split("/")[-1])


def a10_context(identifier):
    return str(identifier).split("/")[0] if "/" in str(identifier) else ""


def a10_kind(interface):
    kind = interface.get("kind")
    return "management" if not kind and interface.get("name") == "management" else kind


def a10_name(interface):
    kind = a10_kind(interface)
    return kind if kind == "management" else f"{kind} {interface.get('identifier')}"


def a10_transform_interfaces_config(payload):
    interfaces, vlans = [], []
    for item in dicts(payload if isinstance(payload, list) else [payload]):
        interfaces += dicts(item.get("interfaces"))
        vlans += dicts(item.get("vlans"))
        if item.get("kind") or item.get("name") == "management":
            interfaces.append(item)
        if item.get("tagged_trunk_id") or item.get("router_interface"):
            vlans.append(item)
    trunks = {a10_id(one.get("identifier")): a10_name(one) for one in interfaces if one.get("kind") == "trunk"}
    tagged, routed = {}, {}
    for vlan in vlans:
        identifier = vlan.get("identifier")
        number = a10_id(identifier)
        if number is None:
            continue
        if vlan.get("tagged_trunk_id") is not None:
            tagged.setdefault(vlan["tagged_trunk_id"], []).append(number)
        if vlan.get("router_interface") is not None:
            routed[a10_context(identifier), str(vlan["router_interface"])] = number
    kinds = ["management", "ethernet", "trunk", "ve"]
    known = [interface for interface in interfaces if a10_kind(interface) in kinds]
    return [a10_interface(interface, trunks, tagged, routed) for interface in known]


def a10_interface(interface, trunks, tagged, routed):
    kind = a10_kind(interface)
    identifier = interface.get("identifier")
    number = a10_id(identifier)
    lag = interface.get("lag_id")
    vlans = numbers(tagged.get(number, [])) if kind == "trunk" else []
    routed_vlan = routed.get((a10_context(identifier), str(number)), number)
    return checked(
        name=a10_name(interface),
        type={"trunk": "lag", "ve": "bridge"}.get(kind, "other"),
        enabled=is_enabled(interface),
        lag=trunks.get(lag, f"trunk {lag}") if lag is not None and kind != "trunk" else None,
        lag_id=lag,
        lag_type=interface.get("lag_type"),
        lacp_mode=interface.get("lacp_mode"),
        mtu=interface.get("mtu"),
        description=interface.get("description") or "",
        mode="access" if kind == "ve" else "tagged" if vlans else None,
        untagged_vlan=routed_vlan if kind == "ve" else None,
        tagged_vlans=vlans,
        ipv4_addresses=prefixes(interface.get("ipv4_addresses"), mask_length),
        ipv6_addresses=prefixes(interface.get("ipv6_addresses"), mask_length),
    )


JUNOS_SPEEDS = {
    **{"10m": 10, "100m": 100, "1g": 1000, "10g": 10000, "25g": 25000},
    **{"40g": 40000, "100g": 100000, "400g": 400000},
}
JUNOS_VIRTUAL = ("lo0", "st0", "ip-", "gr-", "si-", "pd-")


def junos_kind(name):
    lower = name.lower()
    if lower.startswith("irb"):
        return "bridge"
    if lower.startswith("ae") and "." not in name:
        return "lag"
    return "virtual" if "." in name or lower.startswith(JUNOS_VIRTUAL) else "other"


def junos_parent(name):
    """The physical interface of a unit; bridges and virtual interfaces have none."""
    return name.split(".")[0] if "." in name and not name.startswith(("irb.", *JUNOS_VIRTUAL)) else None


def junos_switching(name, interface, parent):
    mode, untagged, tagged = None, None, []
    if junos_kind(name) == "bridge":
        mode, untagged = "access", int(name.split(".")[1]) if "." in name else None
    dot1q = interface.get("dot1q")
    if dot1q is not None:
        native = parent.get("untagged_vlan")
        if native is not None and native == dot1q:
            mode, untagged = "access", native
        else:
            mode, tagged = "tagged", [int(dot1q)]
    switching = as_dict(interface.get("switching"))
    vlans = [whole(one["vlan"]) for one in dicts(switching.get("vlans")) if one.get("vlan")]
    vlans = [vlan for vlan in vlans if vlan is not None]
    if switching.get("dot1q_mode") == "trunk":
        mode, tagged = "tagged", numbers([*tagged, *vlans])
    elif switching.get("dot1q_mode") == "access":
        mode, untagged = "access", vlans[0] if vlans else untagged
    return mode, untagged, tagged


def junos_prefixes(addresses):
    virtual = [{"ip": one.get("vip"), "mask": one.get("mask")} for one in dicts(addresses)]
    return prefixes(addresses) + prefixes(virtual)


def junos_transform_interfaces_config(payload):
    interfaces, vrfs = {}, {}
    for item in [payload] if isinstance(payload, dict) else dicts(payload):
        interfaces.update(as_dict(item.get("interfaces")))
        for vrf, info in as_dict(item.get("vrf")).items():
            for name in as_list(as_dict(info).get("interfaces")):
                vrfs[str(name)] = vrf
    return [junos_interface(str(name), as_dict(data), interfaces, vrfs) for name, data in interfaces.items()]


def junos_interface(name, interface, interfaces, vrfs):
    kind = junos_kind(name)
    parent = junos_parent(name)
    lag = interface.get("lag_id")
    if lag:
        lag = int(str(lag).replace("ae", ""))
    speed = JUNOS_SPEEDS.get(str(interface.get("speed")).lower())
    return common(
        {**interface, "name": name},
        kind,
        junos_switching(name, interface, as_dict(interfaces.get(parent))),
        str,
        parent=parent,
        lag=f"ae{lag}" if interface.get("lag_id") and kind != "lag" else None,
        lag_id=lag,
        speed=None if speed is None else speed * 1000,
        description=str(interface.get("description") or "").strip('"'),
        ipv4_addresses=junos_prefixes(interface.get("ipv4")),
        ipv6_addresses=junos_prefixes(interface.get("ipv6")),
        vrf=vrfs.get(name),
    )
