/** The part of BER that messages of SNMP are written in: enough to read requests of version 2c, and to answer them. */

/** A value with its type, as it stands in a message. */
export interface Piece {
  readonly type: number;
  /** With its type and length. */
  readonly whole: Buffer;
  readonly inside: Buffer;
  /** What follows it. */
  readonly rest: Buffer;
}

export const tags = {
  integer: 2,
  text: 4,
  oid: 6,
  sequence: 0x30,
  address: 0x40,
  counter: 0x41,
  gauge: 0x42,
  ticks: 0x43,
  noObject: 0x80,
  noInstance: 0x81,
  endOfView: 0x82,
  get: 0xa0,
  next: 0xa1,
  answer: 0xa2,
  set: 0xa3,
  bulk: 0xa5,
} as const;

export function tlv(type: number, ...content: readonly Uint8Array[]): Buffer {
  const inside = Buffer.concat(content);
  const { length } = inside;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([type, ...size]), inside]);
}

/** @throws RangeError: it ends before its length */
export function piece(data: Buffer): Piece {
  const [type = 0, short = 0] = data;
  const wide = short > 128 ? short - 128 : 0;
  const length = wide === 0 ? short : data.readUIntBE(2, wide);
  const start = 2 + wide;
  if (data.length < start + length) throw new RangeError("it is cut");
  return {
    type,
    whole: data.subarray(0, start + length),
    inside: data.subarray(start, start + length),
    rest: data.subarray(start + length),
  };
}

/** From 0 to 2^32-1. */
export function integer(value: number, type: number = tags.integer): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt32BE(value, 1);
  let at = 0;
  while (at < 4 && bytes[at] === 0 && (bytes[at + 1] ?? 0) < 128) at++;
  return tlv(type, bytes.subarray(at));
}

export const text = (value: string | Uint8Array): Buffer =>
  tlv(tags.text, typeof value === "string" ? Buffer.from(value) : value);

export function oid(name: string): Buffer {
  const [first = 0, second = 0, ...rest] = name.split(".").map(Number);
  const parts = [first * 40 + second, ...rest].flatMap((part) => {
    const bytes = [part & 127];
    for (let left = part >>> 7; left > 0; left >>>= 7) bytes.unshift((left & 127) | 128);
    return bytes;
  });
  return tlv(tags.oid, Buffer.from(parts));
}

export function oidText(bytes: Uint8Array): string {
  const parts: number[] = [];
  let part = 0;
  for (const byte of bytes) {
    part = part * 128 + (byte & 127);
    if (byte >= 128) continue;
    parts.push(part);
    part = 0;
  }
  const [first = 0, ...rest] = parts;
  const top = Math.min(2, Math.floor(first / 40));
  return [top, first - 40 * top, ...rest].join(".");
}

export const numberIn = (bytes: Buffer): number => bytes.readUIntBE(0, Math.min(6, bytes.length));

export interface Message {
  readonly version: number;
  readonly community: Piece;
  readonly pdu: number;
  readonly id: Piece;
  /** Error status, or the non-repeaters of a bulk. */
  readonly first: number;
  /** Error index, or the repetitions of a bulk. */
  readonly second: number;
  readonly varbinds: readonly { readonly oid: string; readonly value: Piece }[];
}

/** @throws RangeError: it is cut */
export function readMessage(datagram: Buffer): Message {
  const version = piece(piece(datagram).inside);
  const community = piece(version.rest);
  const pdu = piece(community.rest);
  const id = piece(pdu.inside);
  const first = piece(id.rest);
  const second = piece(first.rest);
  const varbinds: { oid: string; value: Piece }[] = [];
  for (let left = piece(second.rest).inside; left.length > 0; ) {
    const varbind = piece(left);
    const name = piece(varbind.inside);
    varbinds.push({ oid: oidText(name.inside), value: piece(name.rest) });
    left = varbind.rest;
  }
  return {
    ...{ version: numberIn(version.inside), community, pdu: pdu.type, id, varbinds },
    ...{ first: numberIn(first.inside), second: numberIn(second.inside) },
  };
}

export function answerTo(
  { community, id }: Pick<Message, "community" | "id">,
  varbinds: readonly (readonly [oid: string, value: Buffer])[],
  { status = 0, index = 0 } = {},
): Buffer {
  const list = tlv(tags.sequence, ...varbinds.map(([name, value]) => tlv(tags.sequence, oid(name), value)));
  const pdu = tlv(tags.answer, id.whole, integer(status), integer(index), list);
  return tlv(tags.sequence, integer(1), community.whole, pdu);
}
