import { secret } from "patchbay/plugin";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import {
  readSettings,
  settingsOfPlugins,
  shownSettings,
  unusedSettings,
} from "../../src/registry/settings.ts";

const plugin = {
  name: "acme-rest",
  settings: v.strictObject({
    url: v.pipe(v.string(), v.url("must be a URL")),
    token: v.optional(secret(v.string())),
    depth: v.optional(v.number("must be a number"), 2),
    names: v.optional(v.array(v.string())),
  }),
};
const tables = { "acme-rest": { url: "https://a.test" } };

describe("the settings of a plugin", () => {
  test("come from the file, overridden by the environment", async () => {
    const variables = {
      PATCHBAY_PLUGIN_ACME_REST_URL: "https://b.test",
      PATCHBAY_PLUGIN_ACME_REST_TOKEN: "7777",
    };
    const values = await readSettings(plugin, { tables, variables });
    expect(values).toMatchObject({ url: "https://b.test", depth: 2 });
    expect(v.parse(v.looseObject({ token: v.any() }), values).token.reveal()).toBe("7777");
  });

  test("of one whose name begins like that of a plugin without settings are its own", async () => {
    const variables = { PATCHBAY_PLUGIN_ACME_REST_TOKEN: "7777" };
    expect(await readSettings({ name: "acme" }, { tables: {}, variables })).toEqual({});
    expect(unusedSettings({ tables: {}, variables }, [{ name: "acme" }])).toEqual(Object.keys(variables));
    expect(unusedSettings({ tables: {}, variables }, [{ name: "acme" }, plugin])).toEqual([]);
  });

  test("from the environment are converted to numbers and lists by the schema", async () => {
    const variables = { PATCHBAY_PLUGIN_ACME_REST_DEPTH: "5", PATCHBAY_PLUGIN_ACME_REST_NAMES: '["a"]' };
    expect(await readSettings(plugin, { tables, variables })).toMatchObject({ depth: 5, names: ["a"] });
  });

  test.each([
    [{}, {}, "url is required ([plugins.acme-rest] url, or PATCHBAY_PLUGIN_ACME_REST_URL)"],
    [{ url: "canary" }, {}, "[plugins.acme-rest] url: must be a URL"],
    [
      { url: "https://a.test" },
      { PATCHBAY_PLUGIN_ACME_REST_DEPTH: "canary" },
      "PATCHBAY_PLUGIN_ACME_REST_DEPTH: must be a number",
    ],
  ])("are named but not quoted if invalid: %j %j", async (table, variables, said) => {
    const refused = readSettings(plugin, { tables: { "acme-rest": table }, variables });
    await expect(refused).rejects.toThrow(said);
    await expect(refused).rejects.not.toThrow("canary");
  });

  test("are rejected if the plugin has none", async () => {
    await expect(readSettings({ name: "acme-rest" }, { tables, variables: {} })).rejects.toThrow(
      "it has no settings, but [plugins.acme-rest] url is set",
    );
  });

  test("are shown masked, with their origin", async () => {
    const variables = { PATCHBAY_PLUGIN_ACME_REST_TOKEN: "canary" };
    const shown = shownSettings(
      plugin,
      { tables, variables },
      await readSettings(plugin, { tables, variables }),
    );
    expect(shown.map(({ name, value, origin }) => [name, value, origin])).toEqual([
      ["url", "https://a.test", "file"],
      ["token", "[secret]", "environment"],
      ["depth", "2", "default"],
    ]);
  });

  test("are passed to their plugin only, and unknown ones are reported", () => {
    const source = {
      tables: { ...tables, acm: { a: 1 } },
      variables: { PATCHBAY_PLUGIN_ACME_REST_URL: "x", PATCHBAY_PLUGIN_OTHER_URL: "y" },
    };
    expect(unusedSettings(source, [plugin])).toEqual(["[plugins.acm]", "PATCHBAY_PLUGIN_OTHER_URL"]);
    expect(settingsOfPlugins(source, [plugin])).toEqual({
      tables,
      variables: { PATCHBAY_PLUGIN_ACME_REST_URL: "x" },
    });
  });
});
