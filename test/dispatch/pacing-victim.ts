/** A node to be killed by its test during a paced bulk: starts and ends on devices are written to a file. */
import { appendFileSync } from "node:fs";
import process from "node:process";
import { pause } from "../../src/base/time/deadline.ts";
import type { Pool, RunOptions } from "../../src/pool/port.ts";
import type { Task } from "../../src/protocol/task.ts";
import { type FakePool, fakePool } from "../support/fake-pool.ts";
import { startNode } from "../support/node.ts";
import { admin, bodyOf } from "../support/requests.ts";

const [directory = "", devices = "", url = ""] = process.argv.slice(2);

function recordingPool(): FakePool {
  const inner = fakePool();
  const run: Pool["run"] = async <T extends Task>(task: T, options: RunOptions) => {
    const host = task.kind === "query" ? String(task.connection.host) : "";
    appendFileSync(devices, `${process.pid} begin ${host}\n`);
    try {
      await pause(Math.random() * 10);
      return await inner.run(task, options);
    } finally {
      appendFileSync(devices, `${process.pid} end ${host}\n`);
    }
  };
  return { ...inner, run };
}

const node = await startNode({
  directory,
  pool: recordingPool(),
  ...(url === "" ? {} : { store: { url } }),
});
const request = {
  driver: "netmiko",
  connection_args: { device_type: "cisco_ios", username: "u", password: "canary" },
  command: "show version",
  options: { retries: 10 },
  concurrency: 3,
  max_failures: 100,
  order: "random",
  devices: Array.from({ length: 60 }, (_, at) => ({ host: `r${at}` })),
};
// As a client does: retries with its key until answered.
for (;;) {
  try {
    const { bulk_id } = await node.jobs.bulk(bodyOf(request), admin, "the-key");
    process.stdout.write(`${bulk_id}\n`);
    break;
  } catch {
    await pause(200);
  }
}
