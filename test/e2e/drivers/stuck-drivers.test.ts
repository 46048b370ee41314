/**
 * P27: a driver that ignores `ctx.signal` is aborted at its deadline and when its job is cancelled; others
 * are not affected.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { type SimulatedDevice, simulated } from "../devices.ts";

const stuck = `
import { defineDriver, v } from "patchbay/plugin";
const any = v.looseObject({});
// A loop that never yields, but leaves the processor to others.
const never = new Int32Array(new SharedArrayBuffer(4));
export default defineDriver({
  name: "stuck", connection: v.looseObject({ host: v.string() }), query: any, configure: any, strategy: "fifo",
  target: ({ host }) => ({ host, port: 1 }),
  open: async () => ({
    async query(command, _args, ctx) {
      if (command !== "never" && command !== "spin") return "moves";
      ctx.log.info("stuck.now", { command });
      // Lets the log message leave the thread before it blocks.
      if (command === "spin") { await new Promise((resolve) => setTimeout(resolve, 50)); for (;;) Atomics.wait(never, 0, 0, 20); }
      return new Promise(() => {});
    },
    configure(_lines, _args, ctx) {
      ctx.log.info("stuck.now");
      return new Promise(() => {});
    },
  }),
});
`;

let service: Service;
let device: SimulatedDevice;
const folder = tempFolder();

beforeAll(async () => {
  writeFileSync(join(folder, "stuck.ts"), stuck);
  device = await simulated("cisco_ios");
  service = await startService({ env: { PATCHBAY_PLUGINS: folder, PATCHBAY_DEVICE_THREADS: "2" } });
});
afterAll(async () => {
  await service?.stop();
  await device?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function submit(work: object): Promise<string> {
  const request = { driver: "stuck", connection_args: { host: "127.0.0.1" }, ...work };
  const { body } = await service.call<{ id: string }>("POST", "/device/execute", request);
  return body.data.id;
}

const count = (text: string) => service.output().split(text).length - 1;
const replaced = () => count('"event":"thread.replaced"');
const abandoned = () => count('"event":"task.abandoned"');

/** Runs a job of another driver to its end. */
function other() {
  const { port, username, password, secret } = device;
  return service.run({
    driver: "netmiko",
    connection_args: { device_type: "cisco_ios", host: "127.0.0.2", port, username, password, secret },
    command: "show clock",
  });
}

test.each([
  ["a promise that never settles", "never", "deadline"],
  ["a promise that never settles", "never", "cancel"],
  ["a busy loop", "spin", "deadline"],
  ["a busy loop", "spin", "cancel"],
])("stops %s (%s): %s", async (_what, command, how) => {
  // A thread that still turns is not given up: only the driver that does not end is left behind.
  const given = command === "spin" ? replaced : abandoned;
  const [before, threads, begun] = [given(), replaced(), count('"event":"stuck.now"')];
  const id = await submit({
    command,
    options: { ttl: how === "deadline" ? 6 : 600, queue_strategy: "fifo" },
  });
  await expect.poll(() => count('"event":"stuck.now"')).toBe(begun + 1);
  // While it is stuck, and while its thread is replaced.
  const others = Promise.all([other(), other()]);
  if (how === "cancel") {
    const answer = await service.call("DELETE", `/job?id=${id}&force=true`);
    expect(answer.status).toBe(200);
  }
  expect(await service.ended(id)).toMatchObject({
    status: "failed",
    driver: "stuck",
    result: {
      error: { type: how === "cancel" ? "Cancelled" : "JobTimeout", outcome: "unknown", sent: [command] },
    },
  });
  for (const job of await others) expect(job).toMatchObject({ status: "finished" });
  await expect.poll(given).toBe(before + 1);
  expect(replaced()).toBe(threads + (command === "spin" ? 1 : 0));
  // No state is left: the same host and driver work again.
  const after = await submit({ command: "show clock" });
  expect(await service.ended(after)).toMatchObject({
    status: "finished",
    result: { retval: { "show clock": "moves" } },
  });
});

test("a cancelled configuration reports its lines with an unknown outcome", async () => {
  const begun = count('"event":"stuck.now"');
  const id = await submit({ config: ["line 1", "line 2"] });
  await expect.poll(() => count('"event":"stuck.now"')).toBe(begun + 1);
  await service.call("DELETE", `/job?id=${id}&force=true`);
  expect(await service.ended(id)).toMatchObject({
    status: "failed",
    result: { error: { type: "Cancelled", outcome: "unknown", sent: ["line 1", "line 2"] } },
  });
});
