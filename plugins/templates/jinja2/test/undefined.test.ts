/** An undefined variable that prints nothing causes a warning; with `strict` an error. */
import { expect, test } from "vitest";
import { createTestEngine, ctx } from "./support.ts";

function warningsOf(source: string, args: object = {}, context = "{}"): string[] {
  const found: string[] = [];
  const template = createTestEngine().compile(source, args);
  template.run(context, { ...ctx, warn: (message) => found.push(message) });
  return [...(template.warnings ?? []), ...found];
}

test("each undefined variable is reported once per line", () => {
  const source = "mtu {{ mtu }}\n{% for i in range(3) %}{{ port.speed }}{% endfor %}\n{{ mtu }}";
  expect(warningsOf(source, {}, '{"port": {}}')).toEqual([
    "line 1: 'mtu' is undefined and prints nothing",
    "line 2: 'dict object' has no attribute 'speed' and prints nothing",
    "line 3: 'mtu' is undefined and prints nothing",
  ]);
});

test("the warning names the included template", () => {
  const templates = { "part.j2": "\n{{ vlan }}" };
  expect(warningsOf("{% include 'part.j2' %}", { templates })).toEqual([
    "line 2 of part.j2: 'vlan' is undefined and prints nothing",
  ]);
});

test("intentionally absent values cause no warning", () => {
  expect(
    warningsOf("{{ mtu | default('') }}{% if mtu %}{{ mtu }}{% endif %}{{ 'x' if mtu }}{{ [] | first }}"),
  ).toEqual([]);
  expect(warningsOf("{{ mtu }}", { undefined: "DebugUndefined" })).toEqual([]);
});

test("strict makes undefined values errors, unless `undefined` is set", () => {
  expect(() => warningsOf("mtu {{ mtu }}", { strict: true })).toThrow("'mtu' is undefined");
  expect(warningsOf("{{ a.b }}", { strict: true, undefined: "ChainableUndefined" })).toHaveLength(1);
});

test("the warning suggests a similar name", () => {
  expect(warningsOf("{{ hostnam }}", {}, '{"hostname": "r1"}')).toEqual([
    "line 1: 'hostnam' is undefined and prints nothing. Did you mean hostname?",
  ]);
});
