/**
 * Detached tasks that outlive their session, on real OpenSSH and on dropbear with busybox: started, watched,
 * stopped, removed.
 */
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Dropbear, startDropbear } from "../../../scripts/testbed/dropbear.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { run as runProgram } from "../../../scripts/testbed/run.ts";
import { allowSudo } from "../../../scripts/testbed/sudo.ts";
import { ensureUser } from "../../../scripts/testbed/users.ts";
import type { DetachedTaskPiece, DetachedTaskRecord } from "../../../src/api/jobs/detached.ts";
import { programOf, type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { runningWith } from "../../device/ssh/support.ts";

describe.skipIf(needs("openssh", "sudo", "dropbear"))("detached tasks", () => {
  const dataDir = tempFolder();
  let service: Service;
  let sshd: Sshd;
  let dropbear: Dropbear;
  beforeAll(async () => {
    sshd = await startSshd({ user: ensureUser("patchbay-detached", { shell: "/bin/bash" }) });
    allowSudo(sshd.user, 0);
    dropbear = await startDropbear();
    service = await startService({ dataDir });
  });
  afterAll(async () => {
    await service.stop();
    await Promise.all([sshd.stop(), dropbear.stop()]);
  });

  const login = (server: Sshd | Dropbear = sshd) => ({
    host: server.host,
    port: server.port,
    username: server.user,
    password: server.password,
  });
  async function start(work: object, args: object = {}, server: Sshd | Dropbear = sshd): Promise<string> {
    const driver_args = { detach: true, ...args };
    const job = await service.run({
      driver: "paramiko",
      connection_args: login(server),
      ...work,
      driver_args,
    });
    expect(job).toMatchObject({ status: "finished", result: { error: null } });
    const [value] = Object.values(job.result?.retval ?? {});
    expect(value).toEqual({ task_id: job.id });
    return job.id;
  }
  const read = async (id: string, offset = 0) =>
    (await service.call<DetachedTaskPiece>("GET", `/detached-task/${id}?offset=${offset}`)).body.data;
  const end = (id: string) =>
    service.call<DetachedTaskRecord & { removed: boolean }>("DELETE", `/detached-task/${id}`);
  const ended = async (id: string, state = "ended") => {
    await expect.poll(async () => (await read(id)).state, { timeout: 60_000, interval: 100 }).toBe(state);
    return read(id);
  };
  const list = async (query: string) =>
    (await service.call<DetachedTaskRecord[]>("GET", `/detached-task?${query}`)).body.data;
  const folderOf = (id: string) => join("/home", sshd.user, ".local/state/patchbay", id);

  test("survives its session and a restart of the service, and is read from any byte", async () => {
    const gate = join(sshd.folder, "gate");
    runProgram(["mkfifo", "-m", "666", gate], { mustSucceed: true });
    const command = `echo begun; echo problem >&2; cat ${gate}; echo "$NAME"; exit 3`;
    const id = await start({ command }, { environment: { NAME: "für Löwen" } });
    expect(await read(id)).toMatchObject({ state: "running", exit_status: null, output: "begun\nproblem\n" });
    sshd.killSessions();
    await service.kill();
    service = await startService({ dataDir });
    expect(await read(id, 6)).toMatchObject({ id, state: "running", output: "problem\n", next_offset: 14 });
    expect(await list("state=running")).toMatchObject([{ id, host: sshd.host, command }]);
    writeFileSync(gate, "through the gate\n");
    expect(await ended(id)).toMatchObject({ exit_status: 3, ended_at: expect.stringMatching(/^20/) });
    const rest = await read(id, 14);
    expect(rest).toMatchObject({ output: "through the gate\nfür Löwen\n", size: 43, next_offset: 43 });
    // In the middle of a character.
    expect((await read(id, 33)).output).toBe("\ufffdr Löwen\n");
    expect((await read(id, 1_000)).output).toBe("");
  });

  test("runs commands in order with their input, and stops at a failure if requested", async () => {
    const commands = ["cat", "false", "echo last"];
    const all = await start({ command: commands }, { input: "typed" });
    expect(await ended(all)).toMatchObject({ output: "typedlast\n", exit_status: 0 });
    const some = await start({ command: commands }, { input: "typed", stop_on_error: true });
    expect(await ended(some)).toMatchObject({ output: "typed", exit_status: 1 });
    const script = await start({ config: "echo one\nfalse\necho two" });
    expect(await ended(script)).toMatchObject({ output: "one\n", exit_status: 1 });
  });

  test.each([true, false])("runs, is watched and is stopped as root (terminal: %s)", async (get_pty) => {
    const mark = `9${Date.now()}`;
    const identity = { sudo: true, sudo_password: sshd.password, get_pty };
    const id = await start({ config: `id -un\nprintf 'a\\tb\\r\\n'\nsleep ${mark}` }, identity);
    await expect.poll(async () => (await read(id)).output).toBe("root\na\tb\r\n");
    expect(existsSync(`/root/.local/state/patchbay/${id}/out`)).toBe(true);
    expect((await end(id)).body.data).toMatchObject({ id, state: "stopped", removed: false });
    expect(runningWith(mark)).toEqual([]);
    expect((await end(id)).body.data).toMatchObject({ removed: true });
    expect(existsSync(`/root/.local/state/patchbay/${id}`)).toBe(false);
    expect((await service.call("GET", `/detached-task/${id}`)).status).toBe(404);
    expect(JSON.stringify(service.output())).not.toContain(sshd.password);
  });

  test("a stop also ends background processes and those that ignore TERM", async () => {
    const mark = `8${Date.now()}`;
    const id = await start({ command: `trap '' TERM; sleep ${mark} & sleep ${mark}; sleep ${mark}` });
    await expect.poll(() => runningWith(mark).length).toBeGreaterThan(1);
    expect((await end(id)).body.data).toMatchObject({ state: "stopped", exit_status: null });
    expect(runningWith(mark)).toEqual([]);
    expect(await read(id)).toMatchObject({ state: "stopped" });
  });

  test("works on dropbear and busybox", async () => {
    const mark = `7${Date.now()}`;
    const id = await start({ command: "echo $((6 * 7)); exit 4" }, {}, dropbear);
    expect(await ended(id)).toMatchObject({ output: "42\n", exit_status: 4 });
    const long = await start({ command: `echo on; sleep ${mark}` }, {}, dropbear);
    await expect.poll(async () => (await read(long)).output).toBe("on\n");
    expect((await end(long)).body.data).toMatchObject({ state: "stopped" });
    expect(runningWith(mark)).toEqual([]);
  });

  test("distinguishes a reboot, a killed process and missing files", async () => {
    const mark = `6${Date.now()}`;
    const rebooted = await start({ command: `sleep ${mark}` });
    const path = join(folderOf(rebooted), "process");
    const [pid = "", group, since, , begun] = readFileSync(path, "utf8").split("\n");
    process.kill(-Number(pid), "SIGKILL");
    writeFileSync(path, [pid, group, since, randomUUID(), begun, ""].join("\n"));
    expect(await read(rebooted)).toMatchObject({ state: "rebooted", exit_status: null });
    const killed = await start({ command: `sleep ${mark}` });
    process.kill(-Number(readFileSync(join(folderOf(killed), "process"), "utf8").split("\n")[0]), "SIGKILL");
    expect(await read(killed)).toMatchObject({ state: "lost", exit_status: null });
    runProgram(["rm", "-rf", folderOf(killed)]);
    expect(await read(killed)).toMatchObject({ state: "lost", output: "" });
    expect((await end(killed)).body.data).toMatchObject({ removed: true });
  });

  test("masks secrets of the request in its output and files", async () => {
    const id = await start({ command: `printf 'it is %s, truly' '${sshd.password}'` });
    await ended(id);
    expect((await read(id)).output).toBe("it is [secret], truly");
    expect((await read(id, 10)).output).toBe("[secret], truly");
    const given = { API_TOKEN: "token-canary-1", PLAIN: "shown" };
    const other = await start({ command: 'echo "$API_TOKEN $PLAIN"' }, { environment: given });
    expect((await ended(other)).output).toBe("[secret] shown\n");
    expect(JSON.stringify(await list(""))).not.toContain(sshd.password);
    for (const name of readdirSync(dataDir)) {
      const path = join(dataDir, name);
      if (statSync(path).isFile()) expect(readFileSync(path).includes(sshd.password), name).toBe(false);
    }
  });

  test("a key sees and stops only tasks in its reach; a read key stops none", async () => {
    const id = await start({ command: "true" });
    const keyOf = (name: string, ...more: string[]) =>
      runProgram([...programOf(), "key", "add", name, ...more, "--data-dir", dataDir])
        .stdout.split(/\s+/)
        .find((word) => word.startsWith("pb_")) ?? "";
    const ask = (key: string, method: string, path = `/detached-task/${id}`) =>
      service.call<unknown[]>(method, path, undefined, { "X-API-KEY": key });
    const elsewhere = keyOf("elsewhere", "--hosts", "192.0.2.*");
    expect(await ask(elsewhere, "GET")).toMatchObject({ status: 404 });
    expect(await ask(elsewhere, "DELETE")).toMatchObject({ status: 404 });
    expect((await ask(elsewhere, "GET", "/detached-task")).body.data).toEqual([]);
    const reader = keyOf("reader", "--scope", "read");
    expect(await ask(reader, "GET")).toMatchObject({ status: 200 });
    expect(await ask(reader, "DELETE")).toMatchObject({ status: 403 });
  });

  test("rejects invalid requests, and reports an unreachable server", async () => {
    const submit = (more: object) =>
      service.call("POST", "/device/execute", { driver: "paramiko", connection_args: login(), ...more });
    const transfer = { operation: "upload", local_path: "/a", remote_path: "/b" };
    const refused = [
      await submit({
        command: "id",
        driver_args: { detach: true },
        parsing: { name: "textfsm", template: "" },
      }),
      await submit({
        command: ["__FILE_TRANSFER__"],
        driver_args: { detach: true, file_transfer: transfer },
      }),
      await service.call("GET", `/detached-task/${randomUUID()}?offset=-1`),
      await service.call("GET", "/detached-task?state=odd"),
    ];
    expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
    expect((await service.call("GET", `/detached-task/${randomUUID()}`)).status).toBe(404);
    const other = await startSshd();
    const id = await start({ command: "true" }, {}, other);
    await other.stop();
    const away = await service.call("GET", `/detached-task/${id}`);
    expect(away).toMatchObject({ status: 200, body: { code: -1, data: { reason: "ConnectionRefused" } } });
    expect(await service.call("DELETE", `/detached-task/${id}?force=true`)).toMatchObject({
      body: { code: 200, data: { removed: true } },
    });
  });
});
