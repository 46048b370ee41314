/**
 * Devices that stall, disconnect, flood or were replaced: each job ends accurately, in time, and blocks
 * nothing.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type Faults, namedFaults } from "../../../src/testkit/simulator/faults.ts";
import { simulated } from "../devices.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { PATCHBAY_LOG_LEVEL: "warn" } });
});
afterAll(() => service.stop());

async function on(
  faults: Faults,
  work: (run: (more: object) => ReturnType<Service["run"]>) => Promise<void>,
) {
  const device = await simulated("cisco_ios", { faults });
  const connection = {
    ...device.connection,
    conn_timeout: 15,
  };
  try {
    await work((more) =>
      service.run({
        driver: "netmiko",
        connection_args: connection,
        options: { queue_strategy: "fifo", ttl: 60 },
        ...more,
      }),
    );
  } finally {
    await device.stop();
  }
}

const command = { command: "show version" };
/** For responses that never come; everything else may take its time on a busy machine. */
const impatient = { ...command, driver_args: { read_timeout: 3 } };

test.each([
  ["stall", ["ReadTimeout", "ConnectionTimeout"]],
  ["drop", ["ConnectionLost"]],
  ["endless", ["ReadTimeout", "OutputTooLarge", "JobTimeout"]],
] as const)("%s", async (name, types) => {
  await on(namedFaults[name], async (run) => {
    const job = await run(name === "drop" ? command : impatient);
    expect(job.status).toBe("failed");
    expect(types).toContain(job.result?.error?.type);
  });
});

test("garbage: the job ends with some result", async () => {
  await on(namedFaults.garbage, async (run) => {
    const job = await run(impatient);
    expect(["finished", "failed"]).toContain(job.status);
    // Escape sequences never reach an operator's terminal.
    expect(JSON.stringify(job.result)).not.toMatch(/\\u001b|\\u0007/);
  });
});

test("waits for a slow trickle", async () => {
  await on({ trickleMs: 1 }, async (run) => {
    expect((await run(command)).status).toBe("finished");
  });
});

test("gives each command its own answer, however late the device echoes and repeats its prompt", async () => {
  await on(namedFaults.late, async (run) => {
    const job = await run({ command: ["show users", "show version"] });
    expect(job.status).toBe("finished");
    const { retval } = job.result ?? {};
    expect(retval?.["show users"]).toMatch(/^\s*Line +User/);
    expect(retval?.["show version"]).toMatch(/^Cisco IOS/);
  });
});

test("rejects a changed host key with both fingerprints before sending the password", async () => {
  await on(namedFaults["key-change"], async (run) => {
    expect((await run(command)).status).toBe("finished");
    const job = await run(command);
    expect(job.status).toBe("failed");
    expect(job.result?.error?.type).toBe("HostKeyMismatch");
    const told = JSON.stringify(job.result?.error).match(/SHA256:[\w+/=]+/g);
    expect(new Set(told).size).toBe(2);
  });
});
