/** Pipelined lines, from a request to a real CLI: FRR's vtysh over OpenSSH. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Frr, startFrr } from "../../../scripts/testbed/frr.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";

const count = 40;

describe.skipIf(needs("frr"))("FRR's vtysh", () => {
  let service: Service;
  let router: Frr;
  beforeAll(async () => {
    router = await startFrr({ hostname: "R1" });
    service = await startService();
  });
  afterAll(async () => {
    await service.stop();
    await router.stop();
  });

  const push = (device_type: string, lines: readonly string[], pipeline: boolean) =>
    service.run({
      driver: "netmiko",
      connection_args: {
        ...{ device_type, host: router.host, port: router.port },
        ...{ username: router.user, password: router.password },
        ...{ conn_timeout: 120, auth_timeout: 120, banner_timeout: 120 },
      },
      config: lines,
      driver_args: { pipeline },
    });
  const routes = (net: number) =>
    Array.from({ length: count }, (_, at) => `ip route 10.${net}.${at}.0/24 blackhole`);

  test.each(["frr_vtysh", "cisco_ios"])(
    "returns the same transcript as line by line (%s)",
    async (platform) => {
      const lines = ["interface lo", "description x", "exit", ...routes(1), "hostname R1", ...routes(2)];
      const plain = await push(platform, lines, false);
      const ahead = await push(platform, lines, true);
      expect(ahead.status).toBe("finished");
      expect(ahead.result?.retval).toEqual(plain.result?.retval);
      expect(ahead.warnings ?? []).toEqual([]);
      const running = router.vtysh("show running-config");
      for (const line of [...routes(1), ...routes(2)]) expect(running).toContain(line);
    },
  );

  test("stops at a rejected line within the window and reports the accepted lines", async () => {
    for (const place of [0, 1, 2, 17, 33, count - 1]) {
      const net = 100 + place;
      const lines = routes(net).map((line, at) => (at === place ? line.replace(/\.0\/24/, ".0/99") : line));
      const job = await push("frr_vtysh", lines, true);
      expect(job.status).toBe("failed");
      const error = job.result?.error;
      expect(error).toMatchObject({ type: "CommandError", command: lines[place] });
      expect(String(error?.matched)).toContain("% Unknown command");
      const running = router.vtysh("show running-config");
      const runs = lines.filter((line) => running.includes(line));
      const behind = runs.slice(place).map((line) => ({ line, taken: true, output: "" }));
      expect(error?.ahead ?? []).toEqual(behind);
      expect(behind.length).toBeLessThan(32);
      if (behind.length > 0) expect(error?.taken).toEqual(runs.slice(0, place));
    }
  });
});
