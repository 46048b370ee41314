/** YAML of real files: merge keys, keys that appear twice, tags, dates, odd indentation, faults in words of the file. */
import { expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import { stringifyExact } from "../../../src/base/json/exact-json.ts";
import type { YamlDialect } from "../../../src/base/yaml/yaml-dialects.ts";
import { readYaml } from "../../../src/base/yaml/yaml-read.ts";

function read(text: string, dialect: YamlDialect = "pyyaml") {
  const { value, warnings } = readYaml(text, "", dialect);
  return {
    json: stringifyExact(value),
    warnings: warnings.map(({ line, message }) => `${line}: ${message}`),
  };
}

function faultOf(text: string, dialect: YamlDialect = "pyyaml"): string {
  try {
    readYaml(text, "", dialect);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const issues = error.detail?.issues as { path: string; message: string }[];
    return issues.map(({ path, message }) => `${path}: ${message}`).join("\n");
  }
  return "no fault";
}

test.each([
  ['banner: "one\ntwo"\nz: 1\n', '{"banner":"one two","z":1}'],
  ["a:\n  b: 'x\ny'\n", '{"a":{"b":"x y"}}'],
  ['a: [1,\n2]\nb: {c: 1,\nd: "]\n"}\n', '{"a":[1,2],"b":{"c":1,"d":"] "}}'],
  ["a:\n  - [\n1\n]\n  - b: {\n}\n", '{"a":[[1],{"b":{}}]}'],
  ["k: |\n  \"\n  [\na: 'x\ny'\n", '{"k":"\\"\\n[\\n","a":"x y"}'],
  ["k: it's [x\na: 'x\ny' # \"\n", '{"k":"it\'s [x","a":"x y"}'],
  ["\ufeffa: 1\r\nb: 2\r\n", '{"a":1,"b":2}'],
  ["a: |\n  x", '{"a":"x"}'],
])("%j is read as Python's parsers read it", (text, json) => {
  for (const dialect of ["pyyaml", "ruamel", "core"] as const) expect(read(text, dialect).json).toBe(json);
});

test.each([
  ["a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}\n", '{"a":{"p":1,"q":2},"b":{"p":1,"q":3}}'],
  ["b:\n  q: 3\n  <<: [{p: 1, 10: a}, {p: 2, r: 4}]\n", '{"b":{"p":1,"r":4,"10":"a","q":3}}'],
  ['"<<": 1\n', '{"<<":1}'],
])("%j is merged", (text, json) => {
  for (const dialect of ["pyyaml", "ruamel", "core"] as const) expect(read(text, dialect).json).toBe(json);
});

test("a key that appears twice: Ansible takes the last one, Nornir none", () => {
  const text = "a: 1\nb: 2\na: 3\n";
  expect(read(text)).toEqual({
    json: '{"a":3,"b":2}',
    warnings: ['3: the key "a" appears twice: the last one is used'],
  });
  for (const dialect of ["ruamel", "core"] as const)
    expect(faultOf(text, dialect)).toBe('line 3, column 1: the key "a" appears twice');
});

test("what a value cannot hold becomes the text that Python prints, with a warning", () => {
  const text = `d: 2023-11-05
t: 2023-11-05T10:11:12.5+02:00
i: -.inf
n: .nan
b: !!binary aGkn
s: !!set {x, y}
o: !!omap [b: 1, a: 2]
20: x
10: 9.0
`;
  const { json, warnings } = read(text);
  expect(json).toBe(
    '{"d":"2023-11-05","t":"2023-11-05 10:11:12.500000+02:00","i":"-inf","n":"nan","b":"b\\"hi\'\\"",' +
      '"s":["x","y"],"o":[["b",1],["a",2]],"20":"x","10":9.0}',
  );
  expect(
    warnings.map((warning) => warning.replace(/^(\d+): .*?(date|time|JSON|binary|set|pairs|key).*/, "$1 $2")),
  ).toEqual(["1 date", "2 date", "3 JSON", "4 JSON", "5 binary", "6 set", "7 pairs", "8 key", "9 key"]);
});

test.each([
  ["a: 1\n---\nb: 1\n", "line 2, column 1: a second document begins here"],
  ["a: =\n", "line 1, column 4: a value that is only = must be quoted"],
  ["a: 2023-13-45\n", "line 1, column 4: it looks like a date and is none"],
  ["a: !foo x\n", "the tag !foo is unknown"],
  ["a: !!python/object:os.system x\n", "the tag !!python/object:os.system is unknown"],
  ["a: *x\n", "line 1, column 4: an alias names an unknown anchor"],
  ["a: &x [*x]\n", "line 1, column 8: an alias stands within its own anchor"],
  ["? [a]\n: b\n", "line 1, column 3: a key must be text or a number"],
  ["a: b: c\n", "line 1, column 4: a value with a colon and a blank in it must be quoted"],
  ["a: 'x\n", "a quote is not closed"],
  ["a: [x\nb: 1\n", "a bracket is not closed"],
  ["a:\n\t- 1\n", "line 2, column 1: a tab stands in the indentation"],
])("%j: %s", (text, message) => {
  const fault = faultOf(text);
  expect(fault).toContain(message);
  expect(fault).not.toMatch(/YAML\.|parseAll|Implicit|flow|scalar|token/);
});

test("an anchor may be used by many hosts, but not expand without end", () => {
  const many = `x: &x {a: 1}\nl:\n${"  - {<<: *x}\n".repeat(5_000)}`;
  expect(read(many).json).toHaveLength('{"x":{"a":1},"l":[]}'.length + 5_000 * 8 - 1);
  const bomb = ["a: &a [x,x,x,x,x,x,x,x,x,x]"];
  for (let level = 1; level < 10; level++)
    bomb.push(
      `k${level}: &k${level} [${Array(10)
        .fill(level === 1 ? "*a" : `*k${level - 1}`)
        .join(",")}]`,
    );
  expect(faultOf(bomb.join("\n"))).toContain("too many alias expansions");
});

test("vaulted and unsafe values are of Ansible only", () => {
  expect(read("a: !unsafe '{{ x }}'\n").json).toBe('{"a":"{{ x }}"}');
  expect(typeof (readYaml("a: !vault x\n", "", "pyyaml").value as { a: unknown }).a).toBe("symbol");
  for (const tag of ["!vault", "!unsafe"])
    expect(faultOf(`a: ${tag} x\n`, "ruamel")).toContain(`the tag ${tag} is unknown`);
});
