/** Values of runs against the parameters of a recipe. */
import { expect, test } from "vitest";
import { type RecipeParameter, recipeRequest } from "../../../src/api/recipes/recipe.ts";
import { readStrict } from "../../../src/api/strict.ts";
import { parameterIssues, sampleOf, valuesOf } from "../../../src/recipes/request/parameters.ts";

const steps = [{ name: "a", kind: "query" as const, request: { command: "show version" } }];

function parametersOf(properties: Record<string, object>, required: string[] = []) {
  const read = readStrict(recipeRequest, { parameters: { type: "object", properties, required }, steps });
  if ("issues" in read) throw new Error(JSON.stringify(read.issues));
  if (!read.output.parameters) throw new Error("there are no parameters");
  return read.output.parameters;
}

function faultOf(schema: object, value: unknown): string | undefined {
  const read = valuesOf(parametersOf({ x: schema }), { x: value });
  return "issues" in read ? read.issues[0]?.message : undefined;
}

test.each([
  [{ type: "integer", minimum: 2, maximum: 4094 }, 20, undefined],
  [{ type: "integer", minimum: 2 }, 1, "must be at least 2"],
  [{ type: "integer", maximum: 9 }, 10, "must be at most 9"],
  [{ type: "integer" }, 1.5, "must be a whole number"],
  [{ type: "integer" }, "20", "must be a number"],
  [{ type: "number" }, Number.NaN, "must be a number"],
  [{ type: "boolean" }, "true", "must be true or false"],
  [{ type: "string", minLength: 2 }, "a", "must have at least 2 characters"],
  [{ type: "string", maxLength: 2 }, "abc", "must have at most 2 characters"],
  [{ type: "string", pattern: "^[a-z]+$" }, "a1", "must match ^[a-z]+$"],
  [{ type: "string" }, "a\nno router bgp 1", "must be one line without control characters"],
  [{ type: "string" }, "a\rno router bgp 1", "must be one line without control characters"],
  [{ type: "string" }, "a\u2028b", "must be one line without control characters"],
  [{ type: "string" }, "a\u0085b", "must be one line without control characters"],
  [{ type: "string" }, "\u001b[2J", "must be one line without control characters"],
  [{ type: "string", format: "multiline" }, "a\nb", undefined],
  [{ type: "string", format: "multiline" }, "a\u0000b", "must not hold control characters"],
  [{ type: "string", enum: ["a", "b"] }, "c", "is not one of the allowed values"],
  [{ type: "array", items: { type: "integer" } }, [1, 2], undefined],
  [{ type: "array", items: { type: "integer" } }, [1, "2"], "must be a number (entry 2)"],
  [
    { type: "array", items: { type: "string" } },
    ["a", "b\nc"],
    "must be one line without control characters (entry 2)",
  ],
  [{ type: "array", items: { type: "integer" }, maxItems: 1 }, [1, 2], "must have at most 1 entries"],
  [{ type: "array", items: { type: "integer" }, minItems: 1 }, [], "must have at least 1 entries"],
  [{ type: "array", items: { type: "integer" } }, { length: 1 }, "must be a list"],
])("%j takes %j: %s", (schema, value, fault) => {
  expect(faultOf(schema, value)).toBe(fault);
});

test("a value that is missing is the default; what is required or not known is said", () => {
  const parameters = parametersOf({ vlan: { type: "integer" }, name: { type: "string", default: "users" } }, [
    "vlan",
  ]);
  expect(valuesOf(parameters, { vlan: 20, name: null })).toEqual({ values: { vlan: 20, name: "users" } });
  expect(valuesOf(parameters, { vlam: 20 })).toEqual({
    issues: [
      { path: "parameters.vlam", message: "is not a parameter of this recipe. Did you mean vlan?" },
      { path: "parameters.vlan", message: "is required" },
    ],
  });
  expect(
    valuesOf(parameters, JSON.parse('{"vlan": 2, "__proto__": {"name": 1}, "constructor": 1}')),
  ).toMatchObject({
    issues: [{ path: "parameters.__proto__" }, { path: "parameters.constructor" }],
  });
});

test("a device or group must be in the inventory", () => {
  const parameters = parametersOf({ peer: { type: "string", format: "device" } });
  const known = { hasDevice: (name: string) => name === "r1", hasGroup: () => false };
  expect(valuesOf(parameters, { peer: "r1" }, known)).toEqual({ values: { peer: "r1" } });
  expect(valuesOf(parameters, { peer: "r2" }, known)).toEqual({
    issues: [{ path: "parameters.peer", message: "names a device that is not there" }],
  });
});

test("parameters that contradict themselves are refused", () => {
  const issues = (schema: object) =>
    parameterIssues(parametersOf({ x: schema })).map(({ path, message }) => [path, message]);
  expect(issues({ type: "string", minimum: 1 })).toEqual([
    ["parameters.properties.x.minimum", "is for the type integer or number"],
  ]);
  expect(issues({ type: "integer", default: 9, maximum: 5 })).toEqual([
    ["parameters.properties.x.default", "must be at most 5"],
  ]);
  expect(issues({ type: "array" })).toEqual([
    ["parameters.properties.x.items", "is required for the type array"],
  ]);
  expect(issues({ type: "string", enum: ["a", 1] })).toEqual([
    ["parameters.properties.x.enum.1", "must be a string"],
  ]);
  expect(parameterIssues(parametersOf({ x: { type: "string" } }, ["y"]))).toEqual([
    { path: "parameters.required.0", message: "is no parameter" },
  ]);
});

test("an unknown keyword, and an expression that takes exponential time, are refused", () => {
  const issuesOf = (schema: object) => {
    const read = readStrict(recipeRequest, {
      parameters: { type: "object", properties: { x: schema } },
      steps,
    });
    return "issues" in read ? read.issues.map(({ path }) => path) : [];
  };
  expect(issuesOf({ type: "string", maxlength: 3 })).toEqual(["parameters.properties.x.maxlength"]);
  expect(issuesOf({ type: "string", pattern: "(a+)\\1" })).toEqual(["parameters.properties.x.pattern"]);
  const evil = parametersOf({ x: { type: "string", pattern: "^(a+)+$" } });
  expect(valuesOf(evil, { x: `${"a".repeat(50_000)}!` })).toMatchObject({
    issues: [{ path: "parameters.x" }],
  });
});

test("a sample fits its own parameter", () => {
  const samples: RecipeParameter[] = Object.values(
    parametersOf({
      a: { type: "integer", minimum: 5 },
      b: { type: "string", minLength: 3 },
      c: { type: "array", items: { type: "string" } },
      d: { type: "boolean" },
      e: { type: "string", enum: ["x"] },
      f: { type: "number", maximum: -1 },
    }).properties,
  );
  for (const one of samples) expect(faultOf(one, sampleOf(one))).toBeUndefined();
});
