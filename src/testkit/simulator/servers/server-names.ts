/** The drivers that have a simulated server of their protocol. */
export const serverNames = ["gnmi", "netconf", "restconf", "snmp"] as const;
export type ServerName = (typeof serverNames)[number];
