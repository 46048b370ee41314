import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import vaultKv from "../../plugins/credentials/vault-kv/plugin.ts";
import { isAllowed } from "../../plugins/credentials/vault-kv/resolve.ts";
import { checkUrl } from "../../src/executor/kit/http-address.ts";
import { createHttpKit } from "../../src/executor/kit/http-kit.ts";
import { tempFolder } from "../../src/testkit/service.ts";
import { selfSigned } from "../support/certificates.ts";
import { sourceOf } from "./support.ts";
import { startVault } from "./vault-double.ts";

const identity = await selfSigned("vault", "127.0.0.1");
const folder = tempFolder();
const caFile = join(folder, "ca.pem");
const jwtFile = join(folder, "jwt");
writeFileSync(caFile, identity.cert);
writeFileSync(jwtFile, "jwt-canary\n");

const vault = await startVault(identity);
afterAll(() => vault.close());
beforeEach(() => {
  vault.seen.length = 0;
  vault.mood = undefined;
  vault.leaseS = 0;
  vault.secretLeaseS = 0;
});
vault.kv2.set("network/core", [
  { username: "admin", password: "old-word" },
  { username: "admin", password: "new-word" },
]);
vault.kv2.set("network/legacy", [{ user: "root", pw: "legacy-word", port: 22 }]);
vault.kv2.set("network/gone", [{ password: "x" }, null]);
vault.kv1.set("core", { password: "one-word" });

const find = async () => [{ address: "127.0.0.1", family: 4 }];
const http = createHttpKit({ check: checkUrl({ policy: { allow: ["127.0.0.1"], deny: [] }, find }) });
const base = {
  url: vault.url,
  ca_file: caFile,
  namespace: "branch",
  mount: "kv2",
  token: "root-canary",
  allowed_paths: ["**"],
  cache_seconds: 0,
};
const source = (changes: object = {}) => sourceOf(vaultKv, { ...base, ...changes }, http);
const appRole = { token: undefined, role_id: "patchbay", secret_id: "secret-id-canary" };

describe("a vault secret", () => {
  test("of KV version 2 is the newest, or the requested version", async () => {
    const resolve = await source();
    expect(await resolve({ path: "network/core" })).toEqual({ username: "admin", password: "new-word" });
    expect(await resolve({ path: "network/core", version: 1 })).toMatchObject({ password: "old-word" });
  });

  test("of KV version 1 is read", async () => {
    const resolve = await source({ mount: "kv1", kv_version: 1 });
    expect(await resolve({ path: "core" })).toEqual({ password: "one-word" });
    await expect(resolve({ path: "core", version: 2 })).rejects.toThrow("no secret versions");
  });

  test("with other field names is mapped; the mapping of the reference takes precedence", async () => {
    const resolve = await source({ field_mapping: { username: "user", password: "absent" } });
    const path = "network/legacy";
    expect(await resolve({ path, field_mapping: { password: "pw" } })).toEqual({
      username: "root",
      password: "legacy-word",
    });
    await expect(resolve({ path })).rejects.toThrow(
      'the secret at network/legacy has no string "absent" for password',
    );
    const number = resolve({ path, field_mapping: { password: "port" } });
    await expect(number).rejects.toThrow('has no string "port" for password');
  });

  test("is not exposed as user name by a mapping", async () => {
    const resolve = await source({ field_mapping: { password: "pw" } });
    for (const name of ["pw", "password", "token"])
      await expect(resolve({ path: "network/legacy", field_mapping: { username: name } })).rejects.toThrow(
        /field_mapping\.username/,
      );
    const mapped = await resolve({ path: "network/legacy", field_mapping: { username: "user" } });
    expect(mapped).toEqual({ username: "root", password: "legacy-word" });
  });

  test.each([
    ["network/none", "there is nothing at network/none"],
    ["network/gone", "there is nothing at network/gone"],
    ["network/legacy", "has none of username, password"],
  ])("at %s is rejected: %s", async (path, reason) => {
    await expect((await source())({ path })).rejects.toThrow(reason);
  });

  test("of the other KV version is reported as such", async () => {
    const resolve = await source({ mount: "kv1" });
    vault.mood = () => ({ status: 200, body: { data: { password: "one-word" } } });
    await expect(resolve({ path: "core" })).rejects.toThrow("is kv_version correct?");
  });
});

describe("a vault path", () => {
  test.each(["../core", "a/../b", "a//b", "/a", "a/", "a?b", "a#b", ".", ""])(
    "is rejected: %j",
    async (path) => {
      await expect((await source())({ path })).rejects.toThrow(/must/);
      expect(vault.seen).toEqual([]);
    },
  );

  test("must be below patchbay/ by default", async () => {
    const resolve = await source({ allowed_paths: undefined });
    await expect(resolve({ path: "network/core" })).rejects.toThrow("this node is not allowed to read");
    await expect(resolve({ path: "patchbay/none" })).rejects.toThrow("there is nothing at patchbay/none");
  });

  test("must match allowed_paths, or is not requested", async () => {
    const resolve = await source({ allowed_paths: ["network/core", "lab/*"] });
    expect(await resolve({ path: "network/core" })).toMatchObject({ username: "admin" });
    vault.seen.length = 0;
    await expect(resolve({ path: "network/legacy" })).rejects.toThrow("this node is not allowed to read");
    await expect(resolve({ path: "lab/a/b" })).rejects.toThrow("this node is not allowed to read");
    expect(vault.seen).toEqual([]);
  });

  test("matches * for one segment and ** for any number", () => {
    expect(isAllowed("a/b", ["a/*"])).toBe(true);
    expect(isAllowed("a/b/c", ["a/*"])).toBe(false);
    expect(isAllowed("a", ["a/**"])).toBe(true);
    expect(isAllowed("a/b/c", ["a/**/c"])).toBe(true);
    expect(isAllowed("ab", ["a**"])).toBe(false);
    expect(isAllowed("a", [])).toBe(false);
  });
});

describe("a vault login", () => {
  const logins = () => vault.seen.filter((line) => line.endsWith("/login")).length;
  const renewals = () => vault.seen.filter((line) => line.endsWith("/renew-self")).length;

  test("with AppRole is made once for many jobs", async () => {
    const resolve = await source(appRole);
    await Promise.all(Array.from({ length: 8 }, () => resolve({ path: "network/core" })));
    await resolve({ path: "network/core" });
    expect(logins()).toBe(1);
  });

  test("is repeated for other jobs if the job that made it is cancelled", async () => {
    const resolve = await source(appRole);
    const first = new AbortController();
    vault.mood = () => {
      vault.mood = undefined;
      first.abort(new Error("the first was cancelled"));
      return undefined;
    };
    const cancelled = resolve({ path: "network/core" }, { signal: first.signal });
    const others = [resolve({ path: "network/core" }), resolve({ path: "network/core" })];
    await expect(cancelled).rejects.toThrow("cancelled");
    expect(await Promise.all(others)).toMatchObject([{ username: "admin" }, { username: "admin" }]);
    expect(logins()).toBe(2);
  });

  test("with Kubernetes sends the pod's token to the configured mount", async () => {
    const kubernetes = { kubernetes_role: "patchbay", kubernetes_token_file: jwtFile, auth_mount: "pods" };
    const resolve = await source({ ...kubernetes, token: undefined });
    expect(await resolve({ path: "network/core" })).toMatchObject({ username: "admin" });
  });

  test("is repeated once if its token was revoked; a fixed token is not replaced", async () => {
    const resolve = await source(appRole);
    await resolve({ path: "network/core" });
    for (const token of [...vault.tokens].filter((one) => one !== "root-canary")) vault.tokens.delete(token);
    expect(await resolve({ path: "network/core" })).toMatchObject({ username: "admin" });
    expect(logins()).toBe(2);
    const fixed = await source({ token: "wrong-canary" });
    await expect(fixed({ path: "network/core" })).rejects.toThrow(
      "the token is invalid or not allowed to read the secret",
    );
  });

  test("is renewed after two thirds of its lifetime, and repeated after all of it", async () => {
    vault.leaseS = 3600;
    const resolve = await source(appRole);
    await resolve({ path: "network/core" });
    const start = performance.now();
    const clock = vi.spyOn(performance, "now");
    clock.mockReturnValue(start + 2_500_000);
    await resolve({ path: "network/core" });
    expect([logins(), renewals()]).toEqual([1, 1]);
    clock.mockReturnValue(start + 9_000_000);
    await resolve({ path: "network/core" });
    expect([logins(), renewals()]).toEqual([2, 1]);
    clock.mockRestore();
  });

  test("is renewed in the background, as is a fixed token", async () => {
    vault.leaseS = 1;
    const resolve = await source(appRole);
    await resolve({ path: "network/core" });
    await expect.poll(renewals).toBeGreaterThan(1);
    expect(logins()).toBe(1);
    const fixed = await source();
    await fixed({ path: "network/core" });
    vault.seen.length = 0;
    await expect.poll(renewals).toBeGreaterThan(1);
    expect(logins()).toBe(0);
    vault.leaseS = 0;
  });

  test("that is refused is reported with the vault's message, without the secret", async () => {
    const resolve = await source({ ...appRole, secret_id: "wrong-secret-id" });
    const failed = resolve({ path: "network/core" });
    await expect(failed).rejects.toThrow("refused the login at approle: invalid role or secret ID");
    await expect(failed).rejects.not.toThrow(/wrong-secret-id/);
  });
});

describe("a cached vault secret", () => {
  const reads = () => vault.seen.filter((line) => line.startsWith("GET /v1/kv")).length;

  test("is used for its time, and read again if the device rejected it", async () => {
    const resolve = await source({ cache_seconds: 3600 });
    await resolve({ path: "network/core" });
    await resolve({ path: "network/core" });
    expect(reads()).toBe(1);
    await resolve({ path: "network/core" }, { fresh: true });
    await resolve({ path: "network/core", version: 1 });
    expect(reads()).toBe(3);
  });

  test("is not used longer than the vault's lease", async () => {
    vault.secretLeaseS = 0.000_001;
    const resolve = await source({ mount: "kv1", kv_version: 1, cache_seconds: 3600 });
    await resolve({ path: "core" });
    await resolve({ path: "core" });
    expect(reads()).toBe(2);
  });
});

describe("a vault that fails", () => {
  test.each([
    ["sealed", { status: 503, body: { errors: ["Vault is sealed"] } }, /503 \(it is sealed or in standby\)/],
    ["too many requests", { status: 429 }, /responded with status 429 \(too many requests\)/],
    ["an error", { status: 500, body: { errors: ["internal error"] } }, /status 500 \(internal error\)/],
    ["an HTML page", { status: 200, body: "<html>" }, /response is not JSON/],
    ["a redirect", { status: 307 }, /responded with status 307/],
  ])("is reported: %s", async (_what, answer, reason) => {
    vault.mood = () => answer;
    const failed = (await source())({ path: "network/core" });
    await expect(failed).rejects.toThrow(reason);
    await expect(failed).rejects.toMatchObject({ kind: "DriverError", detail: { outcome: "none" } });
  });

  test("does no harm while the secret is cached", async () => {
    const resolve = await source({ cache_seconds: 3600 });
    await resolve({ path: "network/core" });
    vault.mood = () => ({ status: 503, body: { errors: ["Vault is sealed"] } });
    expect(await resolve({ path: "network/core" })).toMatchObject({ username: "admin" });
    const clock = vi.spyOn(performance, "now");
    const start = performance.now();
    clock.mockReturnValue(start + 3_000_000);
    vault.seen.length = 0;
    // The background refresh fails.
    expect(await resolve({ path: "network/core" })).toMatchObject({ username: "admin" });
    await expect.poll(() => vault.seen.some((line) => line.includes("network/core"))).toBe(true);
    expect(await resolve({ path: "network/core" })).toMatchObject({ username: "admin" });
    clock.mockReturnValue(start + 3_700_000);
    await expect(resolve({ path: "network/core" })).rejects.toThrow("it is sealed or in standby");
    clock.mockRestore();
  });

  test("to respond in time is reported", async () => {
    const never = Promise.withResolvers<never>();
    vault.mood = () => never.promise;
    await expect((await source({ timeout: 1 }))({ path: "network/core" })).rejects.toThrow(
      /the vault cannot be reached: /,
    );
  });

  test("by sending 100 MB is cut off", async () => {
    vault.mood = () => ({ status: 200, body: "x".repeat(100 * 1024 * 1024) });
    await expect((await source())({ path: "network/core" })).rejects.toThrow(/the vault cannot be reached: /);
  });

  test("because of its URL, certificate or login is reported with the setting", async () => {
    const stranger = (await source({ ca_file: undefined }))({ path: "network/core" });
    await expect(stranger).rejects.toThrow(/the vault cannot be reached: /);
    const unreachable = (await source({ url: "https://127.0.0.1:1" }))({ path: "network/core" });
    await expect(unreachable).rejects.toThrow(/the vault cannot be reached: /);
    await expect((await source({ url: undefined }))({ path: "a" })).rejects.toThrow(
      "PATCHBAY_PLUGIN_VAULT_KV_URL",
    );
    await expect((await source({ token: undefined }))({ path: "a" })).rejects.toThrow("no vault login");
    await expect((await source({ ca_file: "/nowhere" }))({ path: "a" })).rejects.toThrow(
      "ca_file cannot be read",
    );
  });
});
