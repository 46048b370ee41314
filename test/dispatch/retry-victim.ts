/** A node to be killed by its test while a bulk is retried. */
import process from "node:process";
import { pause } from "../../src/base/time/deadline.ts";
import { signal, startNode } from "../support/node.ts";
import { admin, bodyOf } from "../support/requests.ts";

const [directory = "", url = ""] = process.argv.slice(2);
const node = await startNode({ directory, ...(url === "" ? {} : { store: { url } }) });
const request = {
  driver: "netmiko",
  connection_args: { device_type: "cisco_ios", username: "u", password: "canary" },
  command: "fail x",
  devices: Array.from({ length: 60 }, (_, at) => ({ host: `r${at}` })),
};
const again = { connection_args: { password: "canary" } };

/** As a client does: retries with its key until answered. */
async function untilAnswered<T>(send: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch {
      await pause(200);
    }
  }
}

const first = await untilAnswered(() => node.jobs.bulk(bodyOf(request), admin, "the-bulk"));
await node.jobs.waitForBulk(first.bulk_id, 150_000, signal);
process.stdout.write("ready\n");
const retried = await untilAnswered(() =>
  node.jobs.retryBulk(first.bulk_id, bodyOf(again), admin, "the-retry"),
);
process.stdout.write(`answered ${retried.bulk_id}\n`);
