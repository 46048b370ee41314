/** Files over SFTP and SCP with a real sshd: complete, partial, resumed, interrupted, refused. */
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../../scripts/testbed/openssh.ts";
import { run } from "../../../../scripts/testbed/run.ts";
import { ServiceError } from "../../../../src/base/errors.ts";
import type { Connection } from "../../../../src/device/ssh/connection.ts";
import {
  folder,
  freshLocal,
  freshRemote,
  give,
  hashOf,
  hashOfFile,
  remoteWith,
  sha256,
  size,
  source,
} from "../files.ts";
import { failure, newSsh, scopeOf, targetOf } from "../support.ts";

describe.skipIf(needs("openssh"))("a file transfer", () => {
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

  describe.each(["sftp", "scp"] as const)("by %s", (by) => {
    test("works both ways, with the hash of the content", async () => {
      const remotePath = freshRemote(server);
      const localPath = freshLocal();
      const whole = { bytesTransferred: size, totalBytes: size, resumed: false, sha256 };
      expect(await connection.upload({ localPath: source, remotePath, by }, scope)).toEqual(whole);
      expect(hashOfFile(remotePath)).toBe(sha256);
      expect(await connection.download({ localPath, remotePath, by }, scope)).toEqual(whole);
      expect(hashOfFile(localPath)).toBe(sha256);
      expect(statSync(localPath).mode & 0o777).toBe(0o600);
    });

    test("handles an empty file, which replaces a longer one", async () => {
      const empty = freshLocal();
      writeFileSync(empty, "");
      const remotePath = remoteWith(randomBytes(1000), server);
      const up = await connection.upload({ localPath: empty, remotePath, by }, scope);
      expect(up).toMatchObject({ bytesTransferred: 0, totalBytes: 0 });
      expect(statSync(remotePath).size).toBe(0);
      const localPath = freshLocal();
      writeFileSync(localPath, "older and longer");
      const down = await connection.download({ localPath, remotePath, by }, scope);
      expect(down.sha256).toBe(hashOf(Buffer.alloc(0)));
      expect(statSync(localPath).size).toBe(0);
    });

    test.each(["with blank 'and' \"quotes\" $HOME `id`;", "-rf", "ünïcode", "two\nlines"])(
      "accepts the file name %j",
      async (name) => {
        const inner = join(server.folder, `names-${by}`);
        if (!existsSync(inner)) mkdirSync(inner);
        give(inner, server.user);
        const remotePath = join(inner, name);
        await connection.upload({ localPath: source, remotePath, by }, scope);
        expect(hashOfFile(remotePath)).toBe(sha256);
        const localPath = freshLocal();
        expect((await connection.download({ localPath, remotePath, by }, scope)).sha256).toBe(sha256);
      },
    );

    test("fails for a missing file and without permission", async () => {
      const missing = await failure(
        connection.download(
          { localPath: freshLocal(), remotePath: `${server.folder}/no-such-file`, by },
          scope,
        ),
      );
      expect(missing.kind).toBe("DriverError");
      expect(missing.message).toMatch(/no such file/i);
      const denied = await failure(
        connection.upload({ localPath: source, remotePath: "/etc/denied", by }, scope),
      );
      expect(denied.kind).toBe("DriverError");
      expect(denied.message).toMatch(/permission denied/i);
      const noLocal = await failure(
        connection.upload({ localPath: join(folder, "none"), remotePath: freshRemote(server), by }, scope),
      );
      expect(noLocal.message).toContain("ENOENT");
      expect((await connection.exec("echo alive", {}, scope)).stdout).toBe("alive\n");
    });

    test("does not follow a link in place of the local file", async () => {
      const link = freshLocal();
      symlinkSync(source, link);
      const up = await failure(
        connection.upload({ localPath: link, remotePath: freshRemote(server), by }, scope),
      );
      expect(up.kind).toBe("DriverError");
      const remotePath = remoteWith(Buffer.from("x"), server);
      const down = await failure(connection.download({ localPath: link, remotePath, by }, scope));
      expect(down.kind).toBe("DriverError");
      expect(hashOfFile(source)).toBe(sha256);
    });

    test("is cancelled at once, and the connection stays usable", async () => {
      const cancelScope = scopeOf();
      const big = freshLocal();
      writeFileSync(big, "");
      truncateSync(big, 2_000_000_000);
      const onProgress = (moved: number) => {
        if (moved > 10_000_000) cancelScope.abort(new ServiceError("Cancelled", "stop"));
      };
      const error = await failure(
        connection.upload({ localPath: big, remotePath: freshRemote(server), by, onProgress }, cancelScope),
      );
      expect(error.kind).toBe("Cancelled");
      expect((await connection.exec("echo alive", {}, scope)).stdout).toBe("alive\n");
    });

    test("fails as ReadTimeout at its timeout", async () => {
      const remotePath = freshRemote(server);
      writeFileSync(remotePath, "");
      truncateSync(remotePath, 20_000_000_000);
      const options = { localPath: freshLocal(), remotePath, by, timeoutMs: 200 };
      const error = await failure(connection.download(options, scope));
      expect(error.kind).toBe("ReadTimeout");
      expect(error.message).toBe("The transfer did not end within 0.2 seconds");
    });

    test("fails as ConnectionLost if its session is killed", async () => {
      const doomed = await newSsh().connect(targetOf(server), scope);
      const { stdout } = await doomed.exec("echo $PPID", {}, scope);
      const remotePath = freshRemote(server);
      writeFileSync(remotePath, "");
      truncateSync(remotePath, 20_000_000_000);
      const onProgress = (moved: number) => {
        if (moved > 10_000_000) run(["kill", "-9", stdout.trim()]);
      };
      const options = { localPath: freshLocal(), remotePath: give(remotePath, server.user), by, onProgress };
      expect((await failure(doomed.download(options, scope))).kind).toBe("ConnectionLost");
      await doomed.close();
    });
  });

  test.each([1024, 4096, 32_768, 100_000, 262_144, 10_000_000, 1])(
    "works with chunks of %i bytes",
    async (chunkBytes) => {
      const remotePath = freshRemote(server);
      const localPath = freshLocal();
      expect((await connection.upload({ localPath: source, remotePath, chunkBytes }, scope)).sha256).toBe(
        sha256,
      );
      expect(hashOfFile(remotePath)).toBe(sha256);
      expect((await connection.download({ localPath, remotePath, chunkBytes }, scope)).sha256).toBe(sha256);
      expect(hashOfFile(localPath)).toBe(sha256);
    },
  );

  test("reports progress up to the total size", async () => {
    const seen: [number, number][] = [];
    const onProgress = (moved: number, total: number) => seen.push([moved, total]);
    await connection.upload({ localPath: source, remotePath: freshRemote(server), onProgress }, scope);
    expect(seen.at(-1)).toEqual([size, size]);
    expect(seen.every(([moved], i) => moved > (seen[i - 1]?.[0] ?? -1))).toBe(true);
  });

  test("handles a file without a known size", async () => {
    const localPath = freshLocal();
    const result = await connection.download({ localPath, remotePath: "/proc/self/status" }, scope);
    expect(readFileSync(localPath, "utf8")).toContain("Name:");
    expect(result.totalBytes).toBe(statSync(localPath).size);
  });

  test("fails if the disk is full", async () => {
    const small = join(server.folder, "small");
    mkdirSync(small);
    run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small], { mustSucceed: true });
    try {
      chmodSync(small, 0o777);
      for (const by of ["sftp", "scp"] as const) {
        const remotePath = join(small, by);
        const error = await failure(connection.upload({ localPath: source, remotePath, by }, scope));
        expect(error.kind).toBe("DriverError");
      }
    } finally {
      run(["umount", small], { mustSucceed: true });
    }
  });
});
