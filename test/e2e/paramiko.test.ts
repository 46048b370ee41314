/** The driver paramiko over the API on real OpenSSH: commands, scripts, sudo with PAM, files, and what goes wrong. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../scripts/testbed/openssh.ts";
import { allowSudo } from "../../scripts/testbed/sudo.ts";
import { ensureUser } from "../../scripts/testbed/users.ts";
import type { JobRecord } from "../../src/model/job.ts";
import { type Service, startService, tempFolder } from "../../src/testkit/service.ts";
import { marker } from "../ssh/support.ts";

/** What PAM takes behind a password. */
const delayMs = 2000;
const wrong = "canary-wrong-sudo-4";

describe.skipIf(needs("openssh", "sudo"))("paramiko", () => {
  let service: Service;
  let sshd: Sshd;
  let files: string;
  beforeAll(async () => {
    files = tempFolder();
    mkdirSync(join(files, "moved"));
    sshd = await startSshd({ user: ensureUser("patchbay-sudo", { shell: "/bin/bash" }) });
    allowSudo(sshd.user, delayMs);
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

  test("commands one after the other, each with both streams and its status", async () => {
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

  test("both streams are read side by side, however much comes on one of them", async () => {
    const command = "head -c 3000000 /dev/zero | tr '\\0' e >&2; echo done";
    const value = outputOf(await run({ command }), command);
    expect(value).toMatchObject({ output: "done\n", exit_status: 0 });
    expect(String((value as { error: string }).error)).toHaveLength(3_000_000);
  });

  test("what is more than is kept is cut, and the command ends by itself", async () => {
    const command = "head -c 20000000 /dev/zero | tr '\\0' x; echo end >&2; exit 4";
    const value = outputOf(await run({ command }), command) as { output: string };
    expect(value).toMatchObject({ error: "end\n", exit_status: 4, truncated: true });
    expect(value.output).toHaveLength(8 * 1024 * 1024);
  });

  test("bytes that are no text, a signal, input, environment, a terminal", async () => {
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

  test("stop_on_error ends the list, and says so", async () => {
    const job = await run({ command: ["true", "false", "echo never"], driver_args: { stop_on_error: true } });
    expect(job.status).toBe("finished");
    expect(Object.keys(job.result?.retval ?? {})).toEqual(["true", "false"]);
    expect(job.warnings).toEqual(["command 2 ended with status 1: 1 more were not run"]);
  });

  test("a command that takes too long is ended on the server, and what it said is kept", async () => {
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

  test("a rendered configuration is one script", async () => {
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

  describe("sudo", () => {
    const asRoot = (config: unknown, more: object = {}) =>
      run({ config, driver_args: { sudo: true, sudo_password: sshd.password, ...more } });

    test.each([true, false])("each command as root, its redirection too (terminal: %s)", async (get_pty) => {
      const path = join(sshd.folder, `root-${get_pty}`);
      const config = ["id -un", `echo written > ${path}`, `stat -c %U ${path}`, "cat"];
      const job = await asRoot(config, { get_pty, ...(get_pty ? {} : {}), timeout: 20 });
      expect(outputOf(job, "id -un")).toMatchObject({
        output: expect.stringMatching(/^root\r?\n$/),
        exit_status: 0,
      });
      expect(outputOf(job, `stat -c %U ${path}`)).toMatchObject({
        output: expect.stringMatching(/^root\r?\n$/),
      });
    });

    test("scripts, with variables, as another user", async () => {
      const script = 'set -u\necho "$NAME of $(id -un)"\ncat /dev/stdin';
      const job = await asRoot(script, { get_pty: false, environment: { NAME: "this is" } });
      expect(outputOf(job, script)).toMatchObject({ output: "this is of root\n", exit_status: 0 });
      const other = await asRoot("id -un", { become_user: "nobody" });
      expect(outputOf(other, "id -un")).toMatchObject({ output: "nobody\r\n" });
    });

    test("a wrong password is told after one try, nothing that follows is tried, and it shows nowhere", async () => {
      const startedAt = performance.now();
      const job = await asRoot(["id -un", "id -un"], { sudo_password: wrong });
      expect(job.result?.error).toMatchObject({
        type: "AuthenticationFailed",
        message: "sudo did not take the password (driver_args.sudo_password)",
      });
      expect(job.result?.error).not.toHaveProperty("outcome");
      expect(performance.now() - startedAt).toBeGreaterThan(delayMs);
      expect(JSON.stringify(job)).not.toContain(wrong);
      expect(service.output()).not.toContain(wrong);
    });

    test("without a password it asks nobody", async () => {
      const job = await run({ config: "id -un", driver_args: { sudo: true } });
      expect(outputOf(job, "id -un")).toMatchObject({
        exit_status: 1,
        error: expect.stringContaining("password is required"),
      });
    });
  });

  test("files up and down, by their hash; nothing outside of the folders", async () => {
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
    expect(denied.result?.error?.message).toContain("permission denied");
  });

  test("the connection test says who and what it is", async () => {
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

  test("a pinned job keeps its session; one that died is opened anew before anything is sent", async () => {
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
