/** Starter templates for Juniper Junos. */
import type { StarterTemplate } from "./set.ts";

const raw = String.raw;

/** Junos operators end commands with `| no-more`. */
const tail = "( \\| no-more)?";

export const junos: readonly StarterTemplate[] = [
  {
    command: `sh[[ow]] ver[[sion]]${tail}`,
    template: raw`Value Required HOSTNAME (\S+)
Value MODEL (\S+)
Value JUNOS_VERSION (\S+)
Value BASE_OS_BOOT (\S+?)
Value BASE_OS_SOFTWARE_SUITE (\S+?)
Value KERNEL_SOFTWARE_SUITE (\S+?)
Value CRYPTO_SOFTWARE_SUITE (\S+?)
Value ONLINE_DOCUMENTATION (\S+?)
Value ROUTING_SOFTWARE_SUITE (\S+?)
Value SERIAL_NUMBER (\S+)

Start
  ^Hostname: -> Continue.Record
  ^Hostname:\s+$HOSTNAME\s*$$
  ^Model:\s+$MODEL\s*$$
  ^Junos:\s+$JUNOS_VERSION\s*$$
  ^JUNOS\s+Base\s+OS\s+boot\s+\[$BASE_OS_BOOT\]
  ^JUNOS\s+Base\s+OS\s+Software\s+Suite\s+\[$BASE_OS_SOFTWARE_SUITE\]
  ^JUNOS\s+Kernel\s+Software\s+Suite\s+\[$KERNEL_SOFTWARE_SUITE\]
  ^JUNOS\s+Crypto\s+Software\s+Suite\s+\[$CRYPTO_SOFTWARE_SUITE\]
  ^JUNOS\s+Online\s+Documentation\s+\[$ONLINE_DOCUMENTATION\]
  ^JUNOS\s+Routing\s+Software\s+Suite\s+\[$ROUTING_SOFTWARE_SUITE\]
  ^Serial\s+Number:\s+$SERIAL_NUMBER\s*$$
`,
  },
  {
    command: `sh[[ow]] interf[[aces]]${tail}`,
    template: raw`Value Required INTERFACE (\S+?)
Value LINK_STATUS (\w+)
Value ADMIN_STATE (.+?)
Value HARDWARE_TYPE (\S+?)
Value DESCRIPTION (.+?)
Value DESTINATION ([^,]+)
Value LOCAL ([^,\s]+)
Value MTU (\d+|Unlimited)

Start
  ^Physical\s+interface: -> Continue.Record
  ^\s+Logical\s+interface\s -> Continue.Record
  ^Physical\s+interface:\s+$INTERFACE\s*,\s+$ADMIN_STATE\s*,\s+Physical\s+link\s+is\s+$LINK_STATUS
  ^\s+Logical\s+interface\s+$INTERFACE\s
  ^\s+Description:\s+$DESCRIPTION\s*$$
  ^\s+(?:.*,\s+)?Type:\s+$HARDWARE_TYPE,.*MTU:\s+$MTU
  ^\s+(?:.*,\s+)?Link-level\s+type:\s+$HARDWARE_TYPE,.*MTU:\s+$MTU
  ^\s+Protocol\s+\w+,\s+MTU:\s+$MTU
  ^\s+Destination:\s+$DESTINATION,\s+Local:\s+$LOCAL
  ^\s+Local:\s+$LOCAL
`,
  },
  {
    command: `sh[[ow]] interf[[aces]] te[[rse]]${tail}`,
    template: raw`Value Required INTERFACE (\S+)
Value LINK_STATUS (up|down)
Value ADMIN_STATE (up|down)
Value PROTOCOL (inet6?|eth-switch|aenet|mpls|iso|tnp|multiservice|ccc|vpls|bridge)
Value LOCAL (\S+)
Value REMOTE (\S+)

Start
  ^Interface\s+Admin\s+Link
  ^$INTERFACE\s+$ADMIN_STATE\s+$LINK_STATUS\s*$$ -> Record
  ^$INTERFACE\s+$ADMIN_STATE\s+$LINK_STATUS\s+$PROTOCOL(?:\s+$LOCAL)?(?:\s+(?:-->\s+)?$REMOTE)?\s*$$ -> Record

EOF
`,
  },
  {
    command: `sh[[ow]] ch[[assis]] h[[ardware]]${tail}`,
    template: raw`Value Required ITEM (\S.*?)
Value VERSION (REV\s+\S+)
Value PART (\d{3}-\d{6}|BUILTIN|NON-JNPR)
Value SERIAL_NUMBER (\S+)
Value DESCRIPTION (\S.*?)

Start
  ^Item\s+Version\s+Part\s+number -> Items

Items
  ^\{
  ^Chassis\s+$SERIAL_NUMBER\s+$DESCRIPTION\s*$$ -> Continue
  ^$ITEM\s{2,}\S+\s{2,}\S -> Continue
  ^Chassis\s -> Record
  ^\s*$ITEM\s+(?:$VERSION\s+|\]\s+)?$PART\s+$SERIAL_NUMBER(?:\s+$DESCRIPTION)?\s*$$ -> Record
  ^\s*$ITEM\s{2,}$DESCRIPTION\s*$$ -> Record
  ^\s*$ITEM\s*$$ -> Record

EOF
`,
  },
  {
    command: `sh[[ow]] lldp ne[[ighbors]]${tail}`,
    template: raw`Value Required LOCAL_INTERFACE ([a-z]{2}\S*\d)
Value PARENT_INTERFACE (\S+)
Value CHASSIS_ID ((?:[0-9a-f]{2}:){5}[0-9a-f]{2}|[\d.]+)
Value NEIGHBOR_INTERFACE (\S.*?)
Value NEIGHBOR_NAME (\S*)

Start
  ^$LOCAL_INTERFACE\s+$PARENT_INTERFACE\s+$CHASSIS_ID\s+$NEIGHBOR_INTERFACE(?:\s{2,}$NEIGHBOR_NAME)?\s*$$ -> Record
`,
  },
  {
    command: `sh[[ow]] arp( no-resolve)?${tail}`,
    template: raw`Value Required MAC_ADDRESS ((?:[0-9a-f]{2}:){5}[0-9a-f]{2})
Value IP_ADDRESS ([\d.]+)
Value INTERFACE (\S+(?:\s+\[\S+\])?)
Value FLAGS (\S+)

Start
  ^$MAC_ADDRESS\s+$IP_ADDRESS\s+(?:\S+\s+)?$INTERFACE\s+$FLAGS\s*$$ -> Record
`,
  },
  {
    command: `sh[[ow]] ethernet-s[[witching]] ta[[ble]]${tail}`,
    template: raw`Value VLAN_ID (\d+)
Value BRIDGE_DOMAIN_ID (\S+)
Value Required MAC_ADDRESS ((?:[0-9a-f]{2}:){5}[0-9a-f]{2})
Value MAC_FLAG (\S+)
Value AGE (\S+)
Value LOGICAL_INTERFACE (\S+)

Start
  ^\s+(?:[A-Za-z_-]+)?$VLAN_ID\s+$MAC_ADDRESS\s+$MAC_FLAG\s+$AGE\s+$LOGICAL_INTERFACE(?:\s.*)?$$ -> Record
  ^\s+$BRIDGE_DOMAIN_ID\s+$MAC_ADDRESS\s+$MAC_FLAG\s+$AGE\s+$LOGICAL_INTERFACE(?:\s.*)?$$ -> Record
`,
  },
  {
    command: `sh[[ow]] b[[gp]] s[[ummary]]${tail}`,
    template: raw`Value Required PEER_IP ([\d.]+|[0-9a-fA-F:]+:[0-9a-fA-F:.]*)
Value PEER_AS ([\d.]+)
Value IN_PKT (\d+)
Value OUT_PKT (\d+)
Value OUT_Q (\d+)
Value FLAPS (\d+)
Value LAST_FLAP (\S+(?:\s+\d+:\d+(?::\d+)?)?)
Value STATE (Establ|Idle|Active|Connect|OpenSent|OpenConfirm)
Value ACTIVE (\d+)
Value RECEIVED (\d+)
Value ACCEPTED (\d+)
Value DAMPED (\d+)

Start
  ^$PEER_IP(?:\+\d+)?\s+$PEER_AS\s+$IN_PKT\s+$OUT_PKT\s+$OUT_Q\s+$FLAPS\s+$LAST_FLAP\s+$ACTIVE/$RECEIVED/$ACCEPTED/$DAMPED -> Record
  ^$PEER_IP(?:\+\d+)?\s+$PEER_AS\s+$IN_PKT\s+$OUT_PKT\s+$OUT_Q\s+$FLAPS\s+$LAST_FLAP\s+$STATE -> Record
`,
  },
  {
    command: `sh[[ow]] vl[[ans]]${tail}`,
    template: raw`Value ROUTING_INSTANCE (\S+)
Value Required VLAN_NAME (\S+)
Value TAG (\d+)
Value List INTERFACES ([a-z]{2}\S*\d)

Start
  ^Routing\s+instance\s+VLAN\s+name -> Els
  ^Name\s+Tag\s+Interfaces -> Classic

Els
  ^\S -> Continue.Record
  ^$ROUTING_INSTANCE\s+$VLAN_NAME\s+$TAG\s*$$
  ^$ROUTING_INSTANCE\s+$VLAN_NAME\s*$$
  ^\s+$INTERFACES\*?\s*$$

Classic
  ^\S -> Continue.Record
  ^$VLAN_NAME\s+$TAG\s*$$
  ^$VLAN_NAME\s*$$
  ^\s+$INTERFACES\*?(?:,|\s|$$) -> Continue
  ^\s+(?:[a-z]{2}\S*\d\*?,\s*){1}$INTERFACES\*?(?:,|\s|$$) -> Continue
  ^\s+(?:[a-z]{2}\S*\d\*?,\s*){2}$INTERFACES\*?(?:,|\s|$$) -> Continue
  ^\s+(?:[a-z]{2}\S*\d\*?,\s*){3}$INTERFACES\*?(?:,|\s|$$) -> Continue
`,
  },
];
