/** Errors in a request are reported by field and kind; values are never repeated, because they may be secret. */
import * as v from "valibot";
import { expect, test } from "vitest";
import type { ServiceError } from "../../../src/base/errors.ts";
import { refuse } from "../../../src/base/issues.ts";
import { checkShape, checkWith, readWith } from "../../../src/jobs/request/validate.ts";

const schema = v.object({ host: v.string(), hops: v.optional(v.array(v.object({ port: v.number() }))) });

const plugin = { kind: "driver", name: "acme" } as const;

function thrown(work: () => unknown): ServiceError {
  try {
    work();
  } catch (error) {
    return error as ServiceError;
  }
  throw new Error("nothing was thrown");
}

test("each issue has the full path of its field and the type of the value found", async () => {
  const value = { host: null, hops: [{ port: 22 }, { port: "canary" }] };
  const issues = await checkWith(plugin, schema, value, "connection_args");
  expect(issues.map(({ path, received }) => [path, received])).toEqual([
    ["connection_args.host", "null"],
    ["connection_args.hops.1.port", "string"],
  ]);
  expect(JSON.stringify(issues)).not.toContain("canary");
});

test("missing fields are reported apart from invalid ones, because a credential may supply them", async () => {
  const checked = await readWith(plugin, schema, { hops: [{ port: "x" }] }, "");
  if (checked.ok) throw new Error("it passed");
  expect(checked.issues.filter((issue) => checked.missing.has(issue))).toEqual([
    { path: "host", message: "is required" },
  ]);
  expect(checked.issues).toHaveLength(2);
});

test("an invalid shape rejects the request; a valid one is returned as the schema outputs it", () => {
  expect(checkShape(schema, { host: "r1", other: 1 })).toEqual({ host: "r1" });
  const error = thrown(() => checkShape(schema, [5]));
  expect([error.kind, error.message]).toEqual(["Validation", "Validation Error"]);
});

test("of thousands of issues, the first 100 are listed with the number of the rest", () => {
  const many = Array.from({ length: 5_000 }, (_, at) => ({ path: `config.${at}`, message: "is wrong" }));
  const issues = (thrown(() => refuse(many)).detail?.issues ?? []) as { message: string }[];
  expect(issues).toHaveLength(101);
  expect(issues.at(-1)?.message).toBe("and 4900 more");
});

test.each([
  ["text", "must be a string"],
  ["list", "must be a list"],
  ["flag", "must be true or false"],
  ["word", 'must be "a" or "b"'],
  ["whole", "must be a whole number"],
  ["least", "must be at least 2"],
  ["most", "must be at most 3"],
  ["short", "must have at most 2 entries"],
  ["long", "must have at most 2 characters"],
  ["other", "is not known"],
])("an issue of the schema library has a message in plain words: %s", async (field, message) => {
  const fields = v.strictObject({
    text: v.string(),
    list: v.array(v.string()),
    flag: v.boolean(),
    word: v.picklist(["a", "b"]),
    whole: v.pipe(v.number(), v.integer()),
    least: v.pipe(v.number(), v.minValue(2)),
    most: v.pipe(v.number(), v.maxValue(3)),
    short: v.pipe(v.array(v.number()), v.maxLength(2)),
    long: v.pipe(v.string(), v.maxLength(2)),
  });
  const value = {
    text: 1,
    list: {},
    flag: 2,
    word: "c",
    whole: 1.5,
    least: 1,
    most: 4,
    short: [1, 2, 3],
    long: "abc",
  };
  const issues = await checkWith(plugin, fields, { ...value, other: 1 }, "");
  expect(issues.find(({ path }) => path === field)?.message).toBe(message);
});
