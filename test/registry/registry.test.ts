import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PlatformPlugin, Secret, secret, TemplateError, userPattern } from "patchbay/plugin";
import { describe, expect, test } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import { type Log, silentLog } from "../../src/base/log.ts";
import { discover, findPlugins } from "../../src/registry/discover.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { installPluginModule } from "../../src/runtime/plugin-module.ts";

installPluginModule();

const platform = (name: string, aliases: string[] = []): PlatformPlugin => ({
  api: 1,
  kind: "platform",
  name,
  aliases,
  home: "exec",
  levels: { exec: { prompt: /\S+>/ } },
  errors: [],
});

describe("registry", () => {
  test("finds a plugin by name, alias and transport suffix", () => {
    const registry = createRegistry();
    registry.add(platform("acme_os", ["acme"]), "builtin");
    for (const name of ["acme_os", "acme", "acme_os_ssh", "acme_telnet"]) {
      expect(registry.get("platform", name)?.name).toBe("acme_os");
    }
    expect(registry.list("platform")).toHaveLength(1);
    expect(() => registry.require("platform", "nope")).toThrow('There is no platform named "nope".');
  });

  test("lets an operator's plugin override a built-in one, but not that of another folder", () => {
    const registry = createRegistry();
    registry.add(platform("acme_os"), "builtin");
    const replacement = { ...platform("acme_os"), home: "exec", errors: [/^%/] };
    registry.add(replacement, "mine");
    expect(registry.get("platform", "acme_os")).toBe(replacement);
    expect(registry.originOf(replacement)).toBe("mine");
  });

  test("a built-in platform whose name another takes as its alias is still listed as built-in", () => {
    const registry = createRegistry();
    const builtin = platform("acme_os", ["acme"]);
    registry.add(builtin, "builtin");
    registry.add(platform("other_os", ["acme_os"]), "mine");
    expect(registry.get("platform", "acme")).toBe(builtin);
    expect(registry.originOf(builtin)).toBe("builtin");
  });

  test("a platform of which one alias is taken is added under none of its names", () => {
    const registry = createRegistry();
    registry.add(platform("acme_os"), "mine");
    expect(() => registry.add(platform("other_os", ["acme_os"]), "yours")).toThrow(
      'the platform "acme_os" is already defined by mine: give one of them another name',
    );
    expect(registry.get("platform", "other_os")).toBeUndefined();
    expect(() => registry.add(platform("acme_os"), "yours")).toThrow("already defined by mine");
  });

  test.each([
    [undefined, "the default export must be the result of defineDriver"],
    [{ api: 2, kind: "platform", name: "x" }, "`api` must be 1"],
    [{ api: 1, kind: "teapot", name: "x" }, "`kind` must be one of"],
    [{ api: 1, kind: "platform", name: "../x" }, "`name` must be"],
    [{ api: 1, kind: "driver", name: "x" }, "`connection` must be a schema"],
    [{ api: 1, kind: "driver", name: "x", connection: {}, args: {} }, "`args` must be the schemas"],
    [{ ...platform("x"), home: "nowhere" }, "`home` names no level (there are exec)"],
    [{ ...platform("x"), settings: {} }, "`settings` must be a schema"],
    [{ ...platform("x"), levels: { exec: { prompt: ">" } } }, "each with a regular expression `prompt`"],
  ])("refuses %j with a reason", (plugin, why) => {
    expect(() => createRegistry().add(plugin, "mine")).toThrow(why);
  });
});

describe("the discovery of plugins", () => {
  test("loads files and folders, and a bad plugin does not stop the start", async () => {
    const folder = mkdtempSync(join(tmpdir(), "plugins-"));
    mkdirSync(join(folder, "good"));
    writeFileSync(join(folder, "good", "data.ts"), "export const levels = { exec: { prompt: /\\S+>/ } };");
    writeFileSync(
      join(folder, "good", "plugin.ts"),
      'import { levels } from "./data.ts"; export default { api: 1, kind: "platform", name: "good_os", home: "exec", levels, errors: [] };',
    );
    writeFileSync(join(folder, "broken.ts"), "export default {;");
    writeFileSync(join(folder, "throws.ts"), "throw new Error('on load');");
    const refused: object[] = [];
    const log: Log = { ...silentLog, error: (_event, fields) => void refused.push(fields ?? {}) };
    const registry = await discover([], await findPlugins([folder, join(folder, "absent")]), log);
    expect(registry.names("platform")).toContain("good_os");
    expect(refused).toHaveLength(2);
    expect(JSON.stringify(refused)).toContain("on load");
  });

  test("gives a plugin of any folder the host's own classes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "plugins-"));
    writeFileSync(
      join(folder, "acme.ts"),
      `import { PluginError, Secret, TemplateError, secret, userPattern } from "patchbay/plugin";
       export default { api: 1, kind: "platform", name: "acme_os", home: "exec", levels: { exec: { prompt: />/ } }, errors: [],
         values: { PluginError, Secret, TemplateError, secret, userPattern } };`,
    );
    const registry = await discover([], await findPlugins([folder]), silentLog);
    expect(registry.get("platform", "acme_os")).toMatchObject({
      values: { PluginError: ServiceError, Secret, TemplateError, secret, userPattern },
    });
  });
});
