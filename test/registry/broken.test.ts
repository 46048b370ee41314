/** A dozen kinds of broken plugins: each is refused in one sentence, with file and line if known. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const levels = "levels: { exec: { prompt: />/ } }, errors: []";
const platform = (name: string, more = levels) =>
  `export default { api: 1, kind: "platform", name: "${name}", home: "exec", ${more} };`;
const schema = '{ "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } }';

/** File -> its text, and the error message. */
const broken: Record<string, [string, RegExp]> = {
  "syntax.ts": ["export default {\n  name: ;\n};", /syntax\.ts:2: .+/],
  "throws.ts": ["\n\nthrow new Error('no licence');", /throws\.ts:3: no licence/],
  "rejects.ts": ["await Promise.reject(new Error('not today'));", /rejects\.ts:1: not today/],
  "says.ts": ["throw 'a plain string';", /says\.ts: a plain string/],
  "null.ts": ["throw null;", /null\.ts: null was thrown, which is no error/],
  "exits.ts": [
    "\nprocess.exit(3);",
    /exits\.ts:2: it called process\.exit\(3\), which would end the service/,
  ],
  "field.ts": [
    platform("f", "levels: { exec: { prompt: />/, exmaple: '>' } }, errors: []"),
    /platform "f": levels\.exec\.exmaple: is not known/,
  ],
  "circle.ts": [
    platform("g", "levels: { exec: { prompt: />/, from: 'exec', enter: 'x' } }, errors: []"),
    /platform "g": levels\.exec\.from: is circular/,
  ],
  "absent.ts": ['import x from "./nothing.ts";\nexport default x;', /absent\.ts.*nothing/],
  "nothing.ts": ["export const name = 'acme';", /default export must be the result of defineDriver/],
  "number.ts": ["export default 7;", /default export must be the result of defineDriver/],
  "api.ts": [platform("a").replace("api: 1", "api: 2"), /`api` must be 1/],
  "kind.ts": [platform("b").replace('"platform"', '"teapot"'), /`kind` must be one of driver/],
  "face.ts": [
    'export default { api: 1, kind: "inventory", name: "i", load() {} };',
    /inventory "i": `does` must be/,
  ],
  "format.ts": [
    'export default { api: 1, kind: "inventory", does: "format", name: "i", imports: true, exports: { type: "text/x\\r\\n", name: "x" }, load() {} };',
    /inventory "i": `exports` must be a media `type` and a file `name`/,
  ],
  "source.ts": [
    'export default { api: 1, kind: "inventory", does: "source", name: "i", schemes: [], load() {} };',
    /inventory "i": `schemes` must be a list of schemes.*`gives` must be "text" or "devices"/,
  ],
  "name.ts": [platform("../etc/passwd"), /`name` must be lower-case/],
  "shape.ts": [
    platform("c", "levels: { exec: {} }, errors: []"),
    /platform "c": `levels` must be privilege levels/,
  ],
  "home.ts": [platform("d", "levels: { user: { prompt: />/ } }, errors: []"), /`home` names no level/],
  "taken.ts": [
    platform("first"),
    /taken\.ts is refused: the platform "first" is already defined by a-first\.ts: give one of them another name/,
  ],
  "half.ts": [
    `${platform("half").replace("export default", "const half =")}\n${platform("first").replace("export default", "const first =")}\nexport default [half, first];`,
    /half\.ts is refused: the platform "first" is already defined/,
  ],
  "work.ts": [
    `import { defineDriver } from "patchbay/plugin";\n\nexport default defineDriver({ name: "lazy", connection: ${schema}, strategy: "fifo", target: () => ({}) });`,
    /work\.ts:3: lazy has neither/,
  ],
  "settings.ts": [
    platform(
      "e",
      `${levels}, settings: ${schema.replace("({ value })", "() => ({ issues: [{ message: 'no', path: ['url'] }] })").replace("(value) => () =>", "() =>")}`,
    ),
    /its settings are not valid: url is required \(\[plugins\.e\] url, or PATCHBAY_PLUGIN_E_URL\)/,
  ],
};

test("each broken plugin is refused with one sentence, and all others are loaded", async () => {
  const folder = mkdtempSync(join(tmpdir(), "broken-"));
  mkdirSync(join(folder, "z-last"));
  writeFileSync(join(folder, "a-first.ts"), platform("first"));
  writeFileSync(join(folder, "z-last/plugin.ts"), platform("last"));
  for (const [name, [text]] of Object.entries(broken)) writeFileSync(join(folder, name), text);
  // In its own process: the test runner transforms modules, so positions would differ.
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    "src/main.ts",
    "plugin",
    "list",
    "--plugins",
    folder,
  ]);
  expect(stdout).toMatch(/platform +first +a-first\.ts/);
  expect(stdout).toMatch(/platform +last +z-last/);
  expect(stdout, "a refused module is loaded in part").not.toMatch(/platform +half/);
  const refusals = stderr.trim().split("\n");
  expect(refusals).toHaveLength(Object.keys(broken).length);
  for (const [name, [, expected]] of Object.entries(broken))
    expect(
      refusals.find((line) => line.includes(`the plugin ${name} is refused: `)),
      name,
    ).toMatch(expected);
});
