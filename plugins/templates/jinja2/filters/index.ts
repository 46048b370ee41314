/** All filters by name. */
import type { FilterTable } from "../filter.ts";
import { numberFilters } from "./numbers.ts";
import { pickingFilters } from "./picking.ts";
import { sequenceFilters } from "./sequences.ts";
import { textFilters } from "./text.ts";
import { webFilters } from "./web.ts";

export const allFilters: FilterTable = new Map([
  ...textFilters,
  ...numberFilters,
  ...sequenceFilters,
  ...pickingFilters,
  ...webFilters,
]);
