/** Errors name the failing filter or test and its position. */
import { expect, test } from "vitest";
import { TemplateError } from "../../../src/plugin/template-engine.ts";
import { createTestEngine, ctx } from "./corpus.ts";

function failure(source: string): TemplateError {
  try {
    createTestEngine().compile(source, {}).run("{}", ctx);
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error("no error");
}

const cases: readonly (readonly [string, string, string, { line: number; column: number }])[] = [
  [
    "a query that no filter knows",
    "a\n  {{ '10.0.0.1' | ipaddr('nope') }}",
    "filter 'ipaddr': unknown query 'nope'",
    { line: 2, column: 19 },
  ],
  [
    "a pattern",
    "{{ 'a' | regex_replace('(') }}",
    "filter 'regex_replace': missing )",
    { line: 1, column: 10 },
  ],
  [
    "JSON of the context",
    "\n{{ '{' | from_json }}",
    "filter 'from_json': malformed JSON",
    { line: 2, column: 10 },
  ],
  [
    "a filter inside map",
    "{{ ['x'] | map('ipmath', 1) | list }}",
    "filter 'ipmath': 'x' is not",
    { line: 1, column: 31 },
  ],
  ["a test", "{{ 'x' is match('[') }}", "test 'match': ", { line: 1, column: 8 }],
  ["a filter of Jinja2", "{{ 5 | dictsort }}", "filter 'dictsort': 'int' object", { line: 1, column: 8 }],
  [
    "what is undefined",
    "{{ nothing | to_yaml }}",
    "filter 'to_yaml': 'nothing' is undefined",
    { line: 1, column: 14 },
  ],
  [
    "an absent filter",
    "{{ 'x' | password_hash }}",
    "No filter named 'password_hash'. It is left out",
    { line: 1, column: 10 },
  ],
  [
    "a lookup",
    "{{ lookup('env', 'HOME') }}",
    "'lookup' is undefined. It is left out",
    { line: 1, column: 10 },
  ],
  [
    "mandatory",
    "{{ nothing | mandatory }}",
    "the mandatory variable 'nothing' is not defined",
    { line: 1, column: 14 },
  ],
];

test.each(cases)("%s", (_what, source, message, at) => {
  const error = failure(source);
  expect(error.message).toContain(message);
  expect(error.at).toMatchObject(at);
});

test("a list without end is a limit, and the filter is named", () => {
  const error = failure("{{ range(1000) | product(range(1000), range(1000)) | list | length }}");
  expect(error.kind).toBe("TemplateLimit");
  expect(error.message).toContain("filter 'list'");
});

test("a name of a lookup may still be a variable", () => {
  const template = createTestEngine().compile("{{ query }} {{ q | default('none') }}", {});
  expect(template.run('{"query": "a=1"}', ctx)).toBe("a=1 none");
});
