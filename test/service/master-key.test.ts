/** The master key file: created once, readable by its owner only; a new key is put before the old ones. */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startSqld } from "../../scripts/testbed/sqld.ts";
import { silentLog } from "../../src/base/log.ts";
import { loadConfig } from "../../src/config/config.ts";
import {
  findMasterKeys,
  loadMasterKeys,
  masterKeyFile,
  writeMasterKeys,
} from "../../src/service/storage/master-key.ts";
import { closeStore, openStore } from "../../src/service/storage/store.ts";
import { tempFolder } from "../../src/testkit/service.ts";

const configIn = (folder: string, environment: Record<string, string> = {}) =>
  loadConfig({ environment: { PATCHBAY_DATA_DIR: folder, ...environment } });

test("the first start creates the master key file, and later starts read it", () => {
  const config = configIn(join(tempFolder(), "new"));
  const { current, former } = loadMasterKeys(config);
  expect(current).toHaveLength(32);
  expect(former).toEqual([]);
  expect(loadMasterKeys(config).current).toEqual(current);
  expect(statSync(masterKeyFile(config)).mode & 0o777).toBe(0o600);
});

test("a new key at the front makes the others former keys", () => {
  const config = configIn(tempFolder());
  const [newest, oldest] = [Buffer.alloc(32, 2), Buffer.alloc(32, 1)];
  writeMasterKeys(masterKeyFile(config), [newest, oldest]);
  const { current, former } = findMasterKeys(config);
  expect([current, ...former].map((key) => Buffer.from(key))).toEqual([newest, oldest]);
});

test("a key from the settings does not touch the file", () => {
  const folder = tempFolder();
  const file = join(folder, "master.key");
  writeFileSync(file, "not a key");
  const key = Buffer.alloc(32, 3);
  const config = configIn(folder, { PATCHBAY_MASTER_KEY: key.toString("hex") });
  expect(Buffer.from(loadMasterKeys(config).current)).toEqual(key);
  expect(readFileSync(file, "utf8")).toBe("not a key");
});

test("a missing key of a used directory is not replaced", () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "patchbay.db"), "sealed");
  expect(() => loadMasterKeys(configIn(folder))).toThrow(/master key is missing: .*master\.key.*used before/);
  expect(readdirSync(folder)).toEqual(["patchbay.db"]);
});

test("a node whose new key does not match the server's database keeps no key file", async () => {
  const server = await startSqld();
  try {
    const open = (folder: string) =>
      openStore(configIn(folder, { PATCHBAY_DATABASE_URL: server.url }), silentLog);
    const [first, second] = [tempFolder(), tempFolder()];
    await closeStore(await open(first));
    await expect(open(second)).rejects.toThrow(/encrypted with another master key/);
    expect([readdirSync(first), readdirSync(second)]).toEqual([
      expect.arrayContaining(["master.key"]),
      expect.not.arrayContaining(["master.key"]),
    ]);
  } finally {
    await server.stop();
  }
});

test("an unreadable or invalid key file is reported with instructions", () => {
  const config = configIn(tempFolder());
  expect(() => findMasterKeys(config)).toThrow(/cannot be read.*\(chown\)\.$/);
  writeFileSync(masterKeyFile(config), "word-canary\n");
  expect(() => findMasterKeys(config)).toThrow(/master\.key: the master key must be 32 bytes/);
});
