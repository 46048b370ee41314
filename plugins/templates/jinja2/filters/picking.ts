/** Filters that apply another filter or test to each item: map, select, reject and their kin. */
import {
  blamed,
  isText,
  type Kwargs,
  PyError,
  textOf,
  truth,
  Undefined,
  type Value,
} from "../../python/index.ts";
import { filterHint, testHint } from "../syntax/hints.ts";
import { argumentError, type FilterEntries, variadic } from "./define.ts";
import { createGetter, type Getter } from "./getter.ts";
import type { Apply, FilterContext } from "./kinds.ts";
import { lazy } from "./lazy.ts";

/** Looks up a filter or test. Errors name it, because generators run it later, inside other filters. */
function running<Result extends Value>(
  kind: "filter" | "test",
  name: Value,
  table: ReadonlyMap<string, Apply<Result>>,
  run: (apply: Apply<Result>, item: Value) => Result,
): (item: Value) => Result {
  if (name instanceof Undefined) return name.fail();
  const text = isText(name) ? textOf(name) : "";
  const apply = table.get(text);
  if (apply === undefined) {
    const hint = kind === "filter" ? filterHint(text, table.keys()) : testHint(text, table.keys());
    throw new PyError("TemplateRuntimeError", `No ${kind} named '${text}'.${hint}`);
  }
  return (item) => {
    try {
      return run(apply, item);
    } catch (error) {
      throw blamed(error, `${kind} '${text}'`, {});
    }
  };
}

function mapper(args: readonly Value[], kwargs: Kwargs | undefined, context: FilterContext): Getter {
  const attribute = kwargs?.get("attribute");
  if (args.length === 0 && attribute !== undefined) {
    for (const name of kwargs?.keys() ?? []) {
      if (name !== "attribute" && name !== "default")
        throw argumentError(`Unexpected keyword argument '${name}'`);
    }
    return createGetter(attribute, context, { absent: kwargs?.get("default") ?? null });
  }
  const [first, ...rest] = args;
  if (first === undefined) throw argumentError("map requires a filter argument");
  const { filters } = context.run;
  return running("filter", first, filters, (apply, item) => apply(item, rest, kwargs, context));
}

function chooser(
  args: readonly Value[],
  kwargs: Kwargs | undefined,
  byAttribute: boolean,
  context: FilterContext,
): (item: Value) => boolean {
  const [attribute] = args;
  if (byAttribute && attribute === undefined) throw argumentError("Missing parameter for attribute name");
  const get: Getter = byAttribute ? createGetter(attribute ?? null, context) : (item) => item;
  const [first, ...rest] = byAttribute ? args.slice(1) : args;
  if (first === undefined) return (item) => truth(get(item));
  const { tests } = context.run;
  return running("test", first, tests, (test, item) => test(get(item), rest, kwargs, context));
}

function picking(name: string, expected: boolean, byAttribute: boolean): FilterEntries {
  return variadic(name, (value, args, kwargs, context) =>
    lazy(value, context, () => {
      const holds = chooser(args, kwargs, byAttribute, context);
      return (item) => (holds(item) === expected ? item : undefined);
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
