/** Places of checkpoints: a file that survives a torn line, syslog over UDP, TCP and TLS. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { generate } from "selfsigned";
import { expect, test } from "vitest";
import type { SignedCheckpoint } from "../../src/api/ledger/ledger.ts";
import { readCheckpoints } from "../../src/ledger/export-check.ts";
import { placesOf, readSyslogUrl } from "../../src/ledger/places.ts";
import { temporary } from "../support/temporary.ts";

const signed: SignedCheckpoint = {
  checkpoint: {
    ...{ v: 1, installation: "0198/x", at: "2026-01-01T00:00:00.000Z", seq: 3 },
    ...{ hash: "ab".repeat(32), mac: "cd".repeat(32), counts: { push: 3 } },
  },
  signature: "c2lnbmF0dXJl",
};

test("a file gets one line each, also after one that was torn", async () => {
  const folder = temporary();
  const send = placesOf({ folder: join(folder.path, "kept") }).get("file");
  await send?.(signed);
  const [name = ""] = readdirSync(join(folder.path, "kept"));
  expect(name).toBe("ledger-0198_x.jsonl");
  appendFileSync(join(folder.path, "kept", name), '{"checkpoint":{"v":1,');
  await send?.(signed);
  const lines = readFileSync(join(folder.path, "kept", name), "utf8").split("\n");
  expect(lines).toEqual([JSON.stringify(signed), '{"checkpoint":{"v":1,', JSON.stringify(signed), ""]);
  folder.remove();
});

test("a syslog receiver gets a message over UDP", async () => {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const received = once(socket, "message");
  await placesOf({ syslog: `udp://127.0.0.1:${socket.address().port}` }).get("syslog")?.(signed);
  const [message] = await received;
  expect(readCheckpoints(String(message))).toEqual([signed]);
  socket.close();
});

/** What one connection sends, once it has ended. */
async function receivedBy(
  server: Server,
  send: (port: number) => Promise<void> | undefined,
): Promise<string> {
  const got = Promise.withResolvers<string>();
  server.on(server.constructor.name === "Server" ? "connection" : "secureConnection", () => {});
  const read = (socket: Socket) => {
    let text = "";
    socket.on("data", (piece: Buffer) => (text += piece.toString()));
    socket.on("end", () => {
      socket.end();
      got.resolve(text);
    });
  };
  server.on("read", read);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await send(typeof address === "object" && address !== null ? address.port : 0);
  const text = await got.promise;
  server.close();
  return text;
}

function isCounted(text: string): void {
  const [count = "", ...rest] = text.split(" ");
  expect(Buffer.byteLength(rest.join(" "))).toBe(Number(count));
  expect(readCheckpoints(text)).toEqual([signed]);
}

test("over TCP and over TLS it is counted in octets; a certificate that is not trusted is refused", async () => {
  const folder = temporary();
  const tcp = createServer((socket) => tcp.emit("read", socket));
  isCounted(
    await receivedBy(tcp, (port) => placesOf({ syslog: `tcp://127.0.0.1:${port}` }).get("syslog")?.(signed)),
  );
  const made = await generate([{ name: "commonName", value: "localhost" }], {
    extensions: [
      {
        name: "subjectAltName",
        altNames: [
          { type: 2, value: "localhost" },
          { type: 7, ip: "127.0.0.1" },
        ],
      },
    ],
  });
  const ca = join(folder.path, "ca.pem");
  writeFileSync(ca, made.cert);
  const tls = createTlsServer({ key: made.private, cert: made.cert }, (socket) => tls.emit("read", socket));
  tls.on("tlsClientError", () => {});
  isCounted(
    await receivedBy(tls, async (port) => {
      await expect(placesOf({ syslog: `tls://127.0.0.1:${port}` }).get("syslog")?.(signed)).rejects.toThrow();
      await placesOf({ syslog: `tls://127.0.0.1:${port}?ca=${ca}` }).get("syslog")?.(signed);
    }),
  );
  folder.remove();
});

test("one that is not there is an error, and one that is written otherwise is refused", async () => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  await new Promise((resolve) => server.close(resolve));
  await expect(placesOf({ syslog: `tcp://127.0.0.1:${port}` }).get("syslog")?.(signed)).rejects.toThrow();
  expect(readSyslogUrl("tls://[::1]?ca=/x.pem")).toEqual({
    over: "tls",
    host: "::1",
    port: 6514,
    ca: "/x.pem",
  });
  for (const wrong of ["127.0.0.1:514", "http://x", "udp://", "udp://x?y=1", "tcp://a@x"])
    expect(() => readSyslogUrl(wrong)).toThrow("udp://host:port");
});
