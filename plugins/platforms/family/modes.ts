/** Configuration modes with their real prompts, for simulated devices: IOS style, NX-OS, EOS, VRP. */
import type { SimulatedDialogue, SimulatedMode } from "patchbay/plugin";

const mode = (line: RegExp, mark: string, within?: RegExp): SimulatedMode =>
  within === undefined ? { line, mark } : { line, mark, within };

const routing: readonly SimulatedMode[] = [
  mode(/^router \S+/, "config-router"),
  mode(/^address-family\b/, "config-router-af", /^router\b/),
  mode(/^route-map\b/, "config-route-map"),
];

const quality: readonly SimulatedMode[] = [
  mode(/^class-map\b/, "config-cmap"),
  mode(/^policy-map\b/, "config-pmap"),
  mode(/^class\b/, "config-pmap-c", /^policy-map\b/),
];

export const iosModes: readonly SimulatedMode[] = [
  mode(/^interface range\b/, "config-if-range"),
  mode(/^interface \S+\.\d+$/, "config-subif"),
  mode(/^interface\b/, "config-if"),
  mode(/^vlan \d/, "config-vlan"),
  mode(/^ip dhcp pool\b/, "dhcp-config"),
  mode(/^crypto pki trustpoint\b/, "ca-trustpoint"),
  mode(/^crypto pki certificate map\b/, "ca-certificate-map"),
  mode(/^crypto pki server\b/, "cs-server"),
  mode(/^crypto ipsec transform-set\b/, "cfg-crypto-trans"),
  mode(/^crypto ipsec profile\b/, "ipsec-profile"),
  mode(/^crypto isakmp policy\b/, "config-isakmp"),
  mode(/^crypto isakmp profile\b/, "conf-isa-prof"),
  mode(/^crypto keyring\b/, "conf-keyring"),
  mode(/^crypto map \S+ \d/, "config-crypto-map"),
  mode(/^ip access-list standard\b/, "config-std-nacl"),
  mode(/^ip access-list\b/, "config-ext-nacl"),
  mode(/^ipv6 access-list\b/, "config-ipv6-acl"),
  mode(/^(?:vrf definition|ip vrf)\b/, "config-vrf"),
  mode(/^line\b/, "config-line"),
  mode(/^key chain\b/, "config-keychain"),
  mode(/^key \d/, "config-keychain-key", /^key chain\b/),
  mode(/^archive$/, "config-archive"),
  mode(/^ip sla \d/, "config-ip-sla"),
  mode(/^event manager applet\b/, "config-applet"),
  mode(/^control-plane$/, "config-cp"),
  mode(/^tacacs server\b/, "config-server-tacacs"),
  mode(/^radius server\b/, "config-radius-server"),
  mode(/^ip ssh pubkey-chain$/, "conf-ssh-pubkey"),
  mode(/^username\b/, "conf-ssh-pubkey-user", /^ip ssh pubkey-chain$/),
  ...routing,
  ...quality,
];

export const nxosModes: readonly SimulatedMode[] = [
  mode(/^interface \S+[,-]\s*\S+/, "config-if-range"),
  mode(/^interface\b/, "config-if"),
  mode(/^vlan \d/, "config-vlan"),
  mode(/^vrf context\b/, "config-vrf"),
  mode(/^vpc domain\b/, "config-vpc-domain"),
  mode(/^(?:ip|ipv6) access-list\b/, "config-acl"),
  mode(/^role name\b/, "config-role"),
  mode(/^line\b/, "config-line"),
  mode(/^neighbor\b/, "config-router-neighbor", /^router bgp\b/),
  mode(/^address-family\b/, "config-router-neighbor-af", /^neighbor\b/),
  ...routing,
  ...quality,
];

export const xrModes: readonly SimulatedMode[] = [
  mode(/^interface\b/, "config-if"),
  mode(/^router bgp\b/, "config-bgp"),
  mode(/^neighbor\b/, "config-bgp-nbr", /^router bgp\b/),
  mode(/^address-family\b/, "config-bgp-nbr-af", /^neighbor\b/),
  mode(/^router ospf\b/, "config-ospf"),
  mode(/^area\b/, "config-ospf-ar", /^router ospf\b/),
  mode(/^router static$/, "config-static"),
  mode(/^l2vpn$/, "config-l2vpn"),
  mode(/^vrf\b/, "config-vrf"),
  mode(/^(?:ipv4|ipv6) access-list\b/, "config-ipv4-acl"),
  mode(/^route-policy\b/, "config-rpl"),
  mode(/^line\b/, "config-line"),
];

/** EOS names the interfaces in the prompt: `(config-if-Et1,3,5)`. */
export const eosModes: readonly SimulatedMode[] = [
  mode(/^interface (?:Ethernet|Et|E)?\s*(\d[\d/,-]*)$/i, "config-if-Et$1"),
  mode(/^interface (?:Port-Channel|Po)\s*(\d[\d,-]*)$/i, "config-if-Po$1"),
  mode(/^interface (?:Vlan|Vl)\s*(\d[\d,-]*)$/i, "config-if-Vl$1"),
  mode(/^interface (?:Loopback|Lo)\s*(\d[\d,-]*)$/i, "config-if-Lo$1"),
  mode(/^interface (?:Management|Ma)\s*(\d[\d/]*)$/i, "config-if-Ma$1"),
  mode(/^vlan (\d[\d,-]*)$/, "config-vlan-$1"),
  mode(/^router (bgp|ospf|isis)\b/, "config-router-$1"),
  mode(/^address-family\b/, "config-router-bgp-af", /^router bgp\b/),
  mode(/^vrf (\S+)$/, "config-router-bgp-vrf-$1", /^router bgp\b/),
  mode(/^ip access-list (?:standard )?(\S+)$/, "config-acl-$1"),
  mode(/^route-map (\S+)/, "config-route-map-$1"),
  mode(/^mlag configuration$/, "config-mlag"),
  mode(/^management (?:api )?(\S+)$/, "config-mgmt-$1"),
];

/** AOS-CX CLI guides. */
export const aosCxModes: readonly SimulatedMode[] = [
  mode(/^interface lag \d/, "config-lag-if"),
  mode(/^interface vlan \d/, "config-if-vlan"),
  mode(/^interface loopback \d/, "config-loopback-if"),
  mode(/^interface\b/, "config-if"),
  mode(/^vlan (\d+)$/, "config-vlan-$1"),
  mode(/^vlan (\d[\d,-]*)$/, "config-vlan-<$1>"),
  mode(/^vrf (?!attach)\S/, "config-vrf"),
  mode(/^access-list ip\b/, "config-acl-ip"),
  mode(/^access-list ipv6\b/, "config-acl-ipv6"),
  mode(/^route-map (\S+) (?:permit|deny) seq (\d+)$/, "config-route-map-$1-$2"),
  mode(/^router ospf (\d+)/, "config-ospf-$1"),
  mode(/^router bgp\b/, "config-bgp"),
  mode(/^address-family ipv4 unicast$/, "config-bgp-ipv4-uc", /^router bgp\b/),
  mode(/^address-family\b/, "config-bgp-af", /^router bgp\b/),
];

/** SmartFabric OS10 User Guide. */
export const os10Modes: readonly SimulatedMode[] = [
  mode(/^interface (?:ethernet ?)(\d\S*)$/, "conf-if-eth$1"),
  mode(/^interface vlan ?(\d+)$/, "conf-if-vl-$1"),
  mode(/^interface port-channel ?(\d+)$/, "conf-if-po-$1"),
  mode(/^interface loopback ?(\d+)$/, "conf-if-lo-$1"),
  mode(/^interface\b/, "conf-if"),
  mode(/^ip vrf (?!forwarding)\S/, "conf-vrf"),
  mode(/^(?:ip|ipv6|mac) access-list\b/, "config-ipv4-acl"),
  mode(/^route-map\b/, "config-route-map"),
  mode(/^router ospf (\d+)/, "config-router-ospf-$1"),
  mode(/^router bgp (\S+)/, "config-router-bgp-$1"),
  mode(/^neighbor \S+$/, "config-router-neighbor", /^router bgp\b/),
  mode(/^template \S+$/, "config-router-template", /^router bgp\b/),
  mode(/^address-family\b/, "configure-router-bgp-af", /^(?:router bgp|neighbor|template)\b/),
];

export const asaModes: readonly SimulatedMode[] = [
  mode(/^interface\b/, "config-if"),
  mode(/^object network\b/, "config-network-object"),
  mode(/^object-group network\b/, "config-network-object-group"),
  mode(/^object service\b/, "config-service-object"),
  mode(/^crypto ca trustpoint\b/, "config-ca-trustpoint"),
  mode(/^crypto ikev2 policy\b/, "config-ikev2-policy"),
  mode(/^group-policy \S+ attributes$/, "config-group-policy"),
  mode(/^tunnel-group \S+ ipsec-attributes$/, "config-tunnel-ipsec"),
  mode(/^cluster group\b/, "cfg-cluster"),
  mode(/^time-range\b/, "config-time-range"),
  ...routing,
  ...quality,
];

const section = (line: RegExp, prompt: string): SimulatedMode => ({ line, prompt });

/** VRP and Comware append the view to the name: `[R1-GigabitEthernet0/0/1]`. */
export const viewModes = (front: string): readonly SimulatedMode[] => [
  section(/^interface (\S+)$/, `[${front}R1-$1]`),
  section(/^vlan (?!batch)(\d+)$/, `[${front}R1-vlan$1]`),
  section(/^bgp\b/, `[${front}R1-bgp]`),
  section(/^ospf (\d+)/, `[${front}R1-ospf-$1]`),
  section(/^acl (?:number )?(\d+)$/, `[${front}R1-acl-adv-$1]`),
  section(/^aaa$/, `[${front}R1-aaa]`),
  section(/^user-interface (\S+) (\S+)/, `[${front}R1-ui-$1$2]`),
  section(/^ip pool (\S+)$/, `[${front}R1-ip-pool-$1]`),
];

/** Commands that ask questions on IOS and similar systems, some twice. */
export const iosDialogues: readonly SimulatedDialogue[] = [
  {
    line: /^reload$/,
    asks: [
      { text: "\r\nSystem configuration has been modified. Save? [yes/no]: " },
      { text: "Proceed with reload? [confirm]", key: true },
    ],
  },
  {
    line: /^delete \S+$/,
    asks: [{ text: "Delete filename [old.bin]? " }, { text: "Delete flash:/old.bin? [confirm]", key: true }],
  },
  {
    line: /^copy running-config startup-config$/,
    asks: [{ text: "Destination filename [startup-config]? " }],
    says: "Building configuration...\n[OK]",
  },
  {
    line: /^clear counters$/,
    asks: [{ text: 'Clear "show interface" counters on all interfaces [confirm]', key: true }],
  },
];
