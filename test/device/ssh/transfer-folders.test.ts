/** Recursive SFTP transfers: complete, bounded, and confined to the folder whatever the server sends. */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { run } from "../../../scripts/testbed/run.ts";
import { ServiceError } from "../../../src/base/errors.ts";
import type { Connection } from "../../../src/device/ssh/connection.ts";
import { freshLocal, freshRemote, hashOf } from "./files.ts";
import { failure, newSsh, scopeOf, targetOf } from "./support.ts";

const whole = { atomic: true, verify: true, recursive: true } as const;

describe.skipIf(needs("openssh"))("the transfer of a folder", () => {
  let server: Sshd;
  let connection: Connection;
  const scope = scopeOf(120_000);
  beforeAll(async () => {
    server = await startSshd();
    connection = await newSsh().connect(targetOf(server), scope);
  });
  afterAll(async () => {
    await connection?.close();
    await server?.stop();
  });

  /** Paths and contents. */
  const tree = { a: "1", "sub/b": "22", "sub/deeper/c d'e": "333", "sub/ü\nx": "" };
  function localTree(): string {
    const top = freshLocal();
    for (const [path, text] of Object.entries(tree)) {
      mkdirSync(join(top, path, ".."), { recursive: true });
      writeFileSync(join(top, path), text);
    }
    mkdirSync(join(top, "empty"));
    return top;
  }
  const manifest = createHash("sha256");
  for (const path of Object.keys(tree).sort((a, b) => Buffer.from(a).compare(Buffer.from(b))))
    manifest.update(`${hashOf(Buffer.from(tree[path as keyof typeof tree]))}  ${path}\n`);
  const sha256 = manifest.digest("hex");

  test("works both ways, with any file names and empty folders, and has one hash for all", async () => {
    const remotePath = freshRemote(server);
    const up = await connection.upload(
      { localPath: localTree(), remotePath: `${remotePath}/`, ...whole },
      scope,
    );
    expect(up).toEqual({
      bytesTransferred: 6,
      totalBytes: 6,
      resumed: false,
      files: 4,
      sha256,
      remoteSha256: sha256,
    });
    const localPath = freshLocal();
    const down = await connection.download({ localPath, remotePath, ...whole }, scope);
    expect(down).toEqual(up);
    for (const top of [remotePath, localPath]) {
      for (const [path, text] of Object.entries(tree))
        expect(readFileSync(join(top, path), "utf8")).toBe(text);
      expect(readdirSync(join(top, "empty"))).toEqual([]);
      expect(readdirSync(join(top, "sub")).filter((name) => name.endsWith(".part"))).toEqual([]);
    }
  });

  test("overwrites existing files unless forbidden, and never a file with a folder", async () => {
    const remotePath = freshRemote(server);
    const options = { localPath: localTree(), remotePath, ...whole };
    await connection.upload(options, scope);
    writeFileSync(join(remotePath, "a"), "older");
    writeFileSync(join(remotePath, "kept"), "kept");
    await connection.upload(options, scope);
    expect(readFileSync(join(remotePath, "a"), "utf8")).toBe("1");
    expect(readFileSync(join(remotePath, "kept"), "utf8")).toBe("kept");
    const refused = await failure(connection.upload({ ...options, overwrite: false }, scope));
    expect(refused.detail).toEqual({ reason: "Exists" });
    const file = await failure(connection.upload({ ...options, remotePath: join(remotePath, "a") }, scope));
    expect(file.message).toContain("is not a folder");
    const missing = await failure(connection.download({ ...options, remotePath: "/no/such" }, scope));
    expect(missing.message).toContain("No such file");
  });

  test("stops at the first failing file and names it", async () => {
    const remotePath = freshRemote(server);
    const options = { localPath: localTree(), remotePath, ...whole };
    await connection.upload(options, scope);
    run(["chown", "-R", "root", join(remotePath, "sub")], { mustSucceed: true });
    const error = await failure(connection.upload(options, scope));
    expect(error).toMatchObject({ kind: "DriverError" });
    expect(error.message).toMatch(/\/sub\/.*Permission denied/s);
  });

  test("does not follow a local folder that is replaced by a link during the download", async () => {
    const remotePath = freshRemote(server);
    mkdirSync(remotePath);
    for (let n = 0; n < 300; n++) writeFileSync(join(remotePath, `f${n}`), "x".repeat(20_000));
    run(["chown", "-R", server.user, remotePath], { mustSucceed: true });
    const outside = freshLocal();
    mkdirSync(outside);
    const localPath = freshLocal();
    let moved = false;
    const onProgress = () => {
      if (moved) return;
      moved = true;
      renameSync(localPath, `${localPath}-away`);
      symlinkSync(outside, localPath);
    };
    await connection.download({ localPath, remotePath, onProgress, ...whole }, scope);
    expect(readdirSync(outside)).toEqual([]);
    expect(readdirSync(`${localPath}-away`)).toHaveLength(300);
  });

  test("is cancelled with all files in progress", async () => {
    const cancelScope = scopeOf();
    const onProgress = () => cancelScope.abort(new ServiceError("Cancelled", "stop"));
    const options = { localPath: localTree(), remotePath: freshRemote(server), onProgress, ...whole };
    expect((await failure(connection.upload(options, cancelScope))).kind).toBe("Cancelled");
    expect((await connection.exec("echo alive", {}, scope)).stdout).toBe("alive\n");
  });
});
