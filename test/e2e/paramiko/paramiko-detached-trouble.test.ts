/** Detached tasks gone wrong: output without end, ids that are paths, a job that is cancelled while its task starts. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import { ensureUser } from "../../../scripts/testbed/users.ts";
import type { DetachedTaskPiece, DetachedTaskRecord } from "../../../src/api/jobs/detached.ts";
import { pause } from "../../../src/base/time/deadline.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { runningWith } from "../../device/ssh/support.ts";

describe.skipIf(needs("openssh"))("a detached task", () => {
  let service: Service;
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd({ user: ensureUser("patchbay-detached", { shell: "/bin/bash" }) });
    service = await startService();
  });
  afterAll(async () => {
    await service.stop();
    await sshd.stop();
  });

  async function submit(command: string): Promise<string> {
    const { host, port, user: username, password } = sshd;
    const connection_args = { host, port, username, password };
    const request = { driver: "paramiko", connection_args, command, driver_args: { detach: true } };
    return (await service.call<{ id: string }>("POST", "/device/execute", request)).body.data.id;
  }
  const read = async (id: string, offset = 0) =>
    (await service.call<DetachedTaskPiece>("GET", `/detached-task/${id}?offset=${offset}`)).body.data;
  const end = (id: string) =>
    service.call<DetachedTaskRecord & { removed: boolean }>("DELETE", `/detached-task/${id}`);

  test("prints without end: it is read in pieces of a megabyte, and a stop ends it", async () => {
    const id = await submit("yes");
    await service.ended(id);
    const size = async () => (await read(id)).size;
    await expect.poll(size, { timeout: 60_000 }).toBeGreaterThan(4 * 1024 * 1024);
    const { output, next_offset: next } = await read(id, 1_024);
    expect([output.length, next]).toEqual([1024 * 1024, 1024 * 1024 + 1_024]);
    expect((await end(id)).body.data.state).toBe("stopped");
    expect((await end(id)).body.data.removed).toBe(true);
  });

  test.each(["..%2f..%2fetc", "$(id)", "'", "%00"])("has no id such as %s", async (id) => {
    expect((await service.call("GET", `/detached-task/${id}`)).status).toBe(404);
    expect((await service.call("DELETE", `/detached-task/${id}?force=true`)).status).toBe(404);
  });

  test("that is read while its job starts it is not lost", async () => {
    const states = new Set<string>();
    for (let at = 0; at < 3; at++) {
      const id = await submit("sleep 418");
      const isOver = service.ended(id).then(() => true);
      while (!(await Promise.race([isOver, pause(10).then(() => false)]))) {
        const { data } = (await service.call<DetachedTaskPiece | null>("GET", `/detached-task/${id}`)).body;
        if (data !== null) states.add(data.state);
      }
      expect((await read(id)).state).toBe("running");
      await end(id);
    }
    expect([...states].filter((state) => state !== "starting" && state !== "running")).toEqual([]);
    expect(states).toContain("starting");
  });

  test("whose job is cancelled while it starts runs on only if its record says so", async () => {
    for (const pauseMs of [0, 50, 100, 200]) {
      const id = await submit("sleep 417");
      await pause(pauseMs);
      await service.call("DELETE", `/job?id=${id}&force=true`);
      await service.ended(id);
      const { state } = await read(id);
      const running = () => runningWith("sleep 417").length;
      if (state !== "running") expect(running()).toBe(0);
      else {
        // The record is there before the shell of the device has become the command.
        await expect.poll(running).toBeGreaterThan(0);
        await end(id);
      }
    }
  });
});
