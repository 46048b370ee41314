/** Variables named like inherited object properties: kept as they are, or refused, never lost. */
import { expect, test } from "vitest";
import { Issues } from "../../src/base/issues.ts";
import { checkEntry } from "../../src/inventory/change/check.ts";
import { fieldsOf } from "../../src/inventory/change/diff.ts";

test("a new variable named like an inherited property is reported as added", () => {
  const after = { name: "d", vars: { toString: "a", valueOf: "b" }, connection: { hasOwnProperty: "c" } };
  const fields = fieldsOf({ kind: "device", name: "d", before: undefined, after });
  expect(fields).toEqual({
    "vars.toString": { from: null, to: "a" },
    "vars.valueOf": { from: null, to: "b" },
    "connection.hasOwnProperty": { from: null, to: "c" },
  });
});

test.each(["__proto__", "prototype", "constructor"])(
  "a variable named %s is rejected with its path",
  (name) => {
    const issues = new Issues();
    const entry: unknown = JSON.parse(`{"name":"d","vars":{"${name}":{"a":1},"b":2}}`);
    expect(checkEntry("device", entry, "devices.3", issues)).toBeUndefined();
    expect(() => issues.check()).toThrow(
      expect.objectContaining({
        detail: { issues: [expect.objectContaining({ path: `devices.3.vars.${name}` })] },
      }),
    );
  },
);
