"""Normalises the BGP neighbours of several platforms to one set of fields, with prefix counts by address family."""

import re

from ttp_templates.utils.shared import among, as_dict, as_list, captured, dicts, junos_data, number, whole

FIELDS = (
    "name vrf state peering_type remote_address remote_as local_address local_as local_interface router_id peer_group "
    "description hold_time keepalive uptime_seconds max_ttl afi import_policies export_policies "
    "prefix_list_in prefix_list_out"
).split()
STATES = ["idle", "connect", "active", "opensent", "openconfirm", "established"]


def neighbor(vrf, address, state, peering_type, counts, **values):
    """Records of the default VRF have no VRF name."""
    values["name"] = f"{vrf}_{address}" if address else None
    values["vrf"] = None if vrf == "default" else vrf
    values["remote_address"] = address
    values["state"] = among(state, STATES)
    values["peering_type"] = among(peering_type, ["external", "internal"])
    return {**{name: values.get(name) for name in FIELDS}, **counts}


def count(counts, family, **prefixes):
    for name, value in prefixes.items():
        if value is not None:
            counts[f"{family}_prefixes_{name}"] = value


ARISTA_FAMILIES = {
    "ipv4Unicast": "ipv4_unicast",
    "ipv6Unicast": "ipv6_unicast",
    "ipv4Multicast": "ipv4_multicast",
    "ipv6Multicast": "ipv6_multicast",
    "ipv4LabeledUnicast": "ipv4_labeled_unicast",
    "ipv6LabeledUnicast": "ipv6_labeled_unicast",
    "ipv4MplsVpn": "ipv4_mpls_vpn",
    "ipv6MplsVpn": "ipv6_mpls_vpn",
    "ipv4SrTe": "ipv4_sr_te",
    "ipv6SrTe": "ipv6_sr_te",
    "l2VpnEvpn": "l2vpn_evpn",
    "l2VpnVpls": "l2vpn_vpls",
    "linkState": "link_state",
    "ipv4FlowSpec": "ipv4_flow_spec",
    "ipv6FlowSpec": "ipv6_flow_spec",
}

# Address family -> prefix of the fields for sent and received prefixes.
ARISTA_COUNTS = {
    "ipv4_unicast": "prefixes",
    "ipv6_unicast": "v6Prefixes",
    "l2vpn_evpn": "evpn",
    "ipv4_labeled_unicast": "v4LabeledUnicastPrefixes",
    "ipv6_labeled_unicast": "v6LabeledUnicastPrefixes",
}


def arista_eos_transform_bgp_neighbors(payload):
    vrfs = as_dict(captured(payload).get("vrfs"))
    return [arista_peer(peer, vrf) for vrf, data in vrfs.items() for peer in dicts(as_dict(data).get("peerList"))]


def arista_peer(peer, vrf):
    families = as_dict(as_dict(peer.get("neighborCapabilities")).get("multiprotocolCaps"))
    afi = [ARISTA_FAMILIES.get(name, name) for name, caps in families.items() if as_dict(caps).get("enabled")]
    counts = {}
    for family in afi:
        if begin := ARISTA_COUNTS.get(family):
            count(counts, family, sent=peer.get(begin + "Sent"), received=peer.get(begin + "Received"))
    lists = as_dict(peer.get("prefixListInfo"))
    return neighbor(
        vrf,
        peer.get("peerAddress"),
        peer.get("state"),
        peer.get("linkType"),
        counts,
        remote_as=int(peer.get("asn")),
        local_address=peer.get("updateSource"),
        local_as=int(peer.get("localAsn")),
        local_interface=peer.get("ifName"),
        router_id=peer.get("routerId"),
        peer_group=peer.get("peerGroupName"),
        description=peer.get("description"),
        hold_time=peer.get("holdTime"),
        keepalive=peer.get("keepaliveTime"),
        uptime_seconds=peer.get("establishedTime"),
        max_ttl=peer.get("maxTtlHops"),
        afi=afi,
        import_policies=listed(peer.get("routeMapInbound")),
        export_policies=listed(peer.get("routeMapOutbound")),
        prefix_list_in=lists.get("inboundIpv4Uni"),
        prefix_list_out=lists.get("outboundIpv4Uni"),
    )


def listed(value):
    return [value] if value else []


XR_FAMILIES = {
    "IPv4 Unicast": "ipv4_unicast",
    "IPv6 Unicast": "ipv6_unicast",
    "IPv4 Multicast": "ipv4_multicast",
    "IPv6 Multicast": "ipv6_multicast",
    "VPNv4 Unicast": "ipv4_mpls_vpn",
    "VPNv6 Unicast": "ipv6_mpls_vpn",
    "IPv4 Labeled-unicast": "ipv4_labeled_unicast",
    "IPv6 Labeled-unicast": "ipv6_labeled_unicast",
    "L2VPN EVPN": "l2vpn_evpn",
    "L2VPN Vpls": "l2vpn_vpls",
    "IPv4 MDT": "ipv4_mdt",
    "IPv4 Flowspec": "ipv4_flow_spec",
    "IPv6 Flowspec": "ipv6_flow_spec",
    "IPv4 SR policy": "ipv4_sr_te",
    "IPv6 SR policy": "ipv6_sr_te",
    "Link-state Link-state": "link_state",
}


def uptime_seconds(text):
    """`1:02:03`, or weeks, days and hours as in `1w2d3h`."""
    if clock := re.match(r"(\d+):(\d+):(\d+)$", text):
        hours, minutes, seconds = [int(part) for part in clock.groups()]
        return hours * 3600 + minutes * 60 + seconds
    weeks, days, hours = re.match(r"(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?", text).groups("0")
    return int(weeks) * 604800 + int(days) * 86400 + int(hours) * 3600


def cisco_xr_transform_bgp_neighbors(payload):
    first = payload if isinstance(payload, dict) else (as_list(payload) + [None])[0]
    return [xr_peer(peer) for peer in dicts(as_dict(first).get("neighbors"))]


def xr_peer(peer):
    state = str(peer.get("bgp_state") or "")
    uptime = re.search(r"up for\s+(\S+)", state)
    families = dicts(peer.get("address_families"))
    afi, counts = [], {}
    for family in families:
        if raw := str(family.get("afi_name") or ""):
            name = XR_FAMILIES.get(raw, raw.lower().replace(" ", "_"))
            if name not in afi:
                afi.append(name)
            received = whole(family.get("accepted_prefixes"))
            count(counts, name, received=received, sent=whole(family.get("prefixes_sent")))
    policies = lambda key: listed(next((text for one in families if (text := str(one.get(key) or "").strip())), None))
    addresses = [one.get("local_address") for one in [peer, *families]]
    return neighbor(
        str(peer.get("vrf") or "default"),
        peer.get("remote_address"),
        state.split(",")[0],
        peer.get("peering_type"),
        counts,
        remote_as=int(peer.get("remote_as")),
        local_address=next((address for address in addresses if address is not None), None),
        local_as=int(peer.get("local_as")),
        router_id=peer.get("router_id"),
        description=peer.get("description"),
        hold_time=int(peer["hold_time"]) if peer.get("hold_time") else None,
        keepalive=int(peer["keepalive"]) if peer.get("keepalive") else None,
        uptime_seconds=uptime_seconds(uptime.group(1)) if uptime else None,
        afi=afi,
        import_policies=policies("import_policy"),
        export_policies=policies("export_policy"),
    )


# Suffix of a table name -> address family.
RIBS = {
    "bgp.l3vpn.0": "ipv4_mpls_vpn",
    "bgp.l3vpn-inet6.0": "ipv6_mpls_vpn",
    "bgp.evpn.0": "l2vpn_evpn",
    "bgp.l2vpn.0": "l2vpn_vpls",
    "bgp.labeled-unicast.0": "ipv4_labeled_unicast",
    "bgp.labeled-unicast6.0": "ipv6_labeled_unicast",
    "bgp.flow.0": "ipv4_flow_spec",
    "bgp.flow6.0": "ipv6_flow_spec",
    "lsdist.0": "link_state",
}
RIB_ENDS = {
    "inet6.0": "ipv6_unicast",
    "inet.0": "ipv4_unicast",
    "inet.2": "ipv4_multicast",
    "inet6.2": "ipv6_multicast",
}


def junos_transform_bgp_neighbors(payload):
    tables = dicts(captured(payload).get("bgp-information"))
    return [junos_peer(peer) for table in tables for peer in dicts(table.get("bgp-peer"))]


def bare(address):
    """The address without the port after `+`."""
    return str(address).split("+")[0] if address else None


def junos_peer(peer):
    data = lambda name: junos_data(peer, name)
    options = as_list(peer.get("bgp-option-information"))
    option = lambda name: junos_data(as_dict(options[0]) if options else {}, name)
    afi, counts = [], {}
    for rib in dicts(peer.get("bgp-rib")):
        name = str(junos_data(rib, "name") or "")
        ends = [family for end, family in RIB_ENDS.items() if name.endswith(end)]
        family = RIBS.get(name, ends[0] if ends else None)
        if family is not None:
            if family not in afi:
                afi.append(family)
            received = number(junos_data(rib, "received-prefix-count"))
            count(counts, family, received=received, sent=number(junos_data(rib, "advertised-prefix-count")))
    instance = data("peer-cfg-rti") or "master"
    elapsed = data("elapsed-time")
    return neighbor(
        "default" if instance == "master" else str(instance),
        bare(data("peer-address")),
        data("peer-state"),
        data("peer-type"),
        counts,
        remote_as=number(data("peer-as")),
        local_address=bare(data("local-address")),
        local_as=number(data("local-as")),
        local_interface=data("local-interface-name"),
        router_id=data("peer-id"),
        peer_group=data("peer-group"),
        description=data("description"),
        hold_time=number(option("holdtime") or data("active-holdtime")),
        keepalive=number(data("keepalive-interval")),
        uptime_seconds=int(elapsed) if elapsed is not None and str(elapsed).isdigit() else None,
        afi=afi,
        import_policies=str(option("import-policy") or "").split(),
        export_policies=str(option("export-policy") or "").split(),
    )
