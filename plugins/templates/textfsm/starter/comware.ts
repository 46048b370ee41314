/** Starter templates for HPE Comware and H3C. */
import type { StarterTemplate } from "./set.ts";

const raw = String.raw;

export const comware: readonly StarterTemplate[] = [
  {
    command: "d[[isplay]] ver[[sion]]",
    template: raw`Value Required SOFTWARE_VERSION (\S+)
Value RELEASE (.+?)
Value MODEL (\S.*?)
Value UPTIME (.+?)
Value BOOT_IMAGE (\S+)
Value LAST_REBOOT_REASON (.+?)

Start
  ^.*Comware.*Software,\s+Version\s+$SOFTWARE_VERSION,\s+(?:Release|ESS|Feature|Alpha|Beta)\s+$RELEASE\s*$$
  ^Boot\s+image:\s+$BOOT_IMAGE\s*$$
  ^(?:HPE?|H3C)\s+$MODEL\s+uptime\s+is\s+$UPTIME\s*$$
  ^Last\s+reboot\s+reason\s*:\s+$LAST_REBOOT_REASON\s*$$
`,
  },
  {
    command: "d[[isplay]] int[[erface]]",
    template: raw`Value Required INTERFACE (\S+)
Value LINE_STATUS (.+?)
Value PROTOCOL_STATUS (.+?)
Value List IP_ADDRESS (\d\S+)
Value MTU (\d+)
Value L2MTU (\d+)
Value List HW_ADDRESS (\w{4}-\w{4}-\w{4})
Value DESCRIPTION (.+?)
Value BANDWIDTH (\d+\s*\w+)
Value DUPLEX (\w+-duplex)
Value SPEED (\w+-speed)
Value PORT_LINK_TYPE (\w+)
Value VLAN_NATIVE (\d+)
Value List VLAN_PASSING ([^,]+?)
Value List VLAN_PERMITTED ([^,]+?)

Start
  ^\s?[A-Z]\S*\d(?:\s+current\s+state\s*:.*)?\s*$$ -> Continue.Record
  ^\s?$INTERFACE\s+current\s+state\s*:\s*$LINE_STATUS\s*$$
  ^$INTERFACE\s*$$
  ^\s*Current\s+state:\s+$LINE_STATUS\s*$$
  ^\s*Line\s+protocol\s+(?:current\s+)?state\s*:\s*$PROTOCOL_STATUS\s*$$
  ^\s*Description:\s+$DESCRIPTION\s*$$
  ^\s*Bandwidth:\s+$BANDWIDTH\s*$$
  ^\s*(?:The\s+)?Maximum\s+(?:[Tt]ransmission\s+[Uu]nit|Transmit\s+Unit)(?:\s+is|\s*:)\s+$MTU
  ^\s*(?:The\s+)?Maximum\s+[Ff]rame\s+[Ll]ength(?:\s+is|\s*:)\s+$L2MTU
  ^\s*Internet\s+[Aa]ddress(?:\s+is|\s*:)\s+$IP_ADDRESS
  ^\s*IP(?:v6)?\s+(?:[Pp]acket\s+[Ff]rame\s+[Tt]ype|Sending\s+Frames).*?[Hh]ardware\s+[Aa]ddress(?:\s+is|\s*:)\s+$HW_ADDRESS
  ^\s*$SPEED\s+mode,\s+$DUPLEX\s+mode
  ^\s*PVID:\s+$VLAN_NATIVE\s*$$
  ^\s*Port\s+link-type:\s+$PORT_LINK_TYPE
  ^\s*VLAN\s+[Pp]assing\s*:\s+(?:[^,]+,\s*){0}$VLAN_PASSING\s*(?:,|$$) -> Continue
  ^\s*VLAN\s+[Pp]ermitted\s*:\s+(?:[^,]+,\s*){0}$VLAN_PERMITTED\s*(?:,|$$) -> Continue
  ^\s*VLAN\s+[Pp]assing\s*:\s+(?:[^,]+,\s*){1}$VLAN_PASSING\s*(?:,|$$) -> Continue
  ^\s*VLAN\s+[Pp]ermitted\s*:\s+(?:[^,]+,\s*){1}$VLAN_PERMITTED\s*(?:,|$$) -> Continue
  ^\s*VLAN\s+[Pp]assing\s*:\s+(?:[^,]+,\s*){2}$VLAN_PASSING\s*(?:,|$$) -> Continue
  ^\s*VLAN\s+[Pp]ermitted\s*:\s+(?:[^,]+,\s*){2}$VLAN_PERMITTED\s*(?:,|$$) -> Continue
  ^\s*VLAN\s+[Pp]assing\s*:\s+(?:[^,]+,\s*){3}$VLAN_PASSING\s*(?:,|$$) -> Continue
  ^\s*VLAN\s+[Pp]ermitted\s*:\s+(?:[^,]+,\s*){3}$VLAN_PERMITTED\s*(?:,|$$) -> Continue
  ^\s*VLAN\s+[Pp]assing\s*:\s+(?:[^,]+,\s*){4}$VLAN_PASSING\s*(?:,|$$) -> Continue
  ^\s*VLAN\s+[Pp]ermitted\s*:\s+(?:[^,]+,\s*){4}$VLAN_PERMITTED\s*(?:,|$$) -> Continue
  ^\s*VLAN\s+[Pp]assing\s*:\s+(?:[^,]+,\s*){5}$VLAN_PASSING\s*(?:,|$$) -> Continue
  ^\s*VLAN\s+[Pp]ermitted\s*:\s+(?:[^,]+,\s*){5}$VLAN_PERMITTED\s*(?:,|$$) -> Continue
  ^\s*VLAN\s+[Pp]assing\s*:\s+(?:[^,]+,\s*){6}$VLAN_PASSING\s*(?:,|$$) -> Continue
  ^\s*VLAN\s+[Pp]ermitted\s*:\s+(?:[^,]+,\s*){6}$VLAN_PERMITTED\s*(?:,|$$) -> Continue
  ^\s*VLAN\s+[Pp]assing\s*:\s+(?:[^,]+,\s*){7}$VLAN_PASSING\s*(?:,|$$) -> Continue
  ^\s*VLAN\s+[Pp]ermitted\s*:\s+(?:[^,]+,\s*){7}$VLAN_PERMITTED\s*(?:,|$$) -> Continue
  ^\s*VLAN\s+[Pp]assing\s*:\s+(?:[^,]+,\s*){8}$VLAN_PASSING\s*(?:,|$$) -> Continue
  ^\s*VLAN\s+[Pp]ermitted\s*:\s+(?:[^,]+,\s*){8}$VLAN_PERMITTED\s*(?:,|$$) -> Continue
  ^\s*VLAN\s+[Pp]assing\s*:\s+(?:[^,]+,\s*){9}$VLAN_PASSING\s*(?:,|$$) -> Continue
  ^\s*VLAN\s+[Pp]ermitted\s*:\s+(?:[^,]+,\s*){9}$VLAN_PERMITTED\s*(?:,|$$) -> Continue
`,
  },
  {
    command: "d[[isplay]] int[[erface]] b[[rief]]",
    template: raw`Value Required INTERFACE ([A-Z]\S*\d)
Value LINK (UP|DOWN|ADM|Stby)
Value PROTOCOL (\S+)
Value MAIN_IP (\S+)
Value SPEED (\S+)
Value DUPLEX (\S+)
Value TYPE ([ATH])
Value VLAN_ID (\d+|--)
Value DESCRIPTION (.+?)

Start
  ^.*(?:under|in)\s+route\s+mode -> Route
  ^.*(?:under|in)\s+bridge\s+mode -> Bridge

Route
  ^.*(?:under|in)\s+bridge\s+mode -> Bridge
  ^$INTERFACE\s+$LINK\s+$PROTOCOL\s+$MAIN_IP(?:\s+$DESCRIPTION)?\s*$$ -> Record

Bridge
  ^.*(?:under|in)\s+route\s+mode -> Route
  ^$INTERFACE\s+$LINK\s+$SPEED\s+$DUPLEX\s+$TYPE\s+$VLAN_ID(?:\s+$DESCRIPTION)?\s*$$ -> Record

EOF
`,
  },
  {
    command: "d[[isplay]] ip int[[erface]]",
    template: raw`Value Required INTERFACE (\S+)
Value LINE_STATUS (.+?)
Value PROTOCOL_STATUS (.+?)
Value ROUTE_MAP (\S+)
Value List IP_ADDRESS (\S+)
Value MTU (\d+)

Start
  ^\S+\s+current\s+state\s*: -> Continue.Record
  ^$INTERFACE\s+current\s+state\s*:\s*$LINE_STATUS\s*$$
  ^Line\s+protocol\s+current\s+state\s*:\s*$PROTOCOL_STATUS\s*$$
  ^Internet\s+[Aa]ddress\s+is\s+$IP_ADDRESS
  ^The\s+Maximum\s+Transmit\s+Unit\s*:\s+$MTU
  ^Policy\s+routing\s+is\s+enabled,\s+using\s+route\s+map\s+$ROUTE_MAP\s*$$
`,
  },
  {
    command: "d[[isplay]] ip int[[erface]] b[[rief]]",
    template: raw`Value Required INTERFACE (\S+)
Value LINK (\*?\w+)
Value PROTOCOL (\w+(?:\(s\))?)
Value IP_ADDRESS (\S+)
Value DESCRIPTION (.+?)

Start
  ^Interface\s+Physical\s+Protocol -> Interfaces

Interfaces
  ^$INTERFACE\s+$LINK\s+$PROTOCOL\s+$IP_ADDRESS(?:\s+$DESCRIPTION)?\s*$$ -> Record

EOF
`,
  },
  {
    command: "d[[isplay]] dev[[ice]] man[[uinfo]]",
    template: raw`Value Filldown CHASSIS_ID (\d+)
Value SLOT_TYPE ([A-Za-z]+)
Value SLOT_ID (\S+?)
Value DEVICE_NAME (\S.*?)
Value DEVICE_SERIAL_NUMBER (\S*)
Value MANUFACTURING_DATE (\S+)
Value VENDOR_NAME (\S.*?)
Value MAC_ADDRESS (\S+)

Start
  ^\s*(?:Chassis\s+\d+\s+)?(?:[Ss]lot|[Ss]ubslot|[Ff]an|[Pp]ower)\s+\S.*:\s*$$ -> Continue.Record
  ^\s*Chassis\s+$CHASSIS_ID\s*:\s*$$
  ^\s*(?:Chassis\s+$CHASSIS_ID\s+)?$SLOT_TYPE\s+$SLOT_ID(?:\s+CPU\s+\d+)?\s*:\s*$$ -> Slot
  ^\s*DEVICE_NAME\s*: -> Continue.Record
  ^\s*DEVICE_NAME\s*:\s*$DEVICE_NAME\s*$$
  ^\s*DEVICE_SERIAL_NUMBER\s*:\s*$DEVICE_SERIAL_NUMBER\s*$$
  ^\s*MAC_ADDRESS\s*:\s*$MAC_ADDRESS\s*$$
  ^\s*MANUFACTURING_DATE\s*:\s*$MANUFACTURING_DATE\s*$$
  ^\s*VENDOR_NAME\s*:\s*$VENDOR_NAME\s*$$

Slot
  ^\s*(?:Chassis\s+\d+\s+)?(?:[Ss]lot|[Ss]ubslot|[Ff]an|[Pp]ower)\s+\S.*:\s*$$ -> Continue.Record
  ^\s*Chassis\s+$CHASSIS_ID\s*:\s*$$
  ^\s*(?:Chassis\s+$CHASSIS_ID\s+)?$SLOT_TYPE\s+$SLOT_ID(?:\s+CPU\s+\d+)?\s*:\s*$$
  ^\s*DEVICE_NAME\s*:\s*$DEVICE_NAME\s*$$ -> Start
`,
  },
  {
    command: "d[[isplay]] lldp n[[eighbor-information]] l[[ist]]",
    template: raw`Value LOCAL_INTERFACE (\S+\d)
Value CHASSIS_ID (\S+)
Value NEIGHBOR_INTERFACE (\S.*?)
Value Required NEIGHBOR_NAME (\S+)

Start
  ^System\s+Name\s+Local\s+Interface -> ByName
  ^Local\s+Interface\s+Chassis -> ByInterface

ByName
  ^$NEIGHBOR_NAME\s+$LOCAL_INTERFACE\s+$CHASSIS_ID\s+$NEIGHBOR_INTERFACE\s*$$ -> Record

ByInterface
  ^$LOCAL_INTERFACE\s+$CHASSIS_ID\s+$NEIGHBOR_INTERFACE\s{2,}$NEIGHBOR_NAME\s*$$ -> Record

EOF
`,
  },
  {
    command: "d[[isplay]] lldp n[[eighbor-information]]( v[[erbose]])?",
    template: raw`Value Required LOCAL_INTERFACE (\S+?)
Value CHASSIS_ID (\S+)
Value NEIGHBOR_INTERFACE (\S.*?)
Value NEIGHBOR_INTERFACE_DESCRIPTION (\S.*?)
Value NEIGHBOR_NAME (\S.*?)
Value MGMT_ADDRESS (\S+)
Value VLAN_ID (\d+)

Start
  ^LLDP\s+neighbor-information\s+of\s+port -> Continue.Record
  ^LLDP\s+neighbor-information\s+of\s+port\s+\d+\s*\[$LOCAL_INTERFACE\]
  ^\s*Chassis\s+ID\s*:\s+$CHASSIS_ID\s*$$
  ^\s*Port\s+ID\s*:\s+$NEIGHBOR_INTERFACE\s*$$
  ^\s*Port\s+description\s*:\s+$NEIGHBOR_INTERFACE_DESCRIPTION\s*$$
  ^\s*System\s+name\s*:\s+$NEIGHBOR_NAME\s*$$
  ^\s*Management\s+address\s*:\s+$MGMT_ADDRESS\s*$$
  ^\s*Port\s+VLAN\s+ID.*:\s+$VLAN_ID\s*$$
`,
  },
  {
    command: "d[[isplay]] arp( all)?",
    template: raw`Value Required IP_ADDRESS ([\d.]+)
Value MAC_ADDRESS (\w{4}-\w{4}-\w{4})
Value VLAN_ID (\S+)
Value INTERFACE (\S+)
Value AGING (\S+)
Value TYPE (\S+)

Start
  ^$IP_ADDRESS\s+$MAC_ADDRESS\s+$VLAN_ID\s+$INTERFACE\s+$AGING\s+$TYPE\s*$$ -> Record
`,
  },
  {
    command: "d[[isplay]] mac-ad[[dress]]( .*)?",
    template: raw`Value Required MAC_ADDRESS (\w{4}-\w{4}-\w{4})
Value VLAN_ID (\d+)
Value STATE (\S.*?)
Value INTERFACE (\S+)
Value AGING (\S+)

Start
  ^\s*$MAC_ADDRESS\s+$VLAN_ID\s+$STATE\s+$INTERFACE\s+$AGING\s*$$ -> Record
`,
  },
  {
    command: "d[[isplay]] bgp pe[[er]] ipv4( unicast)?( .*)?",
    template: raw`Value Filldown LOCAL_ROUTER_ID (\S+)
Value Filldown LOCAL_AS_NUMBER (\S+)
Value Required PEER ([\d.]+)
Value REMOTE_ASN ([\d.]+)
Value MESSAGES_RECEIVED (\d+)
Value MESSAGES_SENT (\d+)
Value OUTPUT_QUEUE (\d+)
Value PREFIXES_RECEIVED (\d+)
Value UP_DOWN (\S+)
Value STATE (\S+)

Start
  ^\s*BGP\s+local\s+router\s+ID\s*:\s+$LOCAL_ROUTER_ID\s*$$
  ^\s*Local\s+AS\s+number\s*:\s+$LOCAL_AS_NUMBER\s*$$
  ^\s*\*?$PEER\s+$REMOTE_ASN\s+$MESSAGES_RECEIVED\s+$MESSAGES_SENT\s+$OUTPUT_QUEUE\s+$PREFIXES_RECEIVED\s+$UP_DOWN\s+$STATE\s*$$ -> Record

EOF
`,
  },
  {
    command: "d[[isplay]] vl[[an]] a[[ll]]",
    template: raw`Value Required VLAN_ID (\d+)
Value VLAN_NAME (\S.*?)
Value DESCRIPTION (\S.*?)
Value TYPE (\S+)
Value ROUTE_INTERFACE (\S.*?)
Value IPV4_ADDRESS (\S+)
Value IPV4_SUBNET (\S+)

Start
  ^\s*VLAN\s+ID\s*: -> Continue.Record
  ^\s*VLAN\s+ID\s*:\s+$VLAN_ID\s*$$
  ^\s*VLAN\s+[Tt]ype\s*:\s+$TYPE\s*$$
  ^\s*Route\s+[Ii]nterface\s*:\s+$ROUTE_INTERFACE\s*$$
  ^\s*I[Pp](?:v4)?\s+[Aa]ddress\s*:\s+$IPV4_ADDRESS\s*$$
  ^\s*(?:IPv4\s+)?[Ss]ubnet\s+[Mm]ask\s*:\s+$IPV4_SUBNET\s*$$
  ^\s*Description\s*:\s+$DESCRIPTION\s*$$
  ^\s*Name\s*:\s+$VLAN_NAME\s*$$
`,
  },
  {
    command: "d[[isplay]] vl[[an]] b[[rief]]",
    template: raw`Value Required VLAN_ID (\d+)
Value VLAN_NAME (\S.*?)

Start
  ^VLAN\s+ID\s+Name -> Vlans

Vlans
  ^$VLAN_ID\s+$VLAN_NAME(?:\s{2,}\S.*)?\s*$$ -> Record

EOF
`,
  },
];
