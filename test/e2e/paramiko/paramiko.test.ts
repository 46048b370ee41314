/** The paramiko driver over the API on real OpenSSH: commands, scripts, files, and failures. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { marker } from "../../device/ssh/support.ts";

describe.skipIf(needs("openssh"))("paramiko", () => {
  let service: Service;
  let sshd: Sshd;
  let files: string;
  beforeAll(async () => {
    files = tempFolder();
    mkdirSync(join(files, "moved"));
    sshd = await startSshd();
    service = await startService({ env: { PATCHBAY_TRANSFER_ROOTS: join(files, "moved") } });
  });
  afterAll(async () => {
    await service.stop();
    await sshd.stop();
  });

  const login = (more: object = {}) => ({
    host: sshd.host,
    port: sshd.port,
    username: sshd.user,
    password: sshd.password,
    ...more,
  });
  const run = (more: object, connection: object = {}): Promise<JobRecord> =>
    service.run({ driver: "paramiko", connection_args: login(connection), ...more });
  const outputOf = (job: JobRecord, command: string) => job.result?.retval?.[command];

  test("runs commands in order, each with both streams and its exit status", async () => {
    const job = await run({
      command: ["echo out; echo err >&2; exit 3", "printf 'für Löwen'", "echo out; echo err >&2; exit 3"],
    });
    expect(job).toMatchObject({ status: "finished", queue: "fifo", driver: "paramiko" });
    expect(job.result?.retval).toEqual({
      "echo out; echo err >&2; exit 3": {
        output: "out\n",
        error: "err\n",
        exit_status: 3,
        duration: expect.any(Number),
      },
      "printf 'für Löwen'": { output: "für Löwen", error: "", exit_status: 0, duration: expect.any(Number) },
      "echo out; echo err >&2; exit 3 #2": {
        output: "out\n",
        error: "err\n",
        exit_status: 3,
        duration: expect.any(Number),
      },
    });
  });

  test("reads both streams concurrently, however much one of them sends", async () => {
    const command = "head -c 3000000 /dev/zero | tr '\\0' e >&2; echo done";
    const value = outputOf(await run({ command }), command);
    expect(value).toMatchObject({ output: "done\n", exit_status: 0 });
    expect(String((value as { error: string }).error)).toHaveLength(3_000_000);
  });

  test("truncates output above the limit and lets the command finish", async () => {
    const command = "head -c 20000000 /dev/zero | tr '\\0' x; echo end >&2; exit 4";
    const value = outputOf(await run({ command }), command) as { output: string };
    expect(value).toMatchObject({ error: "end\n", exit_status: 4, truncated: true });
    expect(value.output).toHaveLength(8 * 1024 * 1024);
  });

  test("handles binary output, signals, input, environment and a terminal", async () => {
    const job = await run({
      command: ["printf '\\377ok'", "kill -9 $$", "cat", 'echo "$GREETING"; tty; exit 0'],
      driver_args: { environment: { GREETING: "it's $HOME `x`" }, input: "typed\n" },
    });
    expect(outputOf(job, "printf '\\377ok'")).toMatchObject({ output: "\ufffdok" });
    expect(outputOf(job, "kill -9 $$")).toMatchObject({ exit_status: 137, signal: "SIGKILL" });
    expect(outputOf(job, "cat")).toMatchObject({ output: "typed\n" });
    expect(outputOf(job, 'echo "$GREETING"; tty; exit 0')).toMatchObject({
      output: "it's $HOME `x`\nnot a tty\n",
    });
    const pty = await run({ command: "tty", driver_args: { get_pty: true } });
    expect(outputOf(pty, "tty")).toMatchObject({ output: expect.stringMatching(/^\/dev\/pts\//) });
  });

  test("stop_on_error ends the list with a warning", async () => {
    const job = await run({ command: ["true", "false", "echo never"], driver_args: { stop_on_error: true } });
    expect(job.status).toBe("finished");
    expect(Object.keys(job.result?.retval ?? {})).toEqual(["true", "false"]);
    expect(job.warnings).toEqual(["command 2 exited with status 1: 1 further commands were not run"]);
  });

  test("fail_on_error fails the job at the first command that does not succeed", async () => {
    const config = ["true", "echo out; echo 'no room' >&2; exit 3", "echo never"];
    const job = await run({ config, driver_args: { fail_on_error: true } });
    expect(job.status).toBe("failed");
    expect(job.result?.error).toMatchObject({
      type: "CommandError",
      message: "The command ended with exit status 3: no room",
      command: config[1],
    });
    expect(Object.keys(job.result?.retval ?? {})).toEqual(config.slice(0, 2));
    expect(job.result?.retval?.[config[1] ?? ""]).toMatchObject({ output: "out\n", exit_status: 3 });
    const killed = await run({ config: "kill -9 $$", driver_args: { fail_on_error: true } });
    expect(killed.result?.error).toMatchObject({
      type: "CommandError",
      message: "The command was ended by the signal SIGKILL",
    });
    const fine = await run({ config: "echo fine", driver_args: { fail_on_error: true } });
    expect(fine.status).toBe("finished");
    const later = await service.call<object>("POST", "/device/execute", {
      ...{ driver: "paramiko", connection_args: login(), config: "true" },
      driver_args: { fail_on_error: true, detach: true },
    });
    expect(JSON.stringify(later.body)).toContain("cannot be used with detach");
  });

  test("kills a command that times out and keeps its output", async () => {
    const { command, seen } = marker();
    const job = run({ command: ["echo first", `echo begun; ${command}`], driver_args: { timeout: 2 } });
    await seen();
    const { result } = await job;
    expect(result?.error).toMatchObject({
      type: "ReadTimeout",
      command: `echo begun; ${command}`,
      outcome: "unknown",
    });
    expect(result?.retval?.["echo first"]).toMatchObject({ output: "first\n" });
    expect(result?.retval?.[`echo begun; ${command}`]).toMatchObject({
      output: "begun\n",
      exit_status: null,
    });
  });

  test("a script of several lines stops at its first failure", async () => {
    const config = `echo one > ${sshd.folder}/script\nfalse\necho two >> ${sshd.folder}/script`;
    const job = await run({ config });
    expect(outputOf(job, config)).toMatchObject({ exit_status: 1 });
    expect(readFileSync(join(sshd.folder, "script"), "utf8")).toBe("one\n");
  });

  test("runs a rendered configuration as one script", async () => {
    const job = await run({
      config: { words: ["a", "b"] },
      options: {
        rendering: {
          name: "jinja2",
          template: "{% for w in words %}\nif true; then\n  echo {{ w }}\nfi\n{% endfor %}",
        },
      },
    });
    expect(Object.values(job.result?.retval ?? {})).toMatchObject([{ output: "a\nb\n", exit_status: 0 }]);
  });

  test("transfers files both ways with verified hashes, only within the folders", async () => {
    const bytes = Buffer.alloc(300_000, "patchbay ");
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    writeFileSync(join(files, "moved", "up.bin"), bytes);
    const move = (operation: string, local: string, remote: string, more: object = {}) =>
      run({
        command: ["__FILE_TRANSFER__"],
        driver_args: { file_transfer: { operation, local_path: local, remote_path: remote, ...more } },
      });
    const remote = join(sshd.folder, "there.bin");
    const up = await move("upload", join(files, "moved", "up.bin"), remote);
    expect(outputOf(up, "file_transfer_upload")).toMatchObject({
      exit_status: 0,
      transfer_result: { success: true, bytes_transferred: bytes.length, total_bytes: bytes.length, sha256 },
    });
    const down = await move("download", join(files, "moved", "down.bin"), remote);
    expect(outputOf(down, "file_transfer_download")).toMatchObject({ transfer_result: { sha256 } });
    expect(readFileSync(join(files, "moved", "down.bin")).equals(bytes)).toBe(true);
    const outside = await move("upload", "/etc/passwd", remote);
    expect(outside).toMatchObject({ status: "failed", result: { error: { type: "Forbidden" } } });
    const denied = await move("upload", join(files, "moved", "up.bin"), "/root/there.bin");
    expect(denied.result?.error?.message).toContain("Permission denied");
  });

  test("a connection test reports user and server", async () => {
    const test = async (more: object) =>
      (
        await service.call<Record<string, unknown>>("POST", "/device/test-connection", {
          driver: "paramiko",
          connection_args: login(more),
        })
      ).body.data;
    expect(await test({})).toMatchObject({
      success: true,
      device_info: {
        prompt: `${sshd.user}@${sshd.host}`,
        device_type: "linux",
        host: sshd.host,
        system_info: expect.stringContaining("Linux"),
        host_key: `${sshd.hostKeys[0]?.type} ${sshd.hostKeys[0]?.fingerprint}`,
      },
    });
    expect(await test({ password: "not-it" })).toMatchObject({
      success: false,
      error_message: `Authentication failed for ${sshd.user}@${sshd.host}`,
    });
  });

  test("a pinned job keeps its session; a dead one is reopened before anything is sent", async () => {
    const pinned = { command: "echo x", options: { queue_strategy: "pinned" } };
    await run(pinned);
    const before = sshd.connections();
    expect(await run(pinned)).toMatchObject({ status: "finished" });
    expect(sshd.connections()).toBe(before);
    sshd.killSessions();
    expect(await run(pinned)).toMatchObject({ status: "finished" });
    expect(sshd.connections()).toBe(before + 1);
  });
});
