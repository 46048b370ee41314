/** Archives are restored whole or refused, whoever created them. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeManifest } from "../../src/backup/manifest.ts";
import { checkArchive, kindOf, readArchive } from "../../src/backup/read.ts";
import { tarEnd, tarHeader, tarPadding } from "../../src/backup/tar.ts";
import { writeArchive } from "../../src/backup/write.ts";
import { secret } from "../../src/base/secrets/secret.ts";
import { temporary } from "../support/temporary.ts";

const folder = temporary();
const at = (name: string) => join(folder.path, name);
const facts = { version: "1.0.0", tables: "0001", created_at: "2026-01-01T00:00:00.000Z", left_out: [] };
const passphrase = secret("correct horse battery");
/** Too long for a header, and not ASCII. */
const long = `files/${"ordner-mit-ä/".repeat(12)}datei`;

beforeAll(async () => {
  writeFileSync(at("a"), Buffer.alloc(300_000, "abc"));
  writeFileSync(at("b"), "");
  const parts = [
    { path: "patchbay.db", file: at("a") },
    { path: long, file: at("b") },
    { path: "files/gone", file: at("nothing"), mayGo: true },
  ];
  await writeArchive({ target: at("plain"), partial: at("partial"), parts, facts });
  await writeArchive({ target: at("sealed"), partial: at("partial"), parts, facts, passphrase });
});
afterAll(() => folder.remove());

async function contents(file: string, key = passphrase): Promise<Record<string, string>> {
  const found: Record<string, Buffer[]> = {};
  await readArchive(file, key, async ({ path }, piece) => {
    found[path] = [...(found[path] ?? []), ...(piece === undefined ? [] : [Buffer.from(piece)])];
  });
  return Object.fromEntries(
    Object.entries(found).map(([path, all]) => [path, Buffer.concat(all).toString()]),
  );
}

test.each(["plain", "sealed"])(
  "a %s archive is restored unchanged, private to its owner, without leftover files",
  async (name) => {
    expect(await contents(at(name))).toEqual({ "patchbay.db": "abc".repeat(100_000), [long]: "" });
    expect(statSync(at(name)).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.path).filter((one) => one.includes("partial"))).toEqual([]);
    expect(await kindOf(at(name))).toBe(name === "plain" ? "archive" : "sealed");
  },
);

test("an encrypted archive is unreadable without its passphrase", async () => {
  expect(readFileSync(at("sealed"), "latin1")).not.toContain("ordner");
  await expect(checkArchive(at("sealed"), undefined)).rejects.toThrow("give its passphrase");
  await expect(checkArchive(at("sealed"), secret("another passphrase"))).rejects.toThrow(
    "The passphrase does not open this archive",
  );
});

test("an archive can be listed with tar", () => {
  const listed = spawnSync("tar", ["-tzf", at("plain"), "--quoting-style=literal"], { encoding: "utf8" });
  expect(listed.stdout.trim().split("\n")).toEqual(["patchbay.db", long, "manifest.json"]);
});

test("an archive does not overwrite an existing file", async () => {
  const before = readFileSync(at("plain"));
  await expect(
    writeArchive({ target: at("plain"), partial: at("partial"), parts: [], facts }),
  ).rejects.toThrow("the file already exists");
  expect(readFileSync(at("plain")).equals(before)).toBe(true);
});

test("a truncated or modified archive is refused, wherever the damage is", async () => {
  const whole = readFileSync(at("plain"));
  for (let n = 1; n <= 20; n++) {
    const cut = Math.floor((whole.length * n) / 21);
    writeFileSync(at("cut"), whole.subarray(0, cut));
    await expect(checkArchive(at("cut"), undefined), `cut at ${cut}`).rejects.toMatchObject({
      kind: "Validation",
    });
    const changed = Buffer.from(whole);
    changed[cut] = (changed[cut] ?? 0) ^ 1;
    // The timestamp in the gzip header is not content.
    if (cut < 10) continue;
    writeFileSync(at("changed"), changed);
    await expect(checkArchive(at("changed"), undefined), `changed at ${cut}`).rejects.toMatchObject({
      kind: "Validation",
    });
  }
});

describe("a hostile archive", () => {
  const file = (path: string, text = "x") => {
    const body = Buffer.from(text);
    return Buffer.concat([
      tarHeader({ path, size: body.length, mode: 0o644 }),
      body,
      tarPadding(body.length),
    ]);
  };
  const manifestOf = (entries: { path: string; size: number; sha256: string }[]) =>
    file("manifest.json", JSON.stringify(makeManifest({ ...facts, entries })));
  const typed = (type: string) => {
    const header = Buffer.from(tarHeader({ path: "files/x", size: 0, mode: 0o644 }));
    header.write(type, 156, "latin1");
    header.write("        ", 148, "latin1");
    const sum = header.reduce((all, byte) => all + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
    return header;
  };

  test.each<[string, Buffer[], string]>([
    ["leads out of the folder", [file("../x")], "leaves the archive"],
    ["leads out of the folder in the middle of a path", [file("files/../../x")], "leaves the archive"],
    ["is absolute", [file("/etc/x")], "leaves the archive"],
    ["names the folder itself", [file("files/./x")], "leaves the archive"],
    ["has a long name that leads out", [file(`${"a/".repeat(80)}../x`)], "leaves the archive"],
    ["holds a symbolic link", [typed("2")], "not a regular file"],
    ["holds a hard link", [typed("1")], "not a regular file"],
    ["holds a device", [typed("3")], "not a regular file"],
    ["holds a folder", [typed("5")], "not a regular file"],
    ["holds a file twice", [file("files/x"), file("files/x")], "twice"],
    ["has no manifest", [file("files/x")], "it has no manifest"],
    ["has a file missing in its manifest", [file("files/x"), manifestOf([])], "does not list"],
    [
      "lacks a file of its manifest",
      [manifestOf([{ path: "files/x", size: 1, sha256: "0".repeat(64) }])],
      "does not match its manifest",
    ],
    ["has something after its manifest", [manifestOf([]), file("files/x")], "after its manifest"],
    [
      "was made by a newer program",
      [file("manifest.json", '{"format":2,"version":"9.9"}')],
      "version 9.9 made it",
    ],
    ["goes on after its end", [manifestOf([]), tarEnd, Buffer.alloc(4 * 1024 * 1024)], "after its end"],
  ])("that %s is refused", async (_what, blocks, why) => {
    writeFileSync(at("hostile"), gzipSync(Buffer.concat([...blocks, tarEnd])));
    await expect(checkArchive(at("hostile"), undefined)).rejects.toThrow(why);
  });
});
