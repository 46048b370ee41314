/** Errors suggest what may have been meant, and where an unclosed block begins. */

import { expect, test } from "vitest";
import { TemplateError } from "../../python/index.ts";
import { createTestEngine, ctx } from "./support.ts";

function failure(source: string): TemplateError {
  try {
    createTestEngine().compile(source, {}).run('{"s": "a", "l": [1]}', ctx);
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error("no error");
}

test.each([
  ["{{ s | uper }}", "No filter named 'uper'. Did you mean upper?"],
  ["{{ s | toupper }}", "No filter named 'toupper'. Did you mean upper?"],
  ["{{ l | map('lenght') | list }}", "No filter named 'lenght'. Did you mean length?"],
  ["{{ l | select('evn') | list }}", "No test named 'evn'. Did you mean even"],
  ["{{ s is null }}", "No test named 'null'. Did you mean none?"],
  ["{{ s is defned }}", "No test named 'defned'. Did you mean defined?"],
  ["{% if s %}{% elseif s %}{% endif %}", "unknown tag 'elseif'. Did you mean elif?"],
  ["{% if s %}{% else if s %}{% endif %}", "('else if' is written elif)"],
  ["{% fro x in l %}{% endfor %}", "unknown tag 'fro'. Did you mean for"],
  ["{% if s %}{% endfi %}", "unknown tag 'endfi'. Did you mean endif"],
  ["{% endfor %}", "unknown tag 'endfor'. No block is open here."],
  ["{{ s && s }}", "('and' joins conditions)"],
  ["{{ s || s }}", "('or' joins conditions;"],
  ["{{ !s }}", "('not' negates, '!=' compares)"],
  ["{{ s ? 1 : 2 }}", "(a choice is written {{ a if b else c }})"],
  ["{{ $s }}", "(variables have no '$')"],
  ["{% if s = 'a' %}{% endif %}", "('==' compares"],
  ["{{ s | default: 'a' }}", "(arguments of a filter stand in parentheses)"],
  ["{{ s }", "ends with two"],
])("the error of %s includes the hint %s", (source, message) => {
  expect(failure(source).message).toContain(message);
});

test.each([
  ["a\n{% for x in l %}\n{% if x %}\nb\n", 3, "needs to be closed is 'if' of line 3"],
  ["a\n{% for x in l %}\n{% if x %}{% endif %}\nb\n\n", 2, "needs to be closed is 'for' of line 2"],
  ["{% if s %}\n{% for x in l %}\n{% endif %}", 3, "needs to be closed is 'for' of line 2"],
  ["a\n{{ s", 2, "the tag that begins here is not closed"],
  ["a\n{{ s\nb\n", 3, "(the tag begins in line 2)"],
  ["a\n{# b\n", 2, "Missing end of comment tag"],
])("the unclosed block in %j is reported at line %i", (source, line, message) => {
  const error = failure(source);
  expect(error.message).toContain(message);
  expect(error.at.line).toBe(line);
});

test.each([
  ["{{ 3 is divisibleby }}", "test 'divisibleby': divisibleby() missing required argument: 'num'"],
  ["{{ 3 is odd(1, 2) }}", "test 'odd': odd() takes at most 0 arguments (2 given)"],
  ["{{ l is any(1) }}", "test 'any': any() takes at most 0 arguments (1 given)"],
  ["{{ s is falsy(a=1) }}", "test 'falsy': "],
  ["{{ l | join(1, 2, 3) }}", "filter 'join': join() takes at most 2 arguments (3 given)"],
])("a wrong call in %s is reported with its name", (source, message) => {
  expect(failure(source).message).toContain(message);
});
