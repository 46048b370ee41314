/** Starter templates for Cisco NX-OS. */
import type { StarterTemplate } from "./set.ts";

const raw = String.raw;

export const nxos: readonly StarterTemplate[] = [
  {
    command: "sh[[ow]] ver[[sion]]",
    template: raw`Value UPTIME (.+?)
Value LAST_REBOOT_REASON (.+?)
Value BIOS (\S+)
Value Required OS (.+?)
Value BOOT_IMAGE (\S+)
Value PLATFORM (\S.*?)
Value HOSTNAME (\S+)
Value SERIAL (\w+)

Start
  ^\s+BIOS:\s+version\s+$BIOS\s*$$
  ^\s+(?:NXOS|system):\s+version\s+$OS\s*$$
  ^\s+(?:NXOS|kickstart)\s+image\s+file\s+is:\s+$BOOT_IMAGE\s*$$
  ^\s+cisco\s+(?:Nexus\s*\d*\s+)?$PLATFORM(?:\s+(?:\(.*\)\s*)?[Cc]hassis.*|\s+\(.*\).*)?\s*$$
  ^\s+Processor\s+Board\s+ID\s+$SERIAL
  ^\s+Device\s+name:\s+$HOSTNAME\s*$$
  ^Kernel\s+uptime\s+is\s+$UPTIME\s*$$
  ^\s+Reason:\s+$LAST_REBOOT_REASON\s*$$
`,
  },
  {
    command: "sh[[ow]] int[[erface]]",
    template: raw`Value Required INTERFACE (\S+)
Value LINK_STATUS (.+?)
Value ADMIN_STATE (\w+(?:,\s+autostate\s+\w+)?)
Value HARDWARE_TYPE (.+?)
Value MAC_ADDRESS ([0-9a-fA-F.]+)
Value BIA ([0-9a-fA-F.]+)
Value DESCRIPTION (.+?)
Value IP_ADDRESS ([\d.]+)
Value PREFIX_LENGTH (\d+)
Value MTU (\d+)
Value MODE (\S+)
Value DUPLEX (\w+-duplex)
Value SPEED (.+?)
Value INPUT_PACKETS (\d+)
Value OUTPUT_PACKETS (\d+)
Value INPUT_ERRORS (\d+)
Value OUTPUT_ERRORS (\d+)
Value BANDWIDTH (\d+\s+\w+)
Value DELAY (\d+\s+\w+)
Value ENCAPSULATION (802\.1Q|\w+)
Value LAST_LINK_FLAPPED (.+?)
Value VLAN_ID (\d+)
Value RUNTS (\d+)
Value GIANTS (\d+)
Value CRC (\d+)

Start
  ^\S+\s+is\s+(?:up|down|admin) -> Continue.Record
  ^$INTERFACE\s+is\s+$LINK_STATUS,\s+line\s+protocol\s+is\s+$ADMIN_STATE(?:,.*)?\s*$$
  ^$INTERFACE\s+is\s+$LINK_STATUS\s*$$
  ^admin\s+state\s+is\s+$ADMIN_STATE(?:,.*)?\s*$$
  ^\s+Hardware(?:\s+is|:)\s+$HARDWARE_TYPE,\s+address(?:\s+is|:)\s+$MAC_ADDRESS(?:\s+\(bia\s+$BIA\))?\s*$$
  ^\s+Hardware(?:\s+is|:)\s+$HARDWARE_TYPE\s*$$
  ^\s+(?:Description:|Port\s+description\s+is)\s+$DESCRIPTION\s*$$
  ^\s+Internet\s+Address\s+is\s+$IP_ADDRESS/$PREFIX_LENGTH
  ^\s+MTU\s+$MTU\s+bytes,\s+BW\s+$BANDWIDTH\s*,\s*(?:,\s*)?DLY\s+$DELAY
  ^\s+MTU\s+$MTU\s+bytes,\s+BW\s+$BANDWIDTH
  ^\s+Encapsulation\s+$ENCAPSULATION.*Vlan\s+ID\s+$VLAN_ID
  ^\s+Encapsulation\s+$ENCAPSULATION
  ^\s+Port\s+mode\s+is\s+$MODE\s*$$
  ^\s+$DUPLEX,\s+$SPEED(?:,\s+media.*)?\s*$$
  ^\s+Last\s+link\s+flapped\s+$LAST_LINK_FLAPPED\s*$$
  ^\s+$INPUT_PACKETS\s+input\s+packets
  ^\s+$RUNTS\s+runts\s+$GIANTS\s+giants\s+$CRC\s+CRC
  ^\s+$INPUT_ERRORS\s+input\s+error
  ^\s+$OUTPUT_PACKETS\s+output\s+packets
  ^\s+$OUTPUT_ERRORS\s+output\s+error
`,
  },
  {
    command: "sh[[ow]] int[[erface]] st[[atus]]",
    template: raw`Value Required PORT (\S+)
Value NAME (\S.*?)
Value STATUS (connected|notconnec\w*|disabled|down|up|xcvrAbsen\w*|sfpAbsent|noOperMem\w*|linkFlapE|errDisabl\w*|inactive|suspended)
Value VLAN_ID (\d+|trunk|routed|f-path|--)
Value DUPLEX (\S+)
Value SPEED (\S+)
Value TYPE (.*?)

Start
  ^$PORT\s+$NAME\s+$STATUS\s+$VLAN_ID\s+$DUPLEX\s+$SPEED(?:\s+$TYPE)?\s*$$ -> Record
`,
  },
  {
    command: "sh[[ow]] ip i[[nterface]] b[[rief]]( vrf .*)?",
    template: raw`Value Filldown VRF (\S+)
Value Required INTERFACE (\S+)
Value IP_ADDRESS (\S.*?)
Value STATUS (admin-\w+)
Value LINK (link-\w+)
Value PROTO (protocol-\w+)

Start
  ^IP\s+Interface\s+Status\s+for\s+VRF\s+"$VRF"
  ^$INTERFACE\s+$IP_ADDRESS\s+$PROTO/$LINK/$STATUS\s*$$ -> Record

EOF
`,
  },
  {
    command: "sh[[ow]] inv[[entory]]",
    template: raw`Value NAME (.*?)
Value DESCR (.*?)
Value PID ([^,]*?)
Value VID ([^,]*?)
Value SN (\S*)

Start
  ^NAME:\s+"?$NAME"?\s*,\s+DESCR:\s+"?$DESCR"?\s*$$
  ^PID:\s*$PID\s*,\s*VID:\s*$VID\s*,\s*SN:\s*$SN\s*$$ -> Record

EOF
`,
  },
  {
    command: "sh[[ow]] lldp n[[eighbors]]",
    template: raw`Value Required NEIGHBOR_NAME (\S+)
Value Required LOCAL_INTERFACE (\S+)
Value CAPABILITIES ([A-Z]+)
Value NEIGHBOR_INTERFACE (\S.*?)

Start
  ^Device\s+ID\s+Local\s+Intf -> Neighbors

Neighbors
  ^Total\s+entries -> End
  ^$NEIGHBOR_NAME\s+$LOCAL_INTERFACE\s+\d+\s+$CAPABILITIES\s+$NEIGHBOR_INTERFACE\s*$$ -> Record
  ^$NEIGHBOR_NAME\s+$LOCAL_INTERFACE\s+\d+\s+$NEIGHBOR_INTERFACE\s*$$ -> Record
  ^$NEIGHBOR_NAME\s*$$
  ^\s+$LOCAL_INTERFACE\s+\d+\s+$CAPABILITIES\s+$NEIGHBOR_INTERFACE\s*$$ -> Record
  ^\s+$LOCAL_INTERFACE\s+\d+\s+$NEIGHBOR_INTERFACE\s*$$ -> Record

EOF
`,
  },
  {
    command: "sh[[ow]] lldp n[[eighbors]] d[[etail]]",
    template: raw`Value NEIGHBOR_NAME (.*?)
Value Required LOCAL_INTERFACE (\S+)
Value NEIGHBOR_INTERFACE (\S.*?)
Value CHASSIS_ID (\S+)
Value MGMT_ADDRESS (\d\S*)
Value NEIGHBOR_DESCRIPTION (.*?)
Value CAPABILITIES (\S.*?)
Value VLAN_ID (\d+)

Start
  ^Chassis\s+id: -> Continue.Record
  ^Chassis\s+id:\s+$CHASSIS_ID\s*$$
  ^Port\s+id:\s+$NEIGHBOR_INTERFACE\s*$$
  ^Local\s+Port\s+id:\s+$LOCAL_INTERFACE\s*$$
  ^System\s+Name:\s+$NEIGHBOR_NAME\s*$$
  ^System\s+Description:\s+$NEIGHBOR_DESCRIPTION\s*$$
  ^Enabled\s+Capabilities:\s+$CAPABILITIES\s*$$
  ^Management\s+Address:\s+$MGMT_ADDRESS\s*$$
  ^Vlan\s+ID:\s+$VLAN_ID\s*$$
`,
  },
  {
    command: "sh[[ow]] c[[dp]] n[[eighbors]]",
    template: raw`Value Required NEIGHBOR_NAME (\S+)
Value Required LOCAL_INTERFACE ([A-Za-z]+[\d/.]+)
Value HOLDTIME (\d+)
Value CAPABILITIES ([A-Za-z](?:\s[A-Za-z])*)
Value PLATFORM (\S+)
Value NEIGHBOR_INTERFACE (\S+)

Start
  ^Device-ID\s+Local -> Neighbors

Neighbors
  ^Total\s+entries -> End
  ^$NEIGHBOR_NAME\s+$LOCAL_INTERFACE\s+$HOLDTIME\s+$CAPABILITIES\s+$PLATFORM\s+$NEIGHBOR_INTERFACE\s*$$ -> Record
  ^$NEIGHBOR_NAME\s*$$
  ^\s+$LOCAL_INTERFACE\s+$HOLDTIME\s+$CAPABILITIES\s+$PLATFORM\s+$NEIGHBOR_INTERFACE\s*$$ -> Record

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
Value INTERFACE_IP (\S+)
Value CAPABILITIES (.*?)

Start
  ^Device\s+ID: -> Continue.Record
  ^Device\s+ID:\s*$CHASSIS_ID\s*$$
  ^System\s+Name:\s+$NEIGHBOR_NAME\s*$$
  ^Interface\s+address -> InterfaceAddress
  ^Mgmt\s+address -> ManagementAddress
  ^Platform:\s+$PLATFORM\s*,\s+Capabilities:\s+$CAPABILITIES\s*$$
  ^Interface:\s+$LOCAL_INTERFACE,\s+Port\s+ID\s+\(outgoing\s+port\):\s+$NEIGHBOR_INTERFACE\s*$$
  ^Version: -> Version

InterfaceAddress
  ^\s+IPv[46]\s+[Aa]ddress:\s+$INTERFACE_IP\s*$$ -> Start
  ^\S -> Start

ManagementAddress
  ^\s+IPv[46]\s+[Aa]ddress:\s+$MGMT_ADDRESS\s*$$ -> Start
  ^Device\s+ID: -> Continue.Record
  ^Device\s+ID:\s*$CHASSIS_ID\s*$$ -> Start

Version
  ^$NEIGHBOR_DESCRIPTION\s*$$ -> Start
`,
  },
  {
    command: "sh[[ow]] ip ar[[p]]( vrf \\S+)?",
    template: raw`Value Required IP_ADDRESS ([\d.]+)
Value AGE (\S+)
Value MAC_ADDRESS (\S+)
Value INTERFACE (\S+)

Start
  ^$IP_ADDRESS\s+$AGE\s+$MAC_ADDRESS\s+$INTERFACE(?:\s+\S)?\s*$$ -> Record
`,
  },
  {
    command: "sh[[ow]] ip ar[[p]] de[[tail]]( vrf \\S+)?",
    template: raw`Value Required IP_ADDRESS ([\d.]+)
Value AGE (\S+)
Value MAC_ADDRESS (\S+)
Value INTERFACE (\S+)
Value PHYSICAL_INTERFACE (\S+)

Start
  ^$IP_ADDRESS\s+$AGE\s+$MAC_ADDRESS\s+$INTERFACE\s+$PHYSICAL_INTERFACE(?:\s+\S+)*\s*$$ -> Record
`,
  },
  {
    command: "sh[[ow]] m[[ac]] a[[ddress-table]]( .*)?",
    template: raw`Value VLAN_ID (\d+|-)
Value Required MAC_ADDRESS ([0-9a-fA-F]{4}\.[0-9a-fA-F]{4}\.[0-9a-fA-F]{4})
Value TYPE (\w+)
Value AGE (\S+)
Value SECURE (\S)
Value NTFY (\S)
Value PORTS (\S.*?)

Start
  ^[*+GOCR\s(T)]*$VLAN_ID\s+$MAC_ADDRESS\s+$TYPE\s+$AGE\s+$SECURE\s+$NTFY\s+$PORTS\s*$$ -> Record
`,
  },
  {
    command: "sh[[ow]] (ip )?b[[gp]] s[[ummary]]( vrf \\S+)?",
    template: raw`Value Filldown VRF (\S+)
Value Filldown ADDRESS_FAMILY (\S.*?)
Value Filldown ROUTER_ID (\S+)
Value Filldown LOCAL_AS (\S+)
Value Required BGP_NEIGH ([\d.]+|[0-9a-fA-F:]+:[0-9a-fA-F:.]*)
Value BGP_VER (\d+)
Value NEIGH_AS ([\d.]+)
Value MSG_RCVD (\d+)
Value MSG_SENT (\d+)
Value TBLVER (\d+)
Value IN_QUEUE (\d+)
Value OUT_QUEUE (\d+)
Value UP_DOWN (\S+)
Value STATE_PFXRCD (\S+|\S+\s+\(\S+\))

Start
  ^BGP\s+summary\s+information\s+for\s+VRF\s+$VRF,\s+address\s+family\s+$ADDRESS_FAMILY\s*$$
  ^BGP\s+router\s+identifier\s+$ROUTER_ID,\s+local\s+AS\s+number\s+$LOCAL_AS\s*$$
  ^$BGP_NEIGH\s+$BGP_VER\s+$NEIGH_AS\s+$MSG_RCVD\s+$MSG_SENT\s+$TBLVER\s+$IN_QUEUE\s+$OUT_QUEUE\s+$UP_DOWN\s+$STATE_PFXRCD\s*$$ -> Record
  ^$BGP_NEIGH\s*$$
  ^\s+$BGP_VER\s+$NEIGH_AS\s+$MSG_RCVD\s+$MSG_SENT\s+$TBLVER\s+$IN_QUEUE\s+$OUT_QUEUE\s+$UP_DOWN\s+$STATE_PFXRCD\s*$$ -> Record

EOF
`,
  },
  {
    command: "sh[[ow]] vl[[an]]( b[[rief]])?",
    template: raw`Value Required VLAN_ID (\d+)
Value VLAN_NAME (\S.*?)
Value STATUS (active|suspended|act/lshut|sus/lshut|act/ishut|sus/ishut)
Value List INTERFACES ([A-Za-z][\w/.-]*\d)

Start
  ^VLAN\s+Name\s+Status -> Vlans

Vlans
  ^VLAN\s+Type\s -> Record Rest
  ^\d+\s -> Continue.Record
  ^$VLAN_ID\s+$VLAN_NAME\s+$STATUS(?:\s|$$) -> Continue
  ^(?:\d+\s.*?\s(?:active|suspended|\w+/[li]shut))?\s+$INTERFACES(?:,|\s|$$) -> Continue
  ^(?:\d+\s.*?\s(?:active|suspended|\w+/[li]shut))?\s+(?:[A-Za-z][\w/.-]*\d,\s*){1}$INTERFACES(?:,|\s|$$) -> Continue
  ^(?:\d+\s.*?\s(?:active|suspended|\w+/[li]shut))?\s+(?:[A-Za-z][\w/.-]*\d,\s*){2}$INTERFACES(?:,|\s|$$) -> Continue
  ^(?:\d+\s.*?\s(?:active|suspended|\w+/[li]shut))?\s+(?:[A-Za-z][\w/.-]*\d,\s*){3}$INTERFACES(?:,|\s|$$) -> Continue
  ^(?:\d+\s.*?\s(?:active|suspended|\w+/[li]shut))?\s+(?:[A-Za-z][\w/.-]*\d,\s*){4}$INTERFACES(?:,|\s|$$) -> Continue

Rest
`,
  },
];
