/**
 * Interrupted configuration sessions of pyeapi: at each step the connection is lost, or the job cancelled.
 * Then logins by cookie.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type Switch, startSwitch } from "../../drivers/pyeapi/switch.ts";

const password = "canary-session-1";

describe("pyeapi", () => {
  let service: Service;
  let device: Switch;
  beforeAll(async () => {
    device = await startSwitch({ password, thinkMs: 0 });
    service = await startService({ env: { PATCHBAY_AUTH_FAILURES: "0" } });
  });
  afterAll(async () => {
    await service.stop();
    device.close();
  });
  afterEach(() => {
    device.meet(undefined);
    device.sessions.clear();
  });

  const request = (more: object, connection: object = {}) => ({
    driver: "pyeapi",
    connection_args: {
      host: "127.0.0.1",
      port: device.port,
      transport: "http",
      username: "admin",
      password,
      ...connection,
    },
    ...more,
  });
  let vlan = 100;
  const change = (more: object = {}) =>
    request({ config: [`vlan ${++vlan}`, "name X"], driver_args: { session: true, ...more } });
  const inForce = () => device.running.includes(`vlan ${vlan}`);

  /** The steps of a change, by the list that performs them. */
  const steps = {
    look: /^show configuration sessions$/,
    fill: /^vlan/,
    commit: /^commit/,
    save: /^write memory$/,
  } as const;
  type Step = keyof typeof steps;
  const isStep = (step: Step, cmds: readonly string[]) => cmds.some((cmd) => steps[step].test(cmd));

  describe("a lost connection", () => {
    /** Once: later lists are answered normally. */
    function loseAt(step: Step, when: "before" | "after"): void {
      let lost = false;
      device.meet({
        [when]: async (cmds: readonly string[]) => {
          if (lost || !isStep(step, cmds)) return "go on";
          lost = true;
          return "lose";
        },
      });
    }

    test.each<[Step, "before" | "after", { done: boolean; outcome: "none" | "unknown" }]>([
      ["look", "before", { done: false, outcome: "none" }],
      ["look", "after", { done: false, outcome: "none" }],
      ["fill", "before", { done: false, outcome: "none" }],
      ["fill", "after", { done: false, outcome: "none" }],
      ["commit", "before", { done: false, outcome: "none" }],
      ["commit", "after", { done: true, outcome: "unknown" }],
      ["save", "before", { done: true, outcome: "unknown" }],
      ["save", "after", { done: true, outcome: "unknown" }],
    ])("at %s, %s it runs: nothing is left behind", async (step, when, { done, outcome }) => {
      loseAt(step, when);
      const job = await service.run(change({ save: true }));
      expect(job).toMatchObject({ status: "failed", result: { error: { type: "ConnectionLost" } } });
      expect(job.result?.error?.outcome ?? "none").toBe(outcome);
      expect([inForce(), [...device.sessions.keys()]]).toEqual([done, []]);
    });

    test("reports a session lost for good, and the next change aborts it", async () => {
      let filled = false;
      device.meet({
        after: async (cmds) => {
          filled ||= isStep("fill", cmds);
          return filled ? "lose" : "go on";
        },
      });
      const lost = await service.run(change());
      expect(lost.result?.error?.type).toBe("ConnectionLost");
      expect(lost.warnings).toEqual([expect.stringMatching(/^the session patchbay-\S+ was left/)]);
      device.sessions.set(`patchbay-${(1_700_000_000).toString(36)}-0123abcd`, ["vlan 666"]);
      device.sessions.set("night-shift", ["vlan 7"]);
      device.meet(undefined);
      expect(await service.run(change())).toMatchObject({ status: "finished" });
      expect([inForce(), [...device.sessions.keys()]]).toEqual([true, ["night-shift"]]);
      expect(device.running).not.toContain("vlan 666");
    });
  });

  describe("a cancelled job", () => {
    /** Holds the list until the job has been cancelled. */
    async function cancelAt(step: Step, when: "before" | "after"): Promise<JobRecord> {
      const reached = Promise.withResolvers<void>();
      const held = Promise.withResolvers<"go on">();
      device.meet({
        [when]: async (cmds: readonly string[]) => {
          if (!isStep(step, cmds)) return "go on";
          reached.resolve();
          return held.promise;
        },
      });
      const { body } = await service.call<{ id: string }>("POST", "/device/execute", change({ save: true }));
      await reached.promise;
      await service.call("DELETE", `/job?id=${body.data.id}&force=true`);
      const job = await service.ended(body.data.id);
      held.resolve("go on");
      return job;
    }

    test.each<[Step, "before" | "after", boolean]>([
      ["look", "after", false],
      ["fill", "after", false],
      ["commit", "before", false],
      ["commit", "after", true],
    ])("at %s, %s it runs: the session is gone", async (step, when, done) => {
      const job = await cancelAt(step, when);
      expect(job.result?.error).toMatchObject({ type: "Cancelled" });
      expect(job.result?.error?.outcome ?? "none").toBe(done ? "unknown" : "none");
      await expect.poll(() => [...device.sessions.keys()]).toEqual([]);
      expect(inForce()).toBe(done);
    });
  });

  test("does not add to another user's session of the same name", async () => {
    device.sessions.set("change-9", ["vlan 9"]);
    const job = await service.run(change({ session: "change-9" }));
    expect(job.result?.error).toMatchObject({
      type: "CommandError",
      message: expect.stringContaining("choose another name"),
    });
    expect(device.sessions.get("change-9")).toEqual(["vlan 9"]);
  });

  describe("login by cookie", () => {
    const pinned = (more: object) =>
      request({ options: { queue_strategy: "pinned" }, ...more }, { auth: "session" });

    test("renews a session that the switch has forgotten once, and makes the change once", async () => {
      expect(await service.run(pinned({ command: "show version" }))).toMatchObject({ status: "finished" });
      device.logins.forget();
      expect(await service.run(pinned({ command: "show version" }))).toMatchObject({ status: "finished" });
      device.logins.forget();
      const before = device.asked.length;
      const config = [`vlan ${++vlan}`];
      expect(await service.run(pinned({ config }))).toMatchObject({ status: "finished" });
      expect(device.running.filter((line) => line === `vlan ${vlan}`)).toHaveLength(1);
      expect(device.asked.length - before).toBe(1);
      expect(device.logins.count).toBe(1);
    });

    test("does not retry a rejected renewal forever", async () => {
      expect(await service.run(pinned({ command: "show version" }))).toMatchObject({ status: "finished" });
      device.refuse(true);
      const before = device.logins.count;
      const refused = await service.run(pinned({ command: "show version" }));
      device.refuse(false);
      expect(refused.result?.error).toMatchObject({ type: "AuthenticationFailed" });
      expect(device.logins.count - before).toBeLessThanOrEqual(1);
    });

    test("logs out when the session is closed", async () => {
      device.logins.forget();
      const job = await service.run(request({ command: "show version" }, { auth: "session" }));
      expect(job.status).toBe("finished");
      await expect.poll(() => device.logins.count).toBe(0);
    });
  });

  test("reopens a kept connection that the switch has closed", async () => {
    const pinned = request({ command: "show version", options: { queue_strategy: "pinned" } });
    expect(await service.run(pinned)).toMatchObject({ status: "finished" });
    device.hangUp();
    expect(await service.run(pinned)).toMatchObject({ status: "finished" });
  });
});
