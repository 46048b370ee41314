/** Sends a checkpoint to a syslog receiver (RFC 5424), over UDP, TCP or TLS. */
import { createSocket } from "node:dgram";
import { readFileSync } from "node:fs";
import { connect as connectTcp, isIPv6, type Socket } from "node:net";
import { hostname } from "node:os";
import process from "node:process";
import { connect as connectTls } from "node:tls";
import type { SignedCheckpoint } from "../api/ledger/ledger.ts";
import type { SyslogReceiver } from "./port.ts";

const sendMs = 10_000;
/** For a receiver that keeps the connection open after it got everything. */
const lingerMs = 500;
/** Facility 13 (log audit), severity 5 (notice). */
const priority = 13 * 8 + 5;

/** Over UDP nobody knows whether it arrived. @throws Error: it was not sent */
export function sendToSyslog(receiver: SyslogReceiver, signed: SignedCheckpoint): Promise<void> {
  const message = messageOf(signed);
  if (receiver.over === "udp") return sendDatagram(receiver, message);
  // Octet counting (RFC 6587, RFC 5425).
  return sendStream(receiver, Buffer.concat([Buffer.from(`${message.length} `), message]));
}

function messageOf(signed: SignedCheckpoint): Buffer {
  const host = hostname().replaceAll(/[^!-~]/g, "_") || "-";
  const head = `<${priority}>1 ${signed.checkpoint.at} ${host} patchbay ${process.pid} ledger.checkpoint -`;
  // The mark says that the text is UTF-8.
  return Buffer.from(`${head} \ufeff${JSON.stringify(signed)}`);
}

function sendDatagram({ host, port }: SyslogReceiver, message: Buffer): Promise<void> {
  const socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
  return new Promise<void>((resolve, reject) => {
    socket.on("error", reject);
    socket.send(message, port, host, (error) => (error ? reject(error) : resolve()));
  }).finally(() => socket.close());
}

/** Resolves when the receiver has closed after it got everything. */
function sendStream({ over, host, port, ca }: SyslogReceiver, message: Buffer): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const socket: Socket =
      over === "tcp"
        ? connectTcp({ host, port })
        : connectTls({ host, port, ...(ca === undefined ? {} : { ca: readFileSync(ca) }) });
    const timer = setTimeout(() => socket.destroy(new Error(`${host} did not answer in time`)), sendMs);
    socket.on("error", reject);
    socket.on("close", (hadError) => {
      clearTimeout(timer);
      if (hadError) reject(new Error(`${host} closed the connection`));
      else resolve();
    });
    socket.on(over === "tcp" ? "connect" : "secureConnect", () => {
      // A receiver may keep the connection open: it has the message when it has acknowledged its end.
      socket.end(message, () => setTimeout(() => socket.destroy(), lingerMs).unref());
    });
    socket.resume();
  });
}
