/** What becomes of the connections of a client when one is lost. */
import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { yieldToEventLoop } from "../../../src/base/time/yield.ts";
import { addressOf } from "../../../src/store/postgres/database/address.ts";
import { connectUntilLost } from "../../../src/store/postgres/database/client.ts";

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
