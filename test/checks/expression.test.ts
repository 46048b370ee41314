import { expect, test } from "vitest";
import { evaluate, expressionFault } from "../../src/checks/expression.ts";

const peers = JSON.stringify([
  { neighbor: "10.0.0.1", state: "Established", prefixes: 40 },
  { neighbor: "10.0.0.2", state: "Idle", prefixes: 0 },
]);

test.each([
  ['$count($[state="Established"])', "1"],
  ["$sum(prefixes)", "40"],
  ['$[neighbor="10.0.0.1"].state', '"Established"'],
  ["nothing.here", "null"],
  ["$count(nothing)", "0"],
  ["neighbor", '["10.0.0.1","10.0.0.2"]'],
  ["$string", "null"],
  ["[1, function($x){$x}]", "[1,null]"],
])("the expression %s is evaluated", async (expression, json) => {
  expect(await expressionFault(expression)).toBeUndefined();
  expect(await evaluate(expression, peers)).toBe(json);
});

test.each(["$count(", "a b", '"open', "((((", "[1..", "/(/"])(
  "the expression %s is rejected as invalid",
  async (expression) => {
    expect(await expressionFault(expression)).toMatch(/^is not a JSONata expression: /);
  },
);

test.each(["$error('canary')", "$sum('a')", "$undefined_function()"])(
  "the expression %s fails as ParseError",
  async (expression) => {
    await expect(evaluate(expression, "{}")).rejects.toMatchObject({ kind: "ParseError" });
  },
);

test.each([
  'constructor.constructor("return process")()',
  '$.constructor.constructor("return process")()',
  '$lookup($lookup($, "constructor"), "constructor")("return process")()',
  '$string.constructor("return process")()',
  '"".constructor.constructor("return process")()',
  '/a/("a").next.constructor("return process")()',
  '$eval("constructor.constructor")',
  "(function($x){$x}).environment",
  "$process",
  "$require",
  "$fetch",
])("the expression %s cannot reach the host environment", async (expression) => {
  const reached = await evaluate(expression, '{"a":1}').catch(() => "null");
  expect(reached).toBe("null");
});

test("an expression cannot change prototypes", async () => {
  await evaluate('$ ~> |$|{"__proto__": {"polluted": 1}}|', '{"a":1}').catch(() => {});
  await evaluate('$merge([{"__proto__": {"polluted": 1}}])', "{}").catch(() => {});
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});
