/** The transcripts of plugins/platforms/transcripts: a device of the platform replays each folder in the suite. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { builtins } from "../../plugins/index.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import {
  platformSuite,
  type Service,
  type SimulatedDevice,
  simulate,
  startService,
} from "../../src/testkit/index.ts";

const root = "plugins/platforms/transcripts";
const registry = createRegistry();
for (const plugin of builtins) registry.add(plugin, "builtin");

let service: Service;
let devices: Map<string, SimulatedDevice>;
beforeAll(async () => {
  service = await startService();
  const started = readdirSync(root).map(async (name) => {
    const device = await simulate(registry.require("platform", name), { hostname: "edge7" });
    return [name, device] as const;
  });
  devices = new Map(await Promise.all(started));
});
afterAll(async () => {
  await service.stop();
  for (const device of devices.values()) await device.stop();
});

describe.each(readdirSync(root))("the transcripts of %s", (name) => {
  const suite = platformSuite({
    plugin: registry.require("platform", name),
    driver: "netmiko",
    service: () => service,
    device: () => devices.get(name) ?? missing(),
    transcripts: join(root, name),
  });
  for (const { name: title, run } of suite) test(title, run);
});

function missing(): never {
  throw new Error("the device was not started");
}
