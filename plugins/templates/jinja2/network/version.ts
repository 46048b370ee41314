/** The test `version`: compares two versions. */
import { Undefined, type Value } from "../../python/index.ts";
import { define, filterError, plainText, type TestEntries } from "../filters/define.ts";
import type { FilterContext } from "../filters/kinds.ts";

/** Negative, zero or positive. */
type Order = (a: string, b: string) => number;
type Part = number | string;

function compareParts(a: readonly Part[], b: readonly Part[], mixed: (a: Part, b: Part) => number): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const left = a[i] ?? 0;
    const right = b[i] ?? 0;
    if (left === right) continue;
    if (typeof left !== typeof right) return mixed(left, right);
    return left < right ? -1 : 1;
  }
  return a.length - b.length;
}

const incomparable = (a: Part, b: Part): never => {
  throw filterError(`'${a}' and '${b}' cannot be compared as parts of versions`);
};
const numbersFirst = (a: Part): number => (typeof a === "number" ? -1 : 1);

/** Digits become numbers. */
const partOf = (part: string): Part => (/^\d+$/.test(part) ? Number(part) : part);

/** Splits into numbers and runs of lower-case letters; any other text between them is a part too. */
function looseParts(version: string): Part[] {
  return version
    .split(/(\d+|[a-z]+|\.)/)
    .filter((part) => part !== "" && part !== ".")
    .map(partOf);
}

const STRICT = /^(\d+)\.(\d+)(?:\.(\d+))?(?:([ab])(\d+))?$/;

/** An alpha or beta precedes its release. */
function strictParts(version: string): Part[] {
  const match = STRICT.exec(version);
  if (match === null) throw filterError(`'${version}' is not a strict version, such as 1.2.3 or 1.2b1`);
  const [, major, minor, patch = "0", letter, number = "0"] = match;
  return [Number(major), Number(minor), Number(patch), letter ?? "z", Number(number)];
}

const SEMANTIC =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/;

/** A release follows all its pre-releases. */
const semantic: Order = (a, b) => {
  const [left, right] = [a, b].map((version) => {
    const match = SEMANTIC.exec(version);
    if (match === null) throw filterError(`'${version}' is not a semantic version, such as 1.2.3-rc.1`);
    return { core: match.slice(1, 4).map(Number), before: match[4]?.split(".").map(partOf) };
  });
  if (left === undefined || right === undefined) return 0;
  const order = compareParts(left.core, right.core, incomparable);
  if (order !== 0) return order;
  if (left.before === undefined || right.before === undefined)
    return Number(left.before === undefined) - Number(right.before === undefined);
  return compareParts(left.before, right.before, numbersFirst);
};

const strict: Order = (a, b) => compareParts(strictParts(a), strictParts(b), incomparable);
const ORDERS: Readonly<Record<string, Order>> = {
  loose: (a, b) => compareParts(looseParts(a), looseParts(b), incomparable),
  strict,
  semver: semantic,
  semantic,
};

const OPERATORS: ReadonlyMap<string, (order: number) => boolean> = new Map(
  Object.entries<(order: number) => boolean>({
    "== = eq": (order) => order === 0,
    "< lt": (order) => order < 0,
    "<= le": (order) => order <= 0,
    "> gt": (order) => order > 0,
    ">= ge": (order) => order >= 0,
    "!= <> ne": (order) => order !== 0,
  }).flatMap(([names, holds]) => names.split(" ").map((name) => [name, holds] as const)),
);

function versionText(value: Value, context: FilterContext): string {
  if (value instanceof Undefined) return value.fail();
  const text = plainText(value, context);
  if (text === "") throw filterError("an empty version cannot be compared");
  return text;
}

function compareVersions(
  value: Value,
  other: Value,
  operator: string,
  isStrict: boolean,
  type: string | null,
  context: FilterContext,
): boolean {
  const name = type ?? (isStrict ? "strict" : "loose");
  const order = Object.hasOwn(ORDERS, name) ? ORDERS[name] : undefined;
  if (order === undefined)
    throw filterError(`the type of version is ${Object.keys(ORDERS).join(", ")}, not '${name}'`);
  const holds = OPERATORS.get(operator);
  if (holds === undefined) throw filterError(`the operator is one of ${[...OPERATORS.keys()].join(" ")}`);
  return holds(order(versionText(value, context), versionText(other, context)));
}

export const versionTests: TestEntries = define(
  "version version_compare",
  "any",
  "version, operator: text = 'eq', strict: flag = false, version_type: text = none",
  compareVersions,
);
