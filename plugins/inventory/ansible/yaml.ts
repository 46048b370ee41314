/** Parses an Ansible YAML inventory: groups with `hosts`, `vars` and `children`. */
import {
  type InventoryFormatKit,
  Issues,
  invalid,
  inventoryTextLimits,
  isRecord,
  type Notes,
  orderedEntries,
} from "patchbay/plugin";
import { readAnsibleData } from "./files.ts";
import { emptyRange, readHostPattern } from "./ranges.ts";
import { AnsibleText } from "./text.ts";

/** @throws ServiceError Validation, PayloadTooLarge */
export function readAnsibleYaml(
  text: string,
  notes: Notes,
  readYaml: InventoryFormatKit["readYaml"],
): AnsibleText {
  const { value, warnings, lineOf } = readAnsibleData(text, "", readYaml);
  notes.addRead(warnings, "");
  if (!isRecord(value)) throw invalid("line 1", "must be groups with hosts, vars and children");
  const read = new AnsibleText();
  const problems = new Issues();
  const places = (path: readonly string[]) => `line ${lineOf(path) ?? 1}`;

  /** @returns the members and their values; an empty list if there are none. */
  function membersOf(owner: object, path: readonly string[], part: string): [string, unknown][] {
    const members: unknown = Reflect.get(owner, part);
    if (members === undefined || members === null) return [];
    if (isRecord(members)) return orderedEntries(members);
    if (typeof members === "string") return [[members, null]];
    problems.add(places([...path, part]), `${part} must map names to objects, or be one name`);
    return [];
  }

  function takeGroup(name: string, body: unknown, path: readonly string[]): void {
    const at = places(path);
    if (path.length > inventoryTextLimits.depth * 2)
      return void problems.add(at, "groups are nested too deep");
    const group = read.group(name, at);
    if (body === null || body === undefined) return;
    if (!isRecord(body)) return void notes.add(at, "a group without hosts, vars or children was left empty");
    for (const part of Object.keys(body))
      if (!["hosts", "vars", "children"].includes(part))
        notes.add(places([...path, part]), "group members other than hosts, vars and children were omitted");
    for (const [key, member] of membersOf(body, path, "vars")) group.vars.set(key, member);
    for (const [pattern, vars] of membersOf(body, path, "hosts")) {
      const place = places([...path, "hosts", pattern]);
      const hosts = readHostPattern(pattern);
      if (typeof hosts === "string") {
        problems.add(place, hosts);
        continue;
      }
      if (hosts.names.length === 0) notes.add(place, emptyRange);
      if (vars !== null && vars !== undefined && !isRecord(vars)) {
        problems.add(place, "a host must map variable names to values");
        continue;
      }
      for (const host of hosts.names) {
        const hostEntry = read.host(host, place);
        group.hosts.add(host);
        if (hosts.port !== undefined) hostEntry.vars.set("ansible_port", hosts.port);
        for (const [key, member] of orderedEntries(vars ?? {})) hostEntry.vars.set(key, member);
      }
    }
    for (const [child, members] of membersOf(body, path, "children")) {
      group.children.add(child);
      takeGroup(child, members, [...path, "children", child]);
    }
  }

  for (const [name, body] of orderedEntries(value)) takeGroup(name, body, [name]);
  problems.check();
  return read;
}
