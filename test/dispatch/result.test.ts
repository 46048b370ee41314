/** Results as JSON text: a key per command, and truncation of what is too large. */
import { expect, test } from "vitest";
import { partialOutputs, retvalJson, successJson } from "../../src/dispatch/result.ts";

test("each command has its own key in the result, in order, and JSON of parsers stays unchanged", () => {
  const outputs = [
    { command: "20", output: "a" },
    { command: "1", json: '[{"b":1.0,"10":1e3}]' },
    { command: "20", output: null },
    { command: "20 #2", output: { x: 1 } },
    { command: "20", output: "c" },
  ];
  expect(retvalJson(outputs)).toBe(
    '{"20":"a","1":[{"b":1.0,"10":1e3}],"20 #2":null,"20 #2 #2":{"x":1},"20 #3":"c"}',
  );
});

test("output above the limit is cut in the middle and marked OutputTooLarge", () => {
  const output = `${"a".repeat(2_000_000)}END`;
  const { json, tooLarge } = successJson([{ command: "show", output }], { maxBytes: 1_000_000 });
  expect(tooLarge).toBe(true);
  const result = JSON.parse(json);
  expect(result.error.type).toBe("OutputTooLarge");
  expect(result.retval.show).toMatch(/^a{1048576}\n\[…\]\na+END$/);
});

test("partial output of a driver is used only if it is well-formed", () => {
  expect(partialOutputs([{ command: "a", output: 1 }, { other: 1 }, null])).toEqual([
    { command: "a", output: 1 },
  ]);
  expect(partialOutputs("text")).toBeUndefined();
});
