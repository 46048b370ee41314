/** Values of an INI inventory are literals of Python. The table was made with `ast.literal_eval` of Python 3.11; null: text. */
import { expect, test } from "vitest";
import { pythonLiteral } from "../../plugins/inventory/ansible/python-literal.ts";
import { stringifyExact } from "../../src/base/json/exact-json.ts";
import table from "./python-literals.json" with { type: "json" };

const rows = table as unknown as readonly (readonly [text: string, json: string | null])[];

/** Floats in one spelling, without blanks. */
const spelled = (json: string | null) =>
  json
    ?.replaceAll(" ", "")
    .replace(/-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/g, (digits) =>
      /[.e]/.test(digits) ? `float ${Number(digits)}` : digits,
    ) ?? null;

test("every literal of the table is read as Python reads it", () => {
  expect(rows.length).toBeGreaterThan(300);
  const wrong = rows.flatMap(([text, json]) => {
    const literal = pythonLiteral(text);
    const got = literal === undefined ? null : stringifyExact(literal.value);
    return spelled(got) === spelled(json) ? [] : [[text, got, json]];
  });
  expect(wrong).toEqual([]);
});

test("sets, bytes and numbers without end are told", () => {
  const lost = (text: string) => pythonLiteral(text)?.lost;
  expect(lost("{1, 2, 1}")).toEqual(["a set became a list"]);
  expect(pythonLiteral("{1, 2, 1}")?.value).toEqual([1, 2]);
  expect(lost("[b'x', 1e400]")).toEqual([
    "a number that JSON does not have became text",
    "binary data became text",
  ]);
  expect(lost("{1: 'a'}")).toEqual(["a key that is no text became text"]);
  expect(lost("{'a': True}")).toEqual([]);
});

test("nesting is bounded", () => {
  expect(pythonLiteral("[".repeat(100_000))).toBeUndefined();
  expect(pythonLiteral(`${"[".repeat(80)}1${"]".repeat(80)}`)).toBeDefined();
  expect(pythonLiteral(`1${"-".repeat(100_000)}1`)).toBeUndefined();
});
