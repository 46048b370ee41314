/** Threads and template processes load the plugins that the service has accepted, whatever is in their folders now. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";

/** `die` ends the thread that it runs on. */
const driver = (version: number) => `
import { defineDriver } from "patchbay/plugin";
const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
const secret = "literal-secret-of-acme";
export default defineDriver({
  name: "acme", version: "${version}", connection: any, query: any, strategy: "fifo",
  target: ({ host }) => ({ host, port: 443 }),
  open: async () => ({
    query: async (command) => {
      if (command === "die") setTimeout(() => { throw new Error("the end"); }, 1);
      await new Promise((go) => setTimeout(go, command === "die" ? 5_000 : 1));
      return ${version};
    },
  }),
});
`;
/** `die` ends the process that it runs in. */
const engine = (word: string) => `
import { defineTemplateEngine } from "patchbay/plugin";
const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
export default defineTemplateEngine({ name: "word", does: "render", args: any,
  compile: (text) => ({ run: () => { if (text === "die") process.reallyExit(3); return "${word}"; } }) });
`;
/** The implementation is a file of its own, loaded by the first job. */
const late = `
import { defineTemplateEngine } from "patchbay/plugin";
const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
export default defineTemplateEngine({ name: "word", does: "render", args: any, load: () => import("./engine.js") });
`;
const lateEngine = (word: string) =>
  `import { word } from "../lib/word.js"; export default () => ({ compile: () => ({ run: () => word + "${word}" }) });`;

let service: Service;
afterEach(() => service?.close());

const start = (folder: string, more: Record<string, string> = {}) =>
  startService({
    plugins: [folder],
    env: { PATCHBAY_DEVICE_THREADS: "1", PATCHBAY_TEMPLATE_PROCESSES: "1", ...more },
  });
const run = async (command: string) =>
  (await service.run({ driver: "acme", connection_args: { host: "r1" }, command })).result;
const render = async (template = "x") =>
  (await service.call("POST", "/template/render/word", { template, context: {} })).body.data;

async function hangUp(): Promise<void> {
  const before = service.output().split('"plugins.reloaded"').length;
  service.child.kill("SIGHUP");
  await expect
    .poll(() => service.output().split('"plugins.reloaded"').length, { timeout: 30_000 })
    .toBe(before + 1);
}

async function refused(): Promise<readonly string[]> {
  const { body } = await service.call<{ refused: string | null }[]>("GET", "/plugin");
  return body.data.flatMap(({ refused }) => refused ?? []);
}

test("a thread that is replaced while a plugin is half written runs the version in use", async () => {
  const folder = tempFolder();
  const file = join(folder, "acme.js");
  writeFileSync(file, driver(1));
  service = await start(folder);
  expect(await run("show")).toMatchObject({ retval: { show: 1 } });
  writeFileSync(file, driver(2).slice(0, 300));
  expect((await run("die"))?.error).toMatchObject({ type: "WorkerLost" });
  expect(await run("show")).toMatchObject({ retval: { show: 1 } });
  writeFileSync(file, driver(2));
  expect(await run("show")).toMatchObject({ retval: { show: 1 } });
  await hangUp();
  expect(await run("show")).toMatchObject({ retval: { show: 2 } });
  // What is told about it names the operator's file.
  expect(service.output()).toContain(file);
  expect(service.output()).not.toContain("plugins.loaded/");
});

test("so does a template process, also of a plugin that is gone meanwhile", async () => {
  const folder = tempFolder();
  const file = join(folder, "word.js");
  writeFileSync(file, engine("one"));
  service = await start(folder);
  expect(await render()).toBe("one");
  writeFileSync(file, engine("two").slice(0, 200));
  await render("die");
  expect(await render()).toBe("one");
  rmSync(file);
  await render("die");
  expect(await render()).toBe("one");
});

test("an implementation that is half written leaves the former version in use", async () => {
  const folder = tempFolder();
  for (const name of ["lib", "word"]) mkdirSync(join(folder, name));
  const file = join(folder, "word", "engine.js");
  writeFileSync(join(folder, "lib", "word.js"), 'export const word = "word ";');
  writeFileSync(join(folder, "word", "plugin.js"), late);
  writeFileSync(file, lateEngine("one"));
  service = await start(folder);
  writeFileSync(file, lateEngine("two").slice(0, 60));
  // It has not been loaded before.
  expect(await render()).toBe("word one");
  await hangUp();
  expect(await render()).toBe("word one");
  expect(await refused()).toEqual([
    expect.stringMatching(/template word: .*The former version stays in use/),
  ]);
  writeFileSync(file, lateEngine("two"));
  await hangUp();
  expect(await render()).toBe("word two");
  expect(await refused()).toEqual([]);
});

test("a plugin that needs files outside of its folder is used where it is, which the log says", async () => {
  const [around, data] = [tempFolder(), tempFolder()];
  for (const name of ["lib", "plugins", "plugins/word"]) mkdirSync(join(around, name));
  writeFileSync(join(around, "lib", "word.js"), 'export const word = "far ";');
  writeFileSync(join(around, "plugins", "word", "plugin.js"), late);
  writeFileSync(
    join(around, "plugins", "word", "engine.js"),
    lateEngine("one").replace("../lib", "../../lib"),
  );
  service = await start(join(around, "plugins"), { PATCHBAY_DATA_DIR: data });
  expect(await render()).toBe("far one");
  expect(service.output()).toMatch(/outside of its plugin folder.*plugin\.not_copied/);
});

test("copies are private, follow the folder, and are gone after the service has stopped", async () => {
  const [folder, dataDir] = [tempFolder(), tempFolder()];
  writeFileSync(join(folder, "acme.js"), driver(1), { mode: 0o644 });
  writeFileSync(join(folder, "tool.sh"), "#!/bin/sh\n", { mode: 0o755 });
  const copies = join(dataDir, "plugins.loaded");
  mkdirSync(join(copies, "7"), { recursive: true });
  writeFileSync(join(copies, "7", "left.js"), "left by a killed service");
  service = await startService({ dataDir, plugins: [folder] });
  const found = () => readdirSync(copies, { recursive: true, encoding: "utf8" }).sort();
  expect(found().map((path) => [path, (statSync(join(copies, path)).mode & 0o777).toString(8)])).toEqual([
    ["0", "700"],
    ["0/acme.js", "600"],
    ["0/tool.sh", "700"],
  ]);
  expect(statSync(copies).mode & 0o777).toBe(0o700);
  rmSync(join(folder, "acme.js"));
  writeFileSync(join(folder, "word.js"), engine("one"));
  // Running jobs may need the last ones; no more are kept.
  for (let reloads = 0; reloads < 5; reloads++) await hangUp();
  await expect.poll(() => found().filter((path) => path.endsWith("acme.js"))).toEqual([]);
  expect(readFileSync(join(copies, found().at(-2) ?? "", ""), "utf8").length).toBeGreaterThan(0);
  await service.stop();
  expect(existsSync(copies)).toBe(false);
});
