/**
 * A node to be killed by its test: devices append received lines to a file, acknowledged jobs go to standard
 * output.
 */
import { appendFileSync } from "node:fs";
import process from "node:process";
import { pause } from "../../src/base/time/deadline.ts";
import type { Pool, RunOptions } from "../../src/pool/port.ts";
import type { Task } from "../../src/protocol/task.ts";
import { type FakePool, fakePool } from "../support/fake-pool.ts";
import { startNode } from "../support/node.ts";
import { configure, query } from "../support/requests.ts";

const [directory = "", devices = "", name = "n1", url = "", from = "0", count = "0"] = process.argv.slice(2);

/** Appends each command to the devices' file at the moment it is sent. */
function recordingPool(): FakePool {
  const inner = fakePool();
  const run: Pool["run"] = async <T extends Task>(task: T, options: RunOptions) => {
    if (task.kind === "query" || task.kind === "configure") {
      const lines = task.kind === "query" ? task.commands.map(String) : task.lines;
      await pause(Math.random() * 4);
      await options.answer?.({ about: "sending", lines });
      appendFileSync(devices, `${name} ${String(task.connection.host)} ${lines.join(" ")}\n`);
      await pause(Math.random() * 8);
    }
    return inner.run(task, { ...options, answer: async () => undefined });
  };
  return { ...inner, run };
}

const node = await startNode({
  directory,
  name,
  pool: recordingPool(),
  slots: 20,
  ...(url === "" ? {} : { store: { url } }),
});
process.stdout.write("up\n");
const hook = { webhook: { url: "http://127.0.0.1:9/x" } };
function requestOf(at: number): object {
  const host = `h${at % 7}`;
  if (at % 2 === 0) return configure(host, [`marker ${at}`]);
  const options = at % 3 === 0 ? { queue_strategy: "fifo", ...hook } : {};
  return query(host, `marker ${at}`, { options });
}

/** As a client does: retries with its key if the store did not answer in time. */
async function submit(at: number): Promise<void> {
  for (;;) {
    try {
      const id = await node.submit(requestOf(at), undefined, `key-${at}`);
      process.stdout.write(`ack ${at} ${id}\n`);
      return;
    } catch (error) {
      process.stdout.write(`refused ${at} ${String(error)}\n`);
      await pause(200);
    }
  }
}

for (let at = Number(from); at < Number(count); at++) {
  void submit(at);
  await pause(1);
}
