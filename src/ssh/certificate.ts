/** OpenSSH user certificates (PROTOCOL.certkeys): what stands in one, and what in it a server would not take. */
import { readWire, type WireReader, wireString } from "./wire.ts";

export interface Certificate {
  /** `ssh-ed25519` of `ssh-ed25519-cert-v01@openssh.com`. */
  readonly keyType: string;
  /** In the wire form, as a server gets it. */
  readonly blob: Buffer;
  /** The key that it was given for, in the wire form. */
  readonly publicKey: Buffer;
  readonly isForHosts: boolean;
  /** What the authority calls it. */
  readonly keyId: string;
  /** Users that it lets in; empty: all, as far as the certificate goes. */
  readonly principals: readonly string[];
  /** Seconds since 1970. */
  readonly validAfter: bigint;
  readonly validBefore: bigint;
}

export const certificateSuffix = "-cert-v01@openssh.com";

/** How many strings the public key of a type is, behind the nonce. */
const partsOfKey: Readonly<Record<string, number>> = {
  "ssh-ed25519": 1,
  "ssh-rsa": 2,
  "ecdsa-sha2-nistp256": 2,
  "ecdsa-sha2-nistp384": 2,
  "ecdsa-sha2-nistp521": 2,
};
const forHosts = 2;

/** @param text the line of a file `…-cert.pub`. @returns undefined: it is no certificate of a type that is known */
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

/** Why a server may have refused it, as far as it can be seen from here: its clock and its lists are its own. */
export function doubtOf(certificate: Certificate, username: string, nowMs = Date.now()): string | undefined {
  const now = BigInt(Math.floor(nowMs / 1000));
  const { validAfter, validBefore, principals } = certificate;
  if (now >= validBefore) return `expired at ${timeText(validBefore)}`;
  if (now < validAfter) return `is not valid before ${timeText(validAfter)}`;
  if (principals.length > 0 && !principals.includes(username))
    return `is for ${principals.slice(0, 5).join(", ")}${principals.length > 5 ? " and others" : ""}, not for ${username}`;
  return undefined;
}

/** The last second that a Date holds; certificates may say for ever. */
const lastSecond = 8_640_000_000_000n;

function timeText(seconds: bigint): string {
  return new Date(Number(seconds > lastSecond ? lastSecond : seconds) * 1000).toISOString();
}
