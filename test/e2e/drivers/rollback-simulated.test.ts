/**
 * Failed checks on simulated devices, through the API: rolled back by each method, including by the device
 * itself.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type Simulator, startSimulator } from "../../../src/testkit/simulator/simulator.ts";
import { platformNamed } from "../../testkit/simulator/simulated-device.ts";

const soon = { timeout: 60_000, interval: 100 };

interface Kind {
  readonly platform: string;
  readonly how: string;
  readonly lines: readonly string[];
  readonly adds: string;
  readonly show: string;
}

const loopback = ["interface Loopback7", "description pushed"];
const kinds: readonly Kind[] = [
  {
    platform: "cisco_ios",
    how: "replace",
    lines: loopback,
    adds: " description pushed",
    show: "show running-config",
  },
  {
    platform: "cisco_nxos",
    how: "checkpoint",
    lines: ["interface loopback7", "description pushed"],
    adds: "  description pushed",
    show: "show running-config",
  },
  {
    platform: "cisco_xr",
    how: "confirmed_commit",
    lines: loopback,
    adds: " description pushed",
    show: "show running-config",
  },
  {
    platform: "arista_eos",
    how: "confirmed_commit",
    lines: loopback,
    adds: "   description pushed",
    show: "show running-config",
  },
  {
    platform: "juniper_junos",
    how: "confirmed_commit",
    lines: ["set system location pushed"],
    adds: "set system location pushed",
    show: "show configuration",
  },
];

async function simulated(kind: Kind, minuteMs: number) {
  const device = await startSimulator({
    platform: platformNamed(kind.platform),
    host: "0.0.0.0",
    thinking: 15,
    faults: { cutSeed: 5 },
    minuteMs,
  });
  const before = device.device.configuration.lines();
  return { device, before, kind };
}

/** One host per kind, because jobs of one host run sequentially. */
const hostOf = (kind: Kind) => `127.0.7.${kinds.indexOf(kind) + 1}`;

const requestOf = (
  { device, kind }: { device: Simulator; kind: Kind },
  checks: object,
  more: object = {},
) => ({
  driver: "netmiko",
  connection_args: {
    ...{ device_type: kind.platform, host: hostOf(kind), port: device.port },
    ...{ username: device.username, password: device.password, secret: device.secret },
  },
  config: kind.lines,
  checks,
  ...more,
});

describe.each(kinds)("$platform, by $how", (kind) => {
  test("is rolled back if its check fails, and kept if it passes", async () => {
    const lab = await simulated(kind, 60_000);
    const { device, before } = lab;
    try {
      const bad = { after: [{ command: kind.show, not_contains: "pushed" }] };
      const failed = await service.run(requestOf(lab, bad));
      expect(failed.checks).toMatchObject({ pushed: true, undone: true, how: kind.how });
      expect(device.device.configuration.lines()).toEqual(before);
      const good = { after: [{ command: kind.show, contains: "pushed" }] };
      const passed = await service.run(requestOf(lab, good));
      expect(passed).toMatchObject({ status: "finished", checks: { pushed: true, undone: false } });
      expect(device.device.configuration.lines()).toContain(kind.adds);
      expect(device.device.kept.trial()).toBeUndefined();
      expect(device.device.kept.copies.size).toBe(0);
    } finally {
      await device.stop();
    }
  });
});

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

test("after a kill while settling, timed commits revert and the record reports what is known", async () => {
  const dying = await startService();
  // A minute lasts a tenth of a second: the commit stays pending for a few of them.
  const labs = await Promise.all(kinds.map((kind) => simulated(kind, 100)));
  const checks = (kind: Kind) => ({
    after: [{ command: kind.show, contains: "pushed" }],
    settle_seconds: 500,
  });
  try {
    const ids = await Promise.all(
      labs.map(async (lab) => {
        const body = requestOf(lab, checks(lab.kind), { ttl: 900 });
        return (await dying.call<{ id: string }>("POST", "/device/execute", body)).body.data.id;
      }),
    );
    const isPushed = ({ device, kind }: (typeof labs)[number]) =>
      kind.how === "confirmed_commit"
        ? device.entered.some(({ line }) => /^commit confirmed|commit timer/.test(line))
        : device.device.configuration.lines().includes(kind.adds);
    await expect.poll(() => labs.every(isPushed), soon).toBe(true);
    await dying.kill("SIGKILL");
    for (const { device, before, kind } of labs)
      if (kind.how === "confirmed_commit")
        await expect.poll(() => device.device.configuration.lines(), soon).toEqual(before);
    const again = await startService({ dataDir: dying.dataDir });
    try {
      for (const [at, id] of ids.entries()) {
        const job = await again.ended(id);
        const itself = kinds[at]?.how === "confirmed_commit";
        expect(job).toMatchObject({ status: "failed", checks: { undone: "unknown", how: kinds[at]?.how } });
        expect(/reverts an unconfirmed change by itself/.test(job.checks?.message ?? "")).toBe(itself);
      }
    } finally {
      await again.stop();
    }
  } finally {
    await Promise.all(labs.map(({ device }) => device.stop()));
  }
});
