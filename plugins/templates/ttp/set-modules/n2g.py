"""Post-processing of the N2G templates."""

from ttp_templates.utils.shared import as_dict, named, spread_vrfs


def junos_postprocess(data):
    hosts = [host for host in as_dict(data).values() if isinstance(host, dict)]
    for host in hosts:
        spread_vrfs(named(host.pop("vrf", None)), host.get("interfaces"))
    return data


def junos_extract_lldp_peer(data, resuball):
    """@param resuball TTP's built-in function, passed by the template."""
    if not isinstance(data, dict):
        return data
    info = data.pop("info")
    words = info.split(" ")
    if len(words) == 1:
        # As in the reference, a single word is treated as a list of characters.
        peer, port, words = data["data.chassis_id"], info, list(info)
    else:
        peer = words.pop()
        port = " ".join(words).strip()
    data.update({"data.peer_port_description": port, "target.id": peer, "trgt_label": ""})
    if len(words) == 1 and not words[0].isdigit():
        result = resuball(words[0], "IfsNormalize")
        data["trgt_label"] = result[0] if isinstance(result, tuple) else result
    return data
