/** Zip files are readable by other tools, and the format's limits are enforced. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createZip, zipLimits } from "../../../src/base/files/zip.ts";
import { readZip } from "../../support/read-zip.ts";
import { temporary } from "../../support/temporary.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

async function archive(files: readonly [name: string, text: string][]): Promise<Buffer> {
  const zip = createZip();
  const pieces: Uint8Array[] = [];
  for (const [name, text] of files)
    pieces.push(...(await zip.add({ name, bytes: bytes(text), at: Date.UTC(2026, 0, 31, 8, 0, 2) })));
  return Buffer.concat([...pieces, zip.end()]);
}

const large = "interface Ethernet1\n no shutdown\n".repeat(20_000);
const files: [string, string][] = [
  ["r1.txt", "hostname r1\n"],
  ["empty.txt", ""],
  ["größe.txt", "Zürich\n"],
  ["large.txt", large],
];

test("a zip contains the files as they were added", async () => {
  expect(readZip(await archive(files))).toEqual(files.map(([name, text]) => ({ name, text })));
});

test("an empty zip is valid", async () => {
  expect(readZip(await archive([]))).toEqual([]);
});

test("a zip has no room for a file beyond the limits of the format", async () => {
  const zip = createZip();
  expect(zip.hasRoomFor(zipLimits.bytes)).toBe(false);
  expect(zip.hasRoomFor(1_000)).toBe(true);
});

const hasUnzip = Bun.which("unzip") !== null;

test.skipIf(!hasUnzip)("unzip accepts the archive", async () => {
  const folder = temporary();
  const path = join(folder.path, "a.zip");
  writeFileSync(path, await archive(files));
  expect(execFileSync("unzip", ["-t", path], { encoding: "utf8" })).toContain("No errors detected");
  folder.remove();
});
