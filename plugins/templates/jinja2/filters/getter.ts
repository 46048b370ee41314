/** Attribute paths in filter arguments: `"address.city"`, `"0.name"`, several separated by commas. */
import { isText, Markup, textOf, Undefined, type Value } from "../../python/index.ts";
import { getSubscript } from "../run/access.ts";
import type { FilterContext } from "./kinds.ts";

export type Getter = (item: Value) => Value;

/** Lower-cases text and returns anything else unchanged. */
export function ignoreCase(value: Value): Value {
  if (typeof value === "string") return value.toLowerCase();
  return value instanceof Markup ? new Markup(value.value.toLowerCase()) : value;
}

function pathOf(attribute: Value): Value[] {
  if (attribute === null) return [];
  if (!isText(attribute)) return [attribute];
  return textOf(attribute)
    .split(".")
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

export function createGetter(
  attribute: Value,
  context: FilterContext,
  { change, absent = null }: { change?: Getter | undefined; absent?: Value } = {},
): Getter {
  const path = pathOf(attribute);
  return (item) => {
    let value = item;
    for (const part of path) {
      value = getSubscript(value, part, context);
      if (absent !== null && value instanceof Undefined) value = absent;
    }
    return change === undefined ? value : change(value);
  };
}

/** A sort key of several attributes. */
export function createMultiGetter(
  attribute: Value,
  context: FilterContext,
  change: Getter | undefined,
): Getter {
  const attributes: Value[] = isText(attribute) ? textOf(attribute).split(",") : [attribute];
  const getters = attributes.map((name) => createGetter(name, context, { change }));
  return (item) => getters.map((getter) => getter(item));
}
