/** Validates documents against a Cerberus schema. */

import {
  contains,
  itemsOf,
  limitError,
  type Meter,
  PyDict,
  PyError,
  repr,
  str,
  truth,
  type Value,
} from "../../python/index.ts";
import type { Fault } from "./faults.ts";
import { inOrder } from "./order.ts";
import { lengthOf, valueRules } from "./rules.ts";
import { LOGIC, listed, readRules, schemaError } from "./schema.ts";
import { isCollection, isSequence } from "./types.ts";

/** A mapping being validated. */
interface Level {
  /** The mapping before defaults are applied. */
  readonly given: PyDict;
  readonly document: PyDict;
  readonly root: PyDict;
  readonly rules: ReadonlyMap<Value, ReadonlyMap<string, Value>>;
  readonly path: readonly Value[];
  /** Whether unknown fields are allowed, or the rules for them. */
  readonly unknown: Value;
  readonly requireAll: boolean;
  /** Whether to apply defaults and check `readonly`; false inside the definitions of `anyof` and its kin. */
  readonly filled: boolean;
  /** Required fields that exclude one another: one of them suffices. */
  readonly excused: Set<Value>;
}

type Inherited = Pick<Level, "unknown" | "requireAll" | "filled"> & { readonly root?: PyDict };

/** Rules to skip after another rule has decided. */
const WITHOUT_VALUE =
  "allowed empty forbidden items keysrules min max minlength maxlength regex schema type valuesrules".split(
    " ",
  );
const WITHOUT_LENGTH = "allowed forbidden items minlength maxlength regex".split(" ");
const FIRST = ["nullable", "readonly", "type", "empty"];
const SILENT = ["allow_unknown", "default", "meta", "require_all", "required"];

/** @returns the errors; an empty list if the document is valid. */
export function validate(document: Value, schema: Value, unknown: Value, meter: Meter): readonly Fault[] {
  if (!(document instanceof PyDict))
    throw new PyError("DocumentError", `'${str(document, meter)}' is not a document, must be a dict`);
  if (!(schema instanceof PyDict)) throw schemaError("a schema must be a dictionary");

  function check(
    document: PyDict,
    definitions: PyDict,
    path: readonly Value[],
    inherited: Inherited,
  ): readonly Fault[] {
    if (path.length > meter.limits.depth)
      throw limitError(`a document nested deeper than ${meter.limits.depth} levels`);
    const rules = new Map(
      definitions.entries().map(([field, one]) => [field, readRules(field, one, meter)] as const),
    );
    const filled = inherited.filled ? withDefaults(document, rules) : document;
    const level: Level = {
      ...inherited,
      given: document,
      document: filled,
      root: inherited.root ?? filled,
      rules,
      path,
      excused: new Set(),
    };
    const batches = filled.entries().flatMap(([field, value]) => {
      meter.step();
      const fieldRules = rules.get(field);
      if (fieldRules === undefined) return [unknownField(field, value, level)];
      return checkField(field, value, fieldRules, level).map((fault) => [fault]);
    });
    return inOrder([...batches, ...missingFields(level).map((fault) => [fault])]);
  }

  const fault = (level: Level, field: Value, rule: string, message: string): Fault => ({
    path: [...level.path, field],
    rule,
    message,
  });

  function unknownField(field: Value, value: Value, level: Level): readonly Fault[] {
    const { unknown: allowed, path } = level;
    if (!truth(allowed)) return [fault(level, field, "", "unknown field")];
    if (!(allowed instanceof PyDict)) return [];
    return check(dict([field, value]), dict([field, allowed]), path, { ...level, filled: false });
  }

  function missingFields({ document: present, rules, path, requireAll, excused }: Level): Fault[] {
    const required = [...rules].filter(([, own]) => (own.get("required") ?? requireAll) === true);
    const names = required.map(([field]) => field).filter((field) => !excused.has(field));
    const missing = names.filter((field) => !present.has(field));
    // One of the fields that exclude one another must be present.
    if ([...excused].every((field) => (present.get(field) ?? null) === null)) missing.push(...excused);
    return missing.map((field) => ({ path: [...path, field], rule: "required", message: "required field" }));
  }

  function checkField(field: Value, value: Value, rules: ReadonlyMap<string, Value>, level: Level): Fault[] {
    const faults: Fault[] = [];
    const names = ["nullable", ...FIRST.slice(1).filter((name) => rules.has(name))];
    for (const name of rules.keys()) if (!FIRST.includes(name) && !SILENT.includes(name)) names.push(name);
    let pending = names;
    const drop = (dropped: readonly string[]): void => {
      pending = pending.filter((name) => !dropped.includes(name));
    };
    while (pending.length > 0) {
      meter.step();
      const [name = ""] = pending;
      pending = pending.slice(1);
      const constraint = rules.get(name) ?? null;
      const say = (message: string) => faults.push(fault(level, field, name, message));
      if (name === "nullable") {
        if (value !== null) continue;
        if (!truth(constraint)) say("null value not allowed");
        drop(WITHOUT_VALUE);
      } else if (name === "readonly") {
        if (!truth(constraint) || !level.filled || !level.given.has(field)) continue;
        say("field is read-only");
        pending = [];
      } else if (name === "empty") {
        if (lengthOf(value, meter) !== 0) continue;
        drop(WITHOUT_LENGTH);
        if (!truth(constraint)) say("empty values not allowed");
      } else if (Object.hasOwn(valueRules, name)) {
        const message = valueRules[name]?.(value, constraint, meter);
        if (message === undefined) continue;
        say(message);
        if (name === "type") pending = [];
      } else if (name === "schema" && value instanceof PyDict && !isSchema(constraint)) {
        say("must be of dict type");
        pending = [];
      } else faults.push(...checkInside(name, constraint, field, value, level));
    }
    return faults;
  }

  /** Rules that depend on other fields or validate nested values. */
  function checkInside(name: string, constraint: Value, field: Value, value: Value, level: Level): Fault[] {
    const asFault = (message: string): Fault[] => [fault(level, field, name, message)];
    if (LOGIC.includes(name)) return logic(name, listed(constraint), field, level);
    switch (name) {
      case "dependencies":
        return dependencies(constraint, level).flatMap(asFault);
      case "excludes":
        return excludes(listed(constraint), field, level).flatMap(asFault);
      case "items": {
        const allowed = listed(constraint);
        const length = lengthOf(value, meter);
        if (length === undefined) return [];
        if (length !== allowed.length)
          return asFault(`length of list should be ${allowed.length}, it is ${length}`);
        return within(name, field, numbered(itemsOf(value, meter)), numbered(allowed), level);
      }
      case "keysrules":
        if (!(value instanceof PyDict)) return [];
        return within(name, field, mirrored(value), sameFor(value, constraint), level);
      case "valuesrules":
        if (!(value instanceof PyDict)) return [];
        return within(name, field, value, sameFor(value, constraint), level);
    }
    // Only `schema` is left.
    if (constraint === null) return [];
    if (value instanceof PyDict) {
      if (!(constraint instanceof PyDict)) throw schemaError("a schema must be a dictionary");
      const fieldRules = level.rules.get(field);
      return within(name, field, value, constraint, {
        ...level,
        unknown: fieldRules?.get("allow_unknown") ?? level.unknown,
        requireAll: truth(fieldRules?.get("require_all") ?? level.requireAll),
      });
    }
    if (!isSequence(value)) return [];
    const items = numbered(itemsOf(value, meter));
    return within(name, field, items, sameFor(items, constraint), level);
  }

  function within(rule: string, field: Value, inside: PyDict, definitions: PyDict, level: Level): Fault[] {
    const path = [...level.path, field];
    const inner = check(inside, definitions, path, level);
    return inner.length === 0 ? [] : [{ path, rule, message: "", inner }];
  }

  function logic(rule: string, definitions: readonly Value[], field: Value, level: Level): Fault[] {
    const fieldRules = level.rules.get(field);
    const faultsByDefinition = definitions.map((definition) => {
      if (!(definition instanceof PyDict))
        throw schemaError(`the definitions of '${rule}' must be dictionaries`);
      const merged = definition.copy();
      for (const name of ["allow_unknown", "type"]) {
        const inherited = fieldRules?.get(name);
        if (inherited !== undefined && !merged.has(name)) merged.set(name, inherited);
      }
      if (!merged.has("allow_unknown")) merged.set("allow_unknown", level.unknown);
      return check(level.document, dict([field, merged]), level.path, {
        ...level,
        unknown: true,
        filled: false,
      });
    });
    const validCount = faultsByDefinition.filter((faults) => faults.length === 0).length;
    const verdicts: Readonly<Record<string, [boolean, string]>> = {
      anyof: [validCount > 0, "no definitions validate"],
      allof: [validCount === faultsByDefinition.length, "one or more definitions don't validate"],
      noneof: [validCount === 0, "one or more definitions validate"],
      oneof: [validCount === 1, "none or more than one rule validate"],
    };
    const [holds, message] = verdicts[rule] ?? [true, ""];
    return holds ? [] : [{ path: [...level.path, field], rule, message, definitions: faultsByDefinition }];
  }

  /** Looks up a field by dotted path; `^` starts at the document's root. */
  function lookUp(path: string, level: Level): { exists: boolean; value: Value } {
    const local = !path.startsWith("^") || path.startsWith("^^");
    let value: Value = local ? level.document : level.root;
    for (const segment of path.replace(/^\^{1,2}/, "").split(".")) {
      if (!isCollection(value) || !contains(value, segment, meter)) return { exists: false, value: null };
      value = value instanceof PyDict ? (value.get(segment) ?? null) : null;
    }
    return { exists: true, value };
  }

  function dependencies(constraint: Value, level: Level): string[] {
    if (!(constraint instanceof PyDict))
      return listed(constraint)
        .filter((name) => !lookUp(str(name, meter), level).exists)
        .map((name) => `field '${str(name, meter)}' is required`);
    const wrong = new PyDict();
    for (const [name, values] of constraint.entries()) {
      const { value } = lookUp(str(name, meter), level);
      if (!contains([...listed(values)], value, meter)) wrong.set(name, value);
    }
    return wrong.size === 0 ? [] : [`depends on these values: ${repr(constraint, meter)}`];
  }

  function excludes(others: readonly Value[], field: Value, level: Level): string[] {
    if (truth(level.rules.get(field)?.get("required") ?? level.requireAll)) {
      level.excused.add(field);
      for (const other of others) if (level.rules.has(other)) level.excused.add(other);
    }
    if (!others.some((other) => level.document.has(other))) return [];
    const names = others.map((other) => `'${str(other, meter)}'`).join(", ");
    return [`${names} must not be present with '${str(field, meter)}'`];
  }

  return check(document, schema, [], { unknown, requireAll: false, filled: true });
}

function withDefaults(document: PyDict, rules: Level["rules"]): PyDict {
  const filled = document.copy();
  for (const [field, own] of rules) {
    const value = filled.get(field);
    const isEmpty = value === undefined || (value === null && !truth(own.get("nullable") ?? false));
    const instead = own.get("default");
    if (isEmpty && instead !== undefined) filled.set(field, instead);
  }
  return filled;
}

/** Whether it is rules by field, as a mapping needs, and not rules for the items of a list. */
const isSchema = (constraint: Value): boolean =>
  !(constraint instanceof PyDict) || constraint.values().every((rules) => rules instanceof PyDict);

const dict = (...entries: [Value, Value][]): PyDict => PyDict.from(entries);
const numbered = (items: readonly Value[]): PyDict =>
  PyDict.from(items.map((item, i): [Value, Value] => [i, item]));
const mirrored = (fields: PyDict): PyDict =>
  PyDict.from(fields.keys().map((key): [Value, Value] => [key, key]));
const sameFor = (fields: PyDict, value: Value): PyDict =>
  PyDict.from(fields.keys().map((key): [Value, Value] => [key, value]));
