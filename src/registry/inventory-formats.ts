/**
 * Opens formats of the inventory: each is loaded once, with its tools. Whatever a format returns is checked here, and
 * the limits are kept here.
 */
import * as v from "valibot";
import { ServiceError } from "../base/errors.ts";
import { inventoryTextLimits as limits } from "../base/inventory-limits.ts";
import { Issues } from "../base/issues.ts";
import { isRecord } from "../base/json/members.ts";
import type { Log } from "../base/log.ts";
import type {
  ExportedInventory,
  InventoryFile,
  InventoryFormat,
  InventoryFormatOptions,
  InventoryFormatPlugin,
  ReadInventory,
} from "../plugin/inventory.ts";
import { requireCount } from "../plugin/inventory.ts";
import type { PluginLoader } from "./loader.ts";
import { pluginFault } from "./plugin-fault.ts";
import type { Registry } from "./registry.ts";

/** A format whose results are checked. @throws ServiceError also DriverError: the plugin is at fault */
export interface OpenFormat {
  /** @throws ServiceError Validation (issues by place), PayloadTooLarge */
  read(text: string, options: InventoryFormatOptions): ReadInventory;
  /** Throws what the format cannot represent before the first piece. @throws ServiceError Validation */
  write(inventory: ExportedInventory, options: InventoryFormatOptions): Iterable<string>;
  /** Of the plugin, which may hold secrets. */
  readonly settings: unknown;
  /** Undefined: files of this format are not combined. */
  readonly join: ((files: readonly InventoryFile[], folder: string) => string) | undefined;
}

export interface InventoryFormats {
  /** @throws ServiceError Validation: there is no such format */
  open(name: string): Promise<OpenFormat>;
}

/** The formats of the loaded plugins, by name. */
export function formatsOf(registry: Pick<Registry, "list">): InventoryFormatPlugin[] {
  return registry
    .list("inventory")
    .filter((plugin) => plugin.does === "format")
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export interface FormatTools {
  readonly registry: Pick<Registry, "get" | "settings">;
  readonly loaded: PluginLoader;
  readonly log: Log;
}

export function createInventoryFormats({ registry, loaded, log }: FormatTools): InventoryFormats {
  const formats = new WeakMap<InventoryFormatPlugin, OpenFormat>();
  return {
    async open(name) {
      const plugin = registry.get("inventory", name);
      if (plugin?.does !== "format")
        throw new ServiceError("Validation", `There is no format ${name.slice(0, 64)}.`);
      const known = formats.get(plugin);
      if (known) return known;
      const make = await loaded.get(plugin);
      const settings = registry.settings(plugin);
      const kit = { log, settings, ...(await yamlTools()) };
      const format = {
        settings,
        ...opened(
          plugin,
          asked(plugin, "load", () => make(kit)),
        ),
      };
      formats.set(plugin, format);
      return format;
    },
  };
}

/** Loaded with the first format: a service may never need them. */
async function yamlTools() {
  const [{ readYaml }, { yamlOf }] = await Promise.all([
    import("../base/yaml/yaml-read.ts"),
    import("../base/yaml/yaml-write.ts"),
  ]);
  return {
    readYaml: (text: string, where: string, dialect: Parameters<typeof readYaml>[2]) =>
      readYaml(text, where, dialect),
    writeYaml: yamlOf,
  };
}

function opened(plugin: InventoryFormatPlugin, format: InventoryFormat): Omit<OpenFormat, "settings"> {
  if (typeof format !== "object" || format === null)
    throw pluginFault(plugin, "load", "it returned no format");
  const { join } = format;
  const unable = (verb: string) =>
    new ServiceError("Validation", `The format ${plugin.name} cannot be ${verb}.`);
  return {
    read(text, options) {
      if (format.read === undefined || !plugin.imports) throw unable("imported");
      if (text.length > limits.bytes)
        throw new ServiceError("PayloadTooLarge", `The text is larger than ${limits.bytes} bytes.`);
      const read = checkedEntries(
        plugin,
        asked(plugin, "read", () => format.read?.(text, options)),
      );
      checkNames(read);
      return read;
    },
    write(inventory, options) {
      if (format.write === undefined || plugin.exports === undefined) throw unable("exported");
      const pieces = asked(plugin, "write", () => format.write?.(inventory, options));
      return checkedPieces(plugin, pieces);
    },
    join:
      join &&
      ((files, folder) =>
        checkedText(
          plugin,
          asked(plugin, "join", () => join(files, folder)),
        )),
  };
}

/** Calls a function of the plugin: a fault in its code names it, and recursion of a deep text is the text's fault. */
function asked<T>(plugin: InventoryFormatPlugin, member: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ServiceError || error instanceof RangeError) throw error;
    throw pluginFault(plugin, member, error);
  }
}

const entry = v.object({
  fields: v.custom<Readonly<Record<string, unknown>>>(isRecord),
  at: v.pipe(
    v.string(),
    v.transform((place) => place.slice(0, 512)),
  ),
});
const entries = v.object({
  devices: v.array(entry),
  groups: v.array(entry),
  warnings: v.array(v.string()),
});

function checkedEntries(plugin: InventoryFormatPlugin, value: unknown): ReadInventory {
  if (isRecord(value)) {
    for (const [list, max] of [
      ["devices", limits.devices],
      ["groups", limits.groups],
    ] as const) {
      const members = value[list];
      if (Array.isArray(members)) requireCount(members.length, max, list);
    }
  }
  const read = v.safeParse(entries, value);
  if (!read.success) {
    const at = v.getDotPath(read.issues[0]) ?? "its result";
    throw pluginFault(plugin, "read", `${at} is not as the contract has it`);
  }
  return { ...read.output, warnings: limitedWarnings(read.output.warnings) };
}

export function limitedWarnings(warnings: readonly string[]): string[] {
  return warnings.slice(0, limits.warnings).map((warning) => warning.slice(0, limits.warningChars));
}

const namePattern = /^[A-Za-z0-9][\w.:-]{0,127}$/;

/** @throws ServiceError Validation */
export function checkNames({ devices, groups }: Pick<ReadInventory, "devices" | "groups">): void {
  const problems = new Issues();
  for (const [what, list] of [
    ["group", groups],
    ["device", devices],
  ] as const) {
    const placeByName = new Map<string, string>();
    for (const { fields, at } of list) {
      const { name } = fields;
      if (typeof name !== "string" || !namePattern.test(name)) {
        problems.add(at, `name: a ${what} needs a name of letters, digits and . _ : -, at most 128`);
        continue;
      }
      const key = name.toLowerCase();
      const before = placeByName.get(key);
      if (before === undefined) placeByName.set(key, at);
      else problems.add(at, `the ${what} ${name} already exists (${before})`);
    }
  }
  problems.check();
}

function checkedPieces(plugin: InventoryFormatPlugin, pieces: unknown): Iterable<string> {
  if (!isIterable(pieces)) throw pluginFault(plugin, "write", "it returned no pieces of text");
  return textsOf(
    plugin,
    asked(plugin, "write", () => pieces[Symbol.iterator]()),
  );
}

function* textsOf(plugin: InventoryFormatPlugin, pieces: Iterator<unknown>): Generator<string> {
  let chars = 0;
  for (;;) {
    const { done, value } = asked(plugin, "write", () => pieces.next());
    if (done === true) return;
    if (typeof value !== "string") throw pluginFault(plugin, "write", "a piece is no text");
    chars += value.length;
    if (value.length > limits.pieceChars || chars > limits.exportChars)
      throw pluginFault(
        plugin,
        "write",
        `it wrote more than ${limits.pieceChars} or ${limits.exportChars} characters`,
      );
    yield value;
  }
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}

function checkedText(plugin: InventoryFormatPlugin, text: unknown): string {
  if (typeof text !== "string") throw pluginFault(plugin, "join", "it returned no text");
  return text;
}
