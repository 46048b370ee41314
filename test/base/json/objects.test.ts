/** Objects and unions: a list is not accepted as an object, and errors name the right path. */
import * as v from "valibot";
import { expect, test } from "vitest";
import { jsonSchemaOfValibot } from "../../../src/base/json/json-schema.ts";
import { alternatives, members, noList, nullsAsAbsent } from "../../../src/base/json/objects.ts";

test("a list is rejected as an object, and the JSON Schema of an object is unchanged", () => {
  for (const list of [[], [1], [{ a: 1 }]])
    expect(v.safeParse(members, list).issues?.[0]).toMatchObject({
      message: "must be an object",
      received: expect.not.stringMatching("undefined"),
    });
  expect(v.parse(members, { a: [1] })).toEqual({ a: [1] });
  expect(v.safeParse(v.nullish(noList(v.looseObject({}))), ["a"]).success).toBe(false);
  expect(jsonSchemaOfValibot(members)).toEqual(jsonSchemaOfValibot(v.record(v.string(), v.unknown())));
});

test("null counts as absent, except in fields that keep it", () => {
  const schema = nullsAsAbsent(
    v.strictObject({ a: v.exactOptional(v.string()), b: v.exactOptional(v.unknown()) }),
    "b",
  );
  expect(v.parse(schema, { a: null, b: null })).toEqual({ b: null });
  expect(v.safeParse(schema, null).success).toBe(false);
  expect(v.safeParse(schema, { c: 1 }).success).toBe(false);
});

test("an invalid value is reported by the matching alternative, with its path", () => {
  const list = v.array(v.string());
  const either = alternatives(v.union([v.string(), list], "a text, or a list"), (value) =>
    Array.isArray(value) ? list : undefined,
  );
  expect(v.parse(either, "a")).toBe("a");
  expect(v.parse(either, ["a"])).toEqual(["a"]);
  const [wrong] = v.safeParse(v.object({ either }), { either: ["a", 5] }).issues ?? [];
  expect(wrong?.path?.map(({ key }) => key)).toEqual(["either", 1]);
  expect(v.safeParse(either, 5).issues?.[0].message).toBe("a text, or a list");
});
