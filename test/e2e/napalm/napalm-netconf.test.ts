/** napalm on NETCONF routers over the API: configuration compared, confirmed and rolled back. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { startXrRouter, type XrRouter } from "../../drivers/napalm/iosxr-netconf/router.ts";
import { type JunosRouter, startJunosRouter } from "../../drivers/napalm/junos/router.ts";
import {
  type NetconfScript,
  type NetconfServer,
  rpcError,
  startNetconfServer,
} from "../../support/netconf-server.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { PATCHBAY_AUTH_FAILURES: "0" } });
});
afterAll(() => service.stop());

/** Jobs on one device. */
const jobsOn =
  (device_type: string, device: () => NetconfServer) =>
  (more: object, optional: object = {}): Promise<JobRecord> =>
    service.run({
      driver: "napalm",
      connection_args: {
        device_type,
        hostname: "127.0.0.1",
        username: "admin",
        password: "admin",
        // Timeout for a device that stops in the middle of its hello.
        timeout: 5,
        optional_args: { port: device().port, ...optional },
      },
      ...more,
    });

describe("junos", () => {
  let router: JunosRouter;
  const run = jobsOn("juniper_junos", () => router);
  beforeAll(async () => {
    router = await startJunosRouter(["system host-name a"]);
  });
  afterAll(() => router.close());

  test("shows a diff and discards it", async () => {
    const job = await run({ config: "set system host-name b", driver_args: { dry_run: true } });
    expect(job).toMatchObject({ status: "finished" });
    const [change] = Object.values(job.result?.retval ?? {});
    expect(change).toEqual({
      diff: "[edit]\n-  system host-name a;\n+  system host-name b;",
      committed: false,
    });
    expect(router.store.running()).toEqual(["system host-name a"]);
  });

  test("commits with a timer, reports that it waits, and confirms", async () => {
    const pushed = await run({
      config: ["system {", "    host-name c;", "}"],
      driver_args: { revert_in: 300, message: "CHG-7" },
    });
    const [change] = Object.values(pushed.result?.retval ?? {});
    expect(change).toMatchObject({ committed: true, handle: expect.any(String), reverts_in: 300 });
    const later = await run({ command: ["has_pending_commit", "confirm_commit", "has_pending_commit"] });
    expect(later.result?.retval).toMatchObject({
      has_pending_commit: true,
      confirm_commit: { confirmed: true },
      "has_pending_commit #2": false,
    });
    router.expire();
    expect(router.store.running()).toEqual(["system host-name c"]);
    expect((await run({ command: "rollback" })).status).toBe("finished");
    expect(router.store.running()).toEqual(["system host-name a"]);
  });

  test("runs NAPALM's separate steps in one list of commands", async () => {
    const job = await run({
      command: ["load_replace_candidate", "compare_config", "commit_config", "is_alive"],
      driver_args: { kwargs: { load_replace_candidate: { config: "system {\n host-name d;\n}" } } },
    });
    expect(job.result?.retval).toMatchObject({
      compare_config: expect.stringContaining("+  system host-name d;"),
      commit_config: { committed: true },
      is_alive: { is_alive: true },
    });
    expect(router.store.running()).toEqual(["system host-name d"]);
  });

  test("names a rejected line and leaves nothing", async () => {
    const job = await run({ config: "set system ok yes\nset bogus no" });
    expect(job).toMatchObject({
      status: "failed",
      result: { error: { type: "CommandError", command: "set bogus no", line: 2 } },
    });
    await router.store.clean();
  });
});

describe("iosxr_netconf", () => {
  let router: XrRouter;
  const run = jobsOn("iosxr_netconf", () => router);
  beforeAll(async () => {
    router = await startXrRouter(["hostname a"]);
  });
  afterAll(() => router.close());

  test("commits with a timer and rolls back", async () => {
    const pushed = await run({ config: "hostname b", driver_args: { revert_in: 120 } });
    const [change] = Object.values(pushed.result?.retval ?? {}) as { handle?: string }[];
    expect(router.store.running()).toEqual(["hostname b"]);
    const back = await run({ command: "rollback", driver_args: { handle: change?.handle } });
    expect(back.status).toBe("finished");
    expect(router.store.running()).toEqual(["hostname a"]);
  });

  test("has no command line and names the alternative", async () => {
    const job = await run({ command: "show version" });
    expect(job.result?.error).toMatchObject({
      type: "DriverError",
      message: expect.stringContaining("netmiko"),
    });
  });
});

describe("devices that violate the protocol", () => {
  let script: NetconfScript;
  let device: NetconfServer;
  const run = jobsOn("junos", () => device);
  beforeAll(async () => {
    device = await startNetconfServer(() => script);
  });
  afterAll(() => device.close());

  const chunk = "<a/>".repeat(64 * 1024);
  test.each<[string, NetconfScript, string, RegExp]>([
    ["a hello that is none", { hello: "<html/>]]>]]>" }, "DriverError", /does not speak NETCONF/],
    ["half a hello", { hello: "<hello><capabil" }, "ConnectionTimeout", /no NETCONF hello/],
    [
      "another framing",
      { rpc: (_operation, _id, peer) => peer.raw("<ok/>]]>]]>") },
      "DriverError",
      /framing/,
    ],
    [
      "entities",
      {
        rpc: (_operation, _id, peer) => peer.send('<!DOCTYPE a [<!ENTITY b "c">]><rpc-reply>&b;</rpc-reply>'),
      },
      "DriverError",
      /document type/,
    ],
    [
      "an endless reply",
      {
        rpc(_operation, id, peer) {
          peer.raw(`\n#70000000\n<rpc-reply message-id="${id}">`);
          for (let count = 0; count < 40; count++) peer.raw(chunk);
        },
      },
      "OutputTooLarge",
      /more than 33554432 bytes/,
    ],
    [
      "errors",
      { rpc: (_operation, id, peer) => peer.reply(id, rpcError("permission denied")) },
      "CommandError",
      /permission denied/,
    ],
  ])("%s", async (_name, of, type, message) => {
    script = of;
    const job = await run({ command: "get_facts", options: { queue_strategy: "fifo" } }, {});
    expect(job.result?.error).toMatchObject({ type, message: expect.stringMatching(message) });
  });
});
