/** An SNMP agent of version 2c that follows the test's script: loops, gaps, wrong types, silence, nonsense. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import {
  answerTo,
  integer,
  oid,
  readMessage,
  tags,
  text,
  tlv,
} from "../../../src/testkit/simulator/servers/snmp-ber.ts";

export interface Request {
  /** 160 get, 161 next, 163 set, 165 bulk. */
  readonly pdu: number;
  readonly oids: readonly string[];
  /** Of a bulk. */
  readonly repetitions: number;
}

export interface Answered {
  readonly varbinds?: readonly (readonly [oid: string, value: Buffer])[];
  readonly status?: number;
  /** Instead of an answer. */
  readonly raw?: Buffer;
  /** How often it is sent. */
  readonly times?: number;
}

export interface Liar {
  readonly host: string;
  readonly port: number;
  readonly heard: Request[];
  close(): void;
}

/** @param answer undefined: says nothing */
export async function startLiar(answer: (request: Request) => Answered | undefined): Promise<Liar> {
  const heard: Request[] = [];
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  await once(socket, "listening");
  socket.on("message", (datagram, { port, address }) => {
    const asked = readMessage(datagram);
    const { pdu, second: repetitions, varbinds: wanted } = asked;
    const request = { pdu, repetitions, oids: wanted.map((one) => one.oid) };
    heard.push(request);
    const said = answer(request);
    if (said === undefined) return;
    const { varbinds = [], status = 0, raw, times = 1 } = said;
    const message = raw ?? answerTo(asked, varbinds, { status });
    for (let sent = 0; sent < times; sent++) socket.send(message, port, address);
  });
  return { host: "127.0.0.1", port: socket.address().port, heard, close: () => socket.close() };
}

export { integer, oid as oidOf, text };
export const endOfView = tlv(tags.endOfView);
export const odd = tlv(0x99, Buffer.from("?"));
