/** What a suite takes for a leak: what the service keeps, not what the author has put beside the plugin. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { assertNoSecretKept } from "../../src/testkit/leaks.ts";
import { type Service, tempFolder } from "../../src/testkit/service.ts";

test("a secret in a test beside the plugin, of which the service has a copy, is no leak", () => {
  const dataDir = tempFolder();
  const service = { dataDir, output: () => "", child: { pid: 0 } } as unknown as Service;
  const copy = join(dataDir, "plugins.loaded/0/acme");
  mkdirSync(copy, { recursive: true });
  writeFileSync(join(copy, "acme.test.ts"), 'const password = "canary-1";');
  assertNoSecretKept(service, ["canary-1"]);
  writeFileSync(join(dataDir, "patchbay.db"), "canary-1");
  expect(() => assertNoSecretKept(service, ["canary-1"])).toThrow("secret 1 stands in");
});
