/** NAPALM's ios and nxos_ssh over the API: on stateful simulated devices, and ios on FRR's vtysh. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Frr, startFrr } from "../../../scripts/testbed/frr.ts";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type Router, startRouter } from "../../drivers/napalm/ios/router.ts";
import { type Nexus, startNexus } from "../../drivers/napalm/nxos-ssh/nexus.ts";
import { password } from "../../drivers/napalm/open.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const run = (device_type: string, connection: object, more: object): Promise<JobRecord> =>
  service.run({
    driver: "napalm",
    connection_args: { device_type, hostname: "127.0.0.1", username: "admin", password, ...connection },
    ...more,
  });
const changeOf = (job: JobRecord) => Object.values(job.result?.retval ?? {})[0];

describe("ios", () => {
  let router: Router;
  const on = (more: object) => run("ios", { optional_args: { port: router.port } }, more);
  beforeAll(async () => {
    router = await startRouter();
  });
  afterAll(() => router.close());

  test("dry-runs a change, commits it with a timer, confirms it, and rolls it back", async () => {
    const config = "interface Loopback7\n description new";
    const diff = "+interface Loopback7\n+ description new";
    expect(changeOf(await on({ config, driver_args: { dry_run: true } }))).toEqual({
      committed: false,
      diff,
    });
    const made = await on({ config, driver_args: { revert_in: 120 } });
    expect(changeOf(made)).toEqual({ committed: true, diff, handle: "admin", reverts_in: 120 });
    expect((await on({ command: "has_pending_commit" })).result?.retval).toEqual({
      has_pending_commit: true,
    });
    const confirmed = await on({ command: "confirm_commit" });
    expect(confirmed.result?.retval).toMatchObject({ confirm_commit: { confirmed: true } });
    expect(router.startup).toContain("interface Loopback7\n description new");
    expect((await on({ command: "rollback" })).status).toBe("finished");
    expect(router.startup).not.toContain("interface Loopback7");
    expect(router.flash.size).toBe(0);
  });

  test("names a rejected line and reveals no secret", async () => {
    const job = await on({ config: ["interface Loopback8", " bogus"] });
    expect(job.result?.error).toMatchObject({ type: "CommandError", command: "bogus", line: 2 });
    expect(JSON.stringify(job)).not.toContain(password);
    expect(router.running).not.toContain("interface Loopback8");
  });
});

describe("nxos_ssh", () => {
  let nexus: Nexus;
  beforeAll(async () => {
    nexus = await startNexus();
  });
  afterAll(() => nexus.close());

  test("commits a change, rolls it back, and shows the running configuration", async () => {
    const on = (more: object) => run("nxos_ssh", { optional_args: { port: nexus.port } }, more);
    const before = [...nexus.running];
    expect(changeOf(await on({ config: "interface Ethernet1/2" }))).toMatchObject({ committed: true });
    const told = await on({ command: "get_config", driver_args: { kwargs: { retrieve: "running" } } });
    expect(told.result?.retval).toMatchObject({
      get_config: { running: expect.stringContaining("interface Ethernet1/2"), startup: "" },
    });
    expect((await on({ command: "rollback" })).status).toBe("finished");
    expect(nexus.running).toEqual(before);
  });
});

describe.skipIf(needs("frr"))("ios on FRR's vtysh", () => {
  let frr: Frr;
  beforeAll(async () => {
    frr = await startFrr({
      hostname: "R1",
      daemons: ["staticd", "bgpd"],
      configuration: [
        "router bgp 65001",
        " neighbor 192.0.2.9 remote-as 65002",
        " neighbor 192.0.2.9 description to the left",
      ],
    });
  });
  afterAll(() => frr.stop());

  const on = (more: object) =>
    run("ios", { username: frr.user, password: frr.password, optional_args: { port: frr.port } }, more);

  test("reads configuration and neighbours, and returns native commands unchanged", async () => {
    const job = await on({ command: ["get_config", "get_bgp_config", "show version"] });
    expect(job.result?.retval).toMatchObject({
      get_config: { running: expect.stringContaining("router bgp 65001") },
      get_bgp_config: {
        _: {
          local_as: 65_001,
          neighbors: { "192.0.2.9": { remote_as: 65_002, description: "to the left" } },
        },
      },
      "show version": expect.stringMatching(/^FRRouting \d/),
    });
  });

  test("rejects a change that needs files it lacks, and changes nothing", async () => {
    const before = frr.vtysh("show running-config");
    const job = await on({ config: "interface lo\n description x" });
    expect(job.result?.error).toMatchObject({ type: "CommandError", command: "dir" });
    expect(frr.vtysh("show running-config")).toBe(before);
  });
});
