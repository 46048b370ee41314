/** What the lines of FortiOS mean, from its CLI reference: tables of entries that name each other. */
import type { LineRule, Running } from "patchbay/plugin";

/** Tables whose order counts: what matches first holds. */
const inOrder =
  /^config (?:firewall (?:policy|policy6|shaping-policy|local-in-policy|security-policy|DoS-policy|multicast-policy)|router (?:policy|policy6))$/;
const hardware = /^config system (?:interface|physical-switch|virtual-switch)$/;
/** Tables whose entries nothing names, so that they go before what they name. */
const unnamed = /^config (?:firewall \S*policy\S*|router \S+|system (?:admin|accprofile|dhcp server|ha))$/;

const lines: readonly LineRule[] = [
  // Physical ports are edited only.
  {
    line: /^edit "?(?:port|wan|lan|dmz|internal|mgmt|ha|a|b|x)\d*"?$/,
    within: hardware,
    remove: null,
  },
  {
    line: /^edit (.+)$/,
    within: inOrder,
    remove: "delete {1}",
    place: { of: "entries", name: "{1}", after: "move {1} after {other}", before: "move {1} before {other}" },
  },
  { line: /^edit (.+)$/, within: unnamed, remove: "delete {1}" },
  { line: /^edit (.+)$/, within: /^config /, remove: "delete {1}", isNamed: true },
  { line: /^set (\S+)(?: .*)?$/, single: "set {1}", remove: "unset {1}" },
];

export const fortiosLines: Pick<Running, "negate" | "lines" | "sections" | "permanent" | "vanishing"> = {
  negate: "unset",
  sections: [/^(?:config|edit) /],
  permanent: [/^config /],
  vanishing: [/^config /, /^edit "?(?:port|wan|lan|dmz|internal|mgmt|ha|a|b|x)\d*"?$/],
  lines,
};
