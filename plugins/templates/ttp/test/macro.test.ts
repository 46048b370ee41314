/** The macro interpreter compared with CPython 3.11's results for the same sources, its errors and its limits. */

import { readFileSync } from "node:fs";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import {
  callValue,
  defaultTemplateLimits,
  Meter,
  repr,
  TemplateError,
  type Value,
} from "../../python/index.ts";
import { createInterpreter } from "../macro/interpreter.ts";
import "./loaded.ts";

const printed: string[] = [];
const interpreter = createInterpreter({
  log: (text) => {
    printed.push(text);
  },
  now: () => new Date(Date.UTC(2024, 1, 29, 12, 30)),
  module: () => undefined,
});

const cases = v.parse(
  v.array(v.object({ source: v.string(), result: v.string() })),
  JSON.parse(readFileSync(new URL("./macro-cases.json", import.meta.url), "utf8")),
);

/** The result of the source's `f1()`. */
function call(source: string, limits = defaultTemplateLimits): Value {
  const meter = new Meter(limits);
  const body = interpreter.compile(source).run(new Map(), meter).get("f1");
  return callValue(body ?? null, [], undefined, meter);
}

function errorOf(source: string, limits = defaultTemplateLimits): TemplateError {
  try {
    call(source, limits);
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error("there was no error");
}

test.each(cases)("the macro has CPython's result: $source", ({ source, result }) => {
  expect(repr(call(source), new Meter())).toBe(result);
});

test.each([
  "abs(x=1)",
  "itertools.islice([1], stop=1)",
  "len(obj=[1])",
  "math.sqrt(x=4)",
  "list(iterable=[1])",
  "sum([1], strat=1)",
  "itertools.count(begin=1)",
  "json.dumps(1, sort_key=True)",
  "chr(i=65)",
  "abs(1, 2)",
  'itertools.compress("a", [1], selectors=[1])',
  "operator.add(a=1, b=2)",
  "sorted([1], [2])",
  'ord(c="a")',
  "copy.deepcopy([1], foo=1)",
  "list(zip([1],[2,3], strict=True))",
  "functools.reduce(function=max, iterable=[1])",
  "datetime.datetime.now(1, 2)",
  "itertools.product([1], times=2)",
])("an argument that a function does not take is an error, as in CPython: %s", (call) => {
  const modules = "import itertools, json, copy, math, operator, functools, datetime";
  expect(errorOf(`${modules}\ndef f1():\n    return ${call}`).message).toMatch(/^(?:TypeError|ValueError): /);
});

describe("an unsupported macro", () => {
  test.each([
    ["class A:\n    pass", 1, /class/],
    ["x = 1\nasync def f1():\n    pass", 2, /async/],
    ["def f1():\n    yield 1", 2, /yield/],
    ["def f1():\n    with open('x') as f:\n        pass", 2, /with/],
    ["@decorated\ndef f1():\n    pass", 1, /@|decorator/],
    ["def f1():\n    match 1:\n        case 1:\n            pass", 2, /./],
    ["def f1(:\n    pass", 1, /./],
    ["def f1():\n    return (1", 2, /./],
    ["def f1():\n  x = 1\n    y = 2", 3, /indent/],
    ["def f1():\n    return 'abc", 2, /./],
  ])("fails with the line of the fault: %s", (source, line, message) => {
    const error = errorOf(source);
    expect(error.kind).toBe("TemplateSyntax");
    expect(`${error.message} (line ${error.at.line})`).toMatch(new RegExp(`line ${line}\\b`));
    expect(error.message).toMatch(message);
  });

  test("module or name fails with Python's message", () => {
    expect(errorOf("def f1():\n    import os\n").message).toContain("os");
    expect(errorOf("def f1():\n    return open('x')\n").message).toContain("name 'open' is not defined");
    expect(errorOf("import re\ndef f1():\n    return re.nosuch\n").message).toContain("nosuch");
  });
});

describe("a macro that exceeds the limits", () => {
  const small = {
    ...defaultTemplateLimits,
    steps: 50_000,
    stringChars: 50_000,
    listItems: 5_000,
    depth: 100,
  };
  test.each([
    "while True: pass",
    "for i in range(10 ** 9): pass",
    "return sum(range(10 ** 9))",
    "return 'a' * 10 ** 9",
    "return [1] * 10 ** 9",
    "return list(range(10 ** 9))",
    "return 10 ** 10 ** 8",
    "return 1 << 10 ** 9",
    "return '%1000000000d' % 1",
    "return f'{1:1000000000}'",
    "return 'a'.ljust(10 ** 9)",
    "return 'a'.replace('', 'b' * 40000).replace('b', 'c' * 1000)",
    "x = 'a'\n    while True: x += x",
    "x = []\n    while True: x.append(x)",
    "return f1()",
    "try:\n        f1()\n    except Exception:\n        pass\n    return f1()",
    `return ${"(".repeat(500)}1${")".repeat(500)}`,
    `return ${"[".repeat(500)}${"]".repeat(500)}`,
    `return ${"-".repeat(5000)}1`,
    `return ${"not ".repeat(5000)}1`,
    `return ${"1 + ".repeat(5000)}1`,
  ])("fails as TemplateLimit or TemplateSyntax: %s", (body) => {
    const run = () => call(`def f1():\n    ${body}\n`, small);
    try {
      run();
    } catch (error) {
      expect(error).toBeInstanceOf(TemplateError);
      expect(["TemplateLimit", "TemplateSyntax"]).toContain((error as TemplateError).kind);
    }
  });
});

test("print in a macro writes to the log", () => {
  printed.length = 0;
  call("def f1():\n    print('a', 1, sep='-')\n");
  expect(printed.join("\n")).toContain("a-1");
});

test("default arguments and module variables keep their values between calls, as in Python", () => {
  const meter = new Meter();
  const names = interpreter
    .compile("def f1(seen=[]):\n    seen.append(1)\n    return len(seen)\n")
    .run(new Map(), meter);
  const body = names.get("f1") ?? null;
  expect([callValue(body, [], undefined, meter), callValue(body, [], undefined, meter)]).toEqual([1, 2]);
});
