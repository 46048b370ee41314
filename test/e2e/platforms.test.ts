/** Every platform through the HTTP API on its simulated device: query with paging, enable, configure, refused line, save or commit. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtins } from "../../plugins/index.ts";
import type { PlatformPlugin, PrivilegeLevel } from "../../src/plugin/index.ts";
import { type SimulatedDevice, simulated } from "./devices.ts";
import { type Service, startService } from "./harness.ts";

const platforms = builtins.filter((plugin): plugin is PlatformPlugin => plugin.kind === "platform");

/** The levels that a push passes. */
function below(levels: PlatformPlugin["levels"], top: string | undefined): PrivilegeLevel[] {
  const level = top === undefined ? undefined : levels[top];
  return level === undefined ? [] : [level, ...below(levels, level.from)];
}

describe("platforms on simulated devices", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env: { PATCHBAY_LOG_LEVEL: "warn" } });
  });
  afterAll(() => service.stop());

  test.each(platforms.map((platform) => [platform.name, platform] as const))("%s", async (name, platform) => {
    const device: SimulatedDevice = await simulated(name, { hostname: "edge7" });
    try {
      const run = (more: object, connection: object = {}) =>
        service.run({
          driver: "netmiko",
          connection_args: {
            device_type: name,
            host: "127.0.0.1",
            port: device.port,
            username: device.username,
            password: device.password,
            secret: device.secret,
            host_key_policy: "warning",
            ...connection,
          },
          ...more,
        });

      const shown = await run({ command: ["show version", "show version"] });
      expect(shown.result?.error ?? null).toBeNull();
      const text = String(shown.result?.retval?.["show version"]);
      expect(text).toContain("edge7 uptime is 5 weeks");
      expect(text).toContain("Configuration register is 0xF");
      expect(text).not.toMatch(/more/i);

      const lines = ["interface Loopback7", "description made by a job"];
      const pushed = await run({ config: lines, driver_args: { save: true } });
      expect(pushed.result?.error ?? null).toBeNull();
      const entered = device.commands();
      expect(entered.filter((line) => line === "description made by a job")).toHaveLength(1);
      for (const step of platform.candidate?.commit ?? platform.save ?? [])
        expect(entered).toContain(step.send);

      const refused = await run({ config: ["description before", "bogus line", "description never"] });
      if (platform.errors.length > 0) {
        expect(refused.result?.error).toMatchObject({ type: "CommandError", command: "bogus line" });
        expect(device.commands()).not.toContain("description never");
        for (const step of platform.candidate?.discard ?? []) expect(device.commands()).toContain(step.send);
      }

      const rename = platform.simulated?.rename;
      if (rename !== null) {
        const line = (rename ?? "hostname {name}").replace("{name}", "core9");
        const renamed = await run({ config: [line, "description after the name changed"] });
        expect(renamed.result?.error ?? null).toBeNull();
        expect(device.commands()).toContain("description after the name changed");
        const again = await run({ command: "show version" });
        expect(String(again.result?.retval?.["show version"])).toContain("core9 uptime is");
        expect(JSON.stringify(again.result?.retval)).not.toContain("core9#");
      }

      const enables = below(platform.levels, platform.config ?? platform.home).some(
        ({ asks, enter }) => asks && enter !== undefined,
      );
      if (enables) {
        const wrong = await run({ config: lines }, { secret: "wrong-canary" });
        expect(wrong.result?.error?.type).toBe("AuthenticationFailed");
        expect(JSON.stringify(wrong)).not.toContain("canary");
      }
      expect((await run({ command: "show version" })).status).toBe("finished");
    } finally {
      await device.stop();
    }
  });
});
