/** Files that commands write: never over an existing one unasked, never half. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  requireEmptyFolder,
  requireNew,
  streamOutput,
  writeOutput,
} from "../../../src/client/output/output-files.ts";
import { temporary } from "../../support/temporary.ts";

const folder = temporary().path;

test("an existing file is replaced only if the command says so", () => {
  const file = join(folder, "devices.yaml");
  writeOutput(file, "first", {});
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(() => writeOutput(file, "second", {})).toThrow(`${file} exists: use another name, or --overwrite`);
  expect(() => requireNew(file, {})).toThrow("exists");
  expect(readFileSync(file, "utf8")).toBe("first");
  writeOutput(file, "second", { overwrite: true });
  expect(readFileSync(file, "utf8")).toBe("second");
});

test("a folder for results must be new or empty", () => {
  const outputs = join(folder, "outputs");
  requireEmptyFolder(outputs, {});
  mkdirSync(outputs);
  requireEmptyFolder(outputs, {});
  writeFileSync(join(outputs, "r1.txt"), "");
  expect(() => requireEmptyFolder(outputs, {})).toThrow("is not empty");
  requireEmptyFolder(outputs, { overwrite: true });
  expect(() => requireEmptyFolder(join(outputs, "r1.txt"), {})).toThrow("a part of its path is a file");
});

test("a stream that breaks off leaves the old file and no part of the new one", async () => {
  const own = join(folder, "streams");
  mkdirSync(own);
  const file = join(own, "bulk.csv");
  writeFileSync(file, "old");
  async function* broken() {
    yield new TextEncoder().encode("new");
    throw new Error("the connection was closed");
  }
  await expect(streamOutput(file, broken())).rejects.toThrow(
    "the connection was closed. Nothing was written.",
  );
  expect(readdirSync(own)).toEqual(["bulk.csv"]);
  expect(readFileSync(file, "utf8")).toBe("old");
  const nowhere = join(own, "missing", "x");
  expect(() => writeOutput(nowhere, "x", {})).toThrow(
    `${nowhere} cannot be written: its folder does not exist.`,
  );
});
