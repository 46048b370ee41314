/** The literal that a line must contain for a rule to match, searched before the expression is compiled. */

import { expect, test, vi } from "vitest";
import { ctx } from "../../jinja2/test/support.ts";
import { Matcher, parsePattern } from "../../python/text.ts";
import { createEngine } from "../index.ts";
import { neededText } from "../needed-text.ts";
import { kitWith, nothingInstalled } from "./support.ts";

test.each([
  [String.raw`^Interface\s+(\S+)\s+is up`, "Interface"],
  [String.raw`^\s*(?P<A>\w+)\s+line protocol\s`, "line protocol"],
  [String.raw`^MT(?P<U>U size: \d+) bytes`, "MTU size: "],
  [String.raw`^(?P<A>\d+)\.\d`, undefined],
  ["^(up|down) state", " state"],
  ["^(?:ab)?cd(?:ef)*", "cd"],
  ["(?i)Interface x", undefined],
  ["^(?i:Inter)face", "face"],
  ["^größe und maße", "e und ma"],
  ["^ab+cd{2}ef", "ef"],
  ["^(?!abc)xy(?=long text)", "xy"],
  [String.raw`^\$\$ \(x\)$`, "$$ (x)"],
])("the pattern %s needs the text %s", (pattern, needed) => {
  expect(neededText(parsePattern(pattern).root)).toBe(needed);
});

test("a line without the needed text is not matched, and the records are the same", () => {
  const tried = vi.spyOn(Matcher.prototype, "matchStart");
  const template = `Value NAME (\\S+)
Value MTU (\\d+)

Start
  ^Interface \${NAME}
  ^\\s+MTU is \${MTU} -> Record
  ^I.*down -> Error
`;
  const lines = [
    "Interface Eth1",
    "Interested in nothing",
    " MTU is 1500",
    " nothing",
    "Interface Eth2",
    " MTU 7",
  ];
  const records = createEngine(kitWith(nothingInstalled)).compile(template, {}).run(lines.join("\n"), ctx);
  expect(records).toEqual([
    { NAME: "Eth1", MTU: "1500" },
    { NAME: "Eth2", MTU: "" },
  ]);
  expect(tried).toHaveBeenCalledTimes(3);
  tried.mockRestore();
});
