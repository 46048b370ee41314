/** Reads a private key in any common format; explains in one sentence why a key is unusable. */
import { createPrivateKey, type KeyObject } from "node:crypto";
import type { PrivateKey } from "../../../plugin/kit/ssh.ts";
import { type ParsedKey, utils } from "../ssh2.ts";
import { wireString } from "./wire.ts";

/** Never contains any part of the key. */
export interface UnusableKey {
  readonly problem: string;
}

export function readPrivateKey({ pem, passphrase, label }: PrivateKey): ParsedKey | UnusableKey {
  const text = blockOf(pem.reveal());
  const phrase = passphrase?.reveal();
  try {
    const converted = isPkcs8(text) ? convertPkcs8(text, phrase) : text;
    const parsed = parse(converted, phrase);
    if (parsed.type === "ssh-dss") return unusable(label, "DSA keys are not supported");
    if (!parsed.isPrivateKey()) return unusable(label, "this is a public key, the private one is needed");
    return parsed;
  } catch (error) {
    return unusable(label, explain(error, text, phrase !== undefined && phrase !== ""));
  }
}

const begins = /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/;
const ends = /-----END (?:[A-Z]+ )*PRIVATE KEY-----/;

/** Extracts the key block: a file may contain comments and other blocks, and the text may be indented. */
function blockOf(text: string): string {
  const from = begins.exec(text)?.index;
  if (from === undefined) return text.trim();
  const rest = text.slice(from);
  const end = ends.exec(rest);
  const block = end === null ? rest : rest.slice(0, end.index + end[0].length);
  return block
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim())
    .join("\n")
    .trim();
}

const unusable = (label: string, why: string): UnusableKey => ({
  problem: `Private key ${label} cannot be used: ${why}`,
});

function parse(text: string, passphrase: string | undefined): ParsedKey {
  const parsed: unknown = utils.parseKey(text, passphrase);
  // The OpenSSH format may hold several keys; tools write only one.
  const first: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  if (first instanceof Error) throw first;
  return first as ParsedKey;
}

const isPkcs8 = (text: string) => /^-----BEGIN (ENCRYPTED )?PRIVATE KEY-----/m.test(text);

/** ssh2 reads every format except PKCS#8, which is converted here. */
function convertPkcs8(text: string, passphrase: string | undefined): string {
  const key = createPrivateKey(passphrase ? { key: text, passphrase } : text);
  switch (key.asymmetricKeyType) {
    case "rsa":
      return key.export({ type: "pkcs1", format: "pem" }).toString();
    case "ec":
      return key.export({ type: "sec1", format: "pem" }).toString();
    case "ed25519":
      return ed25519ToOpenSsh(key);
    default:
      throw new Error(`keys of type ${key.asymmetricKeyType ?? "unknown"} are not supported`);
  }
}

/** OpenSSH's PROTOCOL.key format: one key, unencrypted. */
function ed25519ToOpenSsh(key: KeyObject): string {
  const { x, d } = key.export({ format: "jwk" });
  if (typeof x !== "string" || typeof d !== "string") throw new Error("the key is incomplete");
  const publicPart = Buffer.from(x, "base64url");
  const privatePart = Buffer.from(d, "base64url");
  const type = wireString("ssh-ed25519");
  const check = Buffer.alloc(8);
  const secretPart = [
    check,
    type,
    wireString(publicPart),
    wireString(Buffer.concat([privatePart, publicPart])),
    wireString(""),
  ];
  const length = secretPart.reduce((sum, part) => sum + part.length, 0);
  const padding = Buffer.from(Array.from({ length: (8 - (length % 8)) % 8 }, (_, i) => i + 1));
  const body = Buffer.concat([
    Buffer.from("openssh-key-v1\0"),
    ...[wireString("none"), wireString("none"), wireString("")],
    Buffer.from([0, 0, 0, 1]),
    wireString(Buffer.concat([type, wireString(publicPart)])),
    wireString(Buffer.concat([...secretPart, padding])),
  ]);
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${body.toString("base64")}\n-----END OPENSSH PRIVATE KEY-----\n`;
}

/** Turns library errors about a key into advice. Library messages may quote the key; ours never do. */
function explain(error: unknown, text: string, hasPassphrase: boolean): string {
  const errorText = error instanceof Error ? error.message : "";
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (/BEGIN DSA /.test(text)) return "DSA keys are not supported";
  if (/^keys of type [\w-]+ are not supported$/.test(errorText)) return errorText;
  if (/KEY_DERIVATION|UNSUPPORTED_PRF|UNSUPPORTED_CIPHER|unsupported cipher/i.test(code + errorText)) {
    return "its encryption is not supported (save it with aes256-ctr or PBES2)";
  }
  if (/UNSUPPORTED_ALGORITHM|UNKNOWN_GROUP|unsupported .*(key type|curve)/i.test(code + errorText)) {
    return "this type of key is not supported (RSA, ECDSA on a NIST curve and Ed25519 are)";
  }
  if (isEncrypted(text)) {
    return hasPassphrase ? "the passphrase is wrong" : "it is encrypted and needs its passphrase";
  }
  if (/PUBLIC KEY-----|^(ssh|ecdsa)-/.test(text)) return "this is a public key, the private one is needed";
  if (!/-----BEGIN |PuTTY-User-Key-File/.test(text))
    return "it does not hold a private key in PEM or OpenSSH form";
  return "it is damaged or in an unknown form";
}

function isEncrypted(text: string): boolean {
  if (/BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: 4,ENCRYPTED|^Encryption: aes/m.test(text)) return true;
  const openSsh = /-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]*?)-----END/.exec(text)?.[1];
  if (openSsh === undefined) return false;
  // The cipher name follows the magic; it is `none` for an unencrypted key.
  const bytes = Buffer.from(openSsh, "base64");
  return bytes.toString("latin1", 19, 23) !== "none";
}
