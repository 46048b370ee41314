/** A server's requests are processed as long as it reads the responses. */
import { Duplex } from "node:stream";
import { expect, test } from "vitest";
import { watchOpening } from "../../../../src/device/ssh/login/opening.ts";
import { watchIncoming } from "../../../../src/device/ssh/transfer/incoming.ts";

test("a server that sends endless requests and reads no responses is paused until it reads", async () => {
  let read: () => void = () => {};
  const stream = new Duplex({
    read() {},
    write(_chunk, _encoding, done) {
      read = done;
    },
  });
  const incoming = watchIncoming(
    stream,
    watchOpening(() => {}),
    () => {},
  );
  incoming.trust();
  const answer = Buffer.alloc(64 * 1024);
  stream.on("data", () => void stream.write(answer));
  let sent = 0;
  for (; sent < 1_000 && !stream.isPaused(); sent++) {
    stream.push("again");
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(sent).toBeLessThan(100);
  expect(stream.writableLength).toBeLessThan(5 * 1024 * 1024);

  while (stream.writableLength > 0) {
    read();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(() => stream.isPaused()).toBe(false);
  const before = incoming.bytes();
  stream.push("again");
  await expect.poll(() => incoming.bytes()).toBe(before + 5);
});
