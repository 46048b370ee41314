/** Template files are compiled once for all including templates; their variables stay separate. */

import { describe, expect, test, vi } from "vitest";
import { createEngine } from "../index.ts";
import * as lexer from "../syntax/lexer.ts";
import { ctx } from "./support.ts";

vi.mock("../syntax/lexer.ts", { spy: true });

function rig(files: Record<string, string>) {
  const engine = createEngine({ readTemplate: (name) => files[name] });
  const render = (source: string, context: unknown = {}, args: Record<string, unknown> = {}) =>
    engine.compile(source, args).run(JSON.stringify(context), ctx);
  const compiles = (work: () => void) => {
    const before = vi.mocked(lexer.tokenize).mock.calls.length;
    work();
    return vi.mocked(lexer.tokenize).mock.calls.length - before;
  };
  return { files, render, compiles };
}

describe("an included template file is compiled once", () => {
  const files = { "a.j2": "a{% include 'b.j2' %}", "b.j2": "b{{ x }}" };

  test("for all including templates and renderings", () => {
    const { render, compiles } = rig(files);
    expect(compiles(() => expect(render("1{% include 'a.j2' %}", { x: 1 })).toBe("1ab1"))).toBe(3);
    expect(compiles(() => expect(render("2{% include 'a.j2' %}", { x: 2 })).toBe("2ab2"))).toBe(1);
    expect(compiles(() => expect(render("3{% include 'b.j2' %}", { x: 3 })).toBe("3b3"))).toBe(1);
  });

  test("per set of options, and again when its text changes", () => {
    const { files: now, render, compiles } = rig({ "a.j2": "{% if true %}\na{{ none }}\n{% endif %}" });
    const source = "{% include 'a.j2' %}";
    const options = [{}, { trim_blocks: true }, { ansible: true }, { variable_start_string: "<<" }];
    const texts = options.map((args) => {
      let text: unknown;
      expect(compiles(() => (text = render(source, {}, args)))).toBe(2);
      return text;
    });
    expect(texts).toEqual(["\naNone\n", "aNone\n", "a\n", "\na{{ none }}\n"]);
    expect(compiles(() => options.map((args) => render(source, {}, args)))).toBe(4);
    now["a.j2"] = "changed";
    expect(render(source)).toBe("changed");
  });

  test("but gets the globals, undefined type and templates of each request", () => {
    const { render } = rig({ "a.j2": "{{ g }}{{ x }}", "b.j2": "file" });
    const source = "{% include 'a.j2' %}{% include 'b.j2' %}";
    expect(render(source, {}, { globals: { g: "G" }, templates: { "b.j2": "own" } })).toBe("Gown");
    expect(render(source)).toBe("file");
    expect(() => render(source, {}, { undefined: "StrictUndefined" })).toThrow("'g' is undefined");
  });
});

describe("an included template sees the surrounding variables at that moment", () => {
  test("with variables set before, after and inside it, in loops and several levels", () => {
    const { render } = rig({
      "show.j2": "[{{ x }} {{ y }} {{ i }}]",
      "set.j2": "{% set x = 'inner' %}{% include 'show.j2' %}",
      "deep.j2": "{% set y = n %}{% if n > 0 %}{% set n = n - 1 %}{% include 'deep.j2' %}{% endif %}{{ y }}",
    });
    const source = `{% include 'show.j2' %}{% set x = 1 %}{% include 'set.j2' %}{% include 'show.j2' %}
{%- set x = 2 %}{% for i in [7, 8] %}{% set y = i %}{% include 'show.j2' %}{% endfor %}{{ x }}{{ y }}`;
    expect(render(source, { x: 0, y: "Y", i: "I" })).toBe("[0 Y I][inner Y I][1 Y I][2 7 7][2 8 8]2Y");
    expect(render("{% include 'deep.j2' %}", { n: 9 })).toBe("0123456789");
  });

  test("and a macro imported with context keeps the values of the import", () => {
    const { render } = rig({ "m.j2": "{% macro m() %}{{ x }}{% endmacro %}" });
    const source = "{% set x = 1 %}{% import 'm.j2' as a with context %}{% set x = 2 %}{{ a.m() }}{{ x }}";
    expect(render(source)).toBe("12");
  });

  test("and a macro leaked through a list keeps the values of its template", () => {
    const { render } = rig({ "m.j2": "{% macro m() %}{{ x }}{% endmacro %}{% do kept.append(m) %}" });
    const source =
      "{% set kept = [] %}{% set x = 1 %}{% include 'm.j2' %}{% set x = 2 %}{{ kept[0]() }}{{ x }}";
    expect(render(source)).toBe("12");
  });
});
