/** Python's `datetime`, `collections` and `ipaddress` in macros: what recorded/macros.py recorded from CPython 3.11. */

import { readFileSync } from "node:fs";
import * as v from "valibot";
import { expect, test } from "vitest";
import { callValue, Meter, PyError, repr, TemplateError } from "../../python/index.ts";
import { createInterpreter } from "../macro/interpreter.ts";
import "./loaded.ts";

const recorded = v.parse(
  v.array(v.tuple([v.string(), v.union([v.string(), v.object({ error: v.string() })])])),
  JSON.parse(readFileSync(new URL("./recorded/macros.json", import.meta.url), "utf8")),
);
const interpreter = createInterpreter({ log: () => {}, now: () => new Date(0), module: () => undefined });

function answer(expression: string): unknown {
  const source = `import collections, datetime, ipaddress\ndef f1():\n    return ${expression}`;
  const meter = new Meter();
  try {
    const body = interpreter.compile(source).run(new Map(), meter).get("f1");
    return repr(callValue(body ?? null, [], undefined, meter), meter);
  } catch (error) {
    if (error instanceof PyError) return { error: error.pythonType };
    if (error instanceof TemplateError) return { error: /\b[A-Z]\w+Error\b/.exec(error.message)?.[0] };
    throw error;
  }
}

test.each(["date", "collections", "ipaddress"])("expressions of %s have CPython's results", (library) => {
  const cases = recorded.filter(([expression]) => expression.includes(library));
  expect(cases.length).toBeGreaterThan(80);
  const differing = cases.flatMap(([expression, expected]) => {
    const given = answer(expression);
    return JSON.stringify(given) === JSON.stringify(expected) ? [] : [{ expression, expected, given }];
  });
  expect(differing).toEqual([]);
});
