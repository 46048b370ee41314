/** Jobs of one pinned device do not inherit a CLI context from one another, through the whole service. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { builtins } from "../../../plugins/index.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { simulated } from "../devices.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { PATCHBAY_LOG_LEVEL: "warn" } });
});
afterAll(() => service.stop());

async function jobsOn(platform: string, options: Parameters<typeof simulated>[1] = {}, host = "127.0.0.1") {
  const device = await simulated(platform, options);
  const connection_args = {
    device_type: platform,
    host,
    port: device.port,
    username: device.username,
    password: device.password,
    secret: device.secret,
  };
  const run = (body: object) => service.run({ driver: "netmiko", connection_args, ...body });
  return { device, run };
}

test.each([
  ["cisco_asa", ["changeto context CTX1"], ["hostname edge"]],
  ["fortinet", ["config vdom", "edit customer1"], ["config system global", "set hostname edge", "end"]],
])(
  "on %s a push never runs in the context that an earlier query entered",
  async (platform, choosing, config) => {
    const { device, run } = await jobsOn(platform);
    try {
      const opened = await run({ command: "show clock" });
      expect(opened.status).toBe("finished");
      expect((await run({ command: choosing })).status).toBe("finished");
      expect(device.commands()).toEqual(expect.arrayContaining(choosing));
      const before = device.commands().length;
      const connections = device.connections();
      const pushed = await run({ config });
      expect(pushed.status).toBe("finished");
      const lines = device.commands().slice(before);
      const text = JSON.stringify(pushed.result?.retval);
      expect(text).not.toMatch(/CTX1|customer1/);
      // Left by the platform's exit command, or on its own session.
      const led = lines.indexOf(config[0] ?? "");
      const back = lines.slice(0, led).some((line) => /^(?:changeto system|end)$/.test(line));
      expect(back || device.connections() > connections).toBe(true);
    } finally {
      await device.stop();
    }
  },
);

test.each([0, 15, 800])("logins, pushes and saves work on devices that think for %i ms", async (ms) => {
  const thinking = { login: ms, password: ms, save: ms, commit: ms };
  const outcomes = await Promise.all(
    ["cisco_ios", "cisco_s300", "fiberstore_fsos", "cisco_wlc", "cisco_xr", "juniper_junos"].map(
      async (platform, at) => {
        const { device, run } = await jobsOn(platform, { thinking }, `127.0.8.${at + 1}`);
        try {
          const job = await run({
            config: ["hostname edge"],
            driver_args: { save: platform !== "cisco_xr" && platform !== "juniper_junos" },
          });
          const secrets = device.commands().filter((line) => line.includes("-secret-1"));
          return { platform, status: job.status, error: job.result?.error ?? null, secrets };
        } finally {
          await device.stop();
        }
      },
    ),
  );
  for (const outcome of outcomes) expect(outcome).toMatchObject({ status: "finished", secrets: [] });
});

const platforms = builtins.filter(({ kind }) => kind === "platform").map(({ name }) => name);
/** Concurrency. */
const lanes = 12;

test("every platform: queries, a push and a save on a device that thinks 15 ms per step", async () => {
  const failures: string[] = [];
  const waiting = platforms.map((platform, at) => ({ platform, host: `127.0.7.${at + 1}` }));
  async function lane(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { device, run } = await jobsOn(next.platform, { thinking: 15 }, next.host);
      try {
        for (const body of [
          { command: ["show clock", "show version"] },
          { config: ["interface x1", "description y"], driver_args: { save: true } },
          { command: "show clock" },
        ]) {
          const { status, result } = await run(body);
          if (status !== "finished") failures.push(`${next.platform}: ${JSON.stringify(result?.error)}`);
        }
      } finally {
        await device.stop();
      }
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane));
  expect(failures).toEqual([]);
}, 120_000);
