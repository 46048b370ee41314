/** An SNMP agent of version 2c that follows the test's script: loops, gaps, wrong types, silence, nonsense. */
import { createSocket } from "node:dgram";
import { once } from "node:events";

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
    const { request, id, community } = read(datagram);
    heard.push(request);
    const said = answer(request);
    if (said === undefined) return;
    const { varbinds = [], status = 0, raw, times = 1 } = said;
    const list = tlv(0x30, ...varbinds.map(([oid, value]) => tlv(0x30, oidOf(oid), value)));
    const pdu = tlv(0xa2, id, integer(status), integer(0), list);
    const message = raw ?? tlv(0x30, integer(1), community, pdu);
    for (let sent = 0; sent < times; sent++) socket.send(message, port, address);
  });
  return { host: "127.0.0.1", port: socket.address().port, heard, close: () => socket.close() };
}

function tlv(type: number, ...content: readonly Buffer[]): Buffer {
  const inside = Buffer.concat(content);
  const { length } = inside;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([type, ...size]), inside]);
}

export function integer(value: number, type = 2): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt32BE(value, 1);
  let at = 0;
  while (at < 4 && bytes[at] === 0 && (bytes[at + 1] ?? 0) < 128) at++;
  return tlv(type, bytes.subarray(at));
}
export const text = (value: string | Buffer): Buffer => tlv(4, Buffer.from(value as string));
export const endOfView = tlv(130);
export const odd = tlv(0x99, Buffer.from("?"));

export function oidOf(oid: string): Buffer {
  const [first = 0, second = 0, ...rest] = oid.split(".").map(Number);
  const parts = [first * 40 + second, ...rest].flatMap((part) => {
    const bytes = [part & 127];
    for (let left = part >>> 7; left > 0; left >>>= 7) bytes.unshift((left & 127) | 128);
    return bytes;
  });
  return tlv(6, Buffer.from(parts));
}

interface Piece {
  readonly type: number;
  readonly whole: Buffer;
  readonly inside: Buffer;
  readonly rest: Buffer;
}

function piece(data: Buffer): Piece {
  const [type = 0, short = 0] = data;
  const wide = short > 128 ? short - 128 : 0;
  const length = wide === 0 ? short : data.readUIntBE(2, wide);
  const start = 2 + wide;
  return {
    type,
    whole: data.subarray(0, start + length),
    inside: data.subarray(start, start + length),
    rest: data.subarray(start + length),
  };
}

function read(datagram: Buffer) {
  const version = piece(piece(datagram).inside);
  const community = piece(version.rest);
  const pdu = piece(community.rest);
  const id = piece(pdu.inside);
  const first = piece(id.rest);
  const second = piece(first.rest);
  const oids: string[] = [];
  for (let left = piece(second.rest).inside; left.length > 0; left = piece(left).rest)
    oids.push(oidText(piece(piece(left).inside).inside));
  const repetitions = second.inside.readUIntBE(0, second.inside.length);
  return { request: { pdu: pdu.type, oids, repetitions }, id: id.whole, community: community.whole };
}

function oidText(bytes: Buffer): string {
  const parts: number[] = [];
  let part = 0;
  for (const byte of bytes) {
    part = part * 128 + (byte & 127);
    if (byte >= 128) continue;
    parts.push(part);
    part = 0;
  }
  const [first = 0, ...rest] = parts;
  return [
    Math.min(2, Math.floor(first / 40)),
    first - 40 * Math.min(2, Math.floor(first / 40)),
    ...rest,
  ].join(".");
}
