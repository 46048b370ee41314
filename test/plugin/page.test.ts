/**
 * Runs docs/guides/plugins.md and docs/reference/plugins.md: every TypeScript block is a valid plugin, and the settings
 * table is checked; likewise the platform of docs/guides/adding-a-platform.md.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { loadConfig } from "../../src/config/config.ts";
import { compilePlatform } from "../../src/device/cli/platform.ts";
import { discover, findPlugins } from "../../src/registry/discover.ts";
import { shownSettings } from "../../src/registry/settings.ts";
import { installPluginModule } from "../../src/runtime/plugin-module.ts";

installPluginModule();
const page = ["docs/guides/plugins.md", "docs/reference/plugins.md"]
  .map((name) => readFileSync(name, "utf8"))
  .join("\n");
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map(
    (match) => match[1] ?? "",
  );

test("each snippet of the two pages is accepted, with the settings of the page", async () => {
  const folder = mkdtempSync(join(tmpdir(), "page-"));
  const sources = blocks("ts");
  for (const [at, source] of sources.entries()) writeFileSync(join(folder, `snippet-${at}.ts`), source);
  const file = join(folder, "patchbay.toml");
  writeFileSync(file, blocks("toml").join("\n"));
  const { pluginSettings } = loadConfig({ file, environment: {} });
  const registry = await discover([], await findPlugins([folder]), silentLog, pluginSettings);
  expect(registry.refusals()).toEqual([]);
  expect(registry.all().map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    "driver acme-rest",
    "template lines",
    "webhook plain",
    "credential fixed",
    "inventory ssh-config",
  ]);
  expect(sources).toHaveLength(5);
  for (const plugin of registry.all()) {
    if (plugin.kind !== "platform") expect(typeof (await plugin.load()).default).toBe("function");
    if (plugin.name !== "fixed") continue;
    expect(shownSettings(plugin, pluginSettings, registry.settings(plugin))).toMatchObject([
      { name: "password", value: "[secret]", origin: "file" },
    ]);
  }
});

test("the platform in adding-a-platform.md is accepted and valid", async () => {
  const text = readFileSync("docs/guides/adding-a-platform.md", "utf8");
  const folder = mkdtempSync(join(tmpdir(), "page-"));
  const [, source = ""] = /```ts\n(import type [\s\S]*?)```/.exec(text) ?? [];
  writeFileSync(join(folder, "acme.ts"), source);
  const registry = await discover([], await findPlugins([folder]), silentLog, { tables: {}, variables: {} });
  expect(registry.refusals()).toEqual([]);
  const [platform] = registry.list("platform");
  expect(platform?.name).toBe("acme_os");
  if (platform) expect(() => compilePlatform(platform)).not.toThrow();
});

test("the test snippet in plugins.md passes", async () => {
  const [source = ""] = blocks("ts test");
  // Outside of the checkout, which other tests copy and read meanwhile.
  const folder = mkdtempSync(join(tmpdir(), "page-"));
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  writeFileSync(
    join(folder, "page-snippet.test.ts"),
    source.replaceAll('"../examples/', `"${resolve("examples")}/`),
  );
  writeFileSync(join(folder, "vitest.config.mjs"), `export default ${JSON.stringify(configIn(folder))};`);
  const vitest = [
    "--bun",
    "node_modules/vitest/vitest.mjs",
    "run",
    "--config",
    join(folder, "vitest.config.mjs"),
  ];
  const { stdout } = await promisify(execFile)(process.execPath, vitest);
  expect(stdout).toMatch(/Tests .*8 passed/);
});

/** The project's own configuration, for a test elsewhere. */
function configIn(root: string) {
  const alias = {
    "patchbay/plugin": resolve("src/plugin/index.ts"),
    "patchbay/testkit": resolve("src/testkit/index.ts"),
  };
  const globalSetup = [resolve("test/support/run-folder.ts"), resolve("test/e2e/binary-folder.ts")];
  return { root, resolve: { alias }, test: { globalSetup, testTimeout: 180_000, hookTimeout: 240_000 } };
}
