/** Devices that rename themselves, and sessions that end on another device: simulated IOS and NX-OS, and real FRR. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { builtins } from "../../../plugins/index.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { startFrr } from "../../../scripts/testbed/frr.ts";
import { createRegistry } from "../../../src/registry/registry.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type Simulator, startSimulator } from "../../../src/testkit/simulator/simulator.ts";
import { type Kept, keptBy } from "./history-places.ts";

let service: Service;
let kept: Kept;
beforeAll(async () => {
  service = await startService({ env: { PATCHBAY_HISTORY_AFTER_PUSH: "false" } });
  kept = keptBy(service);
});
afterAll(() => service.close());

// The configuration of NX-OS has no mark at its end.
describe.each(["cisco_ios", "cisco_nxos"])("a device of %s", (platform) => {
  const name = platform.replace("_", "-");
  let simulator: Simulator;
  let lines: () => string[];
  beforeAll(async () => {
    const registry = createRegistry();
    for (const plugin of builtins) registry.add(plugin, "builtin");
    const found = registry.require("platform", platform);
    simulator = await startSimulator({ platform: found, hostname: "sw1", secret: "" });
    lines = simulator.device.configuration.lines;
    const { port, username: user, password } = simulator;
    await kept.add(name, { host: "127.0.0.1", port, user, password }, { platform });
    await kept.taken(name);
  });
  afterEach(() => {
    simulator.device.configuration.lines = lines;
  });
  afterAll(() => simulator.stop());

  const rename = (hostname: string) => {
    simulator.device.configuration.add([], `hostname ${hostname}`);
    simulator.device.hostname = hostname;
  };

  test("that is renamed between two takes has a good version whose difference is the name", async () => {
    rename("sw10");
    expect(await kept.taken(name)).toMatchObject({ version: 2 });
    expect(await kept.changed(name)).toEqual(["-hostname sw1", "+hostname sw10"]);
  });

  test("that is renamed while it shows its text has a good version, if the text has the new name", async () => {
    simulator.device.configuration.lines = () => {
      rename("sw-100");
      return lines();
    };
    expect(await kept.taken(name)).toMatchObject({ version: 3 });
    expect(await kept.changed(name)).toEqual(["-hostname sw10", "+hostname sw-100"]);
  });

  test("whose session ends on another device is suspect, and never the latest", async () => {
    const { device } = simulator;
    const isWhole = platform === "cisco_ios";
    device.configuration.lines = () => {
      device.hostname = "console-7";
      // Most of the text, so that its size says nothing.
      return isWhole ? lines() : lines().slice(0, -2);
    };
    try {
      expect((await kept.take(name, ["running"])).status).toBe("finished");
    } finally {
      device.hostname = "sw-100";
    }
    const [version] = await kept.versions(name);
    expect(version).toMatchObject({ state: "suspect", reason: expect.stringContaining('"console-7') });
    expect(await kept.device(name)).toMatchObject({ latest: { version: 3 }, suspects: 1 });
    device.configuration.lines = lines;
    await kept.take(name);
    expect(await kept.device(name)).toMatchObject({ latest: { version: 3 }, suspects: 0 });
  });

  test("is known by its name in the inventory: renamed there, its history is", async () => {
    const next = `new-${name}`;
    const { port, username: user, password } = simulator;
    const change = (path: string, body?: object) => service.call("POST", path, body);
    await kept.add(next, { host: "127.0.0.1", port, user, password }, { platform });
    expect((await service.call("DELETE", `/inventory/device/${name}`)).status).toBe(200);
    expect((await change(`/history/device/${name}/rename`, { to: next })).status).toBe(200);
    expect(await kept.versions(next)).toHaveLength(4);
    await kept.take(next);
    expect(await kept.device(next)).toMatchObject({ latest: { version: 3 }, in_inventory: true });
    expect((await service.call("GET", `/history/device/${name}`)).status).toBe(404);
    // Two histories are never joined.
    await kept.add(name, { host: "127.0.0.1", port, user, password }, { platform });
    await kept.taken(name);
    const joined = await change(`/history/device/${name}/rename`, { to: next });
    expect([joined.status, joined.body.message]).toEqual([409, expect.stringContaining(next)]);
    expect(await kept.versions(next)).toHaveLength(4);
  });
});

test.skipIf(needs("frr"))("FRR that is renamed between takes has good versions", async () => {
  const router = await startFrr({ hostname: "edge-1", configuration: ["hostname edge-1"] });
  try {
    await kept.add("edge", router, { platform: "frr" });
    await kept.taken("edge");
    router.rename("edge-2");
    expect(await kept.taken("edge")).toMatchObject({ version: 2 });
    // Its daemons keep the name of the machine, which stands there, too.
    expect(await kept.changed("edge")).toEqual(["+hostname edge-2"]);
    router.rename("core-9");
    expect(await kept.taken("edge")).toMatchObject({ version: 3 });
    expect(await kept.changed("edge")).toEqual(["-hostname edge-2", "+hostname core-9"]);
  } finally {
    await router.stop();
  }
});
