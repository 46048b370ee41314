/**
 * Plugins with schemas of other libraries: types are inferred, fields known, secrets hidden, and errors name
 * the field.
 */
import { type } from "arktype";
import { defineDriver, type Schema, Secret } from "patchbay/plugin";
import { expect, test } from "vitest";
import * as z from "zod";
import { fieldsOf } from "../../src/registry/fields.ts";
import { readManifest } from "../../src/registry/manifest.ts";

const ofZod = defineDriver({
  name: "of-zod",
  strategy: "fifo",
  connection: z.object({
    host: z.string(),
    token: z
      .string()
      .min(8, "is too short")
      .transform((text) => new Secret(text)),
  }),
  query: z.object({ depth: z.number().default(1) }),
  target: ({ host }) => ({ host, port: 443 }),
  open: async ({ connection }) => ({
    // Compiles only if the types are inferred from the schemas.
    query: async (command, { depth }) => `${command} ${depth.toFixed(0)} ${connection.token.reveal().length}`,
  }),
});

const ofArktype = defineDriver({
  name: "of-arktype",
  strategy: "fifo",
  connection: type({ host: "string", token: type("string >= 8").pipe((text) => new Secret(text)) }),
  query: type({ depth: "number = 1" }),
  target: ({ host }) => ({ host, port: 443 }),
  open: async ({ connection }) => ({
    query: async (command, { depth }) => `${command} ${depth.toFixed(0)} ${connection.token.reveal().length}`,
  }),
});

const check = async (schema: Schema, value: unknown) => schema["~standard"].validate(value);

test.each([ofZod, ofArktype])("a plugin with a schema of another library works: $name", async (plugin) => {
  expect(readManifest(plugin)).toBe(plugin);
  expect(fieldsOf(plugin.connection)?.toSorted()).toEqual(["host", "token"]);
  expect(fieldsOf(plugin.args.query)).toEqual(["depth"]);
  const accepted = await check(plugin.connection, { host: "h", token: "canary-token" });
  expect(accepted).toMatchObject({ value: { host: "h" } });
  expect(JSON.stringify(accepted)).not.toContain("canary");
  expect(await check(plugin.args.query, {})).toMatchObject({ value: { depth: 1 } });
  const { issues = [] } = await check(plugin.connection, { host: "h", token: "x" });
  expect(issues).toHaveLength(1);
  const [step] = issues[0]?.path ?? [];
  expect(typeof step === "object" ? step.key : step).toBe("token");
});
