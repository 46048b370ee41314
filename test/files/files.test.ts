/** The transfer folder: atomic files, names that cannot escape, and bounds on everything a caller could grow. */
import { createHash, randomBytes } from "node:crypto";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Caller } from "../../src/auth/port.ts";
import type { ServiceError } from "../../src/base/errors.ts";
import { createFolderUsage } from "../../src/base/files/folder-usage.ts";
import { neverAborted } from "../../src/base/time/deadline.ts";
import { createFiles } from "../../src/files/files.ts";
import type { PutOptions } from "../../src/files/port.ts";
import { failure } from "../device/ssh/support.ts";

const caller: Caller = { keyId: "k1", name: "ops", scope: "operate", hosts: [], from: null };
const bytes = randomBytes(700_001);
const sha256 = createHash("sha256").update(bytes).digest("hex");
const options: PutOptions = { size: undefined, overwrite: true, sha256: undefined, signal: neverAborted };

let base: string;
let root: string;
let records: string[];
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "patchbay-files-"));
  root = join(base, "files");
  records = [];
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function filesWith(limits: { file?: number; bytes?: number; entries?: number } = {}) {
  const { file = 1_000_000, bytes = 10_000_000, entries = 1_000 } = limits;
  return createFiles({
    root,
    maxFileBytes: file,
    room: createFolderUsage([root], { bytes, entries }),
    disk: { require() {} },
    iso: (ms) => new Date(ms).toISOString(),
    record: async ({ action, outcome, detail }) => void records.push(`${action} ${outcome} ${detail}`),
  });
}

async function* body(...pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

async function read(files: ReturnType<typeof filesWith>, name: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of (await files.get(name, caller)).pieces) pieces.push(piece);
  return Buffer.concat(pieces);
}

test("a file is stored, listed, read, replaced and removed, with audit entries", async () => {
  const files = filesWith();
  const first = await files.put(
    "a/b/one.bin",
    body(bytes.subarray(0, 5), bytes.subarray(5)),
    options,
    caller,
  );
  expect(first).toMatchObject({ name: "a/b/one.bin", size: bytes.length, sha256, replaced: false });
  expect((await read(files, "a/b/one.bin")).equals(bytes)).toBe(true);
  const again = { ...options, size: 3 };
  expect(await files.put("a/b/one.bin", body(Buffer.from("new")), again, caller)).toMatchObject({
    replaced: true,
  });
  await files.put("empty", body(), options, caller);
  expect((await files.list(caller)).map(({ name, size }) => [name, size])).toEqual([
    ["a/b/one.bin", 3],
    ["empty", 0],
  ]);
  expect(statSync(root).mode & 0o777).toBe(0o700);
  expect(await files.remove("a/b/one.bin", caller)).toMatchObject({ name: "a/b/one.bin", size: 3 });
  expect(readdirSync(root)).toEqual(["empty"]);
  expect((await failure(files.get("a/b/one.bin", caller))).kind).toBe("NotFound");
  expect(records.map((line) => line.split(" ").slice(0, 3).join(" "))).toEqual([
    "file.put stored a/b/one.bin",
    "file.put replaced a/b/one.bin",
    "file.put stored empty",
    "file.delete deleted a/b/one.bin",
  ]);
});

describe("nothing is stored", () => {
  const left = () => (existsSync(root) ? readdirSync(root) : []);

  test.each([
    ["a body that ends early", body(bytes), { size: bytes.length + 1 }, "Cancelled"],
    ["another hash", body(bytes), { sha256: "0".repeat(64) }, "Validation"],
    ["a body whose declared size is too large", body(bytes), { size: 1_000_001 }, "PayloadTooLarge"],
    ["a body that turns out too large", body(bytes, bytes), {}, "PayloadTooLarge"],
  ])("from %s", async (_what, content, more, kind) => {
    const error = await failure(filesWith().put("x", content, { ...options, ...more }, caller));
    expect(error.kind).toBe(kind);
    expect(left()).toEqual([]);
  });

  test("from a body that fails midway, and the older file stays", async () => {
    const files = filesWith();
    await files.put("x", body(Buffer.from("older")), options, caller);
    async function* broken() {
      yield bytes;
      throw new Error("reset");
    }
    await expect(files.put("x", broken(), options, caller)).rejects.toThrow("reset");
    const stopped = new AbortController();
    async function* endless() {
      yield bytes;
      stopped.abort();
      await new Promise(() => {});
    }
    const cancelledPut = files.put("x", endless(), { ...options, signal: stopped.signal }, caller);
    expect((await failure(cancelledPut)).kind).toBe("Cancelled");
    expect(left()).toEqual(["x"]);
    expect(readFileSync(join(root, "x"), "utf8")).toBe("older");
  });

  test("over an existing file that may not be overwritten, even concurrently", async () => {
    const files = filesWith();
    const once = { ...options, overwrite: false };
    const both = await Promise.allSettled([
      files.put("x", body(Buffer.from("1")), once, caller),
      files.put("x", body(Buffer.from("2")), once, caller),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect((await failure(files.put("x", body(), once, caller))).kind).toBe("Validation");
    expect(left()).toEqual(["x"]);
  });
});

test.each([
  "..",
  ".",
  "../x",
  "a/../../x",
  "/etc/passwd",
  "a//b",
  "",
  "a/",
  "x\0y",
  "x\ny",
  "n".repeat(256),
  `${"a/".repeat(20)}x`,
  "\ud800",
])("the file name %j is rejected", async (name) => {
  const files = filesWith();
  writeFileSync(join(base, "x"), "outside");
  for (const act of [
    () => files.put(name, body(bytes), options, caller),
    () => files.get(name, caller),
    () => files.remove(name, caller),
  ])
    expect((await failure(act())).kind).toBe("Validation");
  expect(readFileSync(join(base, "x"), "utf8")).toBe("outside");
});

test("links, hard links, pipes and folders are not treated as files", async () => {
  const files = filesWith();
  mkdirSync(join(root, "folder"), { recursive: true });
  mkdirSync(join(base, "outside"));
  writeFileSync(join(base, "outside", "secret"), "secret");
  symlinkSync(join(base, "outside", "secret"), join(root, "link"));
  symlinkSync(join(base, "outside"), join(root, "way-out"));
  linkSync(join(base, "outside", "secret"), join(root, "second"));
  for (const name of ["link", "way-out/secret", "second", "folder"]) {
    expect((await failure(files.get(name, caller))).kind).toBe("Forbidden");
    expect(["Forbidden", "Validation"]).toContain(
      (await failure(files.put(name, body(bytes), options, caller))).kind,
    );
  }
  expect(["Forbidden", "Validation"]).toContain((await failure(files.remove("way-out/secret", caller))).kind);
  expect((await files.list(caller)).map(({ name }) => name)).toEqual(["second"]);
  expect(readFileSync(join(base, "outside", "secret"), "utf8")).toBe("secret");
  expect((await failure(files.put(".x.part", body(bytes), options, caller))).kind).toBe("Validation");
});

describe("a caller cannot exhaust", () => {
  test("time, with a body that stops or trickles", async () => {
    vi.useFakeTimers();
    try {
      const files = filesWith();
      async function* stopping() {
        yield bytes;
        await new Promise(() => {});
      }
      async function* trickling() {
        for (;;) {
          await new Promise((resolve) => setTimeout(resolve, 15_000));
          yield new Uint8Array(1);
        }
      }
      for (const slow of [stopping(), trickling()]) {
        let error: ServiceError | undefined;
        void failure(files.put("x", slow, options, caller)).then((failed) => {
          error = failed;
        });
        while (error === undefined) await vi.advanceTimersByTimeAsync(1_000);
        expect(error).toMatchObject({ kind: "BadRequest", message: "The body took too long to arrive." });
      }
      expect(readdirSync(root)).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("the total size, with concurrent uploads", async () => {
    const files = filesWith({ bytes: 2_000_000 });
    const all = await Promise.allSettled(
      Array.from({ length: 8 }, (_, at) => files.put(`f${at}`, body(bytes), options, caller)),
    );
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    expect((await failure(files.put("more", body(bytes), options, caller))).kind).toBe("StorageFull");
    expect(readdirSync(root)).toHaveLength(2);
  });

  test("the number of files and folders", async () => {
    const files = filesWith({ entries: 20 });
    const put = (name: string) => files.put(name, body(), options, caller);
    for (let at = 0; at < 10; at++) await put(`d${at}/x`);
    expect((await failure(put("d10/x"))).kind).toBe("StorageFull");
    expect(existsSync(join(root, "d10"))).toBe(false);
  });

  test("space through unfinished uploads, which are removed after an hour", async () => {
    mkdirSync(root);
    for (const name of [".old.put", ".new.put", ".x.part"]) writeFileSync(join(root, name), "half");
    utimesSync(join(root, ".old.put"), 1, 1);
    await filesWith().put("x", body(), options, caller);
    expect(readdirSync(root).sort()).toEqual([".new.put", ".x.part", "x"]);
  });

  test("file descriptors: none stays open", async () => {
    const files = filesWith({ file: 10 });
    const open = () => readdirSync("/proc/self/fd").length;
    await files.put("x", body(), options, caller);
    const before = open();
    for (let at = 0; at < 50; at++) {
      await failure(files.put("a/b/c", body(bytes), options, caller));
      await failure(files.get("a/b/none", caller));
      await (await files.get("x", caller)).pieces.return(undefined);
      await read(files, "x");
      await files.list(caller);
    }
    expect(open()).toBe(before);
  });
});

test("a limited or read-only key cannot access files", async () => {
  const files = filesWith();
  for (const other of [
    { ...caller, hosts: ["10.0.0.0/8"] },
    { ...caller, scope: "read" as const },
  ]) {
    expect((await failure(files.put("x", body(bytes), options, other))).kind).toBe("Forbidden");
    expect((await failure(files.get("x", other))).kind).toBe("Forbidden");
    expect((await failure(files.list(other))).kind).toBe("Forbidden");
    expect((await failure(files.remove("x", other))).kind).toBe("Forbidden");
  }
  expect(existsSync(root)).toBe(false);
});

test("a failed cleanup of the folder does not prevent later uploads", async () => {
  let isGone = true;
  const files = createFiles({
    root,
    maxFileBytes: 1_000,
    room: {
      async look() {
        // Somebody else removes it between two checks.
        if (isGone) rmSync(root, { recursive: true });
      },
      take: () => true,
      give() {},
    },
    disk: { require() {} },
    iso: (ms) => new Date(ms).toISOString(),
    record: async () => {},
  });
  await expect(files.put("a", body(Buffer.from("x")), options, caller)).rejects.toThrow();
  isGone = false;
  expect(await files.put("a", body(Buffer.from("x")), options, caller)).toMatchObject({ name: "a", size: 1 });
});
