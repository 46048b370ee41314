/**
 * Credentials by reference over the API: read when the job runs, re-read if the device rejects them, never
 * shown.
 */
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { startVault, type VaultDouble } from "../../credentials/vault-double.ts";
import { selfSigned } from "../../support/certificates.ts";

const folder = tempFolder();
/** The password that the device accepts. */
const accepted = join(folder, "accepted");
const program = join(folder, "ask");

const driver = `
import { readFileSync } from "node:fs";
import { defineDriver, PluginError, secret, v } from "patchbay/plugin";
export default defineDriver({
  name: "lock", strategy: "fifo", target: ({ host }) => ({ host, port: 1 }), repeatable: () => true,
  connection: v.object({ host: v.string(), username: v.string(), password: secret(v.string()) }),
  query: v.object({}),
  async open({ connection: { username, password } }) {
    const word = password.reveal();
    if (word !== readFileSync(${JSON.stringify(accepted)}, "utf8"))
      throw new PluginError("AuthenticationFailed", "refused " + word, { outcome: "none" });
    return { query: async () => username + " in with " + word };
  },
});`;

let vault: VaultDouble;
let service: Service;
beforeAll(async () => {
  const identity = await selfSigned("vault", "127.0.0.1");
  vault = await startVault(identity);
  vault.kv2.set("network/core", [{ username: "admin", password: "canary-old" }]);
  writeFileSync(accepted, "canary-old");
  writeFileSync(program, `#!/bin/sh\necho '{"username":"admin","password":"canary-old"}'\n`);
  chmodSync(program, 0o755);
  writeFileSync(join(folder, "lock.mjs"), driver);
  chmodSync(folder, 0o755);
  service = await startService({
    plugins: [folder],
    env: {
      PATCHBAY_URL_ALLOW: "127.0.0.1",
      PATCHBAY_PLUGIN_VAULT_KV_URL: vault.url,
      PATCHBAY_PLUGIN_VAULT_KV_CA_FILE: identity.certFile,
      PATCHBAY_PLUGIN_VAULT_KV_NAMESPACE: "branch",
      PATCHBAY_PLUGIN_VAULT_KV_MOUNT: "kv2",
      PATCHBAY_PLUGIN_VAULT_KV_ROLE_ID: "patchbay",
      PATCHBAY_PLUGIN_VAULT_KV_SECRET_ID: "secret-id-canary",
      PATCHBAY_PLUGIN_VAULT_KV_CACHE_SECONDS: "3600",
      PATCHBAY_PLUGIN_VAULT_KV_ALLOWED_PATHS: '["network/*"]',
      PATCHBAY_PLUGIN_ENV_CORE_USERNAME: "admin",
      PATCHBAY_PLUGIN_ENV_CORE_PASSWORD: "canary-old",
      PATCHBAY_PLUGIN_COMMAND_PROGRAM: program,
    },
  });
});
afterAll(async () => {
  await service.stop();
  vault.close();
});

const runWith = (credential: object, more: object = {}) =>
  service.run({
    driver: "lock",
    connection_args: { host: "r1.lock.test", credential, ...more },
    command: "who",
  });
const fromVault = { name: "vault_kv", path: "network/core" };

test.each([
  ["vault_kv", fromVault],
  ["env", { name: "env", ref: "core" }],
  ["command", { name: "command", ref: "core/r1" }],
])("%s opens the session without revealing the password", async (_name, credential) => {
  const { result } = await runWith(credential);
  expect(result?.retval).toEqual({ who: "admin in with [secret]" });
});

test("values in the request take precedence", async () => {
  const { result } = await runWith(fromVault, { username: "operator" });
  expect(result?.retval).toEqual({ who: "operator in with [secret]" });
});

describe("a changed password", () => {
  test("is read again once after the device rejects the cached one", async () => {
    vault.kv2.get("network/core")?.push({ username: "admin", password: "canary-new" });
    writeFileSync(accepted, "canary-new");
    vault.seen.length = 0;
    expect((await runWith(fromVault)).result?.retval).toEqual({ who: "admin in with [secret]" });
    expect(vault.seen).toEqual(["GET /v1/kv2/data/network/core"]);
  });

  test("fails the job after one re-read without a second login if it is still rejected", async () => {
    writeFileSync(accepted, "canary-other");
    vault.seen.length = 0;
    const { result } = await runWith(fromVault);
    expect(result?.error).toMatchObject({ type: "AuthenticationFailed", message: "refused [secret]" });
    expect(vault.seen).toEqual(["GET /v1/kv2/data/network/core"]);
  });
});

test("rejects a disallowed path and an unknown source before any request", async () => {
  vault.seen.length = 0;
  const { result } = await runWith({ name: "vault_kv", path: "root/keys" });
  expect(result?.error?.message).toContain("this node is not allowed to read the path root/keys");
  expect(vault.seen).toEqual([]);
});

test("keeps secrets out of the log and the database", async () => {
  const written = service.output() + readFileSync(join(service.dataDir, "patchbay.db"), "latin1");
  expect(written.match(/canary-(?:old|new)|secret-id-canary/g)).toBeNull();
});
