/**
 * Systems whose configuration has no mark at its end, over SSH: a connection that ends at any place of the text gives no
 * version, and one that only pauses at what looks like a prompt gives the whole text.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtins } from "../../../plugins/index.ts";
import { hasNoEnd } from "../../../src/configtext/whole.ts";
import { createRegistry } from "../../../src/registry/registry.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import type { Faults } from "../../../src/testkit/simulator/faults.ts";
import { startSimulator } from "../../../src/testkit/simulator/simulator.ts";
import { samples } from "../../configtext/samples.ts";
import { type Kept, keptBy } from "./history-places.ts";

let service: Service;
let kept: Kept;
beforeAll(async () => {
  service = await startService({ env: { PATCHBAY_HISTORY_AFTER_PUSH: "1" } });
  kept = keptBy(service);
});
afterAll(() => service.close());

/** Of which simulated devices show a text. */
const endless = samples.filter(
  ({ platform, part, name }) =>
    hasNoEnd(platform.running, part) && name === platform.name && /^show /.test(platform.running?.show ?? ""),
);
/** Characters of a session before and behind its text. */
const beside = 400;
const places = 6;

describe.each(endless)("$name", ({ name: platform, raw }) => {
  const name = platform.replaceAll("_", "-");

  async function takenFrom(faults: Faults) {
    const registry = createRegistry();
    for (const plugin of builtins) registry.add(plugin, "builtin");
    const found = registry.require("platform", platform);
    const simulator = await startSimulator({ platform: found, hostname: "sw1", secret: "", faults });
    simulator.device.configuration.lines = () => raw.trimEnd().split("\n");
    try {
      const { port, username: user, password } = simulator;
      await kept.add(name, { host: "127.0.0.1", port, user, password }, { platform });
      return await kept.take(name, ["running"]);
    } finally {
      await simulator.stop();
    }
  }

  test("has no version of a text that was cut off with its connection", async () => {
    expect((await takenFrom({})).status).toBe("finished");
    const [whole] = await kept.versions(name);
    expect([whole?.reason, whole?.state]).toEqual([null, "good"]);
    let failed = 0;
    for (let place = 0; place < places; place++) {
      const dropAfter = Math.floor(beside / 2 + (place / places) * raw.length);
      if ((await takenFrom({ dropAfter })).status === "failed") failed++;
      expect([dropAfter, await kept.versions(name)]).toEqual([
        dropAfter,
        [expect.objectContaining({ version: 1 })],
      ]);
    }
    expect(failed).toBe(places);
  });

  test("is read to its end when it pauses behind what looks like a prompt", async () => {
    expect((await takenFrom({ pauseMs: 700 })).status).toBe("finished");
    expect(await kept.versions(name)).toMatchObject([{ version: 1, state: "good" }]);
  });
});

test("what a push has removed at the end of a text is known from the take behind it", async () => {
  const registry = createRegistry();
  for (const plugin of builtins) registry.add(plugin, "builtin");
  const platform = registry.require("platform", "cisco_nxos");
  const simulator = await startSimulator({ platform, hostname: "nx1", secret: "" });
  const lines =
    endless
      .find(({ name }) => name === "cisco_nxos")
      ?.raw.trimEnd()
      .split("\n") ?? [];
  const last = lines.findLastIndex((line) => /^\S/.test(line));
  simulator.device.configuration.lines = () => lines;
  try {
    const { port, username: user, password } = simulator;
    await kept.add("nx1", { host: "127.0.0.1", port, user, password }, { platform: "cisco_nxos" });
    await kept.taken("nx1");
    const removes = `no ${lines[last]}`;
    lines.length = last;
    const job = await service.run({ device: "nx1", config: [removes] });
    expect(job.status, JSON.stringify(job.result)).toBe("finished");
    await expect.poll(async () => (await kept.versions("nx1")).length).toBe(2);
    expect(await kept.versions("nx1")).toMatchObject([
      { version: 2, state: "good", source: "push", reason: null },
      { version: 1, state: "good" },
    ]);
  } finally {
    await simulator.stop();
  }
});
