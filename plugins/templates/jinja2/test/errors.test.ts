/** Errors name the failing filter or test and its position. */

import { expect, test } from "vitest";
import { TemplateError } from "../../python/index.ts";
import { createTestEngine, ctx } from "./support.ts";

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
    "an unknown query of ipaddr",
    "a\n  {{ '10.0.0.1' | ipaddr('nope') }}",
    "filter 'ipaddr': unknown query 'nope'",
    { line: 2, column: 19 },
  ],
  [
    "an invalid pattern",
    "{{ 'a' | regex_replace('(') }}",
    "filter 'regex_replace': missing )",
    { line: 1, column: 10 },
  ],
  ["invalid JSON", "\n{{ '{' | from_json }}", "filter 'from_json': malformed JSON", { line: 2, column: 10 }],
  [
    "a filter inside map",
    "{{ ['x'] | map('ipmath', 1) | list }}",
    "filter 'ipmath': 'x' is not",
    { line: 1, column: 31 },
  ],
  ["an invalid argument of a test", "{{ 'x' is match('[') }}", "test 'match': ", { line: 1, column: 8 }],
  [
    "a wrong type for a Jinja2 filter",
    "{{ 5 | dictsort }}",
    "filter 'dictsort': 'int' object",
    { line: 1, column: 8 },
  ],
  [
    "an undefined value",
    "{{ nothing | to_yaml }}",
    "filter 'to_yaml': 'nothing' is undefined",
    { line: 1, column: 14 },
  ],
  [
    "an unsupported filter",
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
    "a missing mandatory variable",
    "{{ nothing | mandatory }}",
    "the mandatory variable 'nothing' is not defined",
    { line: 1, column: 14 },
  ],
];

test.each(cases)(
  "a template error names filter or test, line and column: %s",
  (_what, source, message, at) => {
    const error = failure(source);
    expect(error.message).toContain(message);
    expect(error.at).toMatchObject(at);
  },
);

test("an endless list fails as TemplateLimit, naming the filter", () => {
  const error = failure("{{ range(1000) | product(range(1000), range(1000)) | list | length }}");
  expect(error.kind).toBe("TemplateLimit");
  expect(error.message).toContain("filter 'list'");
});

test("the name `query` may be a variable, not only a lookup", () => {
  const template = createTestEngine().compile("{{ query }} {{ q | default('none') }}", {});
  expect(template.run('{"query": "a=1"}', ctx)).toBe("a=1 none");
});
