/** Starter templates for Cisco IOS and IOS XE. */
import { neighbors } from "./ios-neighbors.ts";
import type { StarterTemplate } from "./set.ts";

const raw = String.raw;

export const ios: readonly StarterTemplate[] = [
  ...neighbors,
  {
    command: "sh[[ow]] ver[[sion]]",
    template: raw`Value SOFTWARE_IMAGE (\S+)
Value Required VERSION (\S+?)
Value RELEASE (\w+)
Value ROMMON (\S+?)
Value HOSTNAME (\S+)
Value UPTIME (.+?)
Value RELOAD_REASON (.+?)
Value RUNNING_IMAGE (\S+?)
Value List HARDWARE (\S+)
Value List SERIAL (\S+)
Value CONFIG_REGISTER (\S+)
Value List MAC_ADDRESS (\S+)
Value RESTARTED (.+?)

Start
  ^.*Software,?\s+\($SOFTWARE_IMAGE\),\s+(?:Experimental\s+)?Version\s+$VERSION,?\s+RELEASE\s+SOFTWARE\s+\($RELEASE\)
  ^.*Software,?\s+\($SOFTWARE_IMAGE\),\s+(?:Experimental\s+)?Version\s+$VERSION(?:,|\s|$$)
  ^ROM:\s+(?:System\s+Bootstrap,\s+Version\s+)?$ROMMON,?(?:\s|$$)
  ^(?:.*,\s+)?$HOSTNAME\s+uptime\s+is\s+$UPTIME\s*$$
  ^System\s+returned\s+to\s+ROM\s+by\s+$RELOAD_REASON(?:\s+at\s.*)?\s*$$
  ^System\s+restarted\s+at\s+$RESTARTED\s*$$
  ^System\s+image\s+file\s+is\s+"(?:[^":]*:)?$RUNNING_IMAGE"
  ^Last\s+reload\s+(?:reason|type):\s+$RELOAD_REASON\s*$$
  ^[Cc]isco\s+$HARDWARE\s+\(.*\)\s+(?:.*\s)?processor
  ^Processor\s+board\s+ID\s+$SERIAL
  ^Configuration\s+register\s+is\s+$CONFIG_REGISTER
  ^Base\s+[Ee]thernet\s+MAC\s+[Aa]ddress\s*:\s+$MAC_ADDRESS\s*$$
  ^Switch\s+\d+\s*$$ -> Stack

Stack
  ^Model\s+[Nn]umber\s*:\s+$HARDWARE\s*$$
  ^System\s+[Ss]erial\s+[Nn]umber\s*:\s+$SERIAL\s*$$
  ^Base\s+[Ee]thernet\s+MAC\s+[Aa]ddress\s*:\s+$MAC_ADDRESS\s*$$
  ^Configuration\s+register\s+is\s+$CONFIG_REGISTER
`,
  },
  {
    command: "sh[[ow]] inte[[rfaces]]",
    template: raw`Value Required INTERFACE (\S+)
Value LINK_STATUS (.+?)
Value PROTOCOL_STATUS (.+?)
Value HARDWARE_TYPE ([^,]+?)
Value MAC_ADDRESS ([0-9a-fA-F.]+)
Value BIA ([0-9a-fA-F.]+)
Value DESCRIPTION (.+?)
Value IP_ADDRESS ([\d.]+|[^\d/]\S*)
Value PREFIX_LENGTH (\d+)
Value MTU (\d+)
Value DUPLEX ([^,]+?)
Value SPEED ([^,]+?)
Value MEDIA_TYPE (\S.*?)
Value BANDWIDTH (\d+\s+\w+)
Value DELAY (\d+\s+\w+)
Value ENCAPSULATION ([^,]+?)
Value LAST_INPUT ([^,]+)
Value LAST_OUTPUT ([^,]+)
Value LAST_OUTPUT_HANG ([^,]+?)
Value QUEUE_STRATEGY (.+?)
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
Value VLAN_ID (\d+)
Value QUEUE_SIZE (\d+)
Value QUEUE_MAX (\d+)
Value QUEUE_DROPS (\d+)
Value QUEUE_FLUSHES (\d+)
Value QUEUE_OUTPUT_DROPS (\d+)

Start
  ^\S+\s+is\s+.+,\s+line\s+protocol\s+is\s -> Continue.Record
  ^$INTERFACE\s+is\s+$LINK_STATUS,\s+line\s+protocol\s+is\s+$PROTOCOL_STATUS\s*$$
  ^\s+Hardware\s+is\s+$HARDWARE_TYPE(?:,\s+address\s+is\s+$MAC_ADDRESS(?:\s+\(bia\s+$BIA\))?.*|,.*)?\s*$$
  ^\s+Description:\s+$DESCRIPTION\s*$$
  ^\s+Internet\s+address\s+is\s+$IP_ADDRESS(?:/$PREFIX_LENGTH)?\s*$$
  ^\s+MTU\s+$MTU\s+bytes,\s+(?:sub\s+MTU\s+\d+,\s+)?BW\s+$BANDWIDTH(?:/sec)?,\s+(?:RxBW\s+\d+\s+\S+,\s+)?DLY\s+$DELAY
  ^\s+MTU\s+$MTU\s+bytes
  ^\s+Encapsulation\s+$ENCAPSULATION,\s+Vlan\s+ID\s+$VLAN_ID(?:,|\.|\s|$$)
  ^\s+Encapsulation\s+$ENCAPSULATION(?:,.*)?\s*$$
  ^\s+$DUPLEX,\s+$SPEED,\s+link\s+type\s+is\s+[^,]+,\s+media\s+type\s+is\s+$MEDIA_TYPE\s*$$
  ^\s+$DUPLEX,\s+$SPEED,\s+media\s+type\s+is\s+$MEDIA_TYPE\s*$$
  ^\s+(?=[^,]*[Dd]uplex)$DUPLEX,\s+$SPEED(?:,|\s*$$)
  ^\s+Last\s+input\s+$LAST_INPUT,\s+output\s+$LAST_OUTPUT,\s+output\s+hang\s+$LAST_OUTPUT_HANG\s*$$
  ^\s+Input\s+queue:\s+$QUEUE_SIZE/$QUEUE_MAX/$QUEUE_DROPS/$QUEUE_FLUSHES\s.*output\s+drops:\s+$QUEUE_OUTPUT_DROPS\s*$$
  ^\s+Queueing\s+strategy:\s+$QUEUE_STRATEGY\s*$$
  ^\s+\d+\s+\w+\s+input\s+rate\s+$INPUT_RATE\s+\S+,\s+$INPUT_PPS\s+packets
  ^\s+\d+\s+\w+\s+output\s+rate\s+$OUTPUT_RATE\s+\S+,\s+$OUTPUT_PPS\s+packets
  ^\s+$INPUT_PACKETS\s+packets\s+input
  ^\s+$RUNTS\s+runts,\s+$GIANTS\s+giants
  ^\s+$INPUT_ERRORS\s+input\s+errors,\s+$CRC\s+CRC,\s+$FRAME\s+frame,\s+$OVERRUN\s+overrun,\s+\d+\s+ignored,\s+$ABORT\s+abort
  ^\s+$INPUT_ERRORS\s+input\s+errors,\s+$CRC\s+CRC,\s+$FRAME\s+frame,\s+$OVERRUN\s+overrun
  ^\s+$OUTPUT_PACKETS\s+packets\s+output
  ^\s+$OUTPUT_ERRORS\s+output\s+errors
`,
  },
  {
    command: "sh[[ow]] int[[erfaces]] st[[atus]]",
    template: raw`Value Required PORT (\S+)
Value NAME (\S.*?)
Value STATUS (connected|notconnect|disabled|inactive|suspended|monitoring|err-disabled|sfpAbsent|sfpInvalid|xcvrAbsent|noOperMem|up|down)
Value VLAN_ID (\d+(?:,\d+)*|trunk|routed|unassigned|unknown)
Value DUPLEX (\S+)
Value SPEED (\S+)
Value TYPE (.*?)
Value FC_MODE (\S+)

Start
  ^$PORT\s+is\s+$STATUS(?:\s+Port\s+mode\s+is\s+$FC_MODE|\s+\(.*\))?\s*$$ -> Record
  ^$PORT\s+$STATUS:?(?:\s+\w+)?\s+$VLAN_ID\s+$DUPLEX\s+$SPEED(?:\s+$TYPE)?\s*$$ -> Record
  ^$PORT\s+$NAME\s+$STATUS:?(?:\s+\w+)?\s+$VLAN_ID\s+$DUPLEX\s+$SPEED(?:\s+$TYPE)?\s*$$ -> Record
`,
  },
  {
    command: "sh[[ow]] int[[erfaces]] d[[escription]]",
    template: raw`Value Required PORT (\S+)
Value STATUS (admin\s+down|up|down|deleted)
Value PROTOCOL (up|down)
Value DESCRIPTION (.*?)

Start
  ^$PORT\s+$STATUS\s+$PROTOCOL(?:\s+$DESCRIPTION)?\s*$$ -> Record
`,
  },
  {
    command: "sh[[ow]] ip i[[nterface]] b[[rief]]",
    template: raw`Value Required INTERFACE (\S+)
Value IP_ADDRESS (\S+)
Value STATUS (administratively\s+down|\S+)
Value PROTO (\S+)

Start
  ^$INTERFACE\s+$IP_ADDRESS\s+(?:YES|NO)\s+\S+\s+$STATUS\s+$PROTO\s*$$ -> Record
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
  ^NAME:\s+"$NAME",\s+DESCR:\s+"$DESCR"\s*$$
  ^PID:\s*$PID\s*,\s*VID:\s*$VID\s*,\s*SN:\s*$SN\s*$$ -> Record

EOF
`,
  },
  {
    command: "sh[[ow]] arp",
    template: raw`Value PROTOCOL (Internet)
Value Required ADDRESS ([\d.]+)
Value AGE_MIN (\S+)
Value HARDWARE_ADDRESS (\S+)
Value TYPE (\S+)
Value INTERFACE (\S*)

Start
  ^$PROTOCOL\s+$ADDRESS\s+$AGE_MIN\s+$HARDWARE_ADDRESS\s+$TYPE(?:\s+$INTERFACE)?\s*$$ -> Record
`,
  },
  {
    command: "sh[[ow]] ip arp( .*)?",
    template: raw`Value PROTOCOL (Internet)
Value Required IP_ADDRESS ([\d.]+)
Value AGE (\S+)
Value MAC_ADDRESS (\S+)
Value TYPE (\S+)
Value INTERFACE (\S*)

Start
  ^$PROTOCOL\s+$IP_ADDRESS\s+$AGE\s+$MAC_ADDRESS\s+$TYPE(?:\s+$INTERFACE)?\s*$$ -> Record
`,
  },
  {
    command: "sh[[ow]] m[[ac]]( |-)a[[ddress-table]]( .*)?",
    template: raw`Value Required DESTINATION_ADDRESS ([0-9a-fA-F]{4}\.[0-9a-fA-F]{4}\.[0-9a-fA-F]{4})
Value TYPE (\S+)
Value VLAN_ID (\S+)
Value List DESTINATION_PORT ([A-Za-z]\S*?)

Start
  ^\s*(?:[*+RGSD]\s+)*(?:\S+\s+)?[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}\s -> Continue.Record
  ^$DESTINATION_ADDRESS\s+$TYPE\s+$VLAN_ID\s+$DESTINATION_PORT(?:,|\s|$$)
  ^\s*(?:[*+RGSD]\s+)*$VLAN_ID\s+$DESTINATION_ADDRESS\s+$TYPE\s+(?:(?:Yes|No)\s+)?(?:(?:-|\d+)\s+)?(?:(?:ip|ipx|assigned|other)(?:,\S+)*\s+)?$DESTINATION_PORT(?:,|\s|$$)
`,
  },
  {
    command: "sh[[ow]] (ip )?b[[gp]] (ipv4 unicast |all |vpnv4 all )?s[[ummary]]",
    template: raw`Value Filldown ROUTER_ID (\S+)
Value Filldown LOCAL_AS (\S+)
Value Filldown ADDRESS_FAMILY (\S.*?)
Value Required BGP_NEIGHBOR ([\d.]+|[0-9a-fA-F:]+:[0-9a-fA-F:.]*)
Value BGP_VERSION (\d+)
Value NEIGHBOR_AS ([\d.]+)
Value MESSAGES_RECEIVED (\d+)
Value MESSAGES_SENT (\d+)
Value TABLE_VERSION (\d+)
Value INPUT_QUEUE (\d+)
Value OUTPUT_QUEUE (\d+)
Value UP_DOWN (\S+)
Value STATE_OR_PREFIXES_RECEIVED (\S+|\S+\s+\(\S+\))

Start
  ^For\s+address\s+family:\s+$ADDRESS_FAMILY\s*$$
  ^BGP\s+router\s+identifier\s+$ROUTER_ID,\s+local\s+AS\s+number\s+$LOCAL_AS\s*$$
  ^\*?$BGP_NEIGHBOR\s+$BGP_VERSION\s+$NEIGHBOR_AS\s+$MESSAGES_RECEIVED\s+$MESSAGES_SENT\s+$TABLE_VERSION\s+$INPUT_QUEUE\s+$OUTPUT_QUEUE\s+$UP_DOWN\s+$STATE_OR_PREFIXES_RECEIVED\s*$$ -> Record
  ^\*?$BGP_NEIGHBOR\s*$$
  ^\s+$BGP_VERSION\s+$NEIGHBOR_AS\s+$MESSAGES_RECEIVED\s+$MESSAGES_SENT\s+$TABLE_VERSION\s+$INPUT_QUEUE\s+$OUTPUT_QUEUE\s+$UP_DOWN\s+$STATE_OR_PREFIXES_RECEIVED\s*$$ -> Record

EOF
`,
  },
  {
    command: "sh[[ow]] vl[[an]]( b[[rief]])?",
    template: raw`Value Required VLAN_ID (\d+)
Value VLAN_NAME (\S.*?)
Value STATUS (act/unsup|act/lshut|sus/lshut|active|suspended|sus|ish/lshut)
Value List INTERFACES ([A-Za-z][\w/.-]*\d)

Start
  ^VLAN\s+Name\s+Status -> Vlans

Vlans
  ^VLAN\s+Type\s -> Record Last
  ^\d+\s -> Continue.Record
  ^$VLAN_ID\s+$VLAN_NAME\s+$STATUS\s*$$
  ^$VLAN_ID\s+$VLAN_NAME\s+$STATUS\s+$INTERFACES(?:,|\s|$$) -> Continue
  ^\s+$INTERFACES(?:,|\s|$$) -> Continue
  ^(?:\d+\s.*?\s(?:active|suspended)|)\s+[A-Za-z][\w/.-]*\d,\s+$INTERFACES(?:,|\s|$$) -> Continue
  ^(?:\d+\s.*?\s(?:active|suspended)|)\s+(?:[A-Za-z][\w/.-]*\d,\s+){2}$INTERFACES(?:,|\s|$$) -> Continue
  ^(?:\d+\s.*?\s(?:active|suspended)|)\s+(?:[A-Za-z][\w/.-]*\d,\s+){3}$INTERFACES(?:,|\s|$$) -> Continue
  ^(?:\d+\s.*?\s(?:active|suspended)|)\s+(?:[A-Za-z][\w/.-]*\d,\s+){4}$INTERFACES(?:,|\s|$$) -> Continue
  ^(?:\d+\s.*?\s(?:active|suspended)|)\s+(?:[A-Za-z][\w/.-]*\d,\s+){5}$INTERFACES(?:,|\s|$$) -> Continue

Last
`,
  },
];
