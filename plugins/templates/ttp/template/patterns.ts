/** Named patterns for match variables. */

const OCTETS = "(?:[0-9]{1,3}\\.){3}[0-9]{1,3}";
const HEXTETS = "(?:[a-fA-F0-9]{1,4}:|:){1,7}(?:[a-fA-F0-9]{1,4}|:?)";

/** Pattern by name. */
export const patterns: ReadonlyMap<string, string> = new Map([
  ["WORD", "\\S+"],
  ["PHRASE", "(\\S+ {1})+?\\S+"],
  ["ORPHRASE", "\\S+|(\\S+ {1})+?\\S+"],
  ["ROW", "(\\S+ +)+?\\S+"],
  ["DIGIT", "\\d+"],
  ["IP", OCTETS],
  ["PREFIX", `${OCTETS}/[0-9]{1,2}`],
  ["IPV6", HEXTETS],
  ["PREFIXV6", `${HEXTETS}/[0-9]{1,3}`],
  [
    "MAC",
    "(?:[0-9a-fA-F]{2}(:|\\.|\\-)){5}([0-9a-fA-F]{2})|(?:[0-9a-fA-F]{4}(:|\\.|\\-)){2}([0-9a-fA-F]{4})",
  ],
  ["_line_", ".+"],
]);

export const WORD = "\\S+";
