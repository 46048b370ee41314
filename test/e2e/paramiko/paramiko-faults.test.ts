/**
 * Failures during a command: its server dies, stops reading, produces too much output; on real OpenSSH and
 * dropbear.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Dropbear, startDropbear } from "../../../scripts/testbed/dropbear.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { signalProcess } from "../../../scripts/testbed/process.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { marker, runningWith } from "../../device/ssh/support.ts";
import { said, watch } from "../jobs/events.ts";

const mib = 1024 * 1024;

describe.skipIf(needs("openssh", "dropbear"))("a command", () => {
  let service: Service;
  let sshd: Sshd;
  let dropbear: Dropbear;
  beforeAll(async () => {
    sshd = await startSshd();
    dropbear = await startDropbear();
    service = await startService();
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
  const run = (more: object, connection: object = {}, server: Sshd | Dropbear = sshd) =>
    service.run({ driver: "paramiko", connection_args: { ...login(server), ...connection }, ...more });

  test("reports a killed sshd as lost, with the output so far and that of earlier commands", async () => {
    const { command, seen } = marker();
    const lost = `echo begun; ${command}`;
    const asked = await service.call<{ id: string }>("POST", "/device/execute", {
      ...{ driver: "paramiko", connection_args: login(), command: ["echo first", lost, "echo never"] },
    });
    const { id } = asked.body.data;
    await seen();
    // What the server has not sent yet dies with it.
    await watch(service, id, (events) => said(events).includes("begun"));
    sshd.killSessions();
    const { status, result } = await service.ended(id);
    expect([status, result?.error]).toMatchObject([
      "failed",
      { type: "ConnectionLost", command: lost, outcome: "unknown", sent: [lost] },
    ]);
    expect(result?.retval).toMatchObject({
      "echo first": { output: "first\n", exit_status: 0 },
      [lost]: { output: "begun\n", exit_status: null },
    });
    expect(result?.retval).not.toHaveProperty("echo never");
  });

  test.each([
    ["its time", { driver_args: { timeout: 2 } }, {}, "ReadTimeout"],
    ["signs of life that are not answered", {}, { keepalive: 1 }, "ConnectionLost"],
    ["the time of the job", { options: { ttl: 5 } }, {}, "JobTimeout"],
  ])("ends by %s if the server stops reading", async (_what, more, connection, type) => {
    const { command, seen } = marker();
    const before = new Set(sshd.sessions());
    const { driver_args, ...options } = { driver_args: {}, ...more };
    const work = {
      command: `cat > /dev/null & ${command}`,
      driver_args: { ...driver_args, input: "x".repeat(mib) },
    };
    const job = run({ ...work, ...options }, connection);
    await seen();
    const stopped = sshd.sessions().filter((pid) => !before.has(pid));
    for (const pid of stopped) signalProcess(pid, "SIGSTOP");
    expect((await job).result?.error).toMatchObject({ type, outcome: "unknown" });
    for (const pid of stopped) signalProcess(pid, "SIGKILL");
  });

  test("is killed on the server when cancelled", async () => {
    const mark = `4${Date.now()}`;
    const { command, seen } = marker();
    const answer = await service.call<{ id: string }>("POST", "/device/execute", {
      driver: "paramiko",
      connection_args: login(),
      command: command.replace("sleep 60", `sleep ${mark}`),
    });
    await seen();
    await expect.poll(() => runningWith(mark).length).toBeGreaterThan(0);
    const { id } = answer.body.data;
    await service.call("DELETE", `/job?id=${id}&force=true`);
    expect((await service.ended(id)).result?.error).toMatchObject({ type: "Cancelled", outcome: "unknown" });
    await expect.poll(() => runningWith(mark)).toEqual([]);
  });

  test("does not hold 200 MB of output on each stream in memory", async () => {
    const says = async (bytes: number) => {
      const command = `head -c ${bytes} /dev/zero | tr '\\0' x | tee /dev/stderr; echo end`;
      const job = await run({ command, options: { ttl: 600 } });
      const value = job.result?.retval?.[command] as { output: string; error: string };
      expect(value).toMatchObject({ exit_status: 0, truncated: true });
      expect([value.output.length, value.error.length]).toEqual([8 * mib, 8 * mib]);
      return peakOf(service);
    };
    // Twice, because memory of the previous run is released only after the next has started.
    await says(20_000_000);
    const before = await says(20_000_000);
    const grown = (await says(200_000_000)) - before;
    // How much garbage waits for the collector depends on the machine; output that is held would all be there.
    expect(grown).toBeLessThan(400_000_000);
  });

  test("on dropbear: variables, input, exit status, timeout", async () => {
    const environment = { NAME: "it's `x`\ntwo" };
    const done = await run(
      { command: 'cat; echo "$NAME"; exit 5', driver_args: { environment, input: "in\n" } },
      {},
      dropbear,
    );
    expect(Object.values(done.result?.retval ?? {})).toMatchObject([
      { output: "in\nit's `x`\ntwo\n", exit_status: 5 },
    ]);
    const late = await run(
      { command: "echo begun; exec sleep 600", driver_args: { timeout: 2 } },
      {},
      dropbear,
    );
    expect(late.result?.error).toMatchObject({ type: "ReadTimeout" });
    expect(Object.values(late.result?.retval ?? {})).toMatchObject([
      { output: "begun\n", exit_status: null },
    ]);
  });
});

/** Peak resident memory in bytes. */
function peakOf({ child }: Service): number {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}
