/** Values as they are read: a text as it is, anything else as JSON with the digits that were sent. */
import { stringifyExact } from "../base/json/exact-json.ts";

export const shownText = (value: unknown, indent = 0): string =>
  typeof value === "string" ? value : stringifyExact(value, indent);

/** In a cell or a line, where nothing is empty. */
export const shownCell = (value: unknown): string =>
  value === null || value === undefined ? "" : shownText(value);
