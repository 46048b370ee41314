/** The master key file is fsynced before anything is sealed with it. */
import type * as Fs from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { writeMasterKeys } from "../../src/service/storage/master-key.ts";
import { temporary } from "../support/temporary.ts";

const done = vi.hoisted((): string[] => []);

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof Fs>();
  const told =
    <A extends unknown[]>(name: string, run: (...args: A) => unknown) =>
    (...args: A) => {
      done.push(name);
      return run(...args);
    };
  return {
    ...fs,
    writeSync: told("write", fs.writeSync),
    fsyncSync: told("sync", fs.fsyncSync),
    renameSync: told("rename", fs.renameSync),
  };
});

test("the master key is synced before and after its file is renamed", () => {
  const folder = temporary();
  done.length = 0;
  writeMasterKeys(join(folder.path, "master.key"), [new Uint8Array(32)]);
  expect(done).toEqual(["write", "sync", "rename", "sync"]);
  folder.remove();
});
