/** Filters that run another filter or a test on every item: map, select, reject and their kin. */
import { blamed, PyError, valueError } from "../../python/errors.ts";
import { isText, type Kwargs, textOf, truth, Undefined, type Value } from "../../python/values.ts";
import type { FilterContext } from "../filter.ts";
import { filterHint, testHint } from "../hints.ts";
import { type FilterEntries, variadic } from "./define.ts";
import { createGetter, type Getter } from "./getter.ts";
import { lazy } from "./lazy.ts";

function nameOf(value: Value): string {
  if (value instanceof Undefined) return value.fail();
  return isText(value) ? textOf(value) : "";
}

function unknown(kind: string, name: string, hint: string): PyError {
  return new PyError("TemplateRuntimeError", `No ${kind} named '${name}'.${hint}`);
}

function mapper(args: readonly Value[], kwargs: Kwargs | undefined, context: FilterContext): Getter {
  const attribute = kwargs?.get("attribute");
  if (args.length === 0 && attribute !== undefined) {
    for (const name of kwargs?.keys() ?? []) {
      if (name !== "attribute" && name !== "default")
        throw valueError(`Unexpected keyword argument '${name}'`);
    }
    return createGetter(attribute, context, { absent: kwargs?.get("default") ?? null });
  }
  const [first, ...rest] = args;
  if (first === undefined) throw valueError("map requires a filter argument");
  const apply = context.run.filters.get(nameOf(first));
  if (apply === undefined)
    throw unknown("filter", nameOf(first), filterHint(nameOf(first), context.run.filters.keys()));
  return blaming(`filter '${nameOf(first)}'`, (item) => apply(item, rest, kwargs, context));
}

/** Items are asked for later, by other filters: the error has to name this one. */
function blaming<T>(what: string, work: (item: Value) => T): (item: Value) => T {
  return (item) => {
    try {
      return work(item);
    } catch (error) {
      throw blamed(error, what, {});
    }
  };
}

function chooser(
  args: readonly Value[],
  kwargs: Kwargs | undefined,
  byAttribute: boolean,
  context: FilterContext,
): (item: Value) => boolean {
  const [attribute] = args;
  if (byAttribute && attribute === undefined) throw valueError("Missing parameter for attribute name");
  const get: Getter = byAttribute ? createGetter(attribute ?? null, context) : (item) => item;
  const [first, ...rest] = byAttribute ? args.slice(1) : args;
  if (first === undefined) return (item) => truth(get(item));
  const test = context.run.tests.get(nameOf(first));
  if (test === undefined)
    throw unknown("test", nameOf(first), testHint(nameOf(first), context.run.tests.keys()));
  return blaming(`test '${nameOf(first)}'`, (item) => test(get(item), rest, kwargs, context));
}

function picking(name: string, wanted: boolean, byAttribute: boolean): FilterEntries {
  return variadic(name, (value, args, kwargs, context) =>
    lazy(value, context, () => {
      const holds = chooser(args, kwargs, byAttribute, context);
      return (item) => (holds(item) === wanted ? item : undefined);
    }),
  );
}

export const pickingFilters: FilterEntries = [
  variadic("map", (value, args, kwargs, context) =>
    lazy(value, context, () => mapper(args, kwargs, context)),
  ),
  picking("select", true, false),
  picking("reject", false, false),
  picking("selectattr", true, true),
  picking("rejectattr", false, true),
].flat();
