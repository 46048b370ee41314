"""Normalises hardware inventory to records of description, module, serial and slot."""

from ttp_templates.utils.models import InventoryRecord
from ttp_templates.utils.shared import as_dict, captured, dicts


def checked(record):
    return InventoryRecord(**record).model_dump()


def make(description, module, serial, slot):
    return checked({"description": description, "module": module, "serial": serial, "slot": slot})


def is_missing(serial):
    return serial == "" or serial.upper() == "N/A"


def a10_transform_inventory(payload):
    if isinstance(payload, list):
        return [record for item in payload for record in a10_transform_inventory(item)]
    return [checked(payload)] if as_dict(payload) else []


def cisco_ios_transform_inventory(payload):
    complete = [one for one in dicts(payload) if one.get("description") and one.get("serial") and one.get("slot")]
    return [checked({"module": "", **one}) for one in complete]


def cisco_xr_transform_inventory(payload):
    return [checked(one) for one in dicts(payload)]


def arista_eos_transform_inventory(payload):
    data = captured(payload)
    parts = [(data.get("systemInformation"), "chassis")]
    for key, slots in data.items():
        if key.endswith("Slots"):
            parts += [(item, f"{key[:-5].lower()}-{place}") for place, item in as_dict(slots).items()]
    records = []
    for item, slot in parts:
        text = lambda name: str(item.get(name) or "").strip()
        if isinstance(item, dict) and not is_missing(text("serialNum")):
            module = str(item.get("name") or item.get("modelName") or "").strip()
            records.append(make(text("description"), module, text("serialNum"), slot))
    return records


def cisco_nxos_transform_inventory(payload):
    rows = as_dict(captured(payload).get("TABLE_inv")).get("ROW_inv")
    records = []
    for row in [rows] if isinstance(rows, dict) else dicts(rows):
        text = lambda name: "" if row.get(name) is None else str(row[name]).replace('"', "").strip()
        if not is_missing(text("serialnum")):
            records.append(make(text("desc"), text("productid"), text("serialnum"), text("name")))
    return records


def first_data(node, name):
    """The first text in the `data` fields of a list."""
    texts = [item.get("data") for item in dicts(node.get(name))]
    return next((text.strip() for text in texts if isinstance(text, str) and text.strip()), "")


def junos_transform_inventory(payload):
    """All nodes of the tree that have a serial number, last ones first."""
    records = []
    nodes = [captured(payload)]
    while nodes:
        node = nodes.pop()
        if isinstance(node, list):
            nodes += node
        elif isinstance(node, dict):
            serial = first_data(node, "serial-number")
            description = first_data(node, "description")
            if serial:
                module = description or first_data(node, "part-number")
                records.append(make(description, module, serial, first_data(node, "name")))
            nodes += node.values()
    return records
