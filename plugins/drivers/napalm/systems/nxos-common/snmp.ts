/** `get_snmp_information` of NX-OS, from the configuration. */

import { boundedText } from "../../common/bounded.ts";
import { slot } from "../../common/records.ts";
import { linesOf } from "../../common/text.ts";
import type { Snmp } from "../../models.ts";

const community =
  /^snmp-server\scommunity\s(\S+)\s(?:group\s+(network-admin|network-operator)|use-\S+(?:\s+\S+){0,4}?\s+(\S+))\s*$/;

/** Undefined if the configuration has no SNMP lines. */
export function snmpOf(config: string): Snmp | undefined {
  let isConfigured = false;
  const communities: Record<string, { acl: string; mode: string }> = {};
  const of = { contact: "", location: "" };
  for (const line of linesOf(boundedText(config))) {
    const [, field, value = ""] = /^snmp-server\s(location|contact)\s(.*)$/.exec(line) ?? [];
    if (field === "location" || field === "contact") {
      of[field] = value;
      isConfigured = true;
    }
    const [, name, mode, acl] = community.exec(line) ?? [];
    if (name === undefined) continue;
    isConfigured = true;
    const entry = slot(communities, name, () => ({ acl: "", mode: "" }));
    if (mode !== undefined) entry.mode = mode;
    if (acl !== undefined) entry.acl = acl;
  }
  return isConfigured ? { ...of, community: communities, chassis_id: "" } : undefined;
}
