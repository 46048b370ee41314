/** sudo as administrators configure it, on real OpenSSH with real sudo and PAM; its password never appears. */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { allowSudo, type SudoRules } from "../../../scripts/testbed/sudo.ts";
import { ensureUser, type TestUser } from "../../../scripts/testbed/users.ts";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { marker, runningWith } from "../../device/ssh/support.ts";
import { said, watch } from "../jobs/events.ts";

const wrong = "canary-wrong-sudo-4";
/** Delay of PAM after a password. */
const delayMs = 200;
const kinds: Record<string, SudoRules> = {
  password: { defaults: ["passwd_tries=3"] },
  free: { allowed: "NOPASSWD: ALL" },
  tty: { defaults: ["requiretty"] },
  lecture: { defaults: ["lecture=always"] },
  // sudo's behaviour before it ran each command in its own PTY.
  plain: { defaults: ["!use_pty"] },
  // An asterisk for each character of the password.
  feedback: { defaults: ["pwfeedback"] },
  one: { allowed: "/usr/bin/id, /usr/bin/printf" },
};
type Kind = keyof typeof kinds & string;

describe.skipIf(needs("openssh", "sudo"))("sudo", () => {
  const users: Record<Kind, TestUser> = {};
  let service: Service;
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd();
    for (const [kind, rules] of Object.entries(kinds)) {
      users[kind] = ensureUser(`patchbay-sudo-${kind}`, { shell: "/bin/bash" });
      const logfile = `logfile=${join(sshd.folder, `${kind}.log`)}`;
      allowSudo(`patchbay-sudo-${kind}`, delayMs, {
        ...rules,
        defaults: [logfile, ...(rules.defaults ?? [])],
      });
    }
    service = await startService();
  });
  afterAll(async () => {
    await service.stop();
    await sshd.stop();
  });

  function userOf(kind: Kind): TestUser {
    const user = users[kind];
    if (user === undefined) throw new Error(`no user ${kind}`);
    return user;
  }
  function run(kind: Kind, config: unknown, more: object = {}): Promise<JobRecord> {
    const { name, password } = userOf(kind);
    return service.run({
      driver: "paramiko",
      connection_args: { host: sshd.host, port: sshd.port, username: name, password },
      config,
      driver_args: { sudo: true, ...more },
    });
  }
  const withPassword = (kind: Kind, config: unknown, more: object = {}) =>
    run(kind, config, { sudo_password: userOf(kind).password, ...more });
  const outputOf = (job: JobRecord, command: string) => job.result?.retval?.[command];
  const sudoLog = (kind: Kind) => readFileSync(join(sshd.folder, `${kind}.log`), "utf8");

  test.each([
    ["password", {}],
    ["password", { get_pty: false }],
    ["free", {}],
    ["free", { get_pty: false }],
    ["tty", {}],
    ["lecture", {}],
    ["lecture", { get_pty: false }],
    ["plain", { get_pty: false }],
    ["feedback", {}],
    ["feedback", { get_pty: false }],
  ] as const)("%s %j: returns the output of the command only", async (kind, more) => {
    const path = join(sshd.folder, `root-${kind}`);
    const script = 'set -u\necho "$NAME of $(id -un)"\nfalse\necho never';
    const config = ["id -un", `echo written > ${path}`, `stat -c %U ${path}`, script];
    const job = await withPassword(kind, config, { ...more, environment: { NAME: "this" }, timeout: 60 });
    const values = Object.values(job.result?.retval ?? {}) as { output: string; error: string }[];
    const lines = values.map(({ output, error }) => `${output}${error}`.replaceAll("\r", ""));
    expect(lines).toEqual(["root\n", "", "root\n", "this of root\n"]);
    expect(values.map((value) => "exit_status" in value && value.exit_status)).toEqual([0, 0, 0, 1]);
  });

  test("reports a missing terminal; never waits for a password", async () => {
    const noTerminal = await withPassword("tty", "id -un", { get_pty: false });
    expect(outputOf(noTerminal, "id -un")).toMatchObject({
      exit_status: 1,
      error: expect.stringMatching(/tty/),
    });
    const noPassword = await run("password", "id -un");
    expect(outputOf(noPassword, "id -un")).toMatchObject({
      exit_status: 1,
      error: expect.stringContaining("password is required"),
    });
    expect(outputOf(await run("free", "id -un"), "id -un")).toMatchObject({ output: "root\n" });
  });

  test("honours a rule for one program, and names another target user", async () => {
    const job = await withPassword("one", ["id -un", "cat /etc/shadow"]);
    expect(outputOf(job, "id -un")).toMatchObject({ output: "root\r\n", exit_status: 0 });
    expect(outputOf(job, "cat /etc/shadow")).toMatchObject({
      exit_status: 1,
      output: expect.stringContaining("not allowed"),
    });
    const other = await withPassword("password", ["id -un", "echo $(id -un)"], { become_user: "nobody" });
    expect(outputOf(other, "id -un")).toMatchObject({ output: "nobody\r\n" });
    expect(outputOf(other, "echo $(id -un)")).toMatchObject({ output: "nobody\r\n" });
  });

  test.each([true, false])(
    "reports a wrong password after one attempt for the whole job (terminal: %s)",
    async (get_pty) => {
      const tries = () => sudoLog("password").split("incorrect password attempt").length - 1;
      await withPassword("password", "true");
      const before = tries();
      const job = await run("password", ["id -un", "id -un"], { sudo_password: wrong, get_pty });
      expect(job.result?.error).toMatchObject({
        type: "AuthenticationFailed",
        message: "sudo rejected the password (driver_args.sudo_password)",
      });
      expect(job.result?.error).not.toHaveProperty("outcome");
      await expect.poll(tries).toBe(before + 1);
      expect(sudoLog("password")).toContain("1 incorrect password attempt");
      expect(JSON.stringify(job)).not.toContain(wrong);
    },
  );

  test("keeps the password out of process lists, responses, log and files", async () => {
    const { command, seen } = marker();
    const { password } = userOf("password");
    const job = withPassword("password", command.replace(/60$/, "2"), {
      environment: { SECRET_VALUE: "canary-value-7" },
    });
    await seen();
    expect(runningWith(password)).toEqual([]);
    expect(runningWith("canary-value-7")).toEqual([]);
    expect(JSON.stringify(await job)).not.toContain(password);
    expect(service.output()).not.toContain(password);
    for (const name of readdirSync(service.dataDir)) {
      const path = join(service.dataDir, name);
      // Files of a moment come and go.
      if (statSync(path, { throwIfNoEntry: false })?.isFile())
        expect(readFileSync(path).includes(password), name).toBe(false);
    }
  });

  test("streams the output without the dialogue with sudo", async () => {
    const { name, password } = userOf("lecture");
    const gate = join(sshd.folder, "gate");
    const answer = await service.call<{ id: string }>("POST", "/device/execute", {
      driver: "paramiko",
      connection_args: { host: sshd.host, port: sshd.port, username: name, password },
      config: `echo "$WORD"; until [ -e ${gate} ]; do sleep 0.1; done; echo two`,
      driver_args: { sudo: true, sudo_password: password, environment: { WORD: "one" } },
    });
    const { id } = answer.body.data;
    const events = await watch(service, id, (seen) => said(seen).includes("one"));
    writeFileSync(gate, "");
    const { result } = await service.ended(id);
    expect(Object.values(result?.retval ?? {})).toMatchObject([{ output: "one\r\ntwo\r\n", exit_status: 0 }]);
    expect(said(events).trim()).toBe("one");
  });

  test.each([
    ["password", true],
    ["password", false],
    ["plain", false],
    ["free", false],
  ] as const)("%s: kills a command that times out as root (terminal: %s)", async (kind, get_pty) => {
    const mark = `5${Date.now()}`;
    const config = `echo begun; sleep ${mark}`;
    const job = await withPassword(kind, config, { timeout: 3, get_pty });
    expect(job.result?.error).toMatchObject({ type: "ReadTimeout", outcome: "unknown" });
    expect(outputOf(job, config)).toMatchObject({
      output: expect.stringContaining("begun"),
      exit_status: null,
    });
    await expect.poll(() => runningWith(mark), { timeout: 20_000 }).toEqual([]);
  });
});
