/** The native part that services of a test run share: only what the account of the tests wrote. */
import { chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { isRoot } from "../../scripts/testbed/catalogue.ts";
import { keepNative, lendNative, nativeVariable } from "../../src/testkit/native-part.ts";
import { tempFolder } from "../../src/testkit/service.ts";

afterEach(() => vi.unstubAllEnvs());

const other = 65_534;

function started() {
  const folder = tempFolder();
  const kept = join(folder, "kept");
  vi.stubEnv(nativeVariable, kept);
  const native = join(folder, "data", "native");
  const file = join(native, "a.node");
  mkdirSync(native, { recursive: true });
  writeFileSync(file, "");
  return { dataDir: join(folder, "data"), native, file, kept };
}

test("is kept of one service, and lent to the next one", () => {
  const { dataDir, kept } = started();
  keepNative(dataDir);
  expect(readdirSync(kept)).toEqual(["a.node"]);
  const next = tempFolder();
  lendNative(next);
  expect(readdirSync(join(next, "native"))).toEqual(["a.node"]);
});

test.runIf(isRoot()).each(["native", "file"] as const)("is not kept of another account: its %s", (which) => {
  const one = started();
  chownSync(one[which], other, other);
  keepNative(one.dataDir);
  expect(existsSync(one.kept)).toBe(false);
});

test.runIf(isRoot())("is not lent if another account wrote it, nor to one", () => {
  const { dataDir, kept } = started();
  const foreign = tempFolder();
  keepNative(dataDir);
  chownSync(foreign, other, other);
  lendNative(foreign);
  expect(readdirSync(foreign)).toEqual([]);
  chownSync(join(kept, "a.node"), other, other);
  const next = tempFolder();
  lendNative(next);
  expect(readdirSync(next)).toEqual([]);
});
