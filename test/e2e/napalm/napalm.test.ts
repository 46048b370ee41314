/** The napalm driver over the API, on simulated eAPI switches. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type Switch, startSwitch } from "../../drivers/pyeapi/switch.ts";

const password = "canary-napalm-1";
const enable = "canary-enable-1";

describe("eos over eAPI", () => {
  let service: Service;
  let device: Switch;
  beforeAll(async () => {
    device = await startSwitch({ password, enable });
    service = await startService({ env: { PATCHBAY_AUTH_FAILURES: "0" } });
  });
  afterAll(async () => {
    await service.stop();
    device.close();
  });

  const login = (more: object = {}) => ({
    device_type: "arista_eos",
    hostname: "127.0.0.1",
    username: "admin",
    password,
    optional_args: { transport: "http", port: device.port, secret: enable, ...more },
  });
  const run = (more: object, optional: object = {}): Promise<JobRecord> =>
    service.run({ driver: "napalm", connection_args: login(optional), ...more });

  test("get_facts returns NAPALM's structure on a kept session", async () => {
    const job = await run({ command: "get_facts" });
    expect(job).toMatchObject({ status: "finished", queue: "pinned_127.0.0.1", driver: "napalm" });
    expect(job.result?.retval).toEqual({
      get_facts: {
        hostname: "sw1",
        fqdn: "sw1.test",
        vendor: "Arista",
        model: "cEOSLab",
        serial_number: "SN1",
        os_version: "4.31.1F-1",
        uptime: expect.any(Number),
        interface_list: ["Ethernet1", "Ethernet2", "Ethernet10", "Management1"],
      },
    });
    const before = device.connections();
    expect(await run({ command: "get_facts" })).toMatchObject({ status: "finished" });
    expect(device.connections()).toBe(before);
  });

  test("sends a native command to the command line; a rejected one reports it and the others answer", async () => {
    const job = await run({ command: ["get_facts", "show clock text", "show nonsense", "is_alive"] });
    expect(job).toMatchObject({ status: "finished", result: { type: "success", partial: true } });
    expect(job.result?.retval).toMatchObject({
      get_facts: { hostname: "sw1" },
      "show clock text": "Sun Nov 22 08:00:00 2026\n",
      "show nonsense": { error: { type: "CommandError" } },
      is_alive: { is_alive: true },
    });
    expect(job.warnings).toEqual([expect.stringContaining("show nonsense")]);
  });

  test("fails a method that the system lacks and names the systems that have it", async () => {
    const job = await run({ command: "get_probes_results" });
    expect(job.result).toMatchObject({
      type: "failed",
      retval: null,
      error: {
        type: "DriverError",
        command: "get_probes_results",
        message: expect.stringMatching(
          /^The system eos does not support get_probes_results; these do: .*junos/,
        ),
      },
    });
  });

  test.each<[string, object, string, RegExp]>([
    ["an unknown getter", { command: "get_ospf_neighbors" }, "command.0", /Did you mean get_bgp_neighbors/],
    ["one among others", { command: ["get_facts", "get_fact"] }, "command.1", /Did you mean get_facts/],
    [
      "a step of NAPALM's own",
      { command: "open" },
      "command.0",
      /the service opens and closes sessions itself/,
    ],
    [
      "an unknown argument",
      { command: "ping", driver_args: { kwargs: { destination: "192.0.2.1", tll: 3 } } },
      "driver_args.kwargs.tll",
      /is not an argument of ping, which takes destination/,
    ],
    ["a missing one", { command: "ping" }, "driver_args.kwargs.destination", /is missing: ping requires it/],
    [
      "a wrong one of one method",
      { command: ["ping", "get_facts"], driver_args: { kwargs: { ping: { destination: 5 } } } },
      "driver_args.kwargs.ping.destination",
      /must be a string/,
    ],
    [
      "one of a method that is not asked for",
      { command: "get_facts", driver_args: { kwargs: { ping: { destination: "a" } } } },
      "driver_args.kwargs.ping",
      /not among the commands/,
    ],
    ["a system nobody knows", {}, "connection_args.device_type", /Did you mean .*eos/],
  ])("%s is refused with its field", async (_name, more, path, message) => {
    const connection = path.startsWith("connection") ? { ...login(), device_type: "eoss" } : login();
    const body = { driver: "napalm", connection_args: connection, command: "get_facts", ...more };
    const answer = await service.call("POST", "/device/execute", body);
    expect(answer.status).toBe(422);
    expect(answer.body.data).toEqual([
      expect.objectContaining({ path, message: expect.stringMatching(message) }),
    ]);
  });

  test("driver_args.optional_args override those of the connection; unknown ones are reported", async () => {
    const optional = { secret: enable, port: device.port, colour: "blue" };
    const job = await run(
      { command: "get_facts", driver_args: { optional_args: optional } },
      { secret: "wrong", port: 1 },
    );
    expect(job).toMatchObject({ status: "finished" });
    expect(job.warnings).toEqual(["optional_args.colour is unknown and was ignored"]);
  });
});
