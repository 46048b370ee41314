/** Each part of the engine is loaded by the first template that asks for it, and by no other. */
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";

const entry = (file: string) => JSON.stringify(resolve(import.meta.dirname, "..", file));
const script = `
import { createEngine } from ${entry("index.ts")};
import { interpreterPart } from ${entry("macro/lazy.ts")};
import { parts } from ${entry("parts.ts")};
const { source, text, args } = JSON.parse(process.argv[1]);
const template = await createEngine().compile(source, args);
const result = template.runJson(text);
const loaded = Object.entries({ interpreter: interpreterPart, ...parts }).filter(([, part]) => part.isLoaded);
console.log(JSON.stringify({ result: JSON.parse(result), loaded: loaded.map(([name]) => name) }));
`;

/** In a process of its own, where nothing is loaded yet. */
function run(source: string, args = {}): { result: unknown; loaded: string[] } {
  const given = JSON.stringify({ source, text: "mtu 1500\n", args });
  const { stdout, stderr } = spawnSync(process.execPath, ["-e", script, given], { encoding: "utf8" });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

const line = "mtu {{ mtu | to_int }}";
const group = `<group>\n${line}\n</group>`;
const macro = (body: string) =>
  `<macro>\ndef m(data):\n${body}\n</macro>\n<group>\nmtu {{ mtu | macro("m") }}\n</group>`;
const everything = ["cerberus", "deepdiff", "jinja2", "modules", "setModules", "tables", "yaml"];

test.each<[what: string, source: string, args: object, loaded: string[]]>([
  ["a plain template", line, {}, []],
  ["arguments", 'mtu {{ mtu | equal("1500") }}', {}, ["interpreter"]],
  ["a macro", macro("    return data"), {}, ["interpreter"]],
  ["an import", macro("    import re\n    return re.sub('0', '1', data)"), {}, ["interpreter", "modules"]],
  [
    "a module of the built-in templates",
    macro("    from ttp_templates.utils.shared import whole\n    return data"),
    {},
    ["interpreter", "modules", "setModules"],
  ],
  ["_ttp_", macro('    return _ttp_["vars"].get("a", data)'), {}, ["interpreter", ...everything]],
  [
    "Cerberus",
    `<vars load="yaml">\ns: {mtu: {type: integer}}\n</vars>\n<group validate="s, 'ok'">\n${line}\n</group>`,
    {},
    ["interpreter", "cerberus", "yaml"],
  ],
  ["YAML of results", `${group}<output format="yaml"/>`, {}, ["yaml"]],
  ["a table", `${group}<output format="csv"/>`, {}, ["tables"]],
  ["a format of the request", line, { output: { format: "pprint" } }, []],
  ["a table of the request", line, { output: { format: "tabulate" } }, ["tables"]],
  ["Jinja2", `${group}<output format="jinja2">{{ _data_ }}</output>`, {}, ["jinja2"]],
  [
    "DeepDiff",
    `<vars>\nbefore = [{"mtu": 9000}]\n</vars>\n${group}<output deepdiff="var_before='before'"/>`,
    {},
    ["interpreter", "deepdiff"],
  ],
])("%s", (_what, source, args, loaded) => {
  const got = run(source, args);
  expect(got.loaded).toEqual(loaded);
  expect(JSON.stringify(got.result)).toMatch(/1500|1511|mtu/);
});
