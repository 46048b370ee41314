/**
 * Plain scalars of YAML as the tools read them. The table was made with PyYAML 6.0 (ansible-core 2.14's loader) and
 * ruamel.yaml 0.17 (typ="safe"); null: they refuse the text.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { kinds as pyYaml } from "../../../plugins/templates/python/yaml.ts";
import { ServiceError } from "../../../src/base/errors.ts";
import { ExactNumber, parseExact, stringifyExact } from "../../../src/base/json/exact-json.ts";
import { kindOfScalar, type YamlDialect } from "../../../src/base/yaml/yaml-dialects.ts";
import { readYaml } from "../../../src/base/yaml/yaml-read.ts";
import { runs } from "../../support/runs.ts";
import table from "./yaml-scalars.json" with { type: "json" };

type Row = readonly [text: string, ansible: string | null, nornir: string | null];
const rows = table as unknown as readonly Row[];

/** Floats in one spelling. */
function normal(json: string | null): string | null {
  if (json === null) return null;
  const value = parseExact(json);
  const isFloat = /^-?[\d.]+(?:e[-+]?\d+)?$/.test(json) && /[.e]/.test(json);
  return isFloat
    ? `float ${Number(json)}`
    : value instanceof ExactNumber
      ? value.text
      : stringifyExact(value);
}

function read(text: string, dialect: YamlDialect): string | null {
  try {
    const { value } = readYaml(`v: ${text}\n`, "", dialect);
    return stringifyExact((value as { v: unknown }).v);
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

test.each(["pyyaml", "ruamel"] as const)("every scalar of the table is read as %s reads it", (dialect) => {
  expect(rows.length).toBeGreaterThan(400);
  const column = dialect === "pyyaml" ? 1 : 2;
  const wrong = rows.flatMap((row) => {
    const [got, wanted] = [normal(read(row[0], dialect)), normal(row[column])];
    return got === wanted ? [] : [[row[0], got, wanted]];
  });
  expect(wrong).toEqual([]);
});

test("Ansible's dialect and the YAML filters of the template engine resolve scalars alike", () => {
  const engineKind = (text: string) => {
    if (pyYaml.NULL.test(text)) return "null";
    if (pyYaml.TRUE.test(text) || pyYaml.FALSE.test(text)) return "bool";
    return pyYaml.INT.test(text) ? "int" : pyYaml.FLOAT.test(text) ? "float" : "text";
  };
  const kindOf = (text: string) => {
    const kind = kindOfScalar(text, "pyyaml");
    return ["null", "bool", "int", "float"].includes(kind) ? kind : "text";
  };
  const scalar = fc.oneof(
    fc.constantFrom(...rows.map(([text]) => text)),
    fc.stringMatching(/^[-+.:_0-9a-fxobeE]{1,8}$/),
  );
  fc.assert(
    fc.property(scalar, (text) => {
      expect(kindOf(text)).toBe(engineKind(text));
    }),
    { numRuns: runs(2_000) },
  );
});

test.each([
  ["010", "10"],
  ["0o10", "8"],
  ["1e3", "1000.0"],
  ["9.0", "9.0"],
  ["1_000", '"1_000"'],
  ["yes", '"yes"'],
  ["2023-11-05", '"2023-11-05"'],
  ["=", '"="'],
  [".inf", '"inf"'],
  ["12345678901234567890", "12345678901234567890"],
])("%s in a file of Patchbay's own is YAML 1.2", (text, json) => {
  expect(read(text, "core")).toBe(json);
});
