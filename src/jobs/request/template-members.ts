/** Template members of a device: `device`, `group` and `vars`, in addition to the caller's context. */
import { stringifyExact } from "../../base/json/exact-json.ts";
import type { EffectiveDevice, Snapshot } from "../../inventory/port.ts";

/** JSON texts by name. */
export type TemplateMembers = Readonly<Record<string, string>>;

export function membersOf(snapshot: Snapshot, device: EffectiveDevice): TemplateMembers {
  const { name, host, port, platform, driver, site, role, tags, group, groups, vars } = device;
  const ownGroup = group === null ? undefined : snapshot.group(group);
  return {
    device: JSON.stringify({ name, host, port, platform, driver, site, role, tags, group, groups }),
    group: JSON.stringify(ownGroup ? { name: ownGroup.name, description: ownGroup.description } : null),
    vars: stringifyExact(vars),
  };
}

/** Adds missing members to the raw context of the caller. @param text JSON of an object */
export function withTemplateMembers(text: string, members: TemplateMembers | undefined): string {
  if (members === undefined) return text;
  const context: unknown = JSON.parse(text);
  if (typeof context !== "object" || context === null || Array.isArray(context)) return text;
  const more = Object.entries(members)
    .filter(([name]) => !Object.hasOwn(context, name))
    .map(([name, json]) => `${JSON.stringify(name)}:${json}`);
  if (more.length === 0) return text;
  const body = text.trimEnd().slice(0, -1);
  return `${body}${Object.keys(context).length === 0 ? "" : ","}${more.join(",")}}`;
}
