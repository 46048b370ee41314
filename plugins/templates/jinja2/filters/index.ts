/** All filters by name. */
import { itemsOf, PyIterator } from "../../python/iterate.ts";
import type { Filter, FilterTable } from "../filter.ts";
import { networkFilters, qualifiedFilters } from "../network/index.ts";
import { ansibleUnique } from "../network/unique.ts";
import { numberFilters } from "./numbers.ts";
import { pickingFilters } from "./picking.ts";
import { sequenceFilters } from "./sequences.ts";
import { textFilters } from "./text.ts";
import { webFilters } from "./web.ts";

/** Jinja2's own come last: where a name is in both, theirs is what templates get. */
export const allFilters: FilterTable = new Map<string, Filter>([
  ...qualifiedFilters,
  ...networkFilters,
  ...textFilters,
  ...numberFilters,
  ...sequenceFilters,
  ...pickingFilters,
  ...webFilters,
]);

/** As Ansible has them: lists where Jinja2 gives generators, and its own `unique`. */
export const ansibleFilters: FilterTable = new Map<string, Filter>(
  [...allFilters, ansibleUnique].map(([name, body]): [string, Filter] => [name, unrolled(body)]),
);

function unrolled(body: Filter): Filter {
  return (value, args, kwargs, context) => {
    const result = body(value, args, kwargs, context);
    return result instanceof PyIterator ? [...itemsOf(result, context.meter)] : result;
  };
}
