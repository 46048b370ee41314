/** Transfers of the paramiko driver with real OpenSSH: folders, commands after them, failures, progress. */
import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { run as runProgram } from "../../../scripts/testbed/run.ts";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { pause } from "../../../src/base/time/deadline.ts";
import { hashOf, mib, outputOf, startTransfers, type Transfers } from "./transfers.ts";

/** Hashes of all files below a folder, without links. */
function contentsOf(folder: string, path = ""): string[] {
  return readdirSync(join(folder, path), { withFileTypes: true })
    .flatMap((entry) => {
      const at = join(path, entry.name);
      if (entry.isDirectory()) return contentsOf(folder, at);
      return entry.isFile() ? [`${at} ${hashOf(readFileSync(join(folder, at)))}`] : [];
    })
    .sort();
}

describe.skipIf(needs("openssh"))("transfers", () => {
  let bed: Transfers;
  beforeAll(async () => {
    bed = await startTransfers();
  });
  afterAll(() => bed.stop());

  test("uploads a file of the API to a server and runs it there", async () => {
    await bed.put("hello.sh", '#!/bin/sh\necho "hello $NAME"; cat; exit 3\n');
    const path = join(bed.place("run"), "hello.sh");
    const job = await bed.move(
      { operation: "upload", local_path: "hello.sh", remote_path: path, execute_after_upload: true },
      { environment: { NAME: "you" }, input: "typed" },
    );
    expect(outputOf(job, "upload")).toMatchObject({
      output: "hello you\ntyped",
      exit_status: 3,
      transfer_result: {
        success: true,
        sha256: hashOf(readFileSync(path)),
        remote_sha256: hashOf(readFileSync(path)),
      },
    });
    expect(statSync(path).mode & 0o777).toBe(0o755);
    const other = await bed.move({
      operation: "upload",
      local_path: "hello.sh",
      remote_path: path,
      chmod: "0640",
      execute_after_upload: `stat -c %a ${path}`,
    });
    expect(outputOf(other, "upload")).toMatchObject({ output: "640\n", exit_status: 0 });
    const refused = await bed.move({
      operation: "upload",
      local_path: "hello.sh",
      remote_path: path,
      overwrite: false,
    });
    expect(refused.result?.error?.message).toContain("exists (overwrite is false)");
  });

  test("transfers a folder both ways without links, and resumes without moving equal parts", async () => {
    const files: Record<string, Uint8Array> = {};
    for (let n = 0; n < 60; n++) files[`d${n % 3}/e${n % 7}/f ${n}`] = randomBytes(n * 700);
    for (const [name, bytes] of Object.entries(files))
      expect((await bed.put(`tree/${name}`, bytes)).ok).toBe(true);
    symlinkSync("/etc", join(bed.root, "tree", "etc"));
    const path = join(bed.place("trees"), "tree");
    const up = { operation: "upload", local_path: "tree", remote_path: path, recursive: true };
    const sent = await bed.move(up);
    const total = Object.values(files).reduce((sum, { length }) => sum + length, 0);
    expect(outputOf(sent, "upload")).toMatchObject({
      transfer_result: { files: 60, bytes_transferred: total, total_bytes: total, skipped: ["etc"] },
    });
    expect(sent.warnings).toEqual(["1 entries of the folder were skipped: links, devices or pipes"]);
    for (const [name, bytes] of Object.entries(files))
      expect(readFileSync(join(path, name)).equals(bytes)).toBe(true);
    writeFileSync(join(path, "d0/e0/f 0"), "other");
    runProgram(["rm", join(path, "d1/e1/f 1")], { mustSucceed: true });
    const again = await bed.move({ ...up, resume: true });
    expect(outputOf(again, "upload")).toMatchObject({
      transfer_result: { bytes_transferred: 700, resumed: true },
    });
    symlinkSync("/etc", join(path, "etc"));
    const down = await bed.move({
      operation: "download",
      local_path: "back",
      remote_path: path,
      recursive: true,
    });
    const there = outputOf(again, "upload") as { transfer_result: { sha256: string } };
    expect(outputOf(down, "download")).toMatchObject({
      transfer_result: {
        files: 60,
        skipped: ["etc"],
        sha256: there.transfer_result.sha256,
        remote_sha256: there.transfer_result.sha256,
      },
    });
    expect(contentsOf(join(bed.root, "back"))).toEqual(contentsOf(path));
    const kept = await bed.move({
      operation: "download",
      local_path: "back",
      remote_path: path,
      recursive: true,
      resume: true,
    });
    expect(outputOf(kept, "download")).toMatchObject({
      transfer_result: { bytes_transferred: 0, total_bytes: total },
    });
  });

  test("rejects paths outside the folders without contacting the server", async () => {
    symlinkSync("/etc/passwd", join(bed.root, "passwd"));
    symlinkSync("/etc", join(bed.root, "way-out"));
    const connections = bed.sshd.connections();
    for (const local_path of ["/etc/passwd", "../x", "passwd", "way-out/passwd", "way-out", "/dev/zero"])
      for (const more of [{}, { recursive: true }]) {
        const up = await bed.move({ operation: "upload", local_path, remote_path: "/tmp/never", ...more });
        expect(up.result?.error).toMatchObject({ type: "Forbidden" });
        expect(up.result?.error).not.toHaveProperty("outcome");
      }
    expect(existsSync("/tmp/never")).toBe(false);
    expect(bed.sshd.connections()).toBeGreaterThanOrEqual(connections);
  });

  /** Submits, and waits until the record shows progress. */
  async function moving(file_transfer: object): Promise<JobRecord> {
    const { body } = await bed.service.call<{ id: string }>(
      "POST",
      "/device/execute",
      bed.request(file_transfer),
    );
    for (;;) {
      const record = await bed.service.job(body.data.id);
      if ((record.progress?.bytes_transferred ?? 0) > 0 || record.ended_at !== null) return record;
      await pause(5);
    }
  }

  test("resumes an upload whose session was killed; the record showed its progress", async () => {
    const folder = bed.place("killed");
    const big = randomBytes(90 * mib);
    await bed.put("big.bin", big);
    const file = {
      operation: "upload",
      local_path: "big.bin",
      remote_path: join(folder, "big.bin"),
      chunk_size: 1024,
    };
    const record = await moving(file);
    expect(record.progress).toMatchObject({ total_bytes: big.length });
    const watched = bed.at(`/job/${record.id}/events`).then((answer) => answer.text());
    bed.sshd.killSessions();
    const cut = await bed.service.ended(record.id);
    expect(cut).toMatchObject({
      status: "failed",
      result: { error: { type: "ConnectionLost", outcome: "unknown" } },
    });
    expect(cut).not.toHaveProperty("progress");
    expect(await watched).toMatch(
      new RegExp(`event: progress\\ndata: {"bytes_transferred":\\d+,"total_bytes":${big.length}}\\n`),
    );
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^\.big\.bin\..*\.part$/)]);
    const whole = await bed.move({ ...file, chunk_size: 32_768, resume: true });
    expect(outputOf(whole, "upload")).toMatchObject({
      transfer_result: {
        resumed: true,
        total_bytes: big.length,
        sha256: hashOf(big),
        remote_sha256: hashOf(big),
      },
    });
    expect(hashOf(readFileSync(file.remote_path))).toBe(hashOf(big));
    expect(readdirSync(folder)).toEqual(["big.bin"]);
    await bed.service.call("DELETE", "/file/big.bin");
  });

  test.each(["a cancel", "a server that stops reading"])(
    "%s in the middle ends the transfer and keeps the older file",
    async (what) => {
      const folder = bed.place(what.replaceAll(" ", "-"));
      const path = join(folder, "file");
      writeFileSync(path, "older");
      const record = await moving({
        operation: "upload",
        local_path: "image.bin",
        remote_path: path,
        chunk_size: 1024,
        ...(what === "a cancel" ? {} : { timeout: 5 }),
      });
      expect(record.status).toBe("running");
      if (what === "a cancel") await bed.service.call("DELETE", `/job?id=${record.id}&force=true`);
      else bed.sshd.killSessions("SIGSTOP");
      const { result } = await bed.service.ended(record.id);
      expect(result?.error?.type).toBe(what === "a cancel" ? "Cancelled" : "ReadTimeout");
      expect(readFileSync(path, "utf8")).toBe("older");
      bed.sshd.killSessions();
    },
  );

  test("reports a full disk, missing permission and missing folder in the server's words, and leaves no partial file", async () => {
    const small = join(bed.sshd.folder, "small");
    mkdirSync(small);
    runProgram(["mount", "-t", "tmpfs", "-o", "size=2m,mode=0777", "tmpfs", small], { mustSucceed: true });
    const said = async (remote_path: string) =>
      (await bed.move({ operation: "upload", local_path: "image.bin", remote_path })).result?.error;
    try {
      expect(await said(join(small, "file"))).toMatchObject({
        type: "DriverError",
        message: expect.stringMatching(/Failure: its disk has \d+ bytes left/),
      });
      expect(readdirSync(small)).toEqual([]);
    } finally {
      runProgram(["umount", "-l", small], { mustSucceed: true });
    }
    for (const [path, words] of [
      ["/etc/denied", "Permission denied"],
      ["/no/such/file", "No such file"],
    ] as const) {
      const error = await said(path);
      expect(error?.message).toContain(words);
      // The command's exit was received.
      expect(error).not.toHaveProperty("outcome");
    }
    const missing = await bed.move({
      operation: "download",
      local_path: "never",
      remote_path: "/no/such/file",
    });
    expect(missing.result?.error?.message).toContain("No such file");
    expect(missing.result?.error).not.toHaveProperty("outcome");
    expect(existsSync(join(bed.root, "never"))).toBe(false);
  });
});
