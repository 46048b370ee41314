/**
 * Credentials by reference: the caller's fields override the source's, and all of the source's fields except
 * the user name are secret.
 */
import * as v from "valibot";
import { expect, test } from "vitest";
import { type CredentialTools, withCredential } from "../../src/executor/credentials.ts";
import { createMasking } from "../../src/executor/masking.ts";
import type { CredentialPlugin } from "../../src/plugin/index.ts";
import { createPluginLoader } from "../../src/registry/loader.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { taskContext } from "../plugin/context.ts";

const notUsed = () => Promise.reject(new Error("not used"));

function vaultWith(values: unknown) {
  const references: unknown[] = [];
  const vault: CredentialPlugin = {
    api: 1,
    kind: "credential",
    name: "vault",
    reference: v.object({
      name: v.literal("vault"),
      path: v.pipe(v.string(), v.nonEmpty("must not be empty")),
    }),
    load: async () => ({
      default: async ({ reference }) => {
        references.push(reference);
        return values as never;
      },
    }),
  };
  const registry = createRegistry();
  registry.add(vault, "test");
  const tools: CredentialTools = {
    registry,
    loaded: createPluginLoader(),
    ask: notUsed,
    kit: {
      log: taskContext().log,
      http: { request: notUsed, session: notUsed },
      files: { localFile: notUsed, localFolder: notUsed, keyFile: notUsed, discoverKeys: notUsed },
    },
  };
  const mask = createMasking().task();
  const resolve = (connection: Record<string, unknown>) =>
    withCredential(connection, tools, mask, taskContext());
  return { resolve, mask, references };
}

test("a connection without a credential is unchanged", async () => {
  const { resolve, references } = vaultWith({});
  const plain = { host: "r1", password: "own" };
  expect(await resolve(plain)).toBe(plain);
  expect(await resolve({ host: "r1", credential: null })).toEqual({ host: "r1", credential: null });
  expect(references).toEqual([]);
});

test("fields of the credential source are defaults for those of the caller", async () => {
  const { resolve, references } = vaultWith({ username: "from-vault", password: "vault-word" });
  const credential = { name: "vault", path: "core" };
  expect(await resolve({ host: "r1", username: "caller", credential })).toEqual({
    host: "r1",
    username: "caller",
    password: "vault-word",
  });
  expect(references).toEqual([credential]);
});

test("all fields of a credential source except the user name are masked", async () => {
  const { resolve, mask } = vaultWith({ username: "canary-user", community: "canary-word" });
  await resolve({ host: "r1", credential: { name: "vault", path: "core" } });
  expect(mask.text("canary-user logs in with canary-word")).toBe("canary-user logs in with [secret]");
});

test.each([
  ["an unknown source", { name: "safe" }, "connection_args.credential.name"],
  ["a reference without a name", "vault", "connection_args.credential.name"],
  ["a reference with invalid fields", { name: "vault", path: "" }, "connection_args.credential.path"],
])("%s is rejected with the field at fault", async (_what, credential, path) => {
  const { resolve, references } = vaultWith({});
  await expect(resolve({ host: "r1", credential })).rejects.toMatchObject({
    kind: "Validation",
    detail: { issues: [expect.objectContaining({ path })] },
  });
  expect(references).toEqual([]);
});

test.each<[string, unknown, RegExp]>([
  ["nothing", undefined, /^The credential source vault returned no object with fields\.$/],
  ["null", null, /returned no object with fields/],
  ["a text", "canary-word", /returned no object with fields/],
  ["a list", ["canary-word"], /returned no object with fields/],
  ["an object as a field", { password: { value: "canary-word" } }, /something else than a text as password/],
  ["a megabyte", { password: "canary-word".repeat(100_000) }, /returned more than 256 KiB/],
])("a source that returns %s is named, and what it returned is not shown", async (_what, values, reason) => {
  const { resolve } = vaultWith(values);
  const failed = resolve({ host: "r1", credential: { name: "vault", path: "core" } });
  await expect(failed).rejects.toMatchObject({ kind: "DriverError", detail: { outcome: "none" } });
  await expect(failed).rejects.toThrow(reason);
  await expect(failed).rejects.not.toThrow(/canary/);
});
