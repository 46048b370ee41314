/** The files of an Ansible inventory: hosts, `group_vars` and `host_vars`, which belong to a group or host by its rules. */
import {
  InventoryError,
  type InventoryFile,
  type InventoryFormatKit,
  invalid,
  inventoryTextLimits,
  isRecord,
  type Notes,
  orderedEntries,
  parseExact,
  type ReadYaml,
} from "patchbay/plugin";

/** In this order; the first match wins. */
const endings = ["", ".yml", ".yaml", ".json"];
const parts = ["hosts", "group_vars", "host_vars"];
const depthMost = 8;

export interface VarsFolder {
  /** The merged variables of all files of a group or host, later files over earlier ones; undefined: no file. */
  of(name: string): { readonly vars: ReadonlyMap<string, unknown>; readonly at: string } | undefined;
  has(name: string): boolean;
  /** Files that belong to no group or host. */
  unused(): string[];
}

export interface AnsibleFiles {
  readonly hosts: string;
  readonly groupVars: VarsFolder;
  readonly hostVars: VarsFolder;
}

/**
 * @param text hosts alone, or JSON: `{"hosts": "…", "group_vars": {"all.yml": "…"}, "host_vars": {…}}`.
 * @throws ServiceError Validation
 */
export function ansibleFiles(
  text: string,
  notes: Notes,
  readYaml: InventoryFormatKit["readYaml"],
): AnsibleFiles {
  const bundle = bundleOf(text);
  const folder = (part: "group_vars" | "host_vars") =>
    varsFolder(part, filesOf(bundle?.[part], part), notes, readYaml);
  for (const part of Object.keys(bundle ?? {}))
    if (!parts.includes(part)) throw invalid(part.slice(0, 64), `is none of ${parts.join(", ")}`);
  const hosts = typeof bundle?.hosts === "string" ? bundle.hosts : text;
  return { hosts, groupVars: folder("group_vars"), hostVars: folder("host_vars") };
}

/** Tells the bundle from a JSON inventory, whose groups are objects and never text. */
function bundleOf(text: string): Record<string, unknown> | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && typeof value.hosts === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

function filesOf(value: unknown, part: string): [string, string][] {
  if (value === undefined || value === null) return [];
  if (!isRecord(value)) throw invalid(part, "must map file names to their text");
  return Object.entries(value).map(([name, text]) => {
    if (typeof text !== "string") throw invalid(`${part}/${name.slice(0, 128)}`, "must be a string");
    return [name, text];
  });
}

function varsFolder(
  folder: string,
  files: readonly [string, string][],
  notes: Notes,
  readYaml: InventoryFormatKit["readYaml"],
): VarsFolder {
  /** By the first segment of the path. */
  const byName = new Map<string, { path: string; text: string }[]>();
  for (const [path, text] of files.toSorted(([a], [b]) => (inOrder(a) < inOrder(b) ? -1 : 1))) {
    const [first = "", ...below] = path.split("/");
    if (!isRead(below)) continue;
    const sameName = byName.get(first);
    if (sameName) sameName.push({ path, text });
    else byName.set(first, [{ path, text }]);
  }
  const unused = new Set(byName.keys());
  const fileNameOf = (name: string) =>
    endings.map((ending) => name + ending).find((file) => byName.has(file));

  return {
    has: (name) => fileNameOf(name) !== undefined,
    of(name) {
      const fileName = fileNameOf(name);
      if (fileName === undefined) return undefined;
      for (const ending of endings) unused.delete(name + ending);
      const vars = new Map<string, unknown>();
      for (const { path, text } of byName.get(fileName) ?? [])
        for (const [key, value] of varsIn(text, `${folder}/${path}`, notes, readYaml)) vars.set(key, value);
      return { vars, at: `${folder}/${fileName}` };
    },
    unused: () => [...unused].map((name) => `${folder}/${name}`),
  };
}

/** Sort key that compares paths folder by folder. */
const inOrder = (path: string) => path.replaceAll("/", "\0");

/** Ansible skips hidden files, editor backups and unknown extensions in the folder of a group. */
function isRead(below: readonly string[]): boolean {
  if (below.length > depthMost) return false;
  return below.every((name, at) => {
    if (name.startsWith(".") || name.endsWith("~")) return false;
    const ending = /.(\.[^.]*)$/.exec(name)?.[1] ?? "";
    return at === below.length - 1 ? endings.includes(ending) : ending === "";
  });
}

function varsIn(
  text: string,
  at: string,
  notes: Notes,
  readYaml: InventoryFormatKit["readYaml"],
): [string, unknown][] {
  if (text.startsWith("$ANSIBLE_VAULT")) {
    notes.add(at, "a file encrypted by ansible-vault was omitted: use a credential for secrets");
    return [];
  }
  if (text.length > inventoryTextLimits.bytes) throw invalid(at, "is too long");
  const { value, warnings } = readAnsibleData(text, `${at} `, readYaml);
  notes.addRead(warnings, `${at} `);
  if (value === null || value === undefined) return [];
  if (!isRecord(value)) throw invalid(`${at} line 1`, "must map names to values");
  return orderedEntries(value);
}

/** `hosts` or its equivalent, with the files of `group_vars` and `host_vars` next to it. */
export function joinedFiles(files: readonly InventoryFile[], path: string): string {
  const start = path === "." ? "" : `${path.replace(/\/+$/, "")}/`;
  const below = files.flatMap(({ name, text }) =>
    name.startsWith(start) ? [[name.slice(start.length), text] as const] : [],
  );
  const hosts = below.filter(([name]) => /^(?:hosts|inventory)(?:\.(?:ini|ya?ml))?$/.test(name));
  const [[, text] = []] = hosts;
  if (text === undefined || hosts.length > 1)
    throw new InventoryError(
      "CommandError",
      `The folder ${path} of the repository must have one of hosts, hosts.ini, hosts.yaml, inventory, inventory.ini and inventory.yaml; it has ${hosts.length}.`,
    );
  const filesOf = (folder: string) =>
    Object.fromEntries(
      below.flatMap(([name, content]) =>
        name.startsWith(`${folder}/`) ? [[name.slice(folder.length + 1), content]] : [],
      ),
    );
  return JSON.stringify({ hosts: text, group_vars: filesOf("group_vars"), host_vars: filesOf("host_vars") });
}

/** @param where prefix of line numbers in messages. @throws ServiceError Validation */
export function readAnsibleData(
  text: string,
  where: string,
  readYaml: InventoryFormatKit["readYaml"],
): ReadYaml {
  const json = jsonOf(text.replace(/^\ufeff/, ""));
  if (json === undefined) return readYaml(text, where, "pyyaml");
  try {
    // For the lines, and keys that appear twice.
    return { ...readYaml(text, where, "pyyaml"), value: json };
  } catch (error) {
    // Tabs are blanks in JSON only.
    if (error instanceof InventoryError) return { value: json, warnings: [], lineOf: () => undefined };
    throw error;
  }
}

function jsonOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseExact(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
