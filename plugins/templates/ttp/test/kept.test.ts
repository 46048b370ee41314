/** A cached template behaves the same in every run: macros' changes to its values end with the run. */
import { expect, test } from "vitest";
import { createLoadedEngine as createEngine } from "../engine.ts";
import { context, kitOf } from "./support.ts";

const engine = createEngine(kitOf());
const macro = (body: string) => `<macro>\ndef m(d):\n    ${body}\n</macro>`;
const noted = macro('d["l"].append(d["x"])');

const cases: readonly (readonly [what: string, template: string, result: unknown])[] = [
  [
    "let",
    `${noted}<group name="g" macro="m">\nx {{ x | let("l", []) }}\n</group>`,
    { g: { x: "1", l: ["1"] } },
  ],
  [
    "let by keyword",
    `${noted}<group name="g" macro="m">\nx {{ x | let("l", var_value=[]) }}\n</group>`,
    { g: { x: "1", l: ["1"] } },
  ],
  [
    "set of a line",
    `${noted}<group name="g" macro="m">\nx {{ x }}\n up {{ l | set([]) }}\n</group>`,
    { g: { x: "1", l: ["1"] } },
  ],
  [
    "set of a group",
    `${noted}<group name="g" set="l, default=[]" macro="m">\nx {{ x }}\n</group>`,
    { g: { x: "1", l: ["1"] } },
  ],
  [
    "default",
    `${noted}<group name="g" macro="m">\nx {{ x }}\n{{ l | set([]) }}\n</group>`,
    { g: { x: "1", l: ["1"] } },
  ],
  [
    "variables of an output's text",
    `<group name="g">\nx {{ x }}\n</group>\n<output macro="m">\nseen = []\n</output>\n${macro(
      '_ttp_["output_object"].attributes["seen"].append(1)\n    return _ttp_["output_object"].attributes["seen"]',
    )}`,
    1,
  ],
];

test.each(cases)("a macro's change to a value ends with the run: %s", (_, template, result) => {
  const kept = engine.compile(template, {});
  const runs = [1, 2, 3].map(() => kept.run("x 1\n up\n", context));
  expect(runs).toEqual([[result], [result], [result]]);
});

test("matches of one run share a list, as in Python", () => {
  const kept = engine.compile(`${noted}<group name="g" macro="m">\nx {{ x | let("l", []) }}\n</group>`, {});
  const both = { g: ["1", "2"].map((x) => ({ x, l: ["1", "2"] })) };
  expect([1, 2].map(() => kept.run("x 1\nx 2\n", context))).toEqual([[both], [both]]);
});
