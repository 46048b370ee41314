/** For any template, macro and text, the engine terminates and throws only its own error type. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { defaultTemplateLimits, TemplateError } from "../../python/index.ts";
import { createLoadedEngine as createEngine } from "../engine.ts";
import { device, functions, oneOf, template } from "./generators.ts";
import { context, kitOf, runEngine } from "./support.ts";

const engine = createEngine(
  kitOf({ limits: { ...defaultTemplateLimits, steps: 200_000, stringChars: 200_000, listItems: 20_000 } }),
);

/** Runs the template; only the engine's own error is acceptable. */
function attempt(source: string, text: string, args: unknown = {}): unknown {
  try {
    const result = runEngine(engine, source, text, args);
    // Plain JSON values, nothing else.
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
    return result;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return error;
  }
}

test("random TTP templates terminate on device output with a result or a TemplateError", () => {
  fc.assert(
    fc.property(template, device, oneOf("list", "dictionary", "flat_list"), (source, text, structure) => {
      attempt(source, text, { structure });
    }),
    { numRuns: runs(600) },
  );
});

test("a second run of a template has the same result as the first", () => {
  fc.assert(
    fc.property(template, device, (source, text) => {
      let compiled: ReturnType<typeof engine.compile>;
      try {
        compiled = engine.compile(source, {});
      } catch (error) {
        expect(error).toBeInstanceOf(TemplateError);
        return;
      }
      const run = () => {
        try {
          return compiled.run(text, context);
        } catch (error) {
          return String(error);
        }
      };
      expect(run()).toEqual(run());
    }),
    { numRuns: runs(200) },
  );
});

const noise = fc
  .array(
    oneOf(
      "<",
      ">",
      "/",
      "group",
      "{{",
      "}}",
      "|",
      "\n",
      " ",
      "name",
      "=",
      '"',
      "'",
      "&",
      "&lt;",
      "<!--",
      "-->",
      "]]>",
      "<![CDATA[",
      "(",
      ")",
      "[",
      "*",
      "\\",
      "é",
      "😀",
      "\0",
      "\r",
      "\t",
      "_start_",
      "<vars>",
      "</vars>",
      "<macro>",
      "</macro>",
      "<!DOCTYPE x>",
      "<?x?>",
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));

test("random text as a template terminates with a result or a TemplateError", () => {
  fc.assert(
    fc.property(noise, device, (source, text) => {
      attempt(source, text);
    }),
    { numRuns: runs(1000) },
  );
});

test("random input text terminates with a result or a TemplateError", () => {
  fc.assert(
    fc.property(template, fc.string({ unit: "binary", maxLength: 300 }), (source, text) => {
      attempt(source, text);
    }),
    { numRuns: runs(200) },
  );
});

const python = fc
  .array(
    oneOf(
      "def m(data):",
      "return data",
      "if data:",
      "else:",
      "for x in data:",
      "while True:",
      "try:",
      "except Exception as e:",
      "    ",
      "        ",
      "\n",
      "x",
      "=",
      "+=",
      "1",
      "'a'",
      "[",
      "]",
      "(",
      ")",
      "{",
      "}",
      ":",
      ",",
      ".",
      "lambda",
      "not",
      "in",
      "import re",
      "from",
      "*",
      "**",
      "f'{x!r:>{1}}'",
      "yield",
      "class A:",
      "async",
      "del x",
      "global x",
      "x.__class__",
      "@",
      "\\",
      "0x",
      "1e999",
      "'''",
      "#",
      "None",
      "is",
      "%",
      "//",
      "<<",
      ":=",
      "...",
      "_ttp_",
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.join(" ").replaceAll(" \n ", "\n"));

test("random macros terminate with a result or a TemplateError", () => {
  fc.assert(
    fc.property(python, (body) => {
      const escaped = body.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
      attempt(
        `<macro>\ndef f(data):\n  return [data, data * 2]\n\n${escaped}\n</macro>\n<group macro="f">\nx {{ a | macro("f") | macro("m") }}\n</group>`,
        "x 1\nx y\n",
      );
    }),
    { numRuns: runs(800) },
  );
});

test("random function arguments terminate with a result or a TemplateError", () => {
  const bits = oneOf(
    "'",
    '"',
    "(",
    ")",
    ",",
    "=",
    "a",
    "1",
    "[",
    "]",
    "{",
    "}",
    " ",
    "-",
    "True",
    "\\",
    "|",
    ".",
    "re",
    "x=",
  );
  const call = fc
    .tuple(functions, fc.array(bits, { maxLength: 8 }))
    .map(([name, parts]) => `${name.replace(/\(.*/, "")}(${parts.join("")})`);
  fc.assert(
    fc.property(call, device, (source, text) => {
      attempt(
        `<group name="g*" ${source.includes('"') ? "" : `functions="${source.replaceAll("<", "&lt;")}"`}>\ninterface {{ name | ${source} }}\n</group>`,
        text,
      );
    }),
    { numRuns: runs(800) },
  );
});
