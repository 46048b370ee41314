/** All filters by name. */
import type { FilterTable } from "../filter.ts";
import { networkFilters, qualifiedFilters } from "../network/index.ts";
import { numberFilters } from "./numbers.ts";
import { pickingFilters } from "./picking.ts";
import { sequenceFilters } from "./sequences.ts";
import { textFilters } from "./text.ts";
import { webFilters } from "./web.ts";

/** Jinja2's own come last: where a name is in both, theirs is what templates get. */
export const allFilters: FilterTable = new Map([
  ...qualifiedFilters,
  ...networkFilters,
  ...textFilters,
  ...numberFilters,
  ...sequenceFilters,
  ...pickingFilters,
  ...webFilters,
]);
