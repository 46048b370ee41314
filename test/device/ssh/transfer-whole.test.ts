/** Atomic SFTP transfers: temporary names, permissions, refusals, hashes on both sides. */
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { run } from "../../../scripts/testbed/run.ts";
import { ServiceError } from "../../../src/base/errors.ts";
import type { Connection } from "../../../src/device/ssh/connection.ts";
import { bytes, freshLocal, freshRemote, give, hashOf, hashOfFile, sha256, size, source } from "./files.ts";
import { failure, newSsh, scopeOf, targetOf, temporaryFolder } from "./support.ts";

describe.skipIf(needs("openssh"))("an atomic transfer", () => {
  let server: Sshd;
  let connection: Connection;
  const scope = scopeOf(120_000);
  const big = join(temporaryFolder(), "big");
  const kept = temporaryFolder();
  const content = randomBytes(40_000_000);
  const whole = { atomic: true, verify: true } as const;
  const parts = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(".part"));
  /** A folder on the server for one test. */
  const place = () => {
    const path = freshRemote(server);
    mkdirSync(path);
    return give(path, server.user);
  };
  beforeAll(async () => {
    writeFileSync(big, content);
    server = await startSshd();
    connection = await newSsh().connect(targetOf(server), scope);
  });
  afterAll(async () => {
    await connection?.close();
    await server?.stop();
  });

  test("works both ways with hashes of both sides, and leaves no other files", async () => {
    const folder = place();
    chmodSync(source, 0o640);
    const remotePath = join(folder, "file");
    const expected = {
      bytesTransferred: size,
      totalBytes: size,
      resumed: false,
      sha256,
      remoteSha256: sha256,
    };
    expect(await connection.upload({ localPath: source, remotePath, ...whole }, scope)).toEqual(expected);
    expect(hashOfFile(remotePath)).toBe(sha256);
    expect(statSync(remotePath).mode & 0o777).toBe(0o640);
    const localPath = freshLocal();
    expect(await connection.download({ localPath, remotePath, ...whole }, scope)).toEqual(expected);
    expect(hashOfFile(localPath)).toBe(sha256);
    expect(statSync(localPath).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["file"]);
  });

  test("keeps the permissions of the replaced file, follows a link, and applies a given mode", async () => {
    const folder = place();
    const remotePath = join(folder, "run");
    writeFileSync(remotePath, "older", { mode: 0o751 });
    chmodSync(remotePath, 0o751);
    give(remotePath, server.user);
    symlinkSync("run", join(folder, "link"));
    await connection.upload({ localPath: source, remotePath: join(folder, "link"), ...whole }, scope);
    expect(readlinkSync(join(folder, "link"))).toBe("run");
    expect(hashOfFile(remotePath)).toBe(sha256);
    expect(statSync(remotePath).mode & 0o777).toBe(0o751);
    await connection.upload({ localPath: source, remotePath, mode: 0o604, ...whole }, scope);
    expect(statSync(remotePath).mode & 0o777).toBe(0o604);
    const localPath = freshLocal();
    writeFileSync(localPath, "older");
    chmodSync(localPath, 0o640);
    await connection.download({ localPath, remotePath, ...whole }, scope);
    expect(statSync(localPath).mode & 0o777).toBe(0o640);
    await connection.download({ localPath, remotePath, mode: 0o400, ...whole }, scope);
    expect(statSync(localPath).mode & 0o777).toBe(0o400);
  });

  test("leaves an existing file if overwriting is forbidden", async () => {
    const remotePath = join(place(), "there");
    const localPath = freshLocal();
    const options = { localPath: source, remotePath, overwrite: false, ...whole };
    await connection.upload(options, scope);
    const up = await failure(connection.upload(options, scope));
    expect(up).toMatchObject({ kind: "DriverError", detail: { reason: "Exists" } });
    const down = { localPath, remotePath, overwrite: false, ...whole };
    await connection.download(down, scope);
    expect((await failure(connection.download(down, scope))).message).toContain(
      "exists (overwrite is false)",
    );
    expect(hashOfFile(localPath)).toBe(sha256);
  });

  test("keeps the old file until the new one is complete, however the transfer ends", async () => {
    const folder = place();
    const remotePath = join(folder, "file");
    writeFileSync(remotePath, "older");
    give(remotePath, server.user);
    const cancelScope = scopeOf();
    const seen: string[] = [];
    const onProgress = (moved: number) => {
      seen.push(readFileSync(remotePath, "utf8"));
      if (moved > 10_000_000) cancelScope.abort(new ServiceError("Cancelled", "stop"));
    };
    const error = await failure(
      connection.upload({ localPath: big, remotePath, onProgress, ...whole }, cancelScope),
    );
    expect(error.kind).toBe("Cancelled");
    expect(new Set(seen)).toEqual(new Set(["older"]));
    expect(readFileSync(remotePath, "utf8")).toBe("older");
    expect(parts(folder)).toHaveLength(1);
    const resumed = await connection.upload({ localPath: big, remotePath, resume: true, ...whole }, scope);
    expect(resumed).toMatchObject({ resumed: true, totalBytes: content.length, sha256: hashOf(content) });
    expect(resumed.bytesTransferred).toBeLessThan(content.length);
    expect(hashOfFile(remotePath)).toBe(hashOf(content));
    expect(readdirSync(folder)).toEqual(["file"]);
  });

  test("restarts if its partial file was changed", async () => {
    const folder = place();
    const remotePath = join(folder, "file");
    const cancelScope = scopeOf();
    const onProgress = (moved: number) => {
      if (moved > 10_000_000) cancelScope.abort(new ServiceError("Cancelled", "stop"));
    };
    await failure(connection.upload({ localPath: big, remotePath, onProgress, ...whole }, cancelScope));
    const part = join(folder, parts(folder)[0] ?? "");
    writeFileSync(part, randomBytes(20_000_000));
    const result = await connection.upload({ localPath: big, remotePath, resume: true, ...whole }, scope);
    expect(result).toMatchObject({ resumed: false, bytesTransferred: content.length });
    expect(hashOfFile(remotePath)).toBe(hashOf(content));
  });

  test("continues after its session was killed, with the same hash", async () => {
    const remotePath = join(place(), "big");
    writeFileSync(remotePath, content);
    const localPath = join(kept, "kept");
    const doomed = await newSsh().connect(targetOf(server), scope);
    const { stdout } = await doomed.exec("echo $PPID", {}, scope);
    let killed = false;
    const onProgress = (moved: number) => {
      if (moved < 10_000_000 || killed) return;
      killed = true;
      run(["kill", "-9", stdout.trim()]);
    };
    const cut = doomed.download({ localPath, remotePath, onProgress, ...whole }, scope);
    expect((await failure(cut)).kind).toBe("ConnectionLost");
    await doomed.close();
    expect(existsSync(localPath)).toBe(false);
    const result = await connection.download({ localPath, remotePath, resume: true, ...whole }, scope);
    expect(result).toMatchObject({ resumed: true, sha256: hashOf(content), remoteSha256: hashOf(content) });
    expect(result.bytesTransferred).toBeLessThan(content.length);
    expect(hashOfFile(localPath)).toBe(hashOf(content));
    expect(readdirSync(kept)).toEqual(["kept"]);
  });

  test("fails with the server's message on full disk, denied permission or missing folder", async () => {
    const small = join(server.folder, "small");
    mkdirSync(small);
    run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small], { mustSucceed: true });
    try {
      chmodSync(small, 0o777);
      const full = await failure(
        connection.upload({ localPath: source, remotePath: join(small, "file"), ...whole }, scope),
      );
      expect(full).toMatchObject({ kind: "DriverError", detail: { reason: "DiskFull" } });
      expect(full.message).toMatch(/Failure: its disk has \d+ bytes left for 5000001/);
      expect(readdirSync(small)).toEqual([]);
    } finally {
      run(["umount", small], { mustSucceed: true });
    }
    const to = (remotePath: string) =>
      failure(connection.upload({ localPath: source, remotePath, ...whole }, scope));
    expect((await to("/etc/denied")).message).toContain("Permission denied");
    expect((await to("/no/such/folder/file")).message).toContain("No such file");
    expect((await to("/etc")).message).toContain("is a folder");
  });

  test("writes in place on request if the folder does not allow replacing the file", async () => {
    const folder = place();
    const remotePath = join(folder, "only");
    writeFileSync(remotePath, "older");
    give(remotePath, server.user);
    run(["chown", "root", folder], { mustSucceed: true });
    const options = { localPath: source, remotePath, verify: true };
    expect((await failure(connection.upload({ ...options, atomic: true }, scope))).message).toContain(
      "Permission denied",
    );
    expect(readFileSync(remotePath, "utf8")).toBe("older");
    await connection.upload({ ...options, atomic: false }, scope);
    expect(hashOfFile(remotePath)).toBe(sha256);
  });

  test("reports no remote hash if the server has only SFTP", async () => {
    const sftpOnly = await startSshd({ config: ["ForceCommand internal-sftp"] });
    try {
      const alone = await newSsh().connect(targetOf(sftpOnly), scope);
      const remotePath = freshRemote(sftpOnly);
      const expected = { bytesTransferred: size, totalBytes: size, resumed: false, sha256 };
      expect(await alone.upload({ localPath: source, remotePath, ...whole }, scope)).toEqual(expected);
      expect(await alone.download({ localPath: freshLocal(), remotePath, ...whole }, scope)).toEqual(
        expected,
      );
      await alone.close();
    } finally {
      await sftpOnly.stop();
    }
  });

  test("of a device file on the server fails at once", async () => {
    const options = { localPath: freshLocal(), remotePath: "/dev/zero", ...whole };
    expect((await failure(connection.download(options, scope))).message).toContain("is not a file");
    expect(existsSync(options.localPath)).toBe(false);
  });

  describe("within its allowed roots", () => {
    const outside = temporaryFolder();
    const root = temporaryFolder();
    const roots = [root];
    writeFileSync(join(outside, "secret"), bytes);
    const refused = async (localPath: string) => {
      const remotePath = join(server.folder, "never");
      for (const how of [whole, {}]) {
        const up = await failure(connection.upload({ localPath, remotePath, roots, ...how }, scope));
        expect(up.kind === "Forbidden" || /ENOENT|ELOOP|ENOTDIR|is a folder/.test(up.message)).toBe(true);
        expect(existsSync(remotePath)).toBe(false);
        writeFileSync(join(server.folder, "given"), "hostile");
        const down = { localPath, remotePath: join(server.folder, "given"), roots, ...how };
        const error = await failure(connection.download(down, scope));
        expect(error.kind === "Forbidden" || /ELOOP|EISDIR|ENOENT/.test(error.message)).toBe(true);
      }
      expect(hashOfFile(join(outside, "secret"))).toBe(sha256);
    };

    test("rejects paths outside, links, hard links, devices and folders", async () => {
      symlinkSync(outside, join(root, "way-out"));
      symlinkSync(join(outside, "secret"), join(root, "link"));
      linkSync(join(outside, "secret"), join(root, "second-name"));
      run(["mkfifo", join(root, "pipe")], { mustSucceed: true });
      run(["mknod", join(root, "zero"), "c", "1", "5"], { mustSucceed: true });
      await refused(join(outside, "secret"));
      for (const name of ["../x", "way-out/secret", "link", "second-name", "pipe", "zero"])
        await refused(join(root, name));
    });
  });
});
