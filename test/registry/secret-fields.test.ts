/** Which connection fields are secret, according to the loaded drivers' schemas. */

import * as v from "valibot";
import { expect, test } from "vitest";
import { builtins } from "../../plugins/index.ts";
import { silentLog } from "../../src/base/log.ts";
import type { DriverPlugin } from "../../src/plugin/index.ts";
import { secret } from "../../src/plugin/secret.ts";
import { discover } from "../../src/registry/discover.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { secretFieldsOf } from "../../src/registry/secret-fields.ts";

test("the secret fields of the built-in drivers are exactly passwords, codes and keys", async () => {
  const registry = await discover(builtins, [], silentLog);
  const isSecret = secretFieldsOf(registry);
  const named = registry
    .list("driver")
    .flatMap(({ connection }) => Object.keys("entries" in connection ? Object(connection.entries) : {}));
  const found = [...new Set(named)].filter((name) => isSecret(name, "some-text-of-a-user")).sort();
  expect(found).toEqual([
    "community",
    "enable_password",
    "otp",
    "passphrase",
    "password",
    "pkey",
    "priv_password",
    "proxy_otp",
    "proxy_passphrase",
    "proxy_password",
    "proxy_pkey",
    "secret",
  ]);
  expect(isSecret("timeout", 5)).toBe(false);
  expect(isSecret("unknown", "x")).toBe(false);
});

test("a field is secret if its schema makes its value secret, also inside an object", async () => {
  const registry = await discover(builtins, [], silentLog);
  const [builtin] = registry.list("driver");
  if (builtin === undefined) throw new Error("there is no driver");
  const connection = v.object({
    host: v.string(),
    pin: v.optional(secret(v.pipe(v.string(), v.regex(/^\d{4}$/)))),
    login: v.optional(v.object({ word: secret(v.string()) })),
  });
  const driver: DriverPlugin = { ...builtin, name: "odd", connection };
  const own = createRegistry();
  own.add(driver, "builtin");
  const isSecret = secretFieldsOf(own);
  expect(isSecret("pin", "1234")).toBe(true);
  expect(isSecret("pin", "12345")).toBe(false);
  expect(isSecret("login", { word: "x" })).toBe(true);
  expect(isSecret("host", "x")).toBe(false);
});
