/** Long YAML parsed in pieces gives the same values, lines and errors as parsed whole. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { ServiceError } from "../../../src/base/errors.ts";
import { yamlPieces } from "../../../src/base/yaml/yaml-pieces.ts";
import { readYaml } from "../../../src/base/yaml/yaml-read.ts";

const word = fc.constantFrom(
  "a",
  "b c",
  "yes",
  "007",
  "- x",
  "#no",
  "two\nlines\n\n- more: x",
  " blank ",
  "k: v",
  "é",
  "",
  "~",
);
const scalar = fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null));
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    scalar,
    fc.array(tie("tree"), { maxLength: 5 }),
    fc.dictionary(fc.constantFrom("hosts", "vars", "r1", "x y", "no", "1", "-"), tie("tree"), { maxKeys: 5 }),
  ),
}));
const devices = fc.record({
  groups: fc.array(fc.record({ name: word, vars: tree }), { maxLength: 4 }),
  devices: fc.array(fc.record({ name: word, tags: fc.array(word, { maxLength: 2 }), vars: tree }), {
    minLength: 3,
    maxLength: 12,
  }),
});

function outcome(text: string, version: "pyyaml" | "ruamel" | "core", most: number) {
  try {
    const { value, lineOf } = readYaml(text, "", version, most);
    return { value, lines: pathsOf(value).map((path) => [path.join("/"), lineOf(path)]) };
  } catch (error) {
    if (error instanceof ServiceError) return error.detail;
    throw error;
  }
}

/** The paths that importers look up. */
function pathsOf(value: unknown): (string | number)[][] {
  if (Array.isArray(value)) return value.map((_, at) => [at]);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    [key],
    ...pathsOf(member).map((path) => [key, ...path]),
  ]);
}

test("any YAML parsed in pieces gives the same result as parsed whole", () => {
  let cut = 0;
  const options = fc.record({
    indentSeq: fc.boolean(),
    indent: fc.integer({ min: 2, max: 4 }),
    lineWidth: fc.constantFrom(0, 20),
  });
  fc.assert(
    fc.property(
      fc.oneof(devices, tree),
      options,
      fc.constantFrom("pyyaml" as const, "ruamel" as const, "core" as const),
      fc.boolean(),
      (value, how, version, noted) => {
        const written = stringify(value, { ...how, version: "1.1", aliasDuplicateObjects: false });
        const text = noted ? `---\n# of it\n${written.replaceAll("\n", "\n\n")}# end\n` : written;
        if ((yamlPieces(text, 40)?.length ?? 0) > 1) cut++;
        expect(outcome(text, version, 40)).toEqual(outcome(text, version, 1_000_000));
      },
    ),
    { numRuns: 150, seed: 81 },
  );
  expect(cut).toBeGreaterThan(30);
});

test.each([
  "devices:\n- name: a\n- name: b\n  port: 1\ngroups:\n- name: g\n",
  "a:\n  x: 1\nb: &n {y: 2}\nc: *n\n",
  "a:\n  x: 1\n  y: 22222222222222222222222222222\na:\n  z: 3\n",
  "devices:\n  - name: a\n  - name: [b\n  - name: c\n",
  "devices:\n  - name: a\n   - name: b\n",
  "a: 1\n--- \nb: 2\n",
  "a:\n\t- 1\n",
  "all:\n  hosts:\n    r1: {x: 1}\n    r2:\n  children:\n    c:\n      hosts:\n        r3:\n          y: |\n            all:\n            hosts:\n",
  "? a\n: 1\n? b\n: 2\n",
  "[a,\nb,\nc]\n",
  "a: 'x\n\n  y'\nb: >\n  one\n\n  two\nc: \"p\n  q\"\n",
])("this YAML parsed in pieces gives the same result as parsed whole (%#)", (text) => {
  expect(outcome(text, "core", 10)).toEqual(outcome(text, "core", 1_000_000));
});
