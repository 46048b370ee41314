/**
 * Converts hosts with many groups to devices with one: the nearest group becomes the group of the device, the others
 * become tags, and values inherited from them are written at the device.
 */
import { type InventoryEntry, isSameExact, type Notes, orderedRecord } from "patchbay/plugin";
import { type Fields, namePattern } from "./fields.ts";

/** Values of a host or group, keyed as `port`, `connection.<field>` or `vars.<name>`. */
export type Values = ReadonlyMap<string, unknown>;

export interface SourceGroup {
  readonly name: string;
  /** Its parent in the tree. */
  readonly parent: string | undefined;
  readonly values: Values;
  readonly at: string;
}

export interface SourceHost {
  readonly name: string;
  /** Its nearest group. */
  readonly group: string | undefined;
  /** Its groups and their ancestors, highest precedence first. */
  readonly groups: readonly string[];
  /** The inherited values, if they are not simply those of the first group that has one. */
  readonly inherits?: Values | undefined;
  readonly values: Values;
  readonly at: string;
}

const maxTags = 20;

export function toSingleGroup(
  hosts: Iterable<SourceHost>,
  groups: ReadonlyMap<string, SourceGroup>,
  notes: Notes,
): { devices: InventoryEntry[]; groups: InventoryEntry[] } {
  const chains = new Map<string, readonly string[]>();
  const chainOf = (name: string | undefined): readonly string[] => {
    const cached = name === undefined ? [] : chains.get(name);
    if (cached) return cached;
    const chain: string[] = [];
    for (let at = name; at !== undefined && !chain.includes(at); at = groups.get(at)?.parent) chain.push(at);
    chains.set(name ?? "", chain);
    return chain;
  };
  const valuesOf = (name: string): Values => groups.get(name)?.values ?? new Map();

  function deviceOf(host: SourceHost): InventoryEntry {
    const chain = chainOf(host.group);
    const inherited = new Set(chain);
    const otherGroups = host.groups.filter((name) => !inherited.has(name));
    const hostValues = new Map(host.values);
    const ownTags = hostValues.get("tags");
    hostValues.delete("tags");
    if (otherGroups.length > 0 || host.inherits) {
      const fromTree = nearest(chain.map(valuesOf));
      for (const [key, value] of host.inherits ?? nearest(host.groups.map(valuesOf)))
        if (key !== "tags" && !hostValues.has(key) && !isSameExact(fromTree.get(key), value))
          hostValues.set(key, value);
    }
    const tagLists = [ownTags, ...otherGroups.map((name) => valuesOf(name).get("tags"))];
    const tags = [
      ...new Set([...tagLists.flatMap(textsOf), ...otherGroups.filter((name) => namePattern.test(name))]),
    ];
    if (tags.length > maxTags)
      notes.add(host.at, `a device is in so many groups that only the first ${maxTags} of them became tags`);
    const group = host.group === undefined ? {} : { group: host.group };
    const tagged = tags.length === 0 ? {} : { tags: tags.slice(0, maxTags) };
    return { fields: { name: host.name, ...group, ...tagged, ...fieldsOf(hostValues) }, at: host.at };
  }

  return {
    devices: [...hosts].map(deviceOf),
    groups: [...groups.values()].map(({ name, parent, values, at }) => ({
      fields: { name, ...(parent === undefined ? {} : { parent }), ...fieldsOf(values) },
      at,
    })),
  };
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === "string") : [];
}

/** Merges values; the first that is set wins. */
export function nearest(sources: readonly Values[]): Map<string, unknown> {
  const merged = new Map<string, unknown>();
  for (const values of sources)
    for (const [key, value] of values) if (!merged.has(key)) merged.set(key, value);
  return merged;
}

function fieldsOf(values: Values): Fields {
  const fields: Fields = {};
  const parts = new Map<string, Map<string, unknown>>();
  for (const [key, value] of values) {
    const [, part, member] = /^(connection|vars)\.(.*)$/s.exec(key) ?? [];
    if (part === undefined || member === undefined) fields[key] = value;
    else {
      const members = parts.get(part) ?? new Map<string, unknown>();
      parts.set(part, members.set(member, value));
    }
  }
  for (const [part, members] of parts) fields[part] = orderedRecord(members);
  return fields;
}
