/** Attributes and methods of IP objects by name: what a template may ask of one. */

export const ipAttributeNames: ReadonlySet<string> = new Set([
  ..."version max_prefixlen compressed exploded reverse_pointer ipv4_mapped sixtofour teredo scope_id".split(
    " ",
  ),
  ..."is_link_local is_loopback is_multicast is_private is_reserved is_site_local".split(" "),
  ..."is_unspecified is_global packed ip network netmask hostmask prefixlen num_addresses".split(" "),
  ..."network_address broadcast_address with_prefixlen with_netmask with_hostmask hosts subnets".split(" "),
  ..."supernet subnet_of supernet_of overlaps address_exclude compare_networks".split(" "),
]);
