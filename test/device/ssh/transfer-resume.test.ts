/** Resumed transfers with a real sshd over SFTP; and SCP if there is no SFTP. */
import { randomBytes } from "node:crypto";
import { statSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { run } from "../../../scripts/testbed/run.ts";
import type { Connection } from "../../../src/device/ssh/connection.ts";
import {
  bytes,
  freshLocal,
  freshRemote,
  hashOf,
  hashOfFile,
  remoteWith,
  sha256,
  size,
  source,
} from "./files.ts";
import { failure, newSsh, scopeOf, targetOf, withConnection } from "./support.ts";

describe.skipIf(needs("openssh"))("a resumed transfer", () => {
  let server: Sshd;
  let sftpOnly: Sshd;
  let connection: Connection;
  const scope = scopeOf(120_000);
  beforeAll(async () => {
    [server, sftpOnly] = await Promise.all([
      startSshd(),
      startSshd({ config: ["ForceCommand internal-sftp"] }),
    ]);
    connection = await newSsh().connect(targetOf(server), scope);
  });
  afterAll(async () => {
    await connection?.close();
    await Promise.all([server?.stop(), sftpOnly?.stop()]);
  });

  describe.each(["a shell beside it", "SFTP alone"])("with %s", (kind) => {
    const at = () => (kind === "SFTP alone" ? sftpOnly : server);
    const resume = true;
    const on = <T>(work: (c: Connection) => Promise<T>) => withConnection(targetOf(at()), (c) => work(c));

    test.each([0, 1, 32_768, 3_000_000, size])("continues an upload after %i bytes", async (there) => {
      const remotePath = remoteWith(bytes.subarray(0, there), at());
      const result = await on((c) => c.upload({ localPath: source, remotePath, resume }, scope));
      expect(result).toEqual({
        bytesTransferred: size - there,
        totalBytes: size,
        resumed: there > 0,
        sha256,
      });
      expect(hashOfFile(remotePath)).toBe(sha256);
    });

    test.each([0, 1, 32_768, 3_000_000, size])("continues a download after %i bytes", async (there) => {
      const remotePath = remoteWith(bytes, at());
      const localPath = freshLocal();
      writeFileSync(localPath, bytes.subarray(0, there));
      const result = await on((c) => c.download({ localPath, remotePath, resume }, scope));
      expect(result).toEqual({
        bytesTransferred: size - there,
        totalBytes: size,
        resumed: there > 0,
        sha256,
      });
      expect(hashOfFile(localPath)).toBe(sha256);
    });

    test("starts from zero if nothing is there", async () => {
      const remotePath = freshRemote(at());
      const up = await on((c) => c.upload({ localPath: source, remotePath, resume }, scope));
      expect(up).toMatchObject({ bytesTransferred: size, resumed: false, sha256 });
      const down = await on((c) => c.download({ localPath: freshLocal(), remotePath, resume }, scope));
      expect(down).toMatchObject({ bytesTransferred: size, resumed: false, sha256 });
    });

    test.each([
      ["another file", randomBytes(1_000_000), "does not start like"],
      ["a longer file", Buffer.concat([bytes, Buffer.from("x")]), "is longer than"],
    ])("is rejected over %s", async (_name, other, said) => {
      const remotePath = remoteWith(other, at());
      const up = await failure(on((c) => c.upload({ localPath: source, remotePath, resume }, scope)));
      expect(up.message).toContain(`The transfer cannot be resumed: the remote file ${said}`);
      expect(up.detail).toEqual({ reason: "ResumeMismatch" });
      expect(hashOfFile(remotePath)).toBe(hashOf(other));
      const localPath = freshLocal();
      writeFileSync(localPath, other);
      const from = remoteWith(bytes, at());
      const down = await failure(on((c) => c.download({ localPath, remotePath: from, resume }, scope)));
      expect(down.message).toContain(`The transfer cannot be resumed: the local file ${said}`);
      expect(hashOfFile(localPath)).toBe(hashOf(other));
    });
  });

  test("continues a download after its connection was lost", async () => {
    const doomed = await newSsh().connect(targetOf(server), scope);
    const { stdout } = await doomed.exec("echo $PPID", {}, scope);
    const content = randomBytes(30_000_000);
    const remotePath = remoteWith(content, server);
    const localPath = freshLocal();
    let killed = false;
    const onProgress = (moved: number) => {
      if (moved < 5_000_000 || killed) return;
      killed = true;
      run(["kill", "-9", stdout.trim()]);
    };
    expect((await failure(doomed.download({ localPath, remotePath, onProgress }, scope))).kind).toBe(
      "ConnectionLost",
    );
    await doomed.close();
    expect(statSync(localPath).size).toBeGreaterThanOrEqual(5_000_000);
    const result = await connection.download({ localPath, remotePath, resume: true }, scope);
    expect(result.resumed).toBe(true);
    expect(result.bytesTransferred).toBeLessThan(content.length);
    expect(result.sha256).toBe(hashOf(content));
    expect(hashOfFile(localPath)).toBe(hashOf(content));
  });

  test("is not possible with SCP, which is used if there is no SFTP", async () => {
    const plain = await startSshd({ sftp: false });
    try {
      await withConnection(targetOf(plain), async (c) => {
        const remotePath = freshRemote(plain);
        expect((await c.upload({ localPath: source, remotePath }, scope)).sha256).toBe(sha256);
        expect(hashOfFile(remotePath)).toBe(sha256);
        const error = await failure(c.upload({ localPath: source, remotePath, resume: true }, scope));
        expect(error.message).toContain("did not open SFTP");
      });
    } finally {
      await plain.stop();
    }
  });
});
