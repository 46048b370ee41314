/** napalm on a switch behind NX-API and a router behind its XML agent, over the API. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type Router, startRouter } from "../../drivers/napalm/iosxr/router.ts";
import { type NxosSwitch, startNxosSwitch } from "../../drivers/napalm/nxos/switch.ts";
import { password } from "../../drivers/napalm/open.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { PATCHBAY_AUTH_FAILURES: "0" } });
});
afterAll(() => service.stop());

const run = (device_type: string, optional_args: object, more: object): Promise<JobRecord> =>
  service.run({
    driver: "napalm",
    connection_args: { device_type, hostname: "127.0.0.1", username: "admin", password, optional_args },
    ...more,
  });
const changeOf = (job: JobRecord) => Object.values(job.result?.retval ?? {})[0];

describe("nxos", () => {
  let device: NxosSwitch;
  const on = (more: object) =>
    run("nxos", { transport: "http", port: device.port, ssh_port: device.sshPort }, more);
  beforeAll(async () => {
    device = await startNxosSwitch({ password });
  });
  afterAll(() => device.close());

  test("dry-runs, commits and rolls back a change", async () => {
    const config = "interface Ethernet1/1\n  description new";
    const tried = await on({ config, driver_args: { dry_run: true } });
    expect(changeOf(tried)).toEqual({ committed: false, diff: config });
    const made = await on({ config, driver_args: { message: "CHG-7" } });
    expect(changeOf(made)).toEqual({ committed: true, diff: config });
    expect(made.warnings).toEqual([expect.stringContaining("does not store commit comments")]);
    expect(device.startup).toContain(config);
    const back = await on({ command: "rollback" });
    expect(back.result?.retval).toMatchObject({ rollback: { rolled_back: true } });
    expect([...device.files.keys(), ...device.startup]).toEqual(["hostname sw1", ...device.running.slice(1)]);
  });

  test("uploads a replacement by SCP and names a rejected line", async () => {
    const config = "!Command: Checkpoint cmd vdc 1\n\nhostname sw7\n\ninterface Ethernet1/2\n";
    expect(changeOf(await on({ config, driver_args: { replace: true } }))).toMatchObject({ committed: true });
    expect(device.running).toEqual(["hostname sw7", "interface Ethernet1/2"]);
    const refused = await on({ config: ["hostname sw8", "bogus"] });
    expect(refused.result?.error).toMatchObject({ type: "CommandError", command: "bogus", line: 2 });
    expect(device.running).toEqual(["hostname sw7", "interface Ethernet1/2"]);
  });

  test("returns facts, and reports unsupported methods", async () => {
    const job = await on({ command: ["is_alive", "show hostname", "get_vlans"] });
    expect(job.result?.retval).toMatchObject({
      is_alive: { is_alive: true },
      "show hostname": "sw1",
      get_vlans: { error: { type: "CommandError" } },
    });
    const told = await service.call("POST", "/device/test-connection", {
      driver: "napalm",
      connection_args: {
        device_type: "nxos",
        hostname: "127.0.0.1",
        username: "admin",
        password: "wrong",
        optional_args: { transport: "http", port: device.port },
      },
    });
    expect(JSON.stringify(told.body)).toMatch(/Authentication failed/);
  });
});

describe("iosxr", () => {
  let device: Router;
  const on = (more: object) => run("cisco_iosxr", { port: device.port }, more);
  beforeAll(async () => {
    device = await startRouter({ password });
    Object.assign(device.manners, { echo: true, messages: true });
  });
  afterAll(() => device.close());

  test("dry-runs a change, commits it with a timer, confirms it, and rolls it back", async () => {
    const before = [...device.running];
    const config = "hostname R2";
    const tried = await on({ config, driver_args: { dry_run: true } });
    expect(changeOf(tried)).toEqual({ committed: false, diff: "+  hostname R2" });
    const made = await on({ config, driver_args: { revert_in: 60, message: "<CHG-7>" } });
    expect(changeOf(made)).toMatchObject({ committed: true, reverts_in: 60, handle: "1000000001" });
    expect([device.waiting(), device.comments]).toEqual([60, ["<CHG-7>"]]);
    await on({ command: "confirm_commit" });
    expect(device.waiting()).toBeUndefined();
    const back = await on({ command: ["rollback", "show clock"] });
    expect(back.result?.retval).toMatchObject({
      rollback: { rolled_back: true },
      "show clock": expect.stringMatching(/^12:00/),
    });
    expect(device.running).toEqual(before);
    expect(device.locked()).toBe(false);
  });

  test("reports an unknown outcome if the session is lost during the commit", async () => {
    device.fail(/<Commit/, "cut");
    const lost = await on({ config: "hostname R3" });
    expect(lost.result?.error).toMatchObject({ type: "ConnectionLost", outcome: "unknown" });
    expect([device.locked(), device.candidates()]).toEqual([false, []]);
    expect(await on({ command: "is_alive" })).toMatchObject({
      result: { retval: { is_alive: { is_alive: true } } },
    });
  });
});
