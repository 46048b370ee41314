"""Post-processing of the Netbox templates."""

from ttp_templates.utils.shared import as_dict, as_list, named, spread_vrfs

# Platform -> interface types and the part of the name that identifies them; the first match wins.
KINDS = {
    "arista_eos": {"virtual": [".", "loopback", "tunnel", "vlan", "vxlan"], "lag": ["port-channel"]},
    "cisco_nxos": {"virtual": [".", "loopback", "tunnel", "vlan", "nve"], "lag": ["port-channel"]},
    "cisco_xr": {"virtual": [".", "loopback", "tunnel"], "bridge": ["bvi"], "lag": ["bundle"]},
}


def has(name, *marks):
    return any(mark in name for mark in marks)


def typed(data, platform):
    if isinstance(data, dict):
        name = data["name"].lower()
        kinds = [kind for kind, marks in KINDS[platform].items() if has(name, *marks)]
        data["interface_type"] = kinds[0] if kinds else "other"
    return data


arista_eos_add_interface_type = lambda data: typed(data, "arista_eos")
cisco_nxos_add_interface_type = lambda data: typed(data, "cisco_nxos")
cisco_xr_add_interface_type = lambda data: typed(data, "cisco_xr")


def junos_postprocess(data):
    if isinstance(data, dict):
        data["vrf"] = named(data.get("vrf"))
        spread_vrfs(data["vrf"], data.get("interfaces"))
        data["interfaces"] = named(data.get("interfaces"))
        for interface in data["interfaces"]:
            complete_junos(interface)
    return data


def complete_junos(interface):
    name = interface["name"]
    interface["interface_type"] = "other"
    if has(name, "irb"):
        interface["interface_type"] = "bridge"
        interface["switching"] = {"dot1q_mode": "access", "vlans": [int((name.split(".") + [""])[1])]}
    elif has(name, ".", "gr-", "lo0", "vlan"):
        interface["interface_type"] = "virtual"
    elif has(name, "ae"):
        interface["interface_type"] = "lag"
    if has(name, ".") and not has(name, "lo0", "vlan", "irb", "gr-"):
        interface["parent"] = name.split(".")[0]
    switching = as_dict(interface.get("switching"))
    vlans = [one["vlan"] if isinstance(one, dict) else one for one in as_list(switching.get("vlans"))]
    if vlans:
        switching["vlans"] = vlans
    if switching.get("dot1q_mode") == "trunk":
        switching["dot1q_mode"] = "tagged-all" if "all" in vlans else "tagged"
    interface.setdefault("enabled", True)
    interface.setdefault("description", "")


def opengear_process_interface(data):
    """Keeps only the two network interfaces."""
    if not as_dict(data).get("name"):
        return False
    data["description"] = ""
    data["enabled"] = data.pop("disabled") != "on"
    label = data["name"]
    name = {"wan": "eth0", "lan": "eth1"}.get(label)
    if name is None:
        return False
    data.update(name=name, label=label, interface_type="bridge")
    return data


def opengear_process_output(data):
    if not isinstance(data, dict):
        return data
    interfaces = []
    for name, interface in as_dict(data.get("interfaces")).items():
        if isinstance(interface, dict):
            if interface.get("ipv4") and interface.get("maskv4"):
                interface["ipv4"] = [{"ip": interface["ipv4"], "mask": interface.pop("maskv4")}]
            interface["name"] = name
            interfaces.append(interface)
    data["interfaces"] = interfaces
    return data
