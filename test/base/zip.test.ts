/** Zip files are readable by other tools, and the format's limits are enforced. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createZip, zipLimits } from "../../src/base/zip.ts";
import { readZip } from "../support/read-zip.ts";
import { temporary } from "../support/temporary.ts";

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

test("what is put in comes out again, small, empty, large, with its checksum", async () => {
  expect(readZip(await archive(files))).toEqual(files.map(([name, text]) => ({ name, text })));
});

test("an archive of nothing is one", async () => {
  expect(readZip(await archive([]))).toEqual([]);
});

test("there is no room beyond what its numbers can hold", async () => {
  const zip = createZip();
  expect(zip.hasRoomFor(zipLimits.bytes)).toBe(false);
  expect(zip.hasRoomFor(1_000)).toBe(true);
});

const hasUnzip = Bun.which("unzip") !== null;

test.skipIf(!hasUnzip)("unzip finds no fault in it", async () => {
  const folder = temporary();
  const path = join(folder.path, "a.zip");
  writeFileSync(path, await archive(files));
  expect(execFileSync("unzip", ["-t", path], { encoding: "utf8" })).toContain("No errors detected");
  folder.remove();
});
