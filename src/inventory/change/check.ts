/** Validates inventory entries before they are written. Messages never repeat a value: it may be a secret. */
import * as v from "valibot";
import {
  deviceFields,
  type EntryKind,
  groupFields,
  inventoryLimits,
  readOnlyFields,
  writtenDevice,
  writtenGroup,
} from "../../api/inventory/inventory.ts";
import type { Issues } from "../../base/issues.ts";
import { ExactNumber, plain } from "../../base/json/exact-json.ts";
import { isRecord } from "../../base/json/members.ts";
import { isSecretName } from "../../base/secrets/secret-name.ts";

/** Whether any driver declares this connection field a secret. */
export type IsSecretField = (name: string, value: unknown) => boolean;

const shapes = { device: writtenDevice, group: writtenGroup } as const;
const knownFields = { device: Object.keys(deviceFields), group: Object.keys(groupFields) } as const;
type Read = {
  readonly device: v.InferOutput<typeof writtenDevice>;
  readonly group: v.InferOutput<typeof writtenGroup>;
};

/** @param place path of the entry, the prefix of its issues. @returns undefined if the entry is invalid */
export function checkEntry<K extends EntryKind>(
  kind: K,
  value: unknown,
  place: string,
  issues: Issues,
): Read[K] | undefined;
export function checkEntry(kind: EntryKind, value: unknown, place: string, issues: Issues) {
  const at = (field: string) => (place === "" ? field : `${place}.${field}`);
  if (!isRecord(value)) {
    issues.add(place, `must be an object: a ${kind}`);
    return undefined;
  }
  const unkept = (["connection", "vars"] as const).flatMap((field) =>
    members(value[field]).flatMap(([name]) => (notKept.has(name) ? [`${field}.${name}`] : [])),
  );
  for (const path of unkept) issues.add(at(path), "is a reserved name: choose another");
  if (unkept.length > 0) return undefined;
  const result = v.safeParse(shapes[kind], asWritten(value));
  if (result.success) return result.output;
  for (const issue of result.issues) {
    const path = v.getDotPath(issue) ?? "";
    const isUnknown = issue.type === "strict_object" && issue.expected === "never";
    const text = isUnknown
      ? `is not a field of a ${kind}: known are ${knownFields[kind].join(", ")}`
      : issue.message;
    const isMissing = issue.type === "strict_object" && !isUnknown;
    issues.add(at(path.slice(0, 200)), isMissing ? "is required" : text);
  }
  return undefined;
}

/** The schemas drop these names silently. */
const notKept: ReadonlySet<string> = new Set(["__proto__", "prototype", "constructor"]);

const readOnly: ReadonlySet<string> = new Set(readOnlyFields);

/** Without read-only fields; only variables keep the types of numbers and the order of keys. */
function asWritten(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const written = Object.entries(value).filter(([name]) => !readOnly.has(name));
  return Object.fromEntries(
    written.map(([name, member]) => [name, name === "vars" ? member : plain(member)]),
  );
}

/** Members of the device itself, not allowed in `connection`. */
const ownFields = new Set(["host", "hostname", "port", "credential"]);

/** Checks what the schemas cannot express: secrets, misplaced fields, nesting depth. */
export function checkMembers(
  { connection, vars, credential }: Readonly<Record<string, unknown>>,
  place: string,
  issues: Issues,
  isSecretField: IsSecretField,
): void {
  const at = (field: string) => (place === "" ? field : `${place}.${field}`);
  for (const [name, value] of members(connection)) {
    const path = at(`connection.${abbreviated(name)}`);
    if (ownFields.has(name))
      issues.add(path, `belongs in the field ${name === "hostname" ? "host" : name} of the device`);
    else if (value !== null && isSecretField(name, value)) issues.add(path, isSecret);
  }
  const inner: IsInner = (path, message) => issues.add(at(path), message);
  noSecrets(connection, "connection", 0, inner);
  noSecrets(vars, "vars", 0, inner);
  if (depthOf(credential) > inventoryLimits.nesting) issues.add(at("credential"), tooDeep);
}

type IsInner = (path: string, message: string) => void;

const isSecret = "is a secret, which the inventory does not store: use a credential instead";
const tooDeep = `nests objects more than ${inventoryLimits.nesting} deep`;

function noSecrets(value: unknown, path: string, depth: number, add: IsInner): void {
  if (depth > inventoryLimits.nesting) {
    add(path, tooDeep);
    return;
  }
  for (const [name, member] of members(value)) {
    const at = `${path}.${abbreviated(name)}`;
    if (isSecretName(name) && holdsText(member, 0)) add(at, isSecret);
    else noSecrets(member, at, depth + 1, add);
  }
}

function holdsText(value: unknown, depth: number): boolean {
  if (typeof value === "string") return value !== "";
  if (typeof value === "number" || value instanceof ExactNumber) return true;
  return depth > inventoryLimits.nesting || members(value).some(([, member]) => holdsText(member, depth + 1));
}

function depthOf(value: unknown, depth = 0): number {
  if (depth > inventoryLimits.nesting) return depth;
  return members(value).reduce((deepest, [, member]) => Math.max(deepest, depthOf(member, depth + 1)), depth);
}

function members(value: unknown): [string, unknown][] {
  const hasMembers = typeof value === "object" && value !== null && !(value instanceof ExactNumber);
  return hasMembers ? Object.entries(value) : [];
}

const abbreviated = (name: string) => name.slice(0, 64);
