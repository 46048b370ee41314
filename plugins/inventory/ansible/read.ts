/** Imports an Ansible inventory, INI or YAML, with its vars files: groups become a tree, variables device fields. */
import { type InventoryFormatKit, Issues, Notes, type ReadInventory } from "patchbay/plugin";
import {
  nearest,
  type SourceGroup,
  type SourceHost,
  toSingleGroup,
  type Values,
} from "../shared/single-group.ts";
import { ansibleFiles, type VarsFolder } from "./files.ts";
import { readAnsibleIni } from "./ini.ts";
import type { AnsibleText } from "./text.ts";
import { type AnsibleVars, ansibleValues } from "./vars.ts";
import { readAnsibleYaml } from "./yaml.ts";

/** `all` contains every host, `ungrouped` the hosts without a group. */
const top = "all";
const rest = "ungrouped";
const prioritized = "ansible_group_priority";

/** Variables of a group: those in the inventory, and those in `group_vars` files, which take precedence. */
interface GroupVars extends AnsibleVars {
  readonly filed: Values;
}

const none: Values = new Map();

/** @param text the inventory, alone or bundled with its vars files. @throws ServiceError Validation, PayloadTooLarge */
export function readAnsible(text: string, readYaml: InventoryFormatKit["readYaml"]): ReadInventory {
  const notes = new Notes();
  const { hosts: written, groupVars, hostVars } = ansibleFiles(text, notes, readYaml);
  const read = looksLikeYaml(written)
    ? readAnsibleYaml(written, notes, readYaml)
    : readAnsibleIni(written, notes);
  if (groupVars.has(top)) read.group(top, "group_vars");
  const ranks = ranksOf(read);
  const vars = new Map<string, GroupVars>();
  for (const [name, group] of read.groups) {
    const filed = name === rest ? none : filedOf(groupVars, name, "group", notes);
    vars.set(name, { ...ansibleValues(group.vars, "group", group.at, notes), filed });
  }
  const inlineVarsOf = (name: string): Values => vars.get(name)?.values ?? none;
  const fileVarsOf = (name: string): Values => vars.get(name)?.filed ?? none;
  const hasFiles = [...vars.values()].some(({ filed }) => filed.size > 0);
  const hasTop = inlineVarsOf(top).size + fileVarsOf(top).size > 0;
  const parents = parentsOf(read);

  /** Ansible's merge order: deeper groups win, then higher priority, then the name later in the alphabet. */
  const nearestFirst = (a: string, b: string) =>
    (ranks.get(b) ?? 0) - (ranks.get(a) ?? 0) ||
    (vars.get(b)?.priority ?? 1) - (vars.get(a)?.priority ?? 1) ||
    (a < b ? 1 : -1);
  const sorted = (names: Iterable<string>) =>
    [...names].filter((name) => name !== top && name !== rest).sort(nearestFirst);
  const ending = hasTop ? [top] : [];
  const allOf = ancestry(parents);

  /** Drops inventory variables that a vars file of the group or of an ancestor overrides. */
  function valuesOf(name: string): Values {
    if (!hasFiles) return inlineVarsOf(name);
    const above = new Set([...allOf(name), top].flatMap((group) => [...fileVarsOf(group).keys()]));
    return new Map([...[...inlineVarsOf(name)].filter(([key]) => !above.has(key)), ...fileVarsOf(name)]);
  }

  const groups = new Map<string, SourceGroup>();
  for (const [name, { at }] of read.groups) {
    if (name === rest || (name === top && !hasTop)) continue;
    const parent = name === top ? undefined : (sorted(parents.get(name) ?? [])[0] ?? ending[0]);
    groups.set(name, { name, parent, values: valuesOf(name), at });
  }
  const direct = groupsOf(read);
  const inherited = new Map<string, Values>();
  function inheritedFrom(groupNames: readonly string[]): Values {
    const key = groupNames.join("\0");
    const merged =
      inherited.get(key) ?? nearest([...groupNames.map(fileVarsOf), ...groupNames.map(inlineVarsOf)]);
    inherited.set(key, merged);
    return merged;
  }
  function* hosts(): Generator<SourceHost> {
    for (const [name, { at, vars: hostVariables }] of read.hosts) {
      const inlineVars = ansibleValues(hostVariables, "host", at, notes).values;
      const values = new Map([...inlineVars, ...filedOf(hostVars, name, "host", notes)]);
      const near = sorted(direct.get(name) ?? []);
      const groupNames = [...sorted(new Set(near.flatMap(allOf))), ...ending];
      const inherits = hasFiles ? inheritedFrom(groupNames) : undefined;
      yield { name, group: near[0] ?? ending[0], groups: groupNames, inherits, values, at };
    }
  }
  const folded = toSingleGroup(hosts(), groups, notes);
  for (const file of [...groupVars.unused(), ...hostVars.unused()])
    notes.add(file, "a file was omitted: no group or host has its name");
  return { ...folded, warnings: notes.list() };
}

function filedOf(folder: VarsFolder, name: string, of: "group" | "host", notes: Notes): Values {
  const file = folder.of(name);
  if (file === undefined) return none;
  const vars = new Map(file.vars);
  if (vars.delete(prioritized))
    notes.add(file.at, `${prioritized} was omitted: Ansible accepts it at hosts only`);
  return ansibleValues(vars, of, file.at, notes).values;
}

/** Detects YAML: a mapping or a document marker. INI has sections and bare hosts. */
function looksLikeYaml(text: string): boolean {
  for (const [line] of text.matchAll(/^.*$/gm)) {
    if (/^\s*(?:[#;].*)?$/.test(line)) continue;
    return /^\ufeff?(?:---|%YAML|\{)/.test(line) || /^\ufeff?["']?[\w.-]+["']?:(?:\s|$)/.test(line);
  }
  return false;
}

function parentsOf({ groups }: AnsibleText): Map<string, string[]> {
  const parents = new Map<string, string[]>();
  for (const [name, { children }] of groups) {
    for (const child of children) {
      const names = parents.get(child);
      if (names) names.push(name);
      else parents.set(child, [name]);
    }
  }
  return parents;
}

function groupsOf({ groups }: AnsibleText): Map<string, string[]> {
  const groupsByHost = new Map<string, string[]>();
  for (const [name, { hosts }] of groups) {
    for (const host of hosts) {
      const groupNames = groupsByHost.get(host);
      if (groupNames) groupNames.push(name);
      else groupsByHost.set(host, [name]);
    }
  }
  return groupsByHost;
}

/** A group and all its ancestors. */
function ancestry(parents: ReadonlyMap<string, readonly string[]>): (name: string) => readonly string[] {
  const cache = new Map<string, readonly string[]>();
  return (name) => {
    const before = cache.get(name);
    if (before) return before;
    const lineage = new Set([name]);
    for (const each of lineage) for (const parent of parents.get(each) ?? []) lineage.add(parent);
    cache.set(name, [...lineage]);
    return [...lineage];
  };
}

/** The depth of each group by its longest path from the top. @throws ServiceError Validation: cyclic groups */
function ranksOf(read: AnsibleText): Map<string, number> {
  const ranks = new Map<string, number>();
  const waits = new Map<string, number>();
  for (const name of read.groups.keys()) waits.set(name, 0);
  for (const { children } of read.groups.values())
    for (const child of children) waits.set(child, (waits.get(child) ?? 0) + 1);
  const ready = [...waits].filter(([, count]) => count === 0).map(([name]) => name);
  for (const name of ready) ranks.set(name, name === top ? 0 : 1);
  for (let name = ready.pop(); name !== undefined; name = ready.pop()) {
    for (const child of read.groups.get(name)?.children ?? []) {
      ranks.set(child, Math.max(ranks.get(child) ?? 0, (ranks.get(name) ?? 0) + 1));
      const remaining = (waits.get(child) ?? 1) - 1;
      waits.set(child, remaining);
      if (remaining === 0) ready.push(child);
    }
  }
  const problems = new Issues();
  for (const [name, count] of waits)
    if (count > 0)
      problems.add(
        read.groups.get(name)?.at ?? "",
        `the group ${name} is its own ancestor, or below such a group`,
      );
  problems.check();
  return ranks;
}
