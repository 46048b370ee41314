/** Starter templates for Huawei VRP. */
import type { StarterTemplate } from "./set.ts";

const raw = String.raw;

export const huawei: readonly StarterTemplate[] = [
  {
    command: "d[[isplay]] ver[[sion]]",
    template: raw`Value Required VRP_VERSION (\S+)
Value PRODUCT_VERSION ([^)]+)
Value MODEL (\S.*?)
Value UPTIME (.+?)
Value PATCH_VERSION (\S+)

Start
  ^VRP\s+\(R\)\s+[Ss]oftware,\s+Version\s+$VRP_VERSION\s+\($PRODUCT_VERSION\)
  ^(?:HUAWEI|Huawei|Quidway)\s+$MODEL\s+(?:Routing\s+Switch\s+|Router\s+|Terabit\s+Routing\s+Switch\s+)?uptime\s+is\s+$UPTIME\s*$$
  ^Patch\s+Version\s*:\s+$PATCH_VERSION\s*$$
`,
  },
  {
    command: "d[[isplay]] int[[erface]]",
    template: raw`Value Required INTERFACE (\S+)
Value LINK_STATUS (.+?)
Value PROTOCOL_STATUS (.+?)
Value INTERFACE_DESCRIPTION (.+?)
Value LINK_TYPE ([^,]+?)
Value PORT_TYPE (\S+)
Value VLAN_ID (\d+)
Value MTU (\d+)
Value IP_ADDRESS (\d\S*)
Value MAC_ADDRESS (\w{4}-\w{4}-\w{4})
Value LAST_PHYSICAL_UP_TIME (\d\S*\s+\S+)
Value LAST_PHYSICAL_DOWN_TIME (\d\S*\s+\S+)
Value CURRENT_SYSTEM_TIME (\S+\s+\S+)
Value SPEED ([^,\s]+)
Value LOOPBACK ([^,\s]+)
Value DUPLEX ([^,\s]+)
Value NEGOTIATION ([^,\s]+)

Start
  ^\S+\s+current\s+state\s*: -> Continue.Record
  ^$INTERFACE\s+current\s+state\s*:\s*$LINK_STATUS(?:\s*\(ifindex.*)?\s*,?\s*$$
  ^Line\s+protocol\s+current\s+state\s*:\s*$PROTOCOL_STATUS\s*$$
  ^Description:\s*$INTERFACE_DESCRIPTION\s*$$
  ^$PORT_TYPE\s+Port,.*PVID\s*:\s*$VLAN_ID,.*Maximum\s+Frame\s+Length\s+is\s+$MTU
  ^$PORT_TYPE\s+Port,\s*(?:Link-type\s*:\s*$LINK_TYPE,)?.*PVID\s*:\s*$VLAN_ID
  ^$PORT_TYPE\s+Port,\s*Link-type\s*:\s*$LINK_TYPE,
  ^$PORT_TYPE\s+Port,\s*The\s+Maximum\s+(?:Transmit\s+Unit|Frame\s+Length)\s+is\s+$MTU
  ^PVID\s*:\s*$VLAN_ID,.*Maximum\s+Frame\s+Length\s+is\s+$MTU
  ^Internet\s+Address\s+is\s+(?:negotiated,\s+|unnumbered.*,\s+)?$IP_ADDRESS
  ^IP\s+Sending\s+Frames.*[Hh]ardware\s+address\s+is\s+$MAC_ADDRESS
  ^Last\s+physical\s+up\s+time\s*:\s*$LAST_PHYSICAL_UP_TIME
  ^Last\s+physical\s+down\s+time\s*:\s*$LAST_PHYSICAL_DOWN_TIME
  ^Current\s+system\s+time\s*:\s*$CURRENT_SYSTEM_TIME
  ^Speed\s*:\s*$SPEED,\s*Loopback\s*:\s*$LOOPBACK
  ^Duplex\s*:\s*$DUPLEX,\s*Negotiation\s*:\s*$NEGOTIATION
`,
  },
  {
    command: "d[[isplay]] int[[erface]] b[[rief]]",
    template: raw`Value Required INTERFACE (\S+)
Value PHY ([*^#!]?\w+(?:\(\w\))?)
Value PROTOCOL (\w+(?:\(\w\))?)
Value INUTI (\S+)
Value OUTUTI (\S+)
Value INERRORS (\d+)
Value OUTERRORS (\d+)

Start
  ^Interface\s+PHY\s+Protocol -> Interfaces

Interfaces
  ^\s*$INTERFACE\s+$PHY\s+$PROTOCOL\s+$INUTI\s+$OUTUTI\s+$INERRORS\s+$OUTERRORS\s*$$ -> Record

EOF
`,
  },
  {
    command: "d[[isplay]] ip int[[erface]] b[[rief]]",
    template: raw`Value Required INTERFACE (\S+)
Value IP_ADDRESS (\d\S*|unassigned)
Value PHYSICAL (\S+)
Value PROTOCOL (\S+)
Value VPN_INSTANCE (\S+)

Start
  ^Interface\s+IP\s+Address/Mask -> Interfaces

Interfaces
  ^$INTERFACE\s+$IP_ADDRESS\s+$PHYSICAL\s+$PROTOCOL(?:\s+$VPN_INSTANCE)?\s*$$ -> Record

EOF
`,
  },
  {
    command: "d[[isplay]] dev[[ice]]( all)?",
    template: raw`Value Filldown SLOT ([^\s/]+)
Value CARD (\S+)
Value Required PID (\S.*?)
Value ONLINE_STATUS (Present|Offline|Absent)
Value POWER_STATUS (\S+)
Value REGISTER_STATUS (\S+)
Value ALARM_STATUS (\S+)
Value HA_STATUS (\S+)

Start
  ^$SLOT\s+$CARD\s+\*?$PID\s+$ONLINE_STATUS\s+$POWER_STATUS\s+$REGISTER_STATUS\s+$ALARM_STATUS\s+$HA_STATUS\s*$$ -> Record
  ^$SLOT/$CARD\s+$PID\s+$ONLINE_STATUS\s+$POWER_STATUS\s+$REGISTER_STATUS\s+$ALARM_STATUS\s*$$ -> Record
  ^\s+$CARD\s+$PID\s+$ONLINE_STATUS\s+$POWER_STATUS\s+$REGISTER_STATUS\s+$ALARM_STATUS\s+$HA_STATUS\s*$$ -> Record

EOF
`,
  },
  {
    command: "d[[isplay]] lldp ne[[ighbor]]",
    template: raw`Value Filldown LOCAL_INTERFACE (\S+)
Value CHASSIS_TYPE (\S.*?)
Value Required CHASSIS_ID (\S+)
Value PORT_ID_TYPE (\S.*?)
Value PORT_ID_SUBTYPE (\S.*?)
Value NEIGHBOR_PORT_ID (\S.*?)
Value NEIGHBOR_INTERFACE (\S.*?)
Value NEIGHBOR_NAME (\S.*?)
Value List NEIGHBOR_DESCRIPTION (\S.*?)
Value SYSTEM_CAPABILITIES_SUPPORTED (\S.*?)
Value CAPABILITIES (\S.*?)
Value MGMT_ADDRESS_TYPE (\S.*?)
Value MGMT_ADDRESS (\S+)
Value EXPIRED_TIME (\d+)
Value VLAN_ID (\d+)

Start
  ^\S+\s+has\s+\d+\s+neighbor -> Continue.Record
  ^$LOCAL_INTERFACE\s+has\s+\d+\s+neighbor
  ^\s*Neighbor\s+index\s*: -> Continue.Record
  ^\s*Chassis\s+type\s*:\s*$CHASSIS_TYPE\s*$$
  ^\s*Chassis\s+ID\s*:\s*$CHASSIS_ID\s*$$
  ^\s*Port\s+ID\s+type\s*:\s*$PORT_ID_TYPE\s*$$
  ^\s*Port\s+ID\s+subtype\s*:\s*$PORT_ID_SUBTYPE\s*$$
  ^\s*Port\s+ID\s*:\s*$NEIGHBOR_PORT_ID\s*$$
  ^\s*Port\s+description\s*:\s*$NEIGHBOR_INTERFACE\s*$$
  ^\s*System\s+name\s*:\s*$NEIGHBOR_NAME\s*$$
  ^\s*System\s+description\s*:\s*$NEIGHBOR_DESCRIPTION\s*$$ -> Description
  ^\s*System\s+capabilities\s+supported\s*:\s*$SYSTEM_CAPABILITIES_SUPPORTED\s*$$
  ^\s*System\s+capabilities\s+enabled\s*:\s*$CAPABILITIES\s*$$
  ^\s*Management\s+address\s+type\s*:\s*$MGMT_ADDRESS_TYPE\s*$$
  ^\s*Management\s+address(?:\s+value)?\s*:\s*$MGMT_ADDRESS\s*$$
  ^\s*Expired\s+time\s*:\s*$EXPIRED_TIME
  ^\s*Port\s+VLAN\s+ID\s*\(PVID\)\s*:\s*$VLAN_ID\s*$$

Description
  ^\s*System\s+capabilities\s+supported\s*:\s*$SYSTEM_CAPABILITIES_SUPPORTED\s*$$ -> Start
  ^\s*System\s+capabilities\s+supported -> Start
  ^$NEIGHBOR_DESCRIPTION\s*$$
`,
  },
  {
    command: "d[[isplay]] lldp ne[[ighbor]] b[[rief]]",
    template: raw`Value Required LOCAL_INTERFACE (\S+\d)
Value NEIGHBOR_NAME (\S+)
Value NEIGHBOR_INTERFACE (\S.*?)
Value EXPIRED_TIME (\d+)

Start
  ^Local\s+Intf\s+Neighbor\s+Dev\s+Neighbor\s+Intf -> OldOrder
  ^Local\s+Interface\s+Exptime -> NewOrder

OldOrder
  ^$LOCAL_INTERFACE\s+$NEIGHBOR_NAME\s+$NEIGHBOR_INTERFACE\s+$EXPIRED_TIME\s*$$ -> Record

NewOrder
  ^$LOCAL_INTERFACE\s+$EXPIRED_TIME\s+$NEIGHBOR_INTERFACE\s+$NEIGHBOR_NAME\s*$$ -> Record

EOF
`,
  },
  {
    command: "d[[isplay]] arp( all)?",
    template: raw`Value Required IP_ADDRESS ([\d.]+)
Value MAC_ADDRESS (\w{4}-\w{4}-\w{4}|Incomplete)
Value EXPIRE (\d+)
Value TYPE (I\s+-|[DSOI]\S*)
Value INTERFACE (\S+)
Value VPN_INSTANCE (\S+)

Start
  ^$IP_ADDRESS\s+$MAC_ADDRESS\s+$EXPIRE\s+$TYPE\s+$INTERFACE(?:\s+$VPN_INSTANCE)?\s*$$ -> Record
  ^$IP_ADDRESS\s+$MAC_ADDRESS\s+$TYPE\s+$INTERFACE(?:\s+$VPN_INSTANCE)?\s*$$ -> Record
`,
  },
  {
    command: "d[[isplay]] arp b[[rief]]",
    template: raw`Value Required IP_ADDRESS ([\d.]+)
Value MAC_ADDRESS (\w{4}-\w{4}-\w{4}|Incomplete)
Value EXPIRE (\d+)
Value TYPE (I\s+-|[DSOI]\S*)
Value INTERFACE (\S+)
Value VLAN_ID (\S+/\S+)
Value PVC (\S+)

Start
  ^$IP_ADDRESS\s+$MAC_ADDRESS\s+(?:$EXPIRE\s+)?$TYPE\s+$INTERFACE(?:\s+$VLAN_ID)?(?:\s+$PVC)?\s*$$ -> Record
`,
  },
  {
    command: "d[[isplay]] mac-ad[[dress]]( .*)?",
    template: raw`Value Required DESTINATION_ADDRESS (\w{4}-\w{4}-\w{4})
Value DESTINATION_PORT ([A-Z]\S*)
Value TYPE (\w+)
Value VLAN_ID (\d+)

Start
  ^\s*$DESTINATION_ADDRESS\s+$VLAN_ID(?:/\S+)*\s+(?:-\s+)*$DESTINATION_PORT\s+$TYPE -> Record
`,
  },
  {
    command: "d[[isplay]] bgp pe[[er]]",
    template: raw`Value Required PEER ([\d.]+)
Value ASN ([\d.]+)
Value MSG_RCVD (\d+)
Value MSG_SENT (\d+)
Value OUT_Q (\d+)
Value UP_DOWN (\S+)
Value STATE (\S+)
Value PREF_RCVD (\d+)

Start
  ^\s*\*?$PEER\s+\d\s+$ASN\s+$MSG_RCVD\s+$MSG_SENT\s+$OUT_Q\s+$UP_DOWN\s+$STATE\s+$PREF_RCVD\s*$$ -> Record
`,
  },
  {
    command: "d[[isplay]] vl[[an]]",
    template: raw`Value Required VLAN_ID (\d+)
Value VLAN_TYPE (common|super|sub|mux\w*)
Value VLAN_STATUS (enable|disable)
Value VLAN_MAC_LEARNING (enable|disable)
Value VLAN_DESCRIPTION (\S.*?)
Value VLAN_PROPERTY (\S+)
Value VLAN_BROADCAST (\S+)
Value VLAN_MULTICAST (\S+)
Value VLAN_UNICAST (\S+)
Value VLAN_STATISTICS (enable|disable)

Start
  ^VID\s+(?:Type\s+)?Status\s -> Vlans

Vlans
  ^\s*$VLAN_ID\s+$VLAN_STATUS\s+$VLAN_PROPERTY\s+$VLAN_MAC_LEARNING\s+$VLAN_STATISTICS(?:\s+$VLAN_DESCRIPTION)?\s*$$ -> Record
  ^\s*$VLAN_ID\s+$VLAN_TYPE\s+$VLAN_STATUS\s+$VLAN_PROPERTY\s+$VLAN_MAC_LEARNING\s+$VLAN_STATISTICS\s+$VLAN_BROADCAST\s+$VLAN_MULTICAST\s+$VLAN_UNICAST(?:\s+$VLAN_DESCRIPTION)?\s*$$ -> Record
  ^\s*$VLAN_ID\s+$VLAN_TYPE\s+$VLAN_STATUS\s+$VLAN_MAC_LEARNING\s+$VLAN_BROADCAST\s+$VLAN_MULTICAST\s+$VLAN_UNICAST\s+$VLAN_PROPERTY\s*$$ -> Record

EOF
`,
  },
];
