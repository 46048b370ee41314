/** VLAN lists as switches write them, to numbers and back. */
import { PyError } from "../../python/errors.ts";
import { itemsOf } from "../../python/iterate.ts";
import { isInt, isText, textOf, typeName, Undefined, type Value } from "../../python/values.ts";
import type { FilterContext } from "../filter.ts";
import { argumentError, type Entry, filter, integer } from "../filters/define.ts";

/** Three and more in a row become a range. */
function runs(numbers: readonly number[]): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let i = 0; i < numbers.length; i++) {
    if (numbers[i + 1] === (numbers[i] ?? 0) + 1) continue;
    if (i - start >= 2) parts.push(`${numbers[start]}-${numbers[i]}`);
    else for (let at = start; at <= i; at++) parts.push(String(numbers[at]));
    start = i + 1;
  }
  return parts;
}

/** Lines that keep within their length where one entry does. */
function lines(parts: readonly string[], firstLength: number, otherLength: number): string[] {
  const packed: string[] = [];
  let line = "";
  for (const part of parts) {
    const longest = packed.length === 0 ? firstLength : otherLength;
    if (line !== "" && line.length + 1 + part.length > longest) {
      packed.push(line);
      line = part;
    } else line = line === "" ? part : `${line},${part}`;
  }
  return line === "" ? packed : [...packed, line];
}

function vlanParser(value: Value, firstLength: number, otherLength: number, context: FilterContext): Value {
  if (value instanceof Undefined) return value.fail();
  const numbers = itemsOf(value, context.meter).map((one) => {
    if (!isInt(one)) throw new PyError("TypeError", `VLANs are integers, not ${typeName(one)}`);
    const vlan = Number(one);
    if (vlan < 1 || vlan > 4094)
      throw new PyError("AnsibleFilterError", `${vlan} is no VLAN: they run from 1 to 4094`);
    return vlan;
  });
  return lines(runs([...new Set(numbers)].sort((a, b) => a - b)), firstLength, otherLength);
}

function vlanExpander(value: Value, { meter }: FilterContext): Value {
  if (value instanceof Undefined) return value.fail();
  if (!isText(value)) throw new PyError("TypeError", `VLANs are given as text, not ${typeName(value)}`);
  const vlans: number[] = [];
  for (const part of textOf(value).split(",")) {
    const match = /^\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?$/.exec(part);
    if (match === null) throw argumentError(`'${part}' is neither a VLAN nor a range of them`);
    const from = Number(match[1]);
    const to = Number(match[2] ?? match[1]);
    meter.items(vlans.length + Math.max(0, to - from + 1));
    for (let vlan = from; vlan <= to; vlan++) vlans.push(vlan);
  }
  return vlans.sort((a, b) => a - b);
}

export const vlanFilters: readonly Entry[] = [
  filter("vlan_parser", ["first_line_len?", "other_line_len?"], (value, [firstLine, otherLines], context) =>
    vlanParser(value, integer(firstLine, 48), integer(otherLines, 44), context),
  ),
  filter("vlan_expander", [], (value, _given, context) => vlanExpander(value, context)),
];
