/** A private key with its certificate, usable in place of an ssh2 key. ssh2 does not support certificates. */

import type { Client, ParsedKey } from "../ssh2.ts";
import { type Certificate, certificateSuffix } from "./certificate.ts";
import { wireString } from "./wire.ts";

const certificates = new WeakMap<ParsedKey, Certificate>();

/** Signs like the key; presents the certificate once `sendCertificates` is installed on the client. */
export function certifiedKey(key: ParsedKey, certificate: Certificate): ParsedKey {
  const certified: ParsedKey = Object.create(key);
  certificates.set(certified, certificate);
  return certified;
}

type Sign = (data: Buffer, done: (signature: Buffer) => void) => void;
type AuthPublicKey = (username: string, key: ParsedKey, algorithm?: string | Sign, sign?: Sign) => void;

/** Non-public parts of ssh2. */
interface Protocol {
  authPK: AuthPublicKey;
  readonly _kex: { readonly sessionID: Buffer };
  readonly _authsQueue: string[];
  readonly _packetRW: {
    readonly write: {
      readonly allocStart: number;
      alloc(bytes: number): Buffer;
      finalize(packet: Buffer): Buffer;
    };
  };
  readonly _kexinit?: unknown;
  _queue?: Buffer[];
  readonly _cipher: { encrypt(packet: Buffer): void };
}

const userAuthRequest = 50;

/**
 * In the request of RFC 4252 section 7, the algorithm is that of the certificate, but the signature names that of the
 * key. ssh2 writes one name in both places, so this module builds the request for certified keys.
 */
export function sendCertificates(client: Client): void {
  const { _protocol: protocol } = client as unknown as { _protocol: Protocol };
  const original = protocol.authPK.bind(protocol);
  protocol.authPK = (username, key, algorithm, sign) => {
    const certificate = certificates.get(key);
    if (certificate === undefined) return original(username, key, algorithm, sign);
    const signer = typeof algorithm === "function" ? algorithm : sign;
    const name = typeof algorithm === "string" ? algorithm : key.type;
    const request = requestOf(username, name, certificate, signer !== undefined);
    if (signer === undefined) return send(protocol, request);
    const signed = Buffer.concat([wireString(protocol._kex.sessionID), request]);
    signer(signed, (raw) => {
      const signature = Buffer.concat([wireString(name), wireString(inWireForm(raw, key.type))]);
      send(protocol, Buffer.concat([request, wireString(signature)]));
    });
  };
}

function requestOf(username: string, algorithm: string, { blob }: Certificate, isSigned: boolean): Buffer {
  return Buffer.concat([
    Buffer.from([userAuthRequest]),
    ...[username, "ssh-connection", "publickey"].map(wireString),
    Buffer.from([isSigned ? 1 : 0]),
    wireString(algorithm + certificateSuffix),
    wireString(blob),
  ]);
}

function send(protocol: Protocol, payload: Buffer): void {
  protocol._authsQueue.push("publickey");
  const { write } = protocol._packetRW;
  const packet = write.alloc(payload.length);
  packet.set(payload, write.allocStart);
  const finalized = write.finalize(packet);
  // During a rekey nothing else may be sent; ssh2 flushes its queue afterwards.
  if (protocol._kexinit !== undefined) protocol._queue = [...(protocol._queue ?? []), finalized];
  else protocol._cipher.encrypt(finalized);
}

/** An ECDSA signature is DER: a sequence of two integers. The others are sent unchanged. */
function inWireForm(signature: Buffer, keyType: string): Buffer {
  if (!keyType.startsWith("ecdsa-")) return signature;
  const isLong = (signature[1] ?? 0) > 0x80;
  const first = isLong ? 3 : 2;
  const r = integerAt(signature, first);
  const s = integerAt(signature, first + 2 + r.length);
  return Buffer.concat([wireString(r), wireString(s)]);
}

function integerAt(der: Buffer, at: number): Buffer {
  const length = der[at + 1] ?? 0;
  return der.subarray(at + 2, at + 2 + length);
}

/** Whether the certificate was issued for the key. */
export function belongTogether(key: ParsedKey, { publicKey }: Certificate): boolean {
  return key.getPublicSSH().equals(publicKey);
}
