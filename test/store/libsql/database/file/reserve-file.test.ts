/** The disk reserve file, and the one that an older version named differently. */
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  createReserveFile,
  reserveFileName,
} from "../../../../../src/store/libsql/database/file/reserve-file.ts";
import { temporary } from "../../../../support/temporary.ts";

test("the reserve file is created, released once and restored", () => {
  const folder = temporary();
  const path = join(folder.path, reserveFileName);
  const reserve = createReserveFile(folder.path);
  expect(reserve.release()).toBe(false);
  expect(reserve.restore()).toBe(true);
  expect(statSync(path).size).toBe(8 * 1024 * 1024);
  expect(reserve.release()).toBe(true);
  expect(existsSync(path)).toBe(false);
  expect(reserve.release()).toBe(false);
  folder.remove();
});

test("the reserve file of an earlier version is renamed instead of adding a second one", () => {
  const folder = temporary();
  writeFileSync(join(folder.path, "ballast"), "space");
  expect(createReserveFile(folder.path).restore()).toBe(true);
  expect(existsSync(join(folder.path, "ballast"))).toBe(false);
  expect(statSync(join(folder.path, reserveFileName)).size).toBe(5);
  folder.remove();
});
