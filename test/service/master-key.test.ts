/** The master key in its file: made once, for its owner only; a new one goes in front of the old ones. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/config.ts";
import {
  findMasterKeys,
  loadMasterKeys,
  masterKeyFile,
  writeMasterKeys,
} from "../../src/service/master-key.ts";
import { tempFolder } from "../../src/testkit/service.ts";

const configIn = (folder: string, environment: Record<string, string> = {}) =>
  loadConfig({ environment: { PATCHBAY_DATA_DIR: folder, ...environment } });

test("the first start makes the file, the second one finds the same key", () => {
  const config = configIn(join(tempFolder(), "new"));
  const { current, former } = loadMasterKeys(config);
  expect(current).toHaveLength(32);
  expect(former).toEqual([]);
  expect(loadMasterKeys(config).current).toEqual(current);
  expect(statSync(masterKeyFile(config)).mode & 0o777).toBe(0o600);
});

test("a new key in front makes the others former ones", () => {
  const config = configIn(tempFolder());
  const [newest, oldest] = [Buffer.alloc(32, 2), Buffer.alloc(32, 1)];
  writeMasterKeys(masterKeyFile(config), [newest, oldest]);
  const { current, former } = findMasterKeys(config);
  expect([current, ...former].map((key) => Buffer.from(key))).toEqual([newest, oldest]);
});

test("a key of the settings leaves the file alone", () => {
  const folder = tempFolder();
  const file = join(folder, "master.key");
  writeFileSync(file, "not a key");
  const key = Buffer.alloc(32, 3);
  const config = configIn(folder, { PATCHBAY_MASTER_KEY: key.toString("hex") });
  expect(Buffer.from(loadMasterKeys(config).current)).toEqual(key);
  expect(readFileSync(file, "utf8")).toBe("not a key");
});

test("a file that can not be read, or holds something else, is told with what to do", () => {
  const config = configIn(tempFolder());
  expect(() => findMasterKeys(config)).toThrow(/can not be read.*\(chown\)\.$/);
  writeFileSync(masterKeyFile(config), "word-canary\n");
  expect(() => findMasterKeys(config)).toThrow(/master\.key: the master key must be 32 bytes/);
});
