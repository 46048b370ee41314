/** Starter templates for Cisco IOS XR. */
import type { StarterTemplate } from "./set.ts";

const raw = String.raw;

export const xr: readonly StarterTemplate[] = [
  {
    command: "sh[[ow]] ver[[sion]]",
    template: raw`Value Required VERSION (\S+?(?:\s+LNT)?)
Value UPTIME (.+?)
Value LOCATION (\S+)
Value HARDWARE (\S+|\S+\s+Series)
Value BUILD_HOST (\S+)
Value LABEL (\S+)

Start
  ^Cisco\s+IOS\s+XR\s+Software,\s+Version\s+$VERSION(?:\[.*)?\s*$$
  ^\s*Location\s+:\s+$LOCATION\s*$$
  ^\s*Buil[dt]\s+Host\s+:\s+$BUILD_HOST\s*$$
  ^\s*Label\s+:\s+$LABEL\s*$$
  ^cisco\s+$HARDWARE\s+\(.*\)\s+processor
  ^.*uptime\s+is\s+$UPTIME\s*$$
`,
  },
  {
    command: "sh[[ow]] int[[erfaces]]",
    template: raw`Value Required INTERFACE (\S+)
Value LINK_STATUS (.+?)
Value ADMIN_STATE (.+?)
Value HARDWARE_TYPE ([^,]+?)
Value MAC_ADDRESS ([0-9a-fA-F.]+)
Value BIA ([0-9a-fA-F.]+)
Value DESCRIPTION (.+?)
Value IP_ADDRESS (\S+)
Value MTU (\d+)
Value DUPLEX (\S+?)
Value SPEED (\S+?)
Value BANDWIDTH (\d+\s+\w+)
Value ENCAPSULATION ([^,]+?)
Value VLAN_ID (\d+)
Value LAST_INPUT (\S+)
Value LAST_OUTPUT (\S+)
Value INPUT_RATE (\d+)
Value OUTPUT_RATE (\d+)
Value INPUT_PPS (\d+)
Value OUTPUT_PPS (\d+)
Value INPUT_PACKETS (\d+)
Value OUTPUT_PACKETS (\d+)
Value RUNTS (\d+)
Value GIANTS (\d+)
Value INPUT_ERRORS (\d+)
Value CRC (\d+)
Value FRAME (\d+)
Value OVERRUN (\d+)
Value ABORT (\d+)
Value OUTPUT_ERRORS (\d+)

Start
  ^\S+\s+is\s+.+,\s+line\s+protocol\s+is\s -> Continue.Record
  ^$INTERFACE\s+is\s+$LINK_STATUS,\s+line\s+protocol\s+is\s+$ADMIN_STATE\s*$$
  ^\s+Hardware\s+is\s+$HARDWARE_TYPE(?:\s+interface(?:\(s\))?)?(?:,\s+address\s+is\s+$MAC_ADDRESS(?:\s+\(bia\s+$BIA\))?)?\s*$$
  ^\s+Description:\s+$DESCRIPTION\s*$$
  ^\s+Internet\s+address\s+is\s+$IP_ADDRESS\s*$$
  ^\s+MTU\s+$MTU\s+bytes,\s+BW\s+$BANDWIDTH
  ^\s+Encapsulation\s+$ENCAPSULATION,\s+VLAN\s+Id\s+$VLAN_ID
  ^\s+Encapsulation\s+$ENCAPSULATION(?:,.*)?\s*$$
  ^\s+$DUPLEX-duplex,\s+$SPEED(?:,.*)?\s*$$
  ^\s+Last\s+input\s+$LAST_INPUT,\s+output\s+$LAST_OUTPUT\s*$$
  ^\s+\d+\s+\w+\s+input\s+rate\s+$INPUT_RATE\s+\S+,\s+$INPUT_PPS\s
  ^\s+\d+\s+\w+\s+output\s+rate\s+$OUTPUT_RATE\s+\S+,\s+$OUTPUT_PPS\s
  ^\s+$INPUT_PACKETS\s+packets\s+input
  ^\s+$RUNTS\s+runts,\s+$GIANTS\s+giants
  ^\s+$INPUT_ERRORS\s+input\s+errors,\s+$CRC\s+CRC,\s+$FRAME\s+frame,\s+$OVERRUN\s+overrun,\s+\d+\s+ignored,\s+$ABORT\s+abort
  ^\s+$OUTPUT_PACKETS\s+packets\s+output
  ^\s+$OUTPUT_ERRORS\s+output\s+errors
`,
  },
  {
    command: "sh[[ow]] (ip|ipv4) (vrf \\S+ )?i[[nterface]] b[[rief]]",
    template: raw`Value Required INTERFACE ([A-Z]\S*)
Value IP_ADDRESS (unassigned|[\d.]+)
Value STATUS (\S+)
Value PROTO (\S+)
Value VRF (\S+)

Start
  ^$INTERFACE\s+$IP_ADDRESS\s+$STATUS\s+$PROTO(?:\s+$VRF)?\s*$$ -> Record
`,
  },
  {
    command: "(admin )?sh[[ow]] inv[[entory]]( all)?",
    template: raw`Value NAME (.*?)
Value DESCR (.*?)
Value PID ([^,]*?)
Value VID ([^,]*?)
Value SN (\S*)

Start
  ^\s*(?:NAME|Name):\s+"?$NAME"?\s*,?\s+(?:DESCR|Descr):\s+"?$DESCR"?\s*$$
  ^\s*PID:\s*$PID\s*,?\s*VID:\s*$VID\s*,?\s*SN:\s*$SN\s*$$ -> Record

EOF
`,
  },
  {
    command: "sh[[ow]] lldp n[[eighbors]]",
    template: raw`Value Required NEIGHBOR_NAME (\S+)
Value Required LOCAL_INTERFACE (\S+)
Value NEIGHBOR_INTERFACE (\S.*?)

Start
  ^Device\s+ID\s+Local\s+Intf -> Neighbors

Neighbors
  ^Total\s+entries -> End
  ^$NEIGHBOR_NAME\s+$LOCAL_INTERFACE\s+\d+\s+[A-Z](?:,[A-Z])*\s+$NEIGHBOR_INTERFACE\s*$$ -> Record
  ^$NEIGHBOR_NAME\s+$LOCAL_INTERFACE\s+\d+\s+(?:N/A\s+)?$NEIGHBOR_INTERFACE\s*$$ -> Record

EOF
`,
  },
  {
    command: "sh[[ow]] lldp n[[eighbors]] d[[etail]]",
    template: raw`Value Required LOCAL_INTERFACE (\S+)
Value CHASSIS_ID (\S+)
Value NEIGHBOR_PORT_DESCRIPTION (.*?)
Value NEIGHBOR_PORT_ID (\S.*?)
Value NEIGHBOR (.*?)
Value SYSTEM_DESCRIPTION (.*?)
Value CAPABILITIES (\S+)
Value MANAGEMENT_IP ([\d.]+)
Value MANAGEMENT_IPV6 (\S+)
Value MAC_ADDRESS (\S+)

Start
  ^Local\s+Interface: -> Continue.Record
  ^Local\s+Interface:\s+$LOCAL_INTERFACE\s*$$
  ^Chassis\s+id:\s+$CHASSIS_ID\s*$$
  ^Port\s+id:\s+$NEIGHBOR_PORT_ID\s*$$
  ^Port\s+Description:\s+$NEIGHBOR_PORT_DESCRIPTION\s*$$
  ^System\s+Name:\s+$NEIGHBOR\s*$$
  ^System\s+Description: -> Description
  ^Enabled\s+Capabilities:\s+$CAPABILITIES\s*$$
  ^\s+IPv4\s+address:\s+$MANAGEMENT_IP\s*$$
  ^\s+IPv6\s+address:\s+$MANAGEMENT_IPV6\s*$$
  ^Peer\s+MAC\s+Address:\s+$MAC_ADDRESS\s*$$

Description
  ^$SYSTEM_DESCRIPTION\s*$$ -> Start
`,
  },
  {
    command: "sh[[ow]] c[[dp]] n[[eighbors]]",
    template: raw`Value Required NEIGHBOR_NAME (\S+)
Value Required LOCAL_INTERFACE ([A-Za-z]+[\d/.]+)
Value CAPABILITIES ([A-Za-z](?:\s[A-Za-z])*)
Value PLATFORM (\S+)
Value NEIGHBOR_INTERFACE (\S.*?)

Start
  ^Device\s+ID\s+Local -> Neighbors

Neighbors
  ^$NEIGHBOR_NAME\s+$LOCAL_INTERFACE\s+\d+\s+$CAPABILITIES\s+$PLATFORM\s+$NEIGHBOR_INTERFACE\s*$$ -> Record
  ^$NEIGHBOR_NAME\s*$$
  ^\s+$LOCAL_INTERFACE\s+\d+\s+$CAPABILITIES\s+$PLATFORM\s+$NEIGHBOR_INTERFACE\s*$$ -> Record

EOF
`,
  },
  {
    command: "sh[[ow]] c[[dp]] n[[eighbors]] d[[etail]]",
    template: raw`Value Required CHASSIS_ID (\S+)
Value NEIGHBOR_NAME (\S+)
Value MGMT_ADDRESS (\S+)
Value PLATFORM (.*?)
Value NEIGHBOR_INTERFACE (\S.*?)
Value LOCAL_INTERFACE (\S+)
Value NEIGHBOR_DESCRIPTION (.*?)
Value CAPABILITIES (.*?)

Start
  ^Device\s+ID: -> Continue.Record
  ^Device\s+ID:\s*$CHASSIS_ID\s*$$
  ^SysName\s*:\s*$NEIGHBOR_NAME\s*$$
  ^\s+IPv4\s+address:\s+$MGMT_ADDRESS\s*$$
  ^Platform:\s+$PLATFORM\s*,\s+Capabilities:\s+$CAPABILITIES\s*$$
  ^Interface:\s+$LOCAL_INTERFACE\s*$$
  ^Port\s+ID\s+\(outgoing\s+port\):\s+$NEIGHBOR_INTERFACE\s*$$
  ^Version\s*: -> Version

Version
  ^$NEIGHBOR_DESCRIPTION\s*$$ -> Start
`,
  },
  {
    command: "sh[[ow]] ar[[p]]( .*)?",
    template: raw`Value Required IP_ADDRESS ([\d.]+)
Value AGE (\S+)
Value MAC_ADDRESS (\S+)
Value STATE (\S+)
Value TYPE (\S+)
Value INTERFACE (\S+)
Value Filldown CPU (\d+/\S+)

Start
  ^\s*$CPU\s*$$
  ^$IP_ADDRESS\s+$AGE\s+$MAC_ADDRESS\s+$STATE\s+$TYPE\s+$INTERFACE\s*$$ -> Record

EOF
`,
  },
  {
    command: "sh[[ow]] (ip )?bgp (ipv4 unicast )?su[[mmary]]",
    template: raw`Value Filldown ROUTER_ID (\S+)
Value Filldown LOCAL_AS (\S+)
Value Required BGP_NEIGH ([\d.]+|[0-9a-fA-F:]+:[0-9a-fA-F:.]*)
Value NEIGH_AS ([\d.]+)
Value MSG_RCVD (\d+)
Value MSG_SENT (\d+)
Value IN_QUEUE (\d+)
Value OUT_QUEUE (\d+)
Value UP_DOWN (\S+)
Value STATE_PFXRCD (\S+|\S+\s+\(\S+\))

Start
  ^BGP\s+router\s+identifier\s+$ROUTER_ID,\s+local\s+AS\s+number\s+$LOCAL_AS\s*$$
  ^$BGP_NEIGH\s+\d+\s+$NEIGH_AS\s+$MSG_RCVD\s+$MSG_SENT\s+\d+\s+$IN_QUEUE\s+$OUT_QUEUE\s+$UP_DOWN\s+$STATE_PFXRCD\s*$$ -> Record
  ^$BGP_NEIGH\s*$$
  ^\s+\d+\s+$NEIGH_AS\s+$MSG_RCVD\s+$MSG_SENT\s+\d+\s+$IN_QUEUE\s+$OUT_QUEUE\s+$UP_DOWN\s+$STATE_PFXRCD\s*$$ -> Record

EOF
`,
  },
];
