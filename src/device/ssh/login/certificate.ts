/** OpenSSH user certificates (PROTOCOL.certkeys): parses them, and finds reasons why a server would reject one. */
import { readWire, type WireReader, wireString } from "./wire.ts";

export interface Certificate {
  /** `ssh-ed25519` for `ssh-ed25519-cert-v01@openssh.com`. */
  readonly keyType: string;
  /** Wire format, as sent to the server. */
  readonly blob: Buffer;
  /** The certified public key in wire format. */
  readonly publicKey: Buffer;
  readonly isForHosts: boolean;
  /** Key ID assigned by the CA. */
  readonly keyId: string;
  /** Users for whom the certificate is valid; empty: any user. */
  readonly principals: readonly string[];
  /** Seconds since 1970. */
  readonly validAfter: bigint;
  readonly validBefore: bigint;
}

export const certificateSuffix = "-cert-v01@openssh.com";

/** Number of strings in the public key of each type, after the nonce. */
const partsOfKey: Readonly<Record<string, number>> = {
  "ssh-ed25519": 1,
  "ssh-rsa": 2,
  "ecdsa-sha2-nistp256": 2,
  "ecdsa-sha2-nistp384": 2,
  "ecdsa-sha2-nistp521": 2,
};
const forHosts = 2;

/**
 * @param text content of a `…-cert.pub` file
 * @returns undefined if it is not a certificate of a known type
 */
export function parseCertificate(text: string): Certificate | undefined {
  const [, encoded] = text.trim().split(/\s+/);
  if (encoded === undefined) return undefined;
  const blob = Buffer.from(encoded, "base64");
  try {
    return readCertificate(blob);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readCertificate(blob: Buffer): Certificate | undefined {
  const wire = readWire(blob);
  const type = wire.string().toString("latin1");
  const keyType = type.slice(0, -certificateSuffix.length);
  const parts = type.endsWith(certificateSuffix) ? partsOfKey[keyType] : undefined;
  if (parts === undefined) return undefined;
  wire.string();
  const key = Array.from({ length: parts }, () => wireString(wire.string()));
  wire.uint64();
  return {
    keyType,
    blob,
    publicKey: Buffer.concat([wireString(keyType), ...key]),
    isForHosts: wire.uint32() === forHosts,
    keyId: wire.string().toString("utf8"),
    principals: stringsOf(readWire(wire.string())),
    validAfter: wire.uint64(),
    validBefore: wire.uint64(),
  };
}

function stringsOf(wire: WireReader): string[] {
  const strings: string[] = [];
  while (!wire.atEnd()) strings.push(wire.string().toString("utf8"));
  return strings;
}

/** Why a server may have rejected it, as far as the client can tell: the server's clock and CA lists are unknown. */
export function doubtOf(certificate: Certificate, username: string, nowMs = Date.now()): string | undefined {
  const now = BigInt(Math.floor(nowMs / 1000));
  const { validAfter, validBefore, principals } = certificate;
  if (now >= validBefore) return `expired at ${timeText(validBefore)}`;
  if (now < validAfter) return `is not valid before ${timeText(validAfter)}`;
  if (principals.length > 0 && !principals.includes(username))
    return `is for ${principals.slice(0, 5).join(", ")}${principals.length > 5 ? " and others" : ""}, not for ${username}`;
  return undefined;
}

/** The last second that a Date can hold; certificates may be valid forever. */
const lastSecond = 8_640_000_000_000n;

function timeText(seconds: bigint): string {
  return new Date(Number(seconds > lastSecond ? lastSecond : seconds) * 1000).toISOString();
}
