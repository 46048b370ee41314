/** Devices with large outputs on a thread whose memory for one key is small: all outputs are whole, one after another. */
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { afterEach, expect, test } from "vitest";
import { builtins } from "../../plugins/index.ts";
import { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import { createDeadline, pause } from "../../src/base/time/deadline.ts";
import { serveTasks } from "../../src/executor/runner.ts";
import { createWorkerClient } from "../../src/pool/worker-client.ts";
import type { Port, ToWorker } from "../../src/protocol/message-port.ts";
import type { QueryTask } from "../../src/protocol/task.ts";
import { plainSettings } from "./fixtures.ts";

const mib = 1024 * 1024;
const line = `${"x".repeat(62)}\r\n`;
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A Telnet device that answers `show tech` with 1 MiB. */
async function device(): Promise<number> {
  const prompts = ["Username: ", "Password: ", "sw1#"];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.write(prompts[0] ?? "");
    let lines = 0;
    socket.on("data", (data: Buffer) => {
      for (const text of data.toString("latin1").match(/[^\r\n]*[\r\n]+/g) ?? []) {
        lines++;
        const output = text.startsWith("show tech") ? line.repeat(mib / line.length) : "";
        socket.write(`${lines > 2 ? text.trim() : ""}\r\n${output}${prompts[Math.min(lines, 2)]}`);
      }
    });
  }).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function startWorker(outputBytes: number) {
  const { port1, port2 } = new MessageChannel();
  const end = <In, Out>(port: MessagePort): Port<In, Out> => ({
    post: (message) => port.postMessage(message),
    onMessage: (listener) => void port.on("message", (message: In) => listener(message)),
  });
  serveTasks(end(port2), builtins);
  const client = createWorkerClient({
    port: end(port1),
    settings: { ...plainSettings, outputBytes },
    log: silentLog,
    turnMs: 5_000,
    onHang() {},
    answerThread: async () => [],
  });
  return { client, post: (message: ToWorker) => port1.postMessage(message) };
}

const showTech = (port: number): QueryTask => ({
  kind: "query",
  driver: "netmiko",
  connection: { device_type: "cisco_ios_telnet", host: "127.0.0.1", port, username: "u", password: "p" },
  args: { read_timeout: 4 },
  reach: [],
  whose: "one key",
  keep: false,
  commands: ["show tech"],
});
const late = () => new ServiceError("JobTimeout", "late");

test("the next is read when an end is stored, and read timeouts do not run meanwhile", async () => {
  const task = showTech(await device());
  const { client } = startWorker(1.5 * mib);
  const ended: string[] = [];
  const run = async (at: number) => {
    const stored = Promise.withResolvers<void>();
    const deadline = createDeadline(60_000, late);
    const { outputs, warnings } = await client.run(task, { deadline, settled: stored.promise });
    deadline.dispose();
    ended.push(`${at} ended`);
    // Longer than the read timeout.
    await pause(5_000);
    ended.push(`${at} stored`);
    stored.resolve();
    return { chars: String(outputs[0]?.output).length, warnings };
  };
  const all = await Promise.all([0, 1, 2, 3].map(run));
  expect(all.map(({ chars }) => chars)).toEqual(all.map(() => (mib / line.length) * 63 - 1));
  // Never three at once.
  let unstored = 0;
  for (const entry of ended) {
    unstored += entry.endsWith("ended") ? 1 : -1;
    expect(unstored).toBeLessThan(4);
  }
  expect(JSON.stringify(all.map(({ warnings }) => warnings))).toContain("output_memory_mb");
}, 60_000);

test("an operation that the main thread gave up before its end makes room once it has ended", async () => {
  const task = showTech(await device());
  const { client, post } = startWorker(1.5 * mib);
  await client.ready;
  for (const id of [1_001, 1_002]) {
    post({ type: "run", id, task, deadlineMs: 60_000 });
    post({ type: "settled", id });
  }
  const deadline = createDeadline(20_000, late);
  const { outputs } = await client.run(task, { deadline });
  deadline.dispose();
  expect(String(outputs[0]?.output)).toHaveLength((mib / line.length) * 63 - 1);
}, 60_000);
