/** For any template and context, the engine terminates and throws only its own error type. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import * as v from "valibot";
import { expect, test } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { defaultTemplateLimits, TemplateError } from "../../python/index.ts";
import { allFilters, allTests } from "../filters/index.ts";
import { createEngine } from "../index.ts";
import { ctx } from "./support.ts";

const engine = createEngine({
  limits: {
    ...defaultTemplateLimits,
    steps: 100_000,
    stringChars: 100_000,
    listItems: 10_000,
    outputChars: 200_000,
  },
});

/** Renders; only the engine's own error is acceptable. */
function attempt(source: string, context = "{}", args: object = {}): unknown {
  try {
    const text = engine.compile(source, args).run(context, ctx);
    expect(typeof text).toBe("string");
    return text;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return error;
  }
}

const oneOf = (...texts: string[]) => fc.constantFrom(...texts);

test("any text as a template terminates with a result or a TemplateError", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 80 }), (source) => void attempt(source)),
    { numRuns: runs(2000) },
  );
});

const pieces = oneOf(
  ..."{{ }} {% %} {# #} {%- -%} {{- +%} ( ) [ ] { } , : . | = == ~ * ** // % - + < ' \" \\ \n # ##".split(
    " ",
  ),
  ..."for in if else elif endfor endif set endset macro endmacro call block raw endraw include import as is".split(
    " ",
  ),
  ..."not and or x loop a.b 1 2.5 'a' true none recursive do break filter upper default with endwith extends".split(
    " ",
  ),
  " ",
  "\n",
);

test("random Jinja2 tokens terminate with a result or a TemplateError", () => {
  const source = fc.array(pieces, { maxLength: 30 });
  const tag = fc.tuple(oneOf("{{ ", "{% "), source, oneOf(" }}", " %}"));
  const template = fc.array(
    fc.oneof(
      tag.map(([a, b, c]) => a + b.join(" ") + c),
      source.map((s) => s.join("")),
    ),
    {
      maxLength: 6,
    },
  );
  fc.assert(
    fc.property(
      template,
      fc.boolean(),
      (parts, lines) =>
        void attempt(parts.join("\n"), '{"x": [1, {"a": 2}], "a": {"b": "c"}}', {
          ...(lines ? { line_statement_prefix: "#", line_comment_prefix: "##" } : {}),
        }),
    ),
    { numRuns: runs(3000) },
  );
});

const valid = v.record(
  v.string(),
  v.record(v.string(), v.array(v.looseObject({ source: v.string(), context: v.optional(v.unknown()) }))),
);

/** The cases of all features. */
const validTemplates = () =>
  Object.values(v.parse(valid, JSON.parse(readFileSync(join(import.meta.dirname, "features.json"), "utf8"))))
    .flatMap((byName) => Object.values(byName).flat())
    .map(({ source, context = {} }) => ({ source, contextJson: JSON.stringify(context) }));

test("mutated valid templates terminate with a result or a TemplateError", () => {
  const cases = validTemplates();
  const change = fc.tuple(
    fc.nat(cases.length - 1),
    fc.nat(3000),
    fc.nat(6),
    fc.oneof(pieces, fc.string({ maxLength: 3 })),
  );
  fc.assert(
    fc.property(change, ([which, at, length, piece]) => {
      const chosen = cases[which];
      if (chosen === undefined) return;
      const from = at % (chosen.source.length + 1);
      const source = chosen.source.slice(0, from) + piece + chosen.source.slice(from + length);
      attempt(source, chosen.contextJson);
    }),
    { numRuns: runs(3000) },
  );
});

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    oneOf("10.0.0.7/24", "2001:db8::/32", "::", "0.0.0.0/0", "52:54:00:12:34:56", "1-5,7", "%Y %j", "(a+)+$"),
    oneOf(
      "",
      "a",
      "a: [1, *x]",
      "'",
      "{",
      "YWJj",
      "https://u:p@h:1/?q#f",
      "1.2.3",
      "1.5 MB",
      "/a/b.c",
      "\\1",
      "é𝔸",
    ),
    fc.constantFrom(0, 1, -1, 7, 1e9, 2 ** 53 - 1, 0.5, -2.5, 1e300, true, false, null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(oneOf("a", "key", "value", "name"), tie("value"), { maxKeys: 3 }),
  ),
}));

test.each([
  ["filter", [...allFilters.keys()].filter((name) => !name.includes(".")), "|"],
  ["test", [...allTests.keys()].filter((name) => /^\w+$/.test(name)), " is "],
] as const)(
  "every %s terminates on any values with a result or a TemplateError",
  (_kind, names, operator) => {
    const inputs = fc.tuple(fc.constantFrom(...names), fc.array(value, { minLength: 1, maxLength: 4 }));
    fc.assert(
      fc.property(inputs, ([name, values]) => {
        const args = values.slice(1).map((_, i) => `v[${i + 1}]`);
        const call = args.length === 0 ? "" : `(${args.join(", ")})`;
        const context = JSON.stringify({ v: values });
        attempt(`{{ (v[0]${operator}${name}${call}) }}`, context);
        if (operator === "|")
          attempt(`{{ v[0]|${name}${call}|list }}`, context, { undefined: "StrictUndefined" });
      }),
      { numRuns: runs(4000) },
    );
  },
);

test("values written as YAML or JSON are read back unchanged", () => {
  const text = fc.oneof(
    fc.string({ unit: oneOf(..."ab01:-#'\"[]{},&*!|>%@` \n\té~.?=".split("")), maxLength: 30 }),
    oneOf("yes", "null", "1e3", "0x1f", "12:30", "<<", "long text ".repeat(12), "word".repeat(40)),
  );
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.constantFrom(0, -5, 2.5, true, null),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(text, tie("tree"), { maxKeys: 3 }),
    ),
  }));
  const ways = [
    "to_yaml",
    "to_nice_yaml",
    "to_nice_yaml(indent=2, width=20)",
    "to_yaml(default_flow_style=true)",
  ];
  fc.assert(
    fc.property(tree, (one) => {
      const context = JSON.stringify({ v: one });
      for (const way of ways)
        expect([one, way, attempt(`{{ v|${way}|from_yaml == v }}`, context)]).toEqual([one, way, "True"]);
      expect(attempt("{{ v|to_json|from_json == v and v|to_nice_json|from_json == v }}", context)).toBe(
        "True",
      );
    }),
    { numRuns: runs(500) },
  );
});

test("an address is in the network computed for it", () => {
  const octets = fc.array(fc.nat(255), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(octets, fc.integer({ min: 0, max: 30 }), (bytes, prefix) => {
      const context = JSON.stringify({ v: `${bytes.join(".")}/${prefix}` });
      const answer = (expression: string) => attempt(`{{ ${expression} }}`, context);
      expect(
        answer(
          "v|ipaddr('network')|ipaddr('int') + v|ipaddr('size') - 1 == v|ipaddr('broadcast')|ipaddr('int')",
        ),
      ).toBe("True");
      expect(answer("v|ipaddr(0) == v|ipaddr('subnet')")).toBe("True");
      expect(answer("v|ipaddr('first_usable')|ipaddr(v) == v|ipaddr('first_usable')")).toBe("True");
      expect(answer("v|network_in_network(v|ipaddr(-1)|ipaddr('address'))")).toBe("True");
      expect(answer("[v|ipsubnet(31, 0), v|ipsubnet(31, -1)]|cidr_merge('span') == v|ipaddr('subnet')")).toBe(
        "True",
      );
    }),
    { numRuns: runs(300) },
  );
});

test("excessive nesting is rejected with a TemplateError, without a stack overflow", () => {
  const nested = (open: string, close: string): string =>
    `{{ ${open.repeat(20_000)}1${close.repeat(20_000)} }}`;
  const refused = [
    nested("(", ")"),
    nested("[", "]"),
    nested("-", ""),
    nested("not ", ""),
    nested("x[", "]"),
    nested("{1: ", "}"),
    nested("f(", ")"),
    `${"{% if 1 %}".repeat(20_000)}x${"{% endif %}".repeat(20_000)}`,
  ];
  for (const source of refused)
    expect([source.slice(0, 9), attempt(source)]).toEqual([source.slice(0, 9), expect.any(TemplateError)]);
});

test("very long chains terminate with a result or a TemplateError", () => {
  for (const link of [" + 1", "|e", ".a", "()", "[1]", " if 1", " and 1", " ~ 1", " == 1", " is odd"])
    for (const length of [1000, 20_000]) attempt(`{{ 1${link.repeat(length)} }}`);
});
