/** The test `version`: which of two versions is the later one. */
import { signature } from "../../python/args.ts";
import { PyError } from "../../python/errors.ts";
import { Undefined, type Value } from "../../python/values.ts";
import type { FilterContext, Test } from "../filter.ts";
import { flag, plainText } from "../filters/define.ts";

const refuse = (message: string): PyError => new PyError("AnsibleFilterError", message);

/** Negative, zero or positive. */
type Order = (a: string, b: string) => number;

function compareParts(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const left = a[i] ?? 0;
    const right = b[i] ?? 0;
    if (left === right) continue;
    if (typeof left !== typeof right)
      throw refuse(`'${left}' and '${right}' cannot be compared as parts of versions`);
    return left < right ? -1 : 1;
  }
  return a.length - b.length;
}

/** Numbers and runs of small letters; anything else between them counts as it stands. */
function looseParts(version: string): (number | string)[] {
  return version
    .split(/(\d+|[a-z]+|\.)/)
    .filter((part) => part !== "" && part !== ".")
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

const loose: Order = (a, b) => compareParts(looseParts(a), looseParts(b));

const STRICT = /^(\d+)\.(\d+)(?:\.(\d+))?(?:([ab])(\d+))?$/;

/** An alpha or beta comes before its version. */
function strictParts(version: string): (number | string)[] {
  const match = STRICT.exec(version);
  if (match === null) throw refuse(`'${version}' is no strict version, such as 1.2.3 or 1.2b1`);
  const [, major, minor, patch = "0", letter, number = "0"] = match;
  return [Number(major), Number(minor), Number(patch), letter ?? "z", Number(number)];
}

const strict: Order = (a, b) => compareParts(strictParts(a), strictParts(b));

const SEMANTIC =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/;

const semantic: Order = (a, b) => {
  const [left, right] = [a, b].map((version) => {
    const match = SEMANTIC.exec(version);
    if (match === null) throw refuse(`'${version}' is no semantic version, such as 1.2.3-rc.1`);
    return { core: match.slice(1, 4).map(Number), before: match[4]?.split(".") };
  });
  if (left === undefined || right === undefined) return 0;
  const order = compareParts(left.core, right.core);
  if (order !== 0) return order;
  if (left.before === undefined || right.before === undefined)
    return Number(left.before === undefined) - Number(right.before === undefined);
  return comparePreReleases(left.before, right.before);
};

/** Numbers come before words. */
function comparePreReleases(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const left = a[i] ?? "";
    const right = b[i] ?? "";
    if (left === right) continue;
    const numbers = [left, right].map((part) => /^\d+$/.test(part));
    if (numbers[0] !== numbers[1]) return numbers[0] === true ? -1 : 1;
    if (numbers[0] === true) return Number(left) - Number(right);
    return left < right ? -1 : 1;
  }
  return a.length - b.length;
}

const ORDERS: ReadonlyMap<string, Order> = new Map([
  ["loose", loose],
  ["strict", strict],
  ["semver", semantic],
  ["semantic", semantic],
]);

const OPERATORS: ReadonlyMap<string, (order: number) => boolean> = new Map<
  string,
  (order: number) => boolean
>(
  [
    { names: ["==", "=", "eq"], holds: (order: number) => order === 0 },
    { names: ["<", "lt"], holds: (order: number) => order < 0 },
    { names: ["<=", "le"], holds: (order: number) => order <= 0 },
    { names: [">", "gt"], holds: (order: number) => order > 0 },
    { names: [">=", "ge"], holds: (order: number) => order >= 0 },
    { names: ["!=", "<>", "ne"], holds: (order: number) => order !== 0 },
  ].flatMap(({ names, holds }) => names.map((name) => [name, holds] as const)),
);

const bindVersion = signature("version", ["version", "operator?", "strict?", "version_type?"]);

function versionText(value: Value | undefined, context: FilterContext): string {
  if (value instanceof Undefined) return value.fail();
  const text = value === undefined ? "" : plainText(value, context);
  if (text === "") throw refuse("an empty version cannot be compared");
  return text;
}

const version: Test = (value, args, kwargs, context) => {
  const [other, operator = "eq", isStrict, type = null] = bindVersion(args, kwargs);
  const name = type === null ? (flag(isStrict) ? "strict" : "loose") : plainText(type, context);
  const order = ORDERS.get(name);
  if (order === undefined)
    throw refuse(`the type of version is ${[...ORDERS.keys()].join(", ")}, not '${name}'`);
  const holds = OPERATORS.get(plainText(operator, context));
  if (holds === undefined) throw refuse(`the operator is one of ${[...OPERATORS.keys()].join(" ")}`);
  return holds(order(versionText(value, context), versionText(other, context)));
};

export const versionTests: readonly (readonly [string, Test])[] = [
  ["version", version],
  ["version_compare", version],
];
