/** Writes within one turn of the event loop are sent as one, whole and in order. */
import { connect, createServer } from "node:net";
import { Duplex } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { joinWrites } from "../../../src/base/net/join-writes.ts";

function recording() {
  const pieces: string[] = [];
  const stream = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      pieces.push(chunk.toString());
      done();
    },
    writev(chunks, done) {
      pieces.push(chunks.map(({ chunk }) => String(chunk)).join(""));
      done();
    },
  });
  joinWrites(stream);
  return { stream, pieces };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("writes in one turn of the event loop are sent as one chunk", async () => {
  const { stream, pieces } = recording();
  for (const part of ["a", "b", "c"]) stream.write(part);
  await turn();
  stream.write("d");
  await turn();
  expect(pieces).toEqual(["abc", "d"]);
});

test("ending the stream sends what was written before", async () => {
  const { stream, pieces } = recording();
  stream.write("a");
  stream.end("b");
  await turn();
  expect(pieces.join("")).toBe("ab");
});

test("destroying the stream sends what was written before", async () => {
  const { stream, pieces } = recording();
  stream.write("a");
  stream.write("b");
  stream.destroy();
  await turn();
  expect(pieces).toEqual(["ab"]);
});

test("the peer receives every byte in order", async () => {
  const arrived: Buffer[] = [];
  const ended = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on("data", (chunk) => void arrived.push(chunk));
    socket.on("end", ended.resolve);
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  const socket = connect({
    port: typeof address === "object" && address ? address.port : 0,
    host: "127.0.0.1",
  });
  joinWrites(socket);
  const sent: Buffer[] = [];
  for (let n = 0; n < 300; n++) {
    const part = Buffer.alloc(1 + ((n * 7919) % 20_000), n);
    sent.push(part);
    socket.write(part);
    if (n % 7 === 0) await turn();
  }
  socket.end();
  await ended.promise;
  expect(Buffer.concat(arrived).equals(Buffer.concat(sent))).toBe(true);
});
