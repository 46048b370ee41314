/**
 * Every method of every NAPALM system on devices of our own making (test/drivers/napalm/devices), through a running
 * service and over the system's real transport.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { type AnsweringDevice, login } from "../../drivers/napalm/answering/answers.ts";
import { startAnswering } from "../../drivers/napalm/answering/device.ts";
import { type Call, type OwnDevice, ownDevices } from "../../drivers/napalm/devices/read.ts";

const devices = ownDevices();
let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** Jobs in which no method occurs twice, because arguments are given by method. */
function jobsOf(calls: readonly Call[]): Call[][] {
  const jobs: Call[][] = [];
  for (const call of calls) {
    const free = jobs.find((job) => job.every(({ method }) => method !== call.method));
    if (free === undefined) jobs.push([call]);
    else free.push(call);
  }
  return jobs;
}

function run({ system }: OwnDevice, calls: readonly Call[], optional_args: object): Promise<JobRecord> {
  return service.run({
    driver: "napalm",
    connection_args: { device_type: system, hostname: "127.0.0.1", ...login, optional_args },
    command: calls.map(({ method }) => method),
    driver_args: { kwargs: Object.fromEntries(calls.map(({ method, args = {} }) => [method, args])) },
    options: { queue_strategy: "fifo" },
  });
}

/** `<number>` in an expected result stands for any number. */
function expectedOf(result: unknown): unknown {
  if (result === "<number>") return expect.any(Number);
  if (Array.isArray(result)) return result.map(expectedOf);
  if (typeof result !== "object" || result === null) return result;
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, expectedOf(value)]));
}

async function expectResults(own: OwnDevice, calls: readonly Call[], optional_args: object) {
  const { status, result } = await run(own, calls, optional_args);
  const expected = calls.map((call) => [call.method, expectedOf(call.result)]);
  expect(result?.retval).toEqual(Object.fromEntries(expected));
  expect(status).toBe("finished");
}

describe.concurrent.each(devices.map((own) => [`${own.system} ${own.name}`, own] as const))(
  "%s",
  (_name, own) => {
    let device: AnsweringDevice;
    const answered = new Set<string>();
    beforeAll(async () => {
      device = await startAnswering(own.system, {
        to(request) {
          answered.add(request);
          return own.answers.get(request);
        },
      });
    });
    afterAll(() => device.close());

    test("each method returns NAPALM's structure", async () => {
      for (const job of jobsOf(own.calls)) await expectResults(own, job, { port: device.port });
      expect([...own.answers.keys()].filter((request) => !answered.has(request))).toEqual([]);
    });

    test("the same over http, where the system has it", async () => {
      if (device.httpPort === undefined) return;
      const [first = []] = jobsOf(own.calls);
      await expectResults(own, first, { port: device.httpPort, transport: "http" });
    });
  },
);
