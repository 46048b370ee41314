/** The playground's API requests, and the position of errors in its JSON. */
import { describe, expect, test } from "vitest";
import { JsonProblem } from "../../src/console/forms/json-text.ts";
import { bodyOf, isOfContext, type Trial } from "../../src/console/pages/recipes/template-engines.ts";

const trial: Trial = { engine: "jinja2", template: "{{ a }}", context: "", others: "", preset: undefined };

describe("the template playground", () => {
  test("renders a template with its context and other templates", () => {
    expect(bodyOf(trial)).toEqual({ template: "{{ a }}", context: {} });
    expect(bodyOf({ ...trial, context: '{"a": 1}', others: '{"b.j2": "x"}' })).toEqual({
      template: "{{ a }}",
      context: { a: 1 },
      templates: { "b.j2": "x" },
    });
  });

  test("parses with the given template or one of a set", () => {
    const preset = { platform: "cisco_ios", command: "show version" };
    expect(bodyOf({ ...trial, engine: "ttp", context: "x" })).toEqual({ template: "{{ a }}", context: "x" });
    expect(bodyOf({ ...trial, engine: "textfsm", context: "x", preset })).toEqual({
      context: "x",
      use_ntc_template: true,
      ntc_template_args: preset,
    });
    expect(bodyOf({ ...trial, engine: "ttp", context: "x", preset })).toMatchObject({
      use_ttp_template: true,
      ttp_template_args: preset,
    });
  });
});

test.each([
  [{ context: '{\n "a": ]' }, true],
  [{ context: "{" }, true],
  [{ others: "{" }, false],
])("reports which field has invalid JSON: %j", (given, ofContext) => {
  try {
    bodyOf({ ...trial, ...given });
    expect.unreachable();
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    expect(isOfContext(error)).toBe(ofContext);
  }
});
