"""Helpers for the normalisers: convert numbers, text and masks from the templates' output."""

import json


def captured(payload):
    """Parses a JSON object whose content a template captured as `data` of its first record."""
    first = payload[0] if isinstance(payload, list) and payload else {"data": ""}
    found = json.loads("{" + first["data"] + "}")
    return found if isinstance(found, dict) else {}


def dicts(value):
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def as_list(value):
    return value if isinstance(value, list) else []


def as_dict(value):
    return value if isinstance(value, dict) else {}


def whole(value):
    """Converts a value to int; None if that fails."""
    if value is None:
        return None
    try:
        return int(value)
    except Exception:
        return None


def number(value):
    return None if value is None else int(value)


def among(value, known):
    text = str(value or "").strip().lower()
    return text if text in known else None


def junos_data(node, name):
    """In Junos JSON, a value is in the `data` field of the first item of a list."""
    items = as_list(node.get(name))
    return items[0].get("data") if items and isinstance(items[0], dict) else None


def named(records):
    """Converts a dictionary of records to a list, with the key as their name."""
    return [{"name": name, **as_dict(record)} for name, record in as_dict(records).items()]


def spread_vrfs(vrfs, interfaces):
    """Sets the VRF of each interface from the VRF that lists it."""
    for vrf in vrfs:
        for name in as_list(vrf.get("interfaces")):
            if found := as_dict(as_dict(interfaces).get(name)):
                found["vrf"] = vrf["name"]


def dotted(bits):
    return ".".join(str(bits >> shift & 255) for shift in (24, 16, 8, 0))


LENGTHS = {}
for length in range(33):
    mask = (1 << 32) - (1 << 32 - length)
    LENGTHS[dotted(mask)] = str(length)
for mask, length in [(dotted((1 << 32 - int(length)) - 1), length) for length in LENGTHS.values()]:
    LENGTHS.setdefault(mask, length)


def mask_length(mask):
    """Converts 255.255.255.0 and 0.0.0.255 to 24; anything else is unchanged."""
    if "." not in mask:
        return mask if whole(mask) is None else str(int(mask))
    return LENGTHS.get(mask, mask)


def prefixes(addresses, convert=str):
    """Formats records with `ip` and `mask` as `ip/length`."""
    found = [item for item in dicts(addresses) if item.get("ip") and item.get("mask")]
    return [f"{item['ip']}/{convert(str(item['mask']))}" for item in found]
