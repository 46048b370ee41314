/** The architecture rules reject what they claim to reject. */
import { expect, test } from "vitest";
import { circles } from "../../scripts/house/circles.ts";
import { hookFaults } from "../../scripts/house/hooks.ts";
import { importFaults } from "../../scripts/house/imports.ts";
import { mirrorFaults, testFolders } from "../../scripts/house/mirror.ts";
import { packageFaults } from "../../scripts/house/packages.ts";
import { commentFaults } from "../../scripts/house/papers.ts";
import { sizeFaults } from "../../scripts/house/sizes.ts";
import { readProgram, readSources, type SourceFile } from "../../scripts/house/source.ts";
import { wordFaults } from "../../scripts/house/words.ts";

const sources = readProgram();

function withFile(path: string, file: Partial<SourceFile>): SourceFile[] {
  return [...sources, { path, text: "", files: [], names: [], packages: [], ...file }];
}

test("import cycles are found from any start, and a tree has none", () => {
  const tree = { a: ["b", "c"], b: ["c"], c: [] };
  expect(circles(new Map(Object.entries(tree)))).toEqual([]);
  const graph = { a: ["b"], b: ["c", "d"], c: ["b"], d: ["e"], e: ["e"], f: ["a"] };
  const found = circles(new Map(Object.entries(graph))).map((group) => group.sort());
  expect(found.sort()).toEqual([["b", "c"], ["e"]]);
});

test("the imports of the program are accepted", () => {
  expect([...importFaults(sources), ...packageFaults(sources)]).toEqual([]);
});

test.each<[what: string, path: string, file: Partial<SourceFile>, fault: RegExp]>([
  [
    "from a higher module",
    "src/base/x.ts",
    { files: ["src/http/app.ts"] },
    /base must not import src\/http\/app\.ts/,
  ],
  [
    "of a file that its module does not export",
    "src/http/x.ts",
    { files: ["src/jobs/submit.ts"] },
    /not exported by jobs/,
  ],
  ["of a factory", "src/dispatch/x.ts", { files: ["src/pool/pool.ts"] }, /assemble the program/],
  [
    "of another kind of plugin",
    "plugins/drivers/x.ts",
    { files: ["plugins/templates/eta/plugin.ts"] },
    /plugins\/drivers must not/,
  ],
  [
    "of the plugin API by path",
    "plugins/drivers/x.ts",
    { files: ["src/plugin/index.ts"] },
    /plugins must not/,
  ],
  [
    "of the test kit in a plugin",
    "plugins/drivers/x.ts",
    { names: ["patchbay/testkit"] },
    /plugins must not/,
  ],
  ["of core code in a plugin", "plugins/drivers/x.ts", { files: ["src/base/log.ts"] }, /plugins must not/],
  [
    "of a library that another module owns",
    "src/jobs/x.ts",
    { packages: ["hono"] },
    /only http may import hono/,
  ],
  ["of a library without an owner", "src/jobs/x.ts", { packages: ["left-pad"] }, /left-pad has no owner/],
])("an import is rejected: %s", (_what, path, file, fault) => {
  expect(importFaults(withFile(path, file)).join("\n")).toMatch(fault);
});

test.each<[what: string, path: string, file: Partial<SourceFile>, fault: RegExp]>([
  [
    "of a file behind the door of another package",
    "plugins/templates/ttp/x.ts",
    { files: ["plugins/templates/python/values/dict.ts"] },
    /not a door of @patchbay\/python/,
  ],
  [
    "of a file behind the door of a package, from outside",
    "scripts/x.ts",
    { files: ["plugins/templates/ttp/parser.ts"] },
    /not a door of @patchbay\/ttp/,
  ],
  [
    "of a package above",
    "plugins/templates/python/x.ts",
    { files: ["plugins/templates/jinja2/index.ts"] },
    /@patchbay\/jinja2 is not in plugins\/templates\/python\/package\.json/,
  ],
  ["of a library", "plugins/templates/textfsm/x.ts", { packages: ["yaml"] }, /yaml is not in/],
  [
    "of the service by an engine",
    "plugins/templates/ttp/x.ts",
    { names: ["patchbay/plugin"] },
    /only plugin\.ts may/,
  ],
])("an import of a package is rejected: %s", (_what, path, file, fault) => {
  expect(packageFaults(withFile(path, file)).join("\n")).toMatch(fault);
});

test.each([
  ["timers", "setTimeout(() => {}, 1);"],
  ["the environment", "process.env.HOME;"],
  ["`Bun.` and `Deno.`", "Bun.gc();"],
  ["`new Worker`", "new Worker(entry);"],
  ["code made from text", "eval(text);"],
  ["names plugin netmiko", 'if (name === "netmiko") {}'],
])("%s are rejected in modules without permission, except in comments", (_what, text) => {
  expect(wordFaults(withFile("src/api/x.ts", { text }))).toHaveLength(1);
  expect(wordFaults(withFile("src/api/x.ts", { text: `// ${text}\n/* ${text} */` }))).toEqual([]);
});

test("a comment names a file that exists", () => {
  const [gone, test] = ["src/gone", "test/gone.test"].map((name) => `${name}.ts`);
  const text = `/** See ${gone} and src/main.ts. */\nconst path = "src/other.ts"; // ${test}: why\n`;
  const file = { path: "src/a.ts", text, files: [], names: [], packages: [] };
  expect(commentFaults([file])).toEqual([
    `src/a.ts: ${gone} does not exist`,
    `src/a.ts: ${test} does not exist`,
  ]);
});

test("files above 500 lines and tests above 60 lines are rejected", () => {
  const lines = (count: number) => "  call();\n".repeat(count);
  expect(sizeFaults([{ path: "src/a.ts", text: lines(501), files: [], names: [], packages: [] }])[0]).toMatch(
    /501 lines/,
  );
  const text = `test("a", () => {\n${lines(61)}});\ntest("b", () => {\n${lines(60)}});\n`;
  const faults = sizeFaults(withFile("test/a.test.ts", { text }));
  expect(faults).toEqual(["test/a.test.ts:1: the body of this test has 61 lines, the maximum is 60"]);
});

test("a module without tests, and a test folder without a module, are rejected", () => {
  expect(mirrorFaults(sources)).toEqual([]);
  const folders = testFolders();
  const others = folders.filter((name) => name !== "device/telnet");
  expect(mirrorFaults(sources, others)).toEqual([
    "src/device/telnet: there is no test in test/device/telnet",
  ]);
  expect(mirrorFaults(sources, [...folders, "x"])).toEqual(["test/x: there is no room src/x"]);
});

test("no support module registers hooks where it is loaded, alone or through others", () => {
  expect(hookFaults(readSources(["scripts", "test", "plugins", "examples"]))).toEqual([]);
  const module = (path: string, text: string, files: string[] = []): SourceFile => ({
    ...{ path, text, files, names: [], packages: text.includes('"vitest"') ? ["vitest"] : [] },
  });
  const own = module(
    "test/x/own.ts",
    `import { afterAll as last } from "vitest";\nexport const folder = () => { last(() => {}); return "x"; };\n`,
  );
  const use = (text: string) =>
    module("test/x/use.ts", `import { folder } from "./own.ts";\n${text}`, ["test/x/own.ts"]);
  expect(hookFaults([own])).toEqual([]);
  expect(hookFaults([own, use("const place = folder();")])[0]).toMatch(/^test\/x\/use\.ts:2: folder\(\)/);
  expect(hookFaults([own, use("const a = () => { run(() => folder()); };\na();")])[0]).toMatch(/:3: a\(\)/);
  expect(hookFaults([own, use("export const a = () => folder();")])).toEqual([]);
  expect(hookFaults([own, { ...use("folder();"), path: "test/x/use.test.ts" }])).toEqual([]);
});
