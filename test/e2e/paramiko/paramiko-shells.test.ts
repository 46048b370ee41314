/** Accounts with login shells of every kind, on real OpenSSH with real sudo: what is sent is run as it is written. */
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs, servers } from "../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { allowSudo } from "../../../scripts/testbed/sudo.ts";
import { ensureUser, type TestUser } from "../../../scripts/testbed/users.ts";
import type { DetachedTaskPiece } from "../../../src/api/jobs/detached.ts";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";

const shells = ["/bin/bash", "/bin/rbash", "/bin/dash", ...servers.shells.files];
const nameOf = (shell: string) => `patchbay-shell-${shell.replace(/^.*\//, "").replace(/\W/g, "-")}`;
/** Characters that some of the shells take for their own. */
const hard = `it's "5!" \\\\ \\' $HOME \`id\` {a,b} %1 =ls ~ * é`;

describe.skipIf(needs("openssh", "sudo", "shells"))("a login shell", () => {
  const users = new Map<string, TestUser>();
  const transfers = tempFolder();
  let service: Service;
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd();
    for (const shell of shells) {
      users.set(shell, ensureUser(nameOf(shell), { shell }));
      allowSudo(nameOf(shell), 0);
    }
    service = await startService({ env: { PATCHBAY_TRANSFER_ROOTS: transfers } });
  });
  afterAll(async () => {
    await service.stop();
    await sshd.stop();
  });

  const loginOf = (shell: string) => {
    const { name, password } = users.get(shell) ?? { name: "", password: "" };
    return { host: sshd.host, port: sshd.port, username: name, password };
  };
  async function run(shell: string, work: object, args: object) {
    const connection_args = loginOf(shell);
    const job = await service.run({ driver: "paramiko", connection_args, ...work, driver_args: args });
    expect(job).toMatchObject({ status: "finished", result: { error: null } });
    const values = Object.values(job.result?.retval ?? {}) as {
      output: string;
      error: string;
      exit_status: number;
    }[];
    return values.map(({ output, error, exit_status }) => [
      `${output}${error}`.replaceAll("\r", ""),
      exit_status,
    ]);
  }

  test.each(shells)(
    "%s: sudo runs words, a line and a script as they are, with their status",
    async (shell) => {
      const folder = mkdtempSync(join(sshd.folder, "root-"));
      chmodSync(folder, 0o777);
      const config = [
        "id -un",
        `printf '%s\\n' ${hardWord} > ${folder}/file; exit 5`,
        `set -u\nprintf '%s\\n' "$WORD of $(id -un)"\ncd ${folder}/none 2>/dev/null\ntouch ${folder}/never`,
      ];
      for (const get_pty of [true, false]) {
        const sudo = { sudo: true, sudo_password: loginOf(shell).password, get_pty };
        const [words, line] = await run(shell, { config: config.slice(0, 2) }, sudo);
        expect([words, line]).toEqual([
          ["root\n", 0],
          ["", 5],
        ]);
        expect(readFileSync(join(folder, "file"), "utf8")).toBe(`${hard}\n`);
        const [script] = await run(shell, { config: config[2] }, { ...sudo, environment: { WORD: hard } });
        expect([script?.[0], script?.[1] === 0]).toEqual([`${hard} of root\n`, false]);
        expect(() => readFileSync(join(folder, "never"))).toThrow("ENOENT");
      }
    },
  );

  test.each(shells)("%s: a script without sudo, an environment, a detached task", async (shell) => {
    const script = `printf '%s\\n' ${hardWord}\nfalse\necho never`;
    for (const get_pty of [true, false]) {
      const [ended] = await run(shell, { config: script }, { get_pty });
      expect(ended).toEqual([`${hard}\n`, 1]);
      const [value] = await run(
        shell,
        { command: "env" },
        { get_pty, environment: { WORD: hard, LC_ALL: "C.UTF-8" } },
      );
      expect(value?.[0]).toContain(`WORD=${hard}\n`);
    }
    const sudo = { sudo: true, sudo_password: loginOf(shell).password, detach: true };
    const detached = await service.run({
      driver: "paramiko",
      connection_args: loginOf(shell),
      config: `printf '%s\\n' ${hardWord} "$WORD"\nid -un`,
      driver_args: { ...sudo, environment: { WORD: hard } },
    });
    const read = async () =>
      (await service.call<DetachedTaskPiece>("GET", `/detached-task/${detached.id}?offset=0`)).body.data;
    await expect.poll(async () => (await read()).state, { timeout: 30_000 }).toBe("ended");
    expect((await read()).output).toBe(`${hard}\n${hard}\nroot\n`);
    await service.call("DELETE", `/detached-task/${detached.id}`);
  });

  test.each(shells)("%s: an uploaded file is compared and run under a hard name", async (shell) => {
    writeFileSync(join(transfers, "file.sh"), "#!/bin/sh\necho ran\n");
    const name = shell.includes("/rc") ? "a b.sh" : `a 'b!c\\$.sh`;
    const file_transfer = {
      operation: "upload",
      local_path: "file.sh",
      remote_path: name,
      execute_after_upload: !shell.includes("rbash"),
    };
    const job = await service.run({
      driver: "paramiko",
      connection_args: loginOf(shell),
      command: ["__FILE_TRANSFER__"],
      driver_args: { file_transfer },
    });
    const entry = job.result?.retval?.file_transfer_upload as {
      output: string;
      transfer_result: Record<string, unknown>;
    };
    expect(entry.transfer_result.remote_sha256).toBe(entry.transfer_result.sha256);
    if (file_transfer.execute_after_upload) expect(entry.output).toBe("ran\n");
  });
});

const hardWord = `'${hard.replaceAll("'", "'\\''")}'`;
