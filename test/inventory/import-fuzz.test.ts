/** Invalid, large and hostile text of each format is either parsed or refused with a typed error. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import { inventoryTextLimits } from "../../src/base/inventory-limits.ts";
import { runs } from "../support/runs.ts";
import { importFormats, readInventory } from "./formats.ts";

const seeds: Readonly<Record<string, string>> = {
  csv: 'kind,name,group,tags,vars.a,credential\ngroup,g,,,,\n,r1,g,"a;b","{""x"":1}",env:x\n',
  json: '{"groups":[{"name":"g"}],"devices":[{"name":"r1","vars":{"a":[1,null,"\\u0041"]}}]}',
  yaml: "groups:\n  - name: g\ndevices:\n  - &x {name: r1, tags: [a]}\n  - name: r2\n    vars: |\n      a\n",
  nornir: JSON.stringify({
    hosts: "r1:\n  groups: [g]\n",
    groups: "g:\n  data: {a: 1}\n",
    defaults: "port: 22\n",
  }),
  ansible: "[g]\nr[1:3] a=1 b='x y'\n[h:children]\ng\n[h:vars]\nansible_port=22\n",
  oxidized: "r1:ios:bob:x\nr2:junos\n",
  netpulse: "Selected,Name,Vendor,IP,Port\nTrue,r1,Cisco,192.0.2.1,22\n",
};
const signs = [
  "[",
  "]",
  "{",
  "}",
  '"',
  "'",
  ":",
  "- ",
  "\n",
  "\t",
  "&a ",
  "*a ",
  "!!x ",
  "|",
  ">",
  "#",
  ",",
  "\0",
  "\ud800",
  "<<: ",
  "? ",
  "__proto__",
  "%YAML 9\n",
  "--- ",
  "1e999",
  "\\u",
  "=",
];

function outcome(format: string, text: string): string {
  try {
    readInventory(format, text);
    return "read";
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.kind === "Validation")
      expect(error.detail?.issues).toSatisfy(
        (issues) => Array.isArray(issues) && issues.length > 0 && issues.length <= 101,
      );
    return error.kind;
  }
}

test.each(importFormats)("a damaged %s document is read or rejected, without other errors", (format) => {
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    cut: fc.nat(12),
    put: fc.constantFrom("", ...signs),
  });
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 6 }), (edits) => {
      let text = seeds[format] ?? "";
      for (const { at, cut, put } of edits) {
        const place = Math.floor(at * text.length);
        text = text.slice(0, place) + put + text.slice(place + cut);
      }
      expect(["read", "Validation", "PayloadTooLarge"]).toContain(outcome(format, text));
    }),
    { numRuns: runs(200) },
  );
});

test.each(importFormats)("any text as %s is read or rejected, without other errors", (format) => {
  fc.assert(
    fc.property(fc.string({ unit: "binary-ascii", maxLength: 200 }), (text) => {
      expect(["read", "Validation", "PayloadTooLarge"]).toContain(outcome(format, text));
    }),
    { numRuns: runs(100) },
  );
});

const deep = 200_000;
/** Nesting depth at which the parser gives up; in the service it runs in a process with a limit. */
const steps = 10_000;
test.each([
  ["json", "[".repeat(deep)],
  ["json", '{"a":'.repeat(deep)],
  ["json", `{"devices": "${"x".repeat(1_000_000)}"}`],
  ["yaml", "[".repeat(deep)],
  ["yaml", "- ".repeat(steps)],
  ["yaml", "? ".repeat(steps)],
  ["yaml", `a: ${"&x ".repeat(steps)}`],
  ["yaml", `${"a: ".repeat(steps)}`],
  ["csv", `name\n"${"x".repeat(1_000_000)}`],
  ["csv", `name${",a".repeat(deep)}\nr1`],
  ["ansible", `[a]\n${"[".repeat(deep)}`],
  ["ansible", `r1 ${"x".repeat(deep)}`],
  [
    "ansible",
    `a:\n  children:${Array.from({ length: 500 }, (_, at) => `\n${" ".repeat(4 * at + 4)}g${at}:\n${" ".repeat(4 * at + 6)}children:`).join("")}`,
  ],
  ["oxidized", ":".repeat(1_000_000)],
  ["netpulse", `IP,Vendor\nx${",".repeat(1_000_000)}`],
  ["nornir", JSON.stringify({ hosts: "- ".repeat(steps) })],
] as const)("a deeply nested or very long %s document is rejected (%#)", (format, text) => {
  expect(outcome(format, text)).toBe("Validation");
});

test("an import above the size or device limit is rejected", () => {
  expect(outcome("csv", " ".repeat(inventoryTextLimits.bytes + 1))).toBe("PayloadTooLarge");
  const many = Array.from({ length: inventoryTextLimits.devices + 1 }, (_, at) => `r${at}:ios`).join("\n");
  expect(outcome("oxidized", many)).toBe("PayloadTooLarge");
});

test("a variable named __proto__ changes no prototype", () => {
  const [device] = readInventory("yaml", "- name: r1\n  vars:\n    __proto__: {x: 1}\n").devices;
  expect(Object.getPrototypeOf(device?.fields.vars)).toBe(Object.prototype);
  expect(Reflect.get({}, "x")).toBeUndefined();
});
