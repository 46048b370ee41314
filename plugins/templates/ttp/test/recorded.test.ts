/**
 * Results of Python libraries for generated values: PyYAML 6, pprint and ipaddress of CPython 3.11, tabulate
 * 0.8.9, Cerberus 1.3.2, DeepDiff 6.2.2.
 */

import { readFileSync } from "node:fs";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import {
  attribute,
  Meter,
  makeAny,
  PyDict,
  parseJson,
  prettyPrint,
  str,
  TemplateError,
  toPlain,
  type Value,
} from "../../python/index.ts";
import { loadYaml, writeYaml } from "../../python/yaml.ts";
import { faultsDict } from "../cerberus/faults.ts";
import { validate } from "../cerberus/validator.ts";
import { deepDiff } from "../deepdiff/diff.ts";
import { tabulateText } from "../formatters/tabulate.ts";

/** Cases as Python values: floats stay floats. */
function recorded(name: string): PyDict[] {
  const read = parseJson(readFileSync(new URL(`./recorded/${name}.json`, import.meta.url), "utf8"));
  if (!Array.isArray(read)) throw new Error(`${name} holds no list`);
  return read.filter((one) => one instanceof PyDict);
}

const field = (one: PyDict, name: string): Value => one.get(name) ?? null;
const text = (one: PyDict, name: string): string => v.parse(v.string(), field(one, name));
const list = (one: PyDict, name: string): Value[] => {
  const value = field(one, name);
  return Array.isArray(value) ? value : [];
};
const options = (one: PyDict): Map<string, Value> => {
  const given = field(one, "options");
  return new Map(given instanceof PyDict ? given.entries().map(([key, value]) => [String(key), value]) : []);
};

const meter = () => new Meter();
const yamlText = (value: Value) => writeYaml(value, { flow: false, dumper: "Dumper" }, meter());
const plain = (value: Value) => toPlain(value, meter());

describe("the output formats", () => {
  test.each(recorded("formats").map((one) => [text(one, "value"), one] as const))(
    "yaml and pprint equal the Python libraries for %s",
    (source, one) => {
      const value = parseJson(source);
      expect(yamlText(value)).toBe(text(one, "yaml"));
      expect(prettyPrint(value, meter(), 4)).toBe(text(one, "pprint"));
    },
  );

  test("are reversible: YAML is read back unchanged", () => {
    for (const one of recorded("formats")) {
      const value = parseJson(text(one, "value"));
      expect(plain(loadYaml(yamlText(value), meter()))).toEqual(plain(value));
    }
  });
});

test("tables equal tabulate's", () => {
  for (const one of recorded("tables")) {
    const rows = list(one, "rows").filter((row) => Array.isArray(row));
    expect(tabulateText({ headers: list(one, "headers"), rows }, [], options(one), meter())).toBe(
      text(one, "text"),
    );
  }
});

test("schema validation has the results of Cerberus", () => {
  for (const one of recorded("cerberus")) {
    const faults = validate(field(one, "document"), field(one, "schema"), field(one, "unknown"), meter());
    expect(plain(faultsDict(faults)), str(one, meter())).toEqual(plain(field(one, "errors")));
    expect(faults.length === 0).toBe(field(one, "valid"));
  }
});

test("invalid rules, and rules that contain code, are errors of the schema", () => {
  for (const source of [
    '{"a": {"coerce": "int"}}',
    '{"a": {"nosuch": 1}}',
    '{"a": {"type": "nosuch"}}',
    '{"a": 1}',
  ])
    expect(() => validate(new PyDict(), parseJson(source), true, meter()), source).toThrow(TemplateError);
  expect(() => validate([], new PyDict(), true, meter())).toThrow(/not a document/);
});

test("differences equal DeepDiff's", () => {
  for (const one of recorded("deepdiff")) {
    const differences = plain(
      deepDiff(field(one, "before"), field(one, "after"), field(one, "verbose") === true, meter()),
    );
    const sorted = Object.fromEntries(
      Object.entries(v.parse(v.record(v.string(), v.unknown()), differences)).map(([kind, found]) => [
        kind,
        Array.isArray(found) ? found.toSorted() : found,
      ]),
    );
    expect(sorted, str(one, meter())).toEqual(plain(field(one, "told")));
  }
});

test("addresses, interfaces and networks have the facts of Python's ipaddress", () => {
  const kindOf = v.picklist(["address", "interface", "network"]);
  for (const one of recorded("ip")) {
    const source = text(one, "text");
    const kind = v.parse(kindOf, field(one, "kind"));
    const facts = field(one, "facts");
    if (!(facts instanceof PyDict)) {
      expect(() => makeAny(kind, source, meter(), false), `${kind} ${source}`).toThrow(TemplateError);
      continue;
    }
    const parsedAddress = makeAny(kind, source, meter(), false);
    for (const [name, fact] of facts.entries()) {
      const value = attribute(parsedAddress, String(name), meter()) ?? null;
      const found = typeof value === "boolean" ? value : str(value, meter());
      expect(found, `${kind} ${source} ${String(name)}`).toBe(fact);
    }
  }
});
