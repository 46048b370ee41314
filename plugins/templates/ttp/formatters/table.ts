/** Converts results to a table of rows below headers. */

import {
  itemsOf,
  type Meter,
  PyDict,
  PyError,
  sorted,
  str,
  truth,
  typeError,
  typeName,
  type Value,
} from "../../python/index.ts";
import { dictToList, traverse } from "../outputs/transform.ts";

export interface Table {
  readonly headers: readonly Value[];
  readonly rows: readonly Value[][];
}

/** @param attributes path, missing, key, strict and headers of the output. */
export function makeTable(data: Value, attributes: PyDict, meter: Meter): Table {
  const path = itemsOf(attributes.get("path") ?? [], meter).map((step) => str(step, meter));
  const missing = attributes.get("missing") ?? "";
  const key = attributes.get("key") ?? "";
  // Attributes of a tag are text, and non-empty text is true.
  const strict = truth(attributes.get("strict") ?? true);
  const headerOption = attributes.get("headers") ?? [];
  const sources = Array.isArray(data) ? data : data instanceof PyDict ? [data] : [];
  const records: Value[] = [];
  for (const source of sources) {
    const item = traverse(source, path, strict, meter);
    if (!truth(item)) continue;
    if (Array.isArray(item)) records.push(...item);
    else if (item instanceof PyDict) {
      if (truth(key)) records.push(...itemsOf(dictToList(item, str(key, meter), [], false, meter), meter));
      else records.push(item);
    }
  }
  const headers = truth(headerOption) ? itemsOf(headerOption, meter) : allKeys(records, meter);
  // If a header is repeated, only its first column is filled.
  const keys = new PyDict();
  const first = headers.map((header) => {
    const isFirst = !keys.has(header);
    keys.set(header, null);
    return isFirst;
  });
  const rows = records.map((record) => {
    const values = dictionary(record);
    return headers.map((header, i) => {
      const value = first[i] === true ? values.get(header) : undefined;
      return value === undefined ? missing : value;
    });
  });
  meter.items(rows.length * Math.max(1, headers.length));
  return { headers, rows };
}

function allKeys(records: readonly Value[], meter: Meter): Value[] {
  const keys = new PyDict();
  for (const record of records) for (const key of dictionary(record).keys()) keys.set(key, null);
  return sorted(keys.keys(), meter);
}

function dictionary(value: Value): PyDict {
  if (value instanceof PyDict) return value;
  throw new PyError("AttributeError", `'${typeName(value)}' object has no attribute 'items'`);
}

export function tableValue({ headers, rows }: Table): Value {
  return [[...headers], ...rows];
}

/** As in the reference, every field is quoted and quotes inside fields are not escaped. */
export function csvText({ headers, rows }: Table, attributes: PyDict, meter: Meter): string {
  const quote = str(attributes.get("quote") ?? '"', meter);
  const separator = `${quote}${str(attributes.get("sep") ?? ",", meter)}${quote}`;
  const line = (fields: readonly string[]) => `${quote}${fields.join(separator)}${quote}`;
  const lines = [line(headers.map((name) => header(name)))];
  let length = 0;
  for (const row of rows) {
    const csvLine = line(row.map((cell) => str(cell, meter)));
    length += csvLine.length;
    if (length > meter.limits.stringChars) meter.text(length);
    lines.push(csvLine);
  }
  return lines.join("\n");
}

function header(value: Value): string {
  if (typeof value === "string") return value;
  throw typeError(`sequence item: expected str instance, ${typeName(value)} found`);
}
