/** What the paths of Junos and VyOS mean, from their configuration guides: the rest follows from the text. */
import type { Running } from "patchbay/plugin";

type Paths = NonNullable<Running["paths"]>;

export const junosPaths: Paths = {
  names: [
    /^interfaces$/,
    / (?:user|name-server|server|host|file|radius-server|tacplus-server|unit|address|route|group|neighbor|interface|interface-range|area|term|policy-statement|prefix-list|route-filter|community|as-path|filter|policer|instance|vlans|policy|from-zone|security-zone|rule|rule-set|application)$/,
  ],
  singles: [
    / (?:host-name|domain-name|time-zone|encrypted-password|class|root-login|description|mtu|native-vlan-id|vlan-id|interface-mode|router-id|autonomous-system|type|local-address|local-as|peer-as|authentication-key|hold-time|preference|metric|local-preference|count|speed|location|contact)$/,
  ],
  // Policies are evaluated in their order, and so are the terms of one.
  ordered: [/ term$/, /^security policies .* policy$/, / rule$/],
  chains: [/ (?:import|export|vrf-import|vrf-export)$/],
  presence: [/ family \S+$/, /^system services \S+$/],
};

export const vyosPaths: Paths = {
  names: [
    /^interfaces \S+$/,
    / (?:address|vif|rule|name|ipv6-name|network-group|address-group|port-group|network|prefix-list|route-map|access-list|community-list|route|route6|next-hop|neighbor|peer-group|server|name-server|user|public-keys|area|interface|tunnel|peer|host|zone)$/,
  ],
  singles: [
    / (?:host-name|domain-name|time-zone|encrypted-password|full-name|description|mtu|action|default-action|protocol|port|le|ge|distance|system-as|local-as|remote-as|router-id|password|import|export|local-preference|metric|source-address|prefix)$/,
    / (?:match .* prefix-list|source address|destination address)$/,
  ],
  presence: [/^service ssh$/, / address-family \S+$/],
};
