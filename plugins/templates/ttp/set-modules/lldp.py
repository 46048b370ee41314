"""Normalises LLDP neighbours to one set of fields, and to OpenConfig's structure."""

from ttp_templates.utils.models import LldpNeighborRecord
from ttp_templates.utils.shared import as_dict, as_list, captured, dicts, junos_data


def record(*values):
    return dict(zip(LldpNeighborRecord.model_fields, values))


def arista_eos_transform_lldp_neighbors(payload):
    interfaces = as_dict(captured(payload).get("lldpNeighbors"))
    return [
        arista_neighbor(name, neighbor)
        for name, data in interfaces.items()
        for neighbor in dicts(as_dict(data).get("lldpNeighborInfo"))
    ]


def arista_neighbor(name, neighbor):
    remote = as_dict(neighbor.get("neighborInterfaceInfo"))
    addresses = [one["address"] for one in dicts(neighbor.get("managementAddresses")) if "address" in one]
    return record(
        name,
        neighbor.get("systemName"),
        remote.get("interfaceId_v2"),
        neighbor.get("systemDescription"),
        neighbor.get("chassisId"),
        remote.get("interfaceDescription"),
        addresses[0] if addresses else None,
    )


def junos_transform_lldp_neighbors(payload):
    blocks = dicts(captured(payload).get("lldp-neighbors-information"))
    neighbors = [one for block in blocks for one in dicts(block.get("lldp-neighbor-information"))]
    return [LldpNeighborRecord(**junos_neighbor(one)).model_dump() for one in neighbors]


def junos_neighbor(neighbor):
    outer = as_list(neighbor.get("lldp-system-description"))
    return record(
        junos_data(neighbor, "lldp-local-interface"),
        junos_data(neighbor, "lldp-remote-system-name"),
        junos_data(neighbor, "lldp-remote-port-id"),
        junos_data(as_dict(outer[0]) if outer else {}, "lldp-remote-system-description"),
        junos_data(neighbor, "lldp-remote-chassis-id"),
        junos_data(neighbor, "lldp-remote-port-description"),
        junos_data(neighbor, "lldp-remote-management-address"),
    )


def inside(value, *path):
    """The dictionary at a path; an empty one if the path does not exist."""
    for name in path:
        value = as_dict(value).get(name)
    return as_dict(value)


def openconfig_interface(name, value):
    neighbors = as_dict(value).get("neighbors")
    if isinstance(neighbors, dict):
        neighbors["neighbor"] = [
            {"id": i, "state": {"id": i, **as_dict(one)}}
            for i, one in enumerate(as_list(neighbors.get("neighbor")), 1)
        ]
    return {"name": name, **as_dict(value)}


def process(data):
    """Field names are those of the templates, including misspellings."""
    made = []
    for item in dicts(data):
        found = inside(item, "lldp", "interfaces", "inderface").items()
        interfaces = {"interface": [openconfig_interface(name, value) for name, value in found]}
        config = {"system-name": inside(item, "system_name").get("hostname")}
        made.append({"opencondig-lldp": {"lldp": {"interfaces": interfaces, "config": config}}})
    return made


cisco_ios_process = cisco_nxos_process = cisco_xr_process = process
