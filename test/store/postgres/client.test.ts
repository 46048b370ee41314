/** What becomes of the connections of a client when one is lost. */
import { once } from "node:events";
import { createServer } from "node:net";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { yieldToEventLoop } from "../../../src/base/time/yield.ts";
import { addressOf } from "../../../src/store/postgres/database/address.ts";
import { connectOnce, connectUntilLost } from "../../../src/store/postgres/database/client.ts";

const message = (type: string, body: Buffer) => {
  const head = Buffer.from(`${type}1234`);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const ready = message("Z", Buffer.from("I"));
const welcome = Buffer.concat([message("R", Buffer.alloc(4)), ready]);
const refusal = Buffer.concat([message("E", Buffer.from("SERROR\0C22000\0Mno\0\0")), ready]);

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await yieldToEventLoop();
}

test("what a lost connection did not take is sent on no other, however late the client is ended", async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(welcome);
      socket.once("data", () => socket.end(refusal));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const at = server.address();
  if (at === null || typeof at === "string") throw new Error("no port");
  const lost = Promise.withResolvers<void>();
  const sql = connectUntilLost(addressOf(`postgres://a@127.0.0.1:${at.port}/q`), {
    max: 1,
    onclose: lost.resolve,
  });
  // In each turn of the event loop, so that some wait to be sent whenever a connection ends.
  let isOver = false;
  const ends: Promise<string>[] = [];
  const send = async () => {
    while (!isOver) {
      const statement = sql.unsafe(`select '${"x".repeat(300)}'`).execute();
      ends.push(
        statement.then(
          () => "done",
          () => "rejected",
        ),
      );
      await yieldToEventLoop();
    }
  };
  const sending = send();
  await lost.promise;
  await turns(10_000);
  isOver = true;
  await sending;
  await sql.end({ timeout: 0 });
  expect(new Set(await Promise.all(ends))).toEqual(new Set(["rejected"]));
  expect(connections).toBe(1);
  server.close();
});

/** A server on a thread of its own, which tells how many bytes each of its reads has after the first statement. */
const reader = `
const { createServer } = require("node:net");
const { parentPort, workerData } = require("node:worker_threads");
const server = createServer((socket) => {
  const answers = workerData.map((answer) => Buffer.from(answer));
  socket.on("error", () => {});
  socket.on("data", (bytes) => {
    if (answers.length > 0) socket.write(answers.shift());
    else parentPort.postMessage(bytes.length);
  });
}).listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));`;
const done = Buffer.concat([message("C", Buffer.from("SELECT 0\0")), ready]);

test("the statements of a turn are sent at once, and no transaction begins before it is complete", async () => {
  const worker = new Worker(reader, { eval: true, workerData: [welcome, done] });
  const [port]: unknown[] = await once(worker, "message");
  const reads: number[] = [];
  worker.on("message", (bytes: number) => reads.push(bytes));
  const sql = connectOnce(addressOf(`postgres://a@127.0.0.1:${port}/q`), {});
  await sql.unsafe("select 1").execute();
  const length = 30_000;
  const statements = Array.from({ length: 100 }, () =>
    sql.unsafe(`select '${"x".repeat(length / 100)}'`).execute(),
  );
  const ended = Promise.allSettled(statements);
  const read = () => reads.reduce((sum, bytes) => sum + bytes, 0);
  await expect.poll(read).toBeGreaterThan(length);
  expect(reads.length).toBeLessThanOrEqual(2);
  await sql.end({ timeout: 0 });
  await ended;
  await worker.terminate();
});
