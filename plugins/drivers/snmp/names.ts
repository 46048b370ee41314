/** Names and numbers of objects, both ways, and the instances of tables. */
import { type IndexPart, type MibObject, type MibTable, scalars, tables } from "./mibs.ts";

const columns = tables.flatMap(({ columns }) => columns);
const named = new Map([...scalars, ...columns].map((object) => [object.name.toLowerCase(), object]));
const tablesByName = new Map(tables.map((table) => [table.name.toLowerCase(), table]));
const isScalar: ReadonlySet<string> = new Set(scalars.map(({ oid }) => oid));
const byOid = new Map([...scalars, ...columns].map((object) => [object.oid, object]));
const most = 128;

const numeric = /^\.?\d{1,10}(?:\.\d{1,10})+$/;

/**
 * `1.3.6.1.2.1.1.5.0`, `.1.3.6.1.…`, `sysName`, `sysName.0`, `ifDescr.3`, also behind the name of a module (`IF-MIB::`).
 * @returns undefined: no such name
 */
export function oidOf(text: string): string | undefined {
  const given = text.trim();
  if (numeric.test(given)) {
    const oid = given.replace(/^\./, "");
    return isOid(oid) ? oid : undefined;
  }
  const [, name = "", instance = ""] = /^(?:[\w-]+::)?([A-Za-z][\w-]*)((?:\.\d{1,10})*)$/.exec(given) ?? [];
  const found = named.get(name.toLowerCase()) ?? tablesByName.get(name.toLowerCase());
  if (found === undefined) return undefined;
  const oid = `${found.oid}${instance}`;
  return isOid(oid) ? oid : undefined;
}

function isOid(oid: string): boolean {
  const parts = oid.split(".");
  return parts.length <= most && parts.every((part) => Number(part) <= 4_294_967_295);
}

/** The instance of an object that exists once may be left out. */
export const instanceOf = (oid: string): string => (isScalar.has(oid) ? `${oid}.0` : oid);

export function tableOf(oid: string): MibTable | undefined {
  // Agents and people write tables with and without the entry below them.
  return tables.find((table) => table.oid === oid || table.oid === `${oid}.1`);
}

/** The object of an instance, and the rest of its number. */
export function objectOf(oid: string): { readonly object: MibObject; readonly instance: string } | undefined {
  for (let at = oid.lastIndexOf("."); at > 0; at = oid.lastIndexOf(".", at - 1)) {
    const object = byOid.get(oid.slice(0, at));
    if (object !== undefined) return { object, instance: oid.slice(at + 1) };
  }
  return undefined;
}

/** `ifDescr.3`, or the number. */
export function nameOf(oid: string): string {
  const found = objectOf(oid);
  return found === undefined ? oid : `${found.object.name}.${found.instance}`;
}

/** The parts of an instance by name; undefined if it does not fit. */
export function indexOf(
  instance: string,
  index: readonly IndexPart[],
): Readonly<Record<string, string | number>> | undefined {
  const parts = instance.split(".").map(Number);
  const read: [string, string | number][] = [];
  for (const { name, as } of index) {
    const length = as === "number" ? 1 : 6;
    const own = parts.splice(0, length);
    if (own.length < length) return undefined;
    read.push([name, as === "number" ? (own[0] ?? 0) : macOf(own)]);
  }
  return parts.length === 0 ? Object.fromEntries(read) : undefined;
}

export const macOf = (bytes: Iterable<number>): string =>
  [...bytes].map((byte) => (byte & 0xff).toString(16).padStart(2, "0")).join(":");

/** Whether the second follows the first, part by part as numbers. */
export function follows(before: string, after: string): boolean {
  const [left, right] = [before.split("."), after.split(".")];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const difference = Number(right[at]) - Number(left[at]);
    if (difference !== 0) return difference > 0;
  }
  return right.length > left.length;
}

export const isBelow = (oid: string, root: string): boolean => oid.startsWith(`${root}.`);
