/** Parses and formats VLAN lists as on switches. */
import { isInt, PyError, typeName, type Value, valueError } from "../../python/index.ts";
import { define, type FilterEntries, filterError, onlyText } from "../filters/define.ts";
import type { FilterContext } from "../filters/kinds.ts";

/** Three or more consecutive numbers become a range. */
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

/** Packs entries into lines of limited length; an entry that is too long gets its own line. */
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

function vlanParser(items: readonly Value[], firstLength: number, otherLength: number): Value {
  const numbers = items.map((item) => {
    if (!isInt(item)) throw new PyError("TypeError", `VLANs are integers, not ${typeName(item)}`);
    const vlan = Number(item);
    if (vlan < 1 || vlan > 4094) throw filterError(`${vlan} is not a VLAN: they run from 1 to 4094`);
    return vlan;
  });
  return lines(runs([...new Set(numbers)].sort((a, b) => a - b)), firstLength, otherLength);
}

function vlanExpander(text: string, { meter }: FilterContext): Value {
  const vlans: number[] = [];
  for (const part of text.split(",")) {
    const match = /^\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?$/.exec(part);
    if (match === null) throw valueError(`'${part}' is neither a VLAN nor a range of them`);
    const from = Number(match[1]);
    const to = Number(match[2] ?? match[1]);
    meter.items(vlans.length + Math.max(0, to - from + 1));
    for (let vlan = from; vlan <= to; vlan++) vlans.push(vlan);
  }
  return vlans.sort((a, b) => a - b);
}

export const vlanFilters: FilterEntries = [
  define("vlan_parser", "items", "first_line_len: int = 48, other_line_len: int = 44", vlanParser),
  define("vlan_expander", onlyText("VLANs are given as text"), "", vlanExpander),
].flat();
