/**
 * Protects the objects of the language itself (`Object.prototype`, `JSON`, `Map`, …) from plugins: one plugin that
 * changes them would break, or silently falsify, the work of all others in its thread.
 */

/** Not frozen, because that makes every regular expression four times slower (Bun 1.4.5): these are watched instead. */
const watched = [
  [RegExp, "RegExp"],
  [RegExp.prototype, "RegExp.prototype"],
] as const;
/** Settings of stack traces, which libraries assign to. */
const assigned = new Set<PropertyKey>(["stackTraceLimit", "prepareStackTrace"]);
/** Libraries add members to these: reflect-metadata, whatever collects stack traces. */
const extended = new Set<object>([Error, Reflect]);
/** Objects of the language. */
const languageNames = [
  "Object",
  "Function",
  "Array",
  "String",
  "Number",
  "Boolean",
  "Symbol",
  "BigInt",
  "Date",
  "RegExp",
  "Promise",
  "Error",
  "TypeError",
  "RangeError",
  "SyntaxError",
  "ReferenceError",
  "EvalError",
  "URIError",
  "AggregateError",
  "Map",
  "Set",
  "WeakMap",
  "WeakSet",
  "WeakRef",
  "FinalizationRegistry",
  "Proxy",
  "Reflect",
  "JSON",
  "Math",
  "Intl",
  "ArrayBuffer",
  "SharedArrayBuffer",
  "DataView",
  "Atomics",
  "Iterator",
  "Uint8Array",
  "Int8Array",
  "Uint8ClampedArray",
  "Uint16Array",
  "Int16Array",
  "Uint32Array",
  "Int32Array",
  "Float32Array",
  "Float64Array",
  "BigInt64Array",
  "BigUint64Array",
];
/** Functions, and objects of the platform, which have state of their own: only the names are kept. */
const platformNames = [
  "parseInt",
  "parseFloat",
  "isNaN",
  "isFinite",
  "encodeURIComponent",
  "decodeURIComponent",
  "encodeURI",
  "decodeURI",
  "structuredClone",
  "queueMicrotask",
  "fetch",
  "URL",
  "URLSearchParams",
  "TextEncoder",
  "TextDecoder",
  "Buffer",
  "AbortController",
  "AbortSignal",
  "setTimeout",
  "clearTimeout",
  "setInterval",
  "clearInterval",
  "setImmediate",
  "clearImmediate",
  "Headers",
  "Request",
  "Response",
];
const globalNames = [...languageNames, ...platformNames];

/** All objects of the language, by the name of their place. */
function intrinsics(): Map<object, string> {
  const found = new Map<object, string>();
  const add = (value: unknown, name: string): void => {
    if ((typeof value !== "object" && typeof value !== "function") || value === null || found.has(value))
      return;
    found.set(value, name);
    if (typeof value === "function") add(value.prototype, `${name}.prototype`);
    add(Object.getPrototypeOf(value), `the prototype of ${name}`);
  };
  for (const name of languageNames) add(Reflect.get(globalThis, name), name);
  const iterated = [[], "", new Map(), new Set()].map((value) => value[Symbol.iterator]());
  const functions = [function* () {}, async () => {}, async function* () {}];
  const others = [
    ...iterated,
    "".matchAll(/./g),
    ...functions,
    functions[0]?.prototype,
    functions[2]?.prototype,
  ];
  for (const value of others)
    if (value) add(Object.getPrototypeOf(value), `the prototype of ${Object.prototype.toString.call(value)}`);
  return found;
}

/**
 * Freezes them in this thread, once and for good, except those that are watched. What objects inherit can still be
 * set on the objects themselves: `error.name = "…"`.
 */
export function freezeIntrinsics(): void {
  if (areIntrinsicsFrozen()) return;
  const open = new Set<object>(watched.map(([object]) => object));
  for (const [object, name] of intrinsics()) {
    if (open.has(object)) continue;
    if (isInherited(name)) for (const key of Reflect.ownKeys(object)) makeSettable(object, key);
    for (const key of Reflect.ownKeys(object)) if (!assigned.has(key)) makeConstant(object, key);
    if (!extended.has(object)) Object.preventExtensions(object);
  }
  for (const name of globalNames) makeConstant(globalThis, name);
}

export function areIntrinsicsFrozen(): boolean {
  return Object.isFrozen(Array.prototype);
}

/** Objects of any kind inherit from these, and set members of the same name. */
const isInherited = (name: string) => /^(?:Object|Function|\w*Error)\.prototype$|Generator/.test(name);

function makeConstant(object: object, key: PropertyKey): void {
  const property = Object.getOwnPropertyDescriptor(object, key);
  if (property?.configurable !== true) {
    if (property?.writable === true) Object.defineProperty(object, key, { writable: false });
    return;
  }
  Object.defineProperty(
    object,
    key,
    "value" in property ? { writable: false, configurable: false } : { configurable: false },
  );
}

/** An assignment to an object that inherits a read-only member fails; through a setter it makes a member of its own. */
function makeSettable(object: object, key: PropertyKey): void {
  const property = Object.getOwnPropertyDescriptor(object, key);
  if (property?.configurable !== true || property.writable !== true) return;
  const { value } = property;
  Object.defineProperty(object, key, {
    get: () => value,
    set(this: unknown, other: unknown) {
      if (this === object || (typeof this !== "object" && typeof this !== "function") || this === null)
        throw new TypeError("Attempted to assign to readonly property.");
      Object.defineProperty(this, key, {
        value: other,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    },
    enumerable: property.enumerable === true,
    configurable: true,
  });
}

export interface IntrinsicsGuard {
  /** Puts back what was changed. @returns what that was: `RegExp.prototype.exec` */
  restore(): readonly string[];
}

/**
 * Remembers them as they are.
 * @param which `watched`: only those that cannot be frozen, a check of which takes microseconds.
 */
export function guardIntrinsics(which: "all" | "watched"): IntrinsicsGuard {
  const objects = which === "all" ? intrinsics() : new Map<object, string>(watched);
  const kept = [...objects].map(([object, name]) => ({ object, name, members: membersOf(object) }));
  const globals =
    which === "all" ? globalNames.map((name) => [name, Reflect.get(globalThis, name)] as const) : [];
  return {
    restore() {
      const changed: string[] = [];
      for (const { object, name, members } of kept) {
        for (const key of Reflect.ownKeys(object)) {
          if (members.has(key) || assigned.has(key)) continue;
          changed.push(`${name}.${String(key)}`);
          Reflect.deleteProperty(object, key);
        }
        for (const [key, before] of members) {
          const now = Object.getOwnPropertyDescriptor(object, key);
          if (
            now !== undefined &&
            Object.is(now.value, before.value) &&
            now.get === before.get &&
            now.set === before.set
          )
            continue;
          if (assigned.has(key) || isMoving(key)) continue;
          changed.push(`${name}.${String(key)}`);
          Reflect.defineProperty(object, key, before);
        }
      }
      for (const [name, value] of globals) {
        if (Reflect.get(globalThis, name) === value) continue;
        changed.push(name);
        Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
      }
      return changed;
    },
  };
}

/** Statics of RegExp that follow its last match. */
const isMoving = (key: PropertyKey) =>
  typeof key === "string" &&
  /^(?:\$.|input|lastMatch|lastParen|leftContext|rightContext|multiline)$/.test(key);

function membersOf(object: object): Map<PropertyKey, PropertyDescriptor> {
  return new Map(
    Reflect.ownKeys(object).flatMap((key) => {
      const property = Object.getOwnPropertyDescriptor(object, key);
      return property === undefined ? [] : [[key, property] as const];
    }),
  );
}
