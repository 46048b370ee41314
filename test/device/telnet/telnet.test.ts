/** Telnet over a real socket: a dialogue, closing, and the error if nothing listens. */
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import type { ByteStream } from "../../../src/base/net/byte-stream.ts";
import { openTelnet } from "../../../src/device/telnet/telnet.ts";

const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

function device(behave: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    behave(socket);
  });
  servers.push(server);
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(address !== null && typeof address === "object" ? address.port : 0);
    });
  });
}

const scope = () => ({ signal: new AbortController().signal });
const open = (port: number, more = scope()) =>
  openTelnet({ host: "127.0.0.1", port, connectTimeoutMs: 5000, cols: 80, rows: 24 }, more);
const ending = (stream: ByteStream) => new Promise<Error | undefined>((resolve) => stream.onClose(resolve));

function reader(stream: ByteStream) {
  let text = "";
  let wake = () => {};
  stream.onData((chunk) => {
    text += Buffer.from(chunk).toString("latin1");
    wake();
  });
  return async (pattern: RegExp) => {
    while (!pattern.test(text)) await new Promise<void>((resolve) => (wake = resolve));
    return text;
  };
}

describe("a Telnet connection", () => {
  test("carries a dialogue in small packets with options in between", async () => {
    const port = await device((socket) => {
      let received = "";
      const say = [...Buffer.from([255, 251, 1, 255, 253, 31]), ...Buffer.from("login: ")];
      for (const byte of say) socket.write(Buffer.from([byte]));
      socket.on("data", (chunk) => {
        received += chunk.toString("latin1");
        if (/admin\r\n/.test(received))
          socket.write(`\r\nheard ${Buffer.from(received, "latin1").toString("hex")}\r\n# `);
      });
    });
    const stream = await open(port);
    const has = reader(stream);
    await has(/login: $/);
    stream.write("admin\n");
    const text = await has(/# $/);
    // DO ECHO, WILL NAWS and the size, then the input.
    const expectedHex = Buffer.from([
      255, 253, 1, 255, 251, 31, 255, 250, 31, 0, 80, 0, 24, 255, 240,
    ]).toString("hex");
    expect(text).toContain(`heard ${expectedHex}${Buffer.from("admin\r\n").toString("hex")}`);
    await stream.end();
  });

  test("buffers data until it is read, and answers options meanwhile", async () => {
    let answered = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answered = resolve;
    });
    const port = await device((socket) => {
      socket.write(Buffer.concat([Buffer.from([255, 253, 24]), Buffer.from("first ")]));
      socket.once("data", () => {
        socket.write("second");
        answered();
      });
    });
    const stream = await open(port);
    await isAnswered;
    expect(await reader(stream)(/second$/)).toBe("first second");
    stream.destroy();
  });

  test("reports that the device closed it", async () => {
    const stream = await open(await device((socket) => socket.end("bye")));
    const closed = ending(stream);
    expect(await reader(stream)(/bye/)).toBe("bye");
    expect(await closed).toBeUndefined();
    stream.write("too late");
    expect(await ending(stream)).toBeUndefined();
  });

  test("reports ConnectionLost if it breaks", async () => {
    const stream = await open(
      await device((socket) => {
        socket.write("hello");
        socket.once("data", () => socket.resetAndDestroy());
      }),
    );
    const has = reader(stream);
    await has(/hello/);
    const closed = ending(stream);
    stream.write("x\n");
    expect(await closed).toMatchObject({ kind: "ConnectionLost" });
  });

  test("closes cleanly or at once, even if the device does not respond", async () => {
    const port = await device(() => {});
    const [polite, rude] = [await open(port), await open(port)];
    const closed = Promise.all([ending(polite), ending(rude)]);
    await polite.end();
    rude.destroy();
    expect(await closed).toEqual([undefined, undefined]);
    await rude.end();
  });

  test("fails as ConnectionRefused if nothing listens, and with the abort reason of an ended task", async () => {
    await expect(open(1)).rejects.toMatchObject({
      kind: "ConnectionRefused",
      message: "Connection refused by 127.0.0.1:1",
    });
    const over = AbortSignal.abort(new ServiceError("JobTimeout", "late"));
    await expect(open(await device(() => {}), { signal: over })).rejects.toMatchObject({
      kind: "JobTimeout",
    });
  });
});
