/** Starter templates for Arista EOS. */
import type { StarterTemplate } from "./set.ts";

const raw = String.raw;

export const eos: readonly StarterTemplate[] = [
  {
    command: "sh[[ow]] ver[[sion]]",
    template: raw`Value MODEL (\S+)
Value HW_VERSION (\S*)
Value SERIAL_NUMBER (\S*)
Value SYS_MAC (\S+)
Value Required IMAGE (\S+)
Value TOTAL_MEMORY (\d+)
Value FREE_MEMORY (\d+)
Value UPTIME (.+?)

Start
  ^(?:Arista\s+)?$MODEL\s*$$
  ^Hardware\s+version:\s*$HW_VERSION\s*$$
  ^Serial\s+number:\s*$SERIAL_NUMBER\s*$$
  ^System\s+MAC\s+address:\s*$SYS_MAC\s*$$
  ^Software\s+image\s+version:\s*$IMAGE
  ^Uptime:\s+$UPTIME\s*$$
  ^Total\s+memory:\s+$TOTAL_MEMORY\s+kB
  ^Free\s+memory:\s+$FREE_MEMORY\s+kB
`,
  },
  {
    command: "sh[[ow]] int[[erfaces]]",
    template: raw`Value Required INTERFACE (\S+)
Value LINK_STATUS (.+?)
Value PROTOCOL_STATUS (.+?)
Value HARDWARE_TYPE ([^,]+?)
Value MAC_ADDRESS ([0-9a-fA-F.]+)
Value BIA ([0-9a-fA-F.]+)
Value DESCRIPTION (.+?)
Value IP_ADDRESS (\d\S*)
Value MTU (\d+)
Value BANDWIDTH (\d+\s*\w+)
Value LAST_LINK_FLAPPED (.+?)
Value LINK_STATUS_CHANGE (\d+)

Start
  ^\S+\s+is\s+.+,\s+line\s+protocol\s+is\s -> Continue.Record
  ^$INTERFACE\s+is\s+$LINK_STATUS,\s+line\s+protocol\s+is\s+$PROTOCOL_STATUS\s*$$
  ^\s+Hardware\s+is\s+$HARDWARE_TYPE(?:,\s+address\s+is\s+$MAC_ADDRESS(?:\s+\(bia\s+$BIA\))?)?\s*$$
  ^\s+Description:\s+$DESCRIPTION\s*$$
  ^\s+Internet\s+address\s+is\s+$IP_ADDRESS\s*$$
  ^\s+(?:IP|Ethernet)\s+MTU\s+$MTU\s+bytes(?:\s*,\s*BW\s+$BANDWIDTH)?
  ^\s+(?:Up|Down)\s+$LAST_LINK_FLAPPED\s*$$
  ^\s+$LINK_STATUS_CHANGE\s+link\s+status\s+changes
`,
  },
  {
    command: "sh[[ow]] int[[erfaces]] st[[atus]]",
    template: raw`Value Required PORT (\S+)
Value NAME (\S.*?)
Value STATUS (connected|notconnect|disabled|inactive|errdisabled)
Value VLAN_ID (\S+)
Value DUPLEX (\S+)
Value SPEED (\S+)
Value TYPE (.*?)
Value FLAGS ()

Start
  ^$PORT\s+$STATUS\s+(?:in\s+)?$VLAN_ID\s+$DUPLEX\s+$SPEED\s+$TYPE\s*$$ -> Record
  ^$PORT\s+$NAME\s+$STATUS\s+(?:in\s+)?$VLAN_ID\s+$DUPLEX\s+$SPEED\s+$TYPE\s*$$ -> Record
`,
  },
  {
    command: "sh[[ow]] ip i[[nterface]] b[[rief]]",
    template: raw`Value Required INTERFACE ([A-Z]\S*\d)
Value IP_ADDRESS (\S+)
Value STATUS (admin\s+down|\S+)
Value PROTOCOL (\S+)
Value MTU (\d+)

Start
  ^$INTERFACE\s+$IP_ADDRESS\s+$STATUS\s+$PROTOCOL\s+$MTU(?:\s.*)?$$ -> Record
`,
  },
  {
    command: "sh[[ow]] inv[[entory]]",
    template: raw`Value PORT (\d\S*)
Value PID (\S+)
Value SN (\S+)
Value DESCR (\S.*?)
Value VID (\S+)

Start
  ^System\s+information -> System
  ^System\s+has\s+\d+\s+power\s+supply -> Power
  ^System\s+has\s+\d+\s+fan -> Fans
  ^System\s+has\s+\d+\s+transceiver -> Transceivers

System
  ^System\s+has\s+\d+\s+power\s+supply -> Power
  ^System\s+has\s+\d+\s+fan -> Fans
  ^\s*(?:Model|HW)\s
  ^\s*-+
  ^\s*$VID\s+$SN\s+(?:\S+\s+)?\d{4}-\d\d-\d\d -> Record
  ^\s*$PID\s+$DESCR\s*$$

Power
  ^\s*$PORT\s+$PID\s+$SN\s*$$ -> Record
  ^System\s+has\s+\d+\s+fan -> Fans
  ^System\s+has\s+\d+\s+transceiver -> Transceivers

Fans
  ^\s*$PORT\s+\d+\s+$PID\s+$SN\s*$$ -> Record
  ^System\s+has\s+\d+\s+transceiver -> Transceivers

Transceivers
  ^\s*$PORT\s+$DESCR\s+$PID\s+$SN\s+$VID\s*$$ -> Record
  ^System\s+has -> Other

Other

EOF
`,
  },
  {
    command: "sh[[ow]] lldp ne[[ighbors]]",
    template: raw`Value Required NEIGHBOR_NAME (\S+)
Value LOCAL_INTERFACE ([A-Z][a-z]\S*)
Value NEIGHBOR_INTERFACE (\S.*?)

Start
  ^Port\s+Neighbor\s+Device\s+ID -> Neighbors

Neighbors
  ^$LOCAL_INTERFACE\s+$NEIGHBOR_NAME\s+$NEIGHBOR_INTERFACE\s+\d+\s*$$ -> Record

EOF
`,
  },
  {
    command: "sh[[ow]] lldp ne[[ighbors]] d[[etail]]",
    template: raw`Value NEIGHBOR_NAME ([^"]*)
Value CHASSIS_ID (\S+)
Value MGMT_ADDRESS (\S+)
Value NEIGHBOR_DESCRIPTION ([^"]*)
Value NEIGHBOR_INTERFACE ([^"]*?)
Value Filldown LOCAL_INTERFACE (\S+)
Value Filldown NEIGHBOR_COUNT (\d+)
Value Required AGE (.+?)

Start
  ^Interface\s+\S+\s+detected -> Continue.Record
  ^Interface\s+$LOCAL_INTERFACE\s+detected\s+$NEIGHBOR_COUNT\s+LLDP
  ^\s+Neighbor\s+\S+, -> Continue.Record
  ^\s+Neighbor\s+\S+,\s+age\s+$AGE\s*$$
  ^\s+Chassis\s+ID\s+:\s+$CHASSIS_ID\s*$$
  ^\s+Port\s+ID\s+:\s+"?$NEIGHBOR_INTERFACE"?\s*$$
  ^\s+-\s+System\s+Name:\s+"$NEIGHBOR_NAME"
  ^\s+-\s+System\s+Description:\s+"$NEIGHBOR_DESCRIPTION"?
  ^\s+Management\s+Address\s+:\s+$MGMT_ADDRESS\s*$$
`,
  },
  {
    command: "sh[[ow]] (ip )?ar[[p]]( .*)?",
    template: raw`Value Required IP_ADDRESS ([\d.]+)
Value AGE (\S+)
Value MAC_ADDRESS (\S+)
Value INTERFACE (\S.*?)
Value Filldown VRF (\S+)

Start
  ^VRF:\s+$VRF\s*$$
  ^$IP_ADDRESS\s+$AGE\s+$MAC_ADDRESS\s+$INTERFACE\s*$$ -> Record

EOF
`,
  },
  {
    command: "sh[[ow]] mac( |-)ad[[dress-table]]( .*)?",
    template: raw`Value VLAN_ID (\d+)
Value Required MAC_ADDRESS ([0-9a-fA-F]{4}\.[0-9a-fA-F]{4}\.[0-9a-fA-F]{4})
Value TYPE (\S+)
Value List DESTINATION_PORT ([A-Za-z][^,\s]*)
Value MOVES (\d+)
Value LAST_MOVE (\S.*?)

Start
  ^\s*$VLAN_ID\s+$MAC_ADDRESS\s+$TYPE\s+$DESTINATION_PORT(?:\s+$MOVES\s+$LAST_MOVE)?\s*$$ -> Record
  ^\s*$VLAN_ID\s+$MAC_ADDRESS\s+$TYPE\s+$DESTINATION_PORT -> Record
`,
  },
  {
    command: "sh[[ow]] (ip )?bg[[p]] su[[mmary]]( vrf \\S+)?",
    template: raw`Value Filldown ROUTER_ID (\S+)
Value Filldown LOCAL_AS (\S+)
Value Filldown VRF (\S+)
Value DESCRIPTION (\S.*?)
Value Required BGP_NEIGH ([\d.]+|[0-9a-fA-F:]+:[0-9a-fA-F:.]*)
Value NEIGH_AS ([\d.]+)
Value MSG_RCVD (\d+)
Value MSG_SENT (\d+)
Value IN_QUEUE (\d+)
Value OUT_QUEUE (\d+)
Value UP_DOWN (\S+)
Value STATE (\S+)
Value STATE_PFXRCD (\d*)
Value STATE_PFXACC (\d*)

Start
  ^BGP\s+summary\s+information\s+for\s+VRF\s+$VRF\s*$$
  ^Router\s+identifier\s+$ROUTER_ID,\s+local\s+AS\s+number\s+$LOCAL_AS\s*$$
  ^\s+$BGP_NEIGH\s+4\s+$NEIGH_AS\s+$MSG_RCVD\s+$MSG_SENT\s+$IN_QUEUE\s+$OUT_QUEUE\s+$UP_DOWN\s+$STATE(?:\s+$STATE_PFXRCD\s+$STATE_PFXACC)?\s*$$ -> Record
  ^\s+$DESCRIPTION\s+$BGP_NEIGH\s+4\s+$NEIGH_AS\s+$MSG_RCVD\s+$MSG_SENT\s+$IN_QUEUE\s+$OUT_QUEUE\s+$UP_DOWN\s+$STATE(?:\s+$STATE_PFXRCD\s+$STATE_PFXACC)?\s*$$ -> Record

EOF
`,
  },
  {
    command: "sh[[ow]] vl[[an]]( b[[rief]])?",
    template: raw`Value Required VLAN_ID (\d+)
Value VLAN_NAME (\S.*?)
Value STATUS (active|suspended)
Value List INTERFACES ([A-Z][\w/.-]*)

Start
  ^VLAN\s+Name\s+Status -> Vlans

Vlans
  ^\d+\*?\s -> Continue.Record
  ^$VLAN_ID\*?\s+$VLAN_NAME\s+$STATUS(?:\s|$$) -> Continue
  ^(?:\d+\*?\s.*?\s(?:active|suspended))?\s+$INTERFACES(?:,|\s|$$) -> Continue
  ^(?:\d+\*?\s.*?\s(?:active|suspended))?\s+(?:[A-Z][\w/.-]*,\s*){1}$INTERFACES(?:,|\s|$$) -> Continue
  ^(?:\d+\*?\s.*?\s(?:active|suspended))?\s+(?:[A-Z][\w/.-]*,\s*){2}$INTERFACES(?:,|\s|$$) -> Continue
  ^(?:\d+\*?\s.*?\s(?:active|suspended))?\s+(?:[A-Z][\w/.-]*,\s*){3}$INTERFACES(?:,|\s|$$) -> Continue
  ^(?:\d+\*?\s.*?\s(?:active|suspended))?\s+(?:[A-Z][\w/.-]*,\s*){4}$INTERFACES(?:,|\s|$$) -> Continue
  ^(?:\d+\*?\s.*?\s(?:active|suspended))?\s+(?:[A-Z][\w/.-]*,\s*){5}$INTERFACES(?:,|\s|$$) -> Continue
`,
  },
];
