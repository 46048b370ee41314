/**
 * Contract of the inventory's plugins: a format reads and writes texts of another tool; a source fetches them, or
 * devices, from elsewhere.
 */
import { type ErrorDetail, ServiceError } from "../base/errors.ts";
import { inventoryTextLimits } from "../base/inventory-limits.ts";
import type { ReadYaml, YamlDialect, YamlWarning } from "../base/yaml/yaml-dialects.ts";
import type { PluginErrorKind } from "./errors.ts";
import type { Context, Kit, Manifest, OutputOf, Schema } from "./kit/kit.ts";
import type { NetworkKit } from "./kit/network.ts";

export type { ReadYaml, YamlDialect, YamlWarning };
export { inventoryTextLimits };

export type InventoryPlugin = InventoryFormatPlugin | InventorySourcePlugin;

export interface InventoryFormatPlugin extends Manifest<"inventory"> {
  readonly does: "format";
  /** Whether texts of this format can be imported. */
  readonly imports: boolean;
  /** Media type and file name of an export; absent: the format cannot be exported. */
  readonly exports?: { readonly type: string; readonly name: string };
  load(): Promise<{ default: MakeInventoryFormat<unknown> }>;
}

/** Called once in each process that uses the format. */
export type MakeInventoryFormat<Settings> = (kit: InventoryFormatKit<Settings>) => InventoryFormat;

export interface InventoryFormat {
  /**
   * Reads a text in a template process, which is killed when it exceeds its time or memory limit.
   * @throws Validation (`invalid`, `Issues`) with the place of each fault, never quoting a value
   */
  read?(text: string, options: InventoryFormatOptions): ReadInventory;
  /** Writes a text in pieces, each of an entry or so: other requests are served in between. @throws as `read` */
  write?(inventory: ExportedInventory, options: InventoryFormatOptions): Iterable<string>;
  /**
   * Combines the files of a folder into the single text that `read` takes.
   * @param folder as the source names it; `.` is the top
   */
  join?(files: readonly InventoryFile[], folder: string): string;
}

/** For texts in columns. */
export interface InventoryFormatOptions {
  readonly delimiter?: string | undefined;
  /** Comma-separated column names. */
  readonly map?: string | undefined;
}

export interface InventoryFormatKit<Settings = unknown> extends Kit<Settings> {
  /**
   * Reads a YAML document, with the line of each node; numbers keep their digits and members their order.
   * @param where prefix of line numbers in messages: `hosts `
   * @throws Validation
   */
  readYaml(text: string, where: string, dialect: YamlDialect): ReadYaml;
  /** Writes a value as YAML that every dialect reads back with the same types and order. */
  writeYaml(value: unknown): string;
}

/** A device or a group, with the fields of `POST /inventory/device`. */
export interface InventoryEntry {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Position in the text: `line 17`, `hosts line 3`. */
  readonly at: string;
}

export interface ReadInventory {
  readonly devices: readonly InventoryEntry[];
  readonly groups: readonly InventoryEntry[];
  /** What was skipped, and why. */
  readonly warnings: readonly string[];
}

export interface InventoryFile {
  /** With its folders. */
  readonly name: string;
  readonly text: string;
}

/** Fields that devices and groups share, as written. */
interface WrittenFields {
  readonly name: string;
  readonly port?: number;
  readonly platform?: string;
  readonly driver?: string;
  readonly site?: string;
  readonly role?: string;
  readonly tags?: readonly string[];
  /** A reference, as in `connection_args.credential`. */
  readonly credential?: Readonly<Record<string, unknown>>;
  /** Fields of `connection_args`. */
  readonly connection?: Readonly<Record<string, unknown>>;
  readonly vars?: Readonly<Record<string, unknown>>;
}

export interface WrittenDevice extends WrittenFields {
  readonly host?: string;
  readonly group?: string;
  readonly enabled?: boolean;
}

export interface WrittenGroup extends WrittenFields {
  readonly parent?: string;
  readonly description?: string;
}

/** A device with inherited values. */
export interface ResolvedDevice {
  readonly name: string;
  readonly host: string;
  readonly port: number | null;
  readonly platform: string | null;
  readonly driver: string | null;
  readonly site: string | null;
  readonly role: string | null;
  readonly tags: readonly string[];
  readonly group: string | null;
  readonly enabled: boolean;
  readonly connection: Readonly<Record<string, unknown>>;
  readonly vars: Readonly<Record<string, unknown>>;
}

export interface ExportedInventory {
  readonly devices: readonly { readonly own: WrittenDevice; readonly effective: ResolvedDevice }[];
  /** Parents before children. */
  readonly groups: readonly WrittenGroup[];
}

export interface InventoryFormatDefinition<S extends Schema>
  extends Omit<InventoryFormatPlugin, "api" | "kind" | "does" | "imports" | "settings" | "load"> {
  readonly settings?: S;
  /** Default: true. */
  readonly imports?: boolean;
  /** Given here, or as the default export of a module that is loaded on demand. */
  make?(kit: InventoryFormatKit<OutputOf<S>>): InventoryFormat;
  load?(): Promise<{ default: MakeInventoryFormat<OutputOf<S>> }>;
}

export interface InventorySourcePlugin extends Manifest<"inventory"> {
  readonly does: "source";
  /** Of its URL, such as `https:`. */
  readonly schemes: readonly string[];
  /** What it fetches: texts or files, for which a request names the format, or devices. */
  readonly gives: "text" | "devices";
  /** Fields of a source of this kind besides those that all kinds have. They are stored and shown: none is a secret. */
  readonly options?: Schema;
  load(): Promise<{ default: FetchInventory<unknown, unknown> }>;
}

/** Runs on a device thread. What is thrown fails the sync: a mirror removes nothing. */
export type FetchInventory<Options, Settings> = (
  tools: InventorySourceTools<Options, Settings>,
  ctx: Context,
) => Promise<FetchedInventory>;

export type FetchedInventory = {
  readonly warnings?: readonly string[];
  /** What it was when it was read, such as a commit. */
  readonly revision?: string;
} & (
  | { readonly text: string }
  /** With the folder that was asked for; a folder may be combined by the format. */
  | { readonly files: readonly InventoryFile[]; readonly folder: string }
  | {
      readonly devices: readonly Readonly<Record<string, unknown>>[];
      readonly groups?: readonly Readonly<Record<string, unknown>>[];
    }
);

/** What a credential resolved to; each value is masked. */
export interface InventorySourceLogin {
  readonly username?: string | undefined;
  /** A token or a password. */
  readonly token?: string | undefined;
}

export interface InventorySourceTools<Options, Settings> extends NetworkKit<Settings> {
  readonly url: string;
  /** Whether the certificate of the server must be valid. */
  readonly verify: boolean;
  readonly options: Options;
  /** From `credential` of the source. */
  readonly login: InventorySourceLogin;
  /** Masks a text that the plugin made of a secret, such as an encoded header. */
  hide(text: string): void;
  /**
   * Resolves a name to an address that the operator's policy and the key allow, for connections that `http` does not
   * make.
   * @throws PluginError
   */
  resolveHost(hostname: string): Promise<string>;
  /** Resolves the path of a folder below the template roots to its real path; throws if it is outside. */
  templateFolder(path: string): Promise<string>;
  /** For programs that connect over SSH: the operator's host keys and agent. */
  readonly ssh: { readonly knownHosts: readonly string[]; readonly agentSocket?: string | undefined };
}

export interface InventorySourceDefinition<O extends Schema, S extends Schema>
  extends Omit<InventorySourcePlugin, "api" | "kind" | "does" | "options" | "settings" | "load"> {
  readonly settings?: S;
  readonly options?: O;
  /** Given here, or as the default export of a module that is loaded on demand. */
  readonly fetch?: FetchInventory<OutputOf<O>, OutputOf<S>>;
  load?(): Promise<{ default: FetchInventory<OutputOf<O>, OutputOf<S>> }>;
}

/** Faults of a text or of a source, with kinds that a job does not have. The tools throw the same class. */
export interface InventoryError extends ServiceError {}

export const InventoryError: {
  new (
    kind: PluginErrorKind | "PayloadTooLarge" | "Forbidden",
    message: string,
    detail?: ErrorDetail,
    options?: { cause?: unknown },
  ): InventoryError;
  readonly prototype: InventoryError;
} = ServiceError;

/** @throws InventoryError PayloadTooLarge */
export function requireCount(count: number, max: number, unit: string): void {
  if (count > max)
    throw new InventoryError(
      "PayloadTooLarge",
      `The text holds more than ${max} ${unit}: that is the maximum.`,
    );
}

const maxPlaces = 5;
const maxWarnings = 50;

/** Merges warnings of one kind into one that lists the first places. */
export class Notes {
  readonly #places = new Map<string, string[]>();

  add(at: string, message: string): void {
    const places = this.#places.get(message);
    if (places) places.push(at);
    else this.#places.set(message, [at]);
  }

  /** @param where prefix of the places. */
  addRead(warnings: readonly YamlWarning[], where: string): void {
    for (const { line, message } of warnings) this.add(`${where}line ${line}`, message);
  }

  list(): string[] {
    const warnings = [...this.#places].map(([message, places]) => {
      const more = places.length - maxPlaces;
      return `${message} (${places.slice(0, maxPlaces).join("; ")}${more > 0 ? `; and ${more} more` : ""})`;
    });
    const more = warnings.length - maxWarnings;
    return more > 0 ? [...warnings.slice(0, maxWarnings), `and ${more} warnings more`] : warnings;
  }
}
