/** Cisco IOS: who is at the other end, by LLDP and CDP. */
import type { StarterTemplate } from "./set.ts";

const raw = String.raw;

export const neighbors: readonly StarterTemplate[] = [
  {
    command: "sh[[ow]] lldp n[[eighbors]]",
    template: raw`Value Required NEIGHBOR_NAME (\S{20}|\S.*?)
Value Required LOCAL_INTERFACE ([A-Za-z]{2,}[\d/.]+|[A-Za-z]+\S*\d)
Value CAPABILITIES ([A-Z](?:,[A-Z])*)
Value NEIGHBOR_INTERFACE (\S.*?)

Start
  ^Device\s+ID\s+Local\s+Intf -> Neighbors

Neighbors
  ^Total\s+entries -> End
  ^$NEIGHBOR_NAME\s+$LOCAL_INTERFACE\s+\d+\s+$CAPABILITIES\s+$NEIGHBOR_INTERFACE\s*$$ -> Record
  ^$NEIGHBOR_NAME\s+$LOCAL_INTERFACE\s+\d+\s+$NEIGHBOR_INTERFACE\s*$$ -> Record
  ^$NEIGHBOR_NAME$LOCAL_INTERFACE\s+\d+\s+$CAPABILITIES\s+$NEIGHBOR_INTERFACE\s*$$ -> Record
  ^$NEIGHBOR_NAME$LOCAL_INTERFACE\s+\d+\s+$NEIGHBOR_INTERFACE\s*$$ -> Record

EOF
`,
  },
  {
    command: "sh[[ow]] lldp n[[eighbors]] d[[etail]]",
    template: raw`Value Required LOCAL_INTERFACE (\S+)
Value CHASSIS_ID (\S.*?)
Value NEIGHBOR_PORT_ID (\S.*?)
Value NEIGHBOR_INTERFACE (.*?)
Value NEIGHBOR_NAME (.*?)
Value NEIGHBOR_DESCRIPTION (.*?)
Value CAPABILITIES (\S.*?)
Value MGMT_ADDRESS (\S+)
Value VLAN_ID (\d+)
Value SERIAL (\S.*?)
Value MANUFACTURER (\S.*?)
Value PLATFORM (\S.*?)

Start
  ^Local\s+Intf: -> Continue.Record
  ^Local\s+Intf:\s+$LOCAL_INTERFACE\s*$$
  ^Chassis\s+id:\s+$CHASSIS_ID\s*$$
  ^Port\s+id:\s+$NEIGHBOR_PORT_ID\s*$$
  ^Port\s+Description:\s+$NEIGHBOR_INTERFACE\s*$$
  ^System\s+Name:\s+$NEIGHBOR_NAME\s*$$
  ^System\s+Description -> Description
  ^(?:Enabled|System)\s+Capabilities:\s+$CAPABILITIES\s*$$
  ^\s+IP(?:v[46])?:\s+$MGMT_ADDRESS\s*$$
  ^Vlan\s+ID:\s+$VLAN_ID\s*$$
  ^\s+Serial\s+number:\s+$SERIAL\s*$$
  ^\s+Manufacturer:\s+$MANUFACTURER\s*$$
  ^\s+Model:\s+$PLATFORM\s*$$

Description
  ^$NEIGHBOR_DESCRIPTION\s*$$ -> Start
`,
  },
  {
    command: "sh[[ow]] c[[dp]] n[[eighbors]]",
    template: raw`Value Required NEIGHBOR_NAME (\S+)
Value LOCAL_INTERFACE ([A-Za-z]+\s*[\d/.]+)
Value CAPABILITIES ([A-Za-z](?:\s[A-Za-z])*)
Value PLATFORM (IP\s+Phone|\S+)
Value NEIGHBOR_INTERFACE ([A-Za-z]\S*(?:\s+\d\S*)?|\d\S*)

Start
  ^Device\s+ID\s+Local -> Neighbors

Neighbors
  ^Total\s+cdp\s+entries -> End
  ^$NEIGHBOR_NAME\s+$LOCAL_INTERFACE\s+\d+\s+$CAPABILITIES\s+$PLATFORM\s+$NEIGHBOR_INTERFACE\s*$$ -> Record
  ^$NEIGHBOR_NAME\s+$LOCAL_INTERFACE\s+\d+\s+$PLATFORM\s+$NEIGHBOR_INTERFACE\s*$$ -> Record
  ^\s*$LOCAL_INTERFACE\s+\d+\s+$CAPABILITIES\s+$PLATFORM\s+$NEIGHBOR_INTERFACE\s*$$ -> Record
  ^$NEIGHBOR_NAME\s*$$

EOF
`,
  },
  {
    command: "sh[[ow]] c[[dp]] n[[eighbors]] d[[etail]]",
    template: raw`Value Required NEIGHBOR_NAME (\S+)
Value MGMT_ADDRESS (\S+)
Value PLATFORM (.*?)
Value NEIGHBOR_INTERFACE (\S.*?)
Value LOCAL_INTERFACE (\S+)
Value NEIGHBOR_DESCRIPTION (.*?)
Value CAPABILITIES (.*?)

Start
  ^Device\s+ID: -> Continue.Record
  ^Device\s+ID:\s*$NEIGHBOR_NAME\s*$$
  ^\s+IP(?:v4)?\s+[Aa]ddress:\s+$MGMT_ADDRESS\s*$$
  ^Platform:\s+$PLATFORM\s*,\s+Capabilities:\s+$CAPABILITIES\s*$$
  ^Interface:\s+$LOCAL_INTERFACE,\s+Port\s+ID\s+\(outgoing\s+port\):\s+$NEIGHBOR_INTERFACE\s*$$
  ^Version\s*: -> Version

Version
  ^$NEIGHBOR_DESCRIPTION\s*$$ -> Start
`,
  },
];
