/** Numbers and booleans that callers send as strings. */
import * as v from "valibot";
import { expect, test } from "vitest";
import { jsonSchemaOfValibot } from "../../../src/base/json/json-schema.ts";
import { laxBoolean, laxNumber } from "../../../src/base/json/lax.ts";

const seconds = v.pipe(laxNumber("must be a number"), v.finite("must be a number"), v.minValue(0));
const flag = laxBoolean("must be true or false");

test.each([
  ...[30, "30", " 30 ", "30.0", "+30", "3e1"].map((given): [unknown, number] => [given, 30]),
  ["0.5", 0.5],
  [".5", 0.5],
])("%j is accepted as a number", (given, expected) => {
  expect(v.parse(seconds, given)).toBe(expected);
});

test.each([
  "",
  " ",
  "30s",
  "0x1e",
  "1_000",
  "Infinity",
  "NaN",
  "1e999",
  `${"1".repeat(70)}`,
  true,
  null,
  [30],
])("%j is rejected as a number", (given) => {
  expect(v.safeParse(seconds, given).issues?.[0].message).toBe("must be a number");
});

test.each([
  ...[true, "true", "True", "TRUE", "t", "yes", "Y", "on", "1", 1].map((given): [unknown, boolean] => [
    given,
    true,
  ]),
  ...[false, "false", "False", "f", "no", "N", "off", "0", 0].map((given): [unknown, boolean] => [
    given,
    false,
  ]),
])("%j is accepted as a boolean", (given, expected) => {
  expect(v.parse(flag, given)).toBe(expected);
});

test.each(["", "ja", " true", "2", 2, -1, null, []])("%j is rejected as a boolean", (given) => {
  expect(v.safeParse(flag, given).issues?.[0].message).toBe("must be true or false");
});

test("the schemas of lax numbers and booleans describe numbers and booleans", async () => {
  const schema = v.object({ on: v.optional(flag), wait: seconds });
  expect(jsonSchemaOfValibot(schema)).toMatchObject({
    properties: { on: { type: "boolean" }, wait: { type: "number" } },
  });
  expect(await flag["~standard"].validate("yes")).toMatchObject({ value: true });
  expect(v.parse(schema, { on: "off", wait: "7" })).toEqual({ on: false, wait: 7 });
});
