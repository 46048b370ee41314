/** A node that is killed by its test: devices append what they get to a file, acknowledged jobs go to standard output. */
import { appendFileSync } from "node:fs";
import process from "node:process";
import { pause } from "../../src/base/deadline.ts";
import type { Pool, RunOptions } from "../../src/pool/port.ts";
import type { Task } from "../../src/protocol/task.ts";
import { type FakePool, fakePool } from "../support/fake-pool.ts";
import { startNode } from "../support/node.ts";
import { configure, query } from "../support/requests.ts";

const [directory = "", devices = "", name = "n1", url = "", from = "0", count = "0"] = process.argv.slice(2);

/** Each command is written to the file of the devices the moment it "leaves". */
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
for (let at = Number(from); at < Number(count); at++) {
  const request =
    at % 2 === 0
      ? configure(`h${at % 7}`, [`marker ${at}`])
      : query(`h${at % 7}`, `marker ${at}`, {
          options: at % 3 === 0 ? { queue_strategy: "fifo", ...hook } : {},
        });
  void node
    .submit(request, undefined, `key-${at}`)
    .then((id) => process.stdout.write(`ack ${at} ${id}\n`))
    .catch((error) => process.stdout.write(`refused ${at} ${error.message}\n`));
  await pause(1);
}
