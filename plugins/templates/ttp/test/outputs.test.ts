/** Outputs over several results: a verdict each, diffs with DeepDiff's own arguments. */
import { expect, test } from "vitest";
import { createLoadedEngine as createEngine } from "../engine.ts";
import { kitOf, runEngine } from "./support.ts";

const engine = createEngine(kitOf());
const run = (source: string, text: string, args: unknown = {}) => runEngine(engine, source, text, args);

const validated = (
  output: string,
  group = 'name="ntp"',
  results = "per_input",
) => `<template results="${results}">
<vars>
schema = {"server": {"type": "string", "allowed": ["10.0.0.1"]}}
hostname = "gethostname"
</vars>
<group ${group}>
ntp server {{ server }}
</group>
<output ${output}/>
</template>`;

test("validate returns one verdict per input", () => {
  const source = validated(
    "validate=\"schema='schema', result='ok', info='ntp of {hostname}'\"",
    'name="ntp**"',
  )
    .replace('"server": {"type"', '"ntp": {"type": "dict", "schema": {"server": {"type"')
    .replace('["10.0.0.1"]}', '["10.0.0.1"]}}}');
  const inputs = [{ text: "r2#\nntp server 10.9.9.9\n" }];
  expect(run(source, "r1#\nntp server 10.0.0.1\n", { inputs })).toEqual([
    { ok: true, info: expect.any(String) },
    { ok: false, info: expect.any(String) },
  ]);
});

test("validate returns one verdict per record of a list", () => {
  const text = "ntp server 10.0.0.1\nntp server 10.9.9.9\n";
  const verdicts = [
    { valid: true, why: {} },
    { valid: false, why: { server: [expect.stringContaining("unallowed value 10.9.9.9")] } },
  ];
  const output = "validate=\"schema='schema', errors='why'\"";
  expect(run(validated(output, ""), text)).toEqual(verdicts);
  expect(run(validated(output, "", "per_template"), text)).toEqual(verdicts);
});

const compared = (args: string) => `<vars>
before = [[{"server": "10.0.0.1"}]]
</vars>
<group>
ntp server {{ server }}
</group>
<output deepdiff="var_before='before'${args}"/>`;

test("deepdiff accepts DeepDiff's arguments only at their defaults", () => {
  const differences = [
    { values_changed: { "root[0][0]['server']": { new_value: "10.9.9.9", old_value: "10.0.0.1" } } },
  ];
  for (const args of ["", ", ignore_order=False", ", exclude_paths=None, view='text'"]) {
    const found = run(compared(args), "ntp server 10.9.9.9\n");
    expect(found).toEqual(differences);
  }
  expect(() => run(compared(", ignore_order=True"), "ntp server 10.9.9.9\n")).toThrow(
    "'ignore_order' is supported at its default only",
  );
  expect(() => run(compared(", ignore_ordr=True"), "ntp server 10.9.9.9\n")).toThrow(
    "did you mean ignore_order?",
  );
});
