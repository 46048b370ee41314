/** The result of an importer: entries with their positions, warnings, and checks shared by all formats. */

import { importBytes } from "../../api/inventory-text.ts";
import { ServiceError } from "../../base/errors.ts";
import { Issues } from "../../base/issues.ts";
import { ExactNumber, orderedEntries, orderedRecord } from "../../base/json/exact-json.ts";
import { isSecretName } from "../../base/secrets/secret-name.ts";
import type { YamlWarning } from "../../base/yaml/yaml-read.ts";

export type Fields = Record<string, unknown>;

/** A device or a group as `POST /inventory/device` takes it. */
export interface Entry {
  readonly fields: Fields;
  /** Position in the text: `line 17`, `hosts line 3`. */
  readonly at: string;
}

export interface ReadInventory {
  readonly devices: readonly Entry[];
  readonly groups: readonly Entry[];
  /** What was skipped, and why. */
  readonly warnings: readonly string[];
}

export const importLimits = {
  bytes: importBytes,
  devices: 100_000,
  groups: 10_000,
  /** Maximum length of a line in line-based formats. */
  lineChars: 65_536,
  depth: 64,
} as const;

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

export const namePattern = /^[A-Za-z0-9][\w.:-]{0,127}$/;

/** Checks names, and the number of devices and groups. @throws ServiceError Validation, PayloadTooLarge */
export function checkEntries({ devices, groups }: Pick<ReadInventory, "devices" | "groups">): void {
  requireCount(devices.length, importLimits.devices, "devices");
  requireCount(groups.length, importLimits.groups, "groups");
  const problems = new Issues();
  for (const [what, entries] of [
    ["group", groups],
    ["device", devices],
  ] as const) {
    const placeByName = new Map<string, string>();
    for (const { fields, at } of entries) {
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

/** @throws ServiceError PayloadTooLarge */
export function requireCount(count: number, max: number, unit: string): void {
  if (count > max)
    throw new ServiceError(
      "PayloadTooLarge",
      `The text holds more than ${max} ${unit}: that is the maximum.`,
    );
}

/** Copies a value without members whose names denote secrets, at any depth; reports each to `omit`. */
export function withoutSecrets(value: unknown, omit: (name: string) => void, depth = 0): unknown {
  if (typeof value !== "object" || value === null || depth > importLimits.depth) return value;
  if (value instanceof ExactNumber) return value;
  if (Array.isArray(value)) return value.map((member) => withoutSecrets(member, omit, depth + 1));
  const kept: [string, unknown][] = [];
  for (const [name, member] of orderedEntries(value)) {
    if (isSecretName(name)) omit(name);
    else kept.push([name, withoutSecrets(member, omit, depth + 1)]);
  }
  return orderedRecord(kept);
}

/** Sets an own member, even one named `__proto__`. */
export function setOwn(fields: Fields, name: string, value: unknown): void {
  Object.defineProperty(fields, name, { value, enumerable: true, writable: true, configurable: true });
}
