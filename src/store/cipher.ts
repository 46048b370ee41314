/** Encrypts secret columns: AES-256-GCM with the key id in the header; table, row and field are authenticated data. */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { ServiceError } from "../base/errors.ts";
import { zlib } from "../base/lazy-modules.ts";

export interface Cipher {
  /** Id of the key that encrypts. */
  readonly keyId: string;
  /** Derived from the master key: makes the macs of the ledger. 32 bytes. */
  readonly ledgerKey: Uint8Array;
  seal(text: string, place: SealPlace): Buffer;
  /** @throws ServiceError Internal if the key is unknown, the place does not match or the bytes were changed */
  open(sealed: Uint8Array, place: SealPlace): string;
  /** Undefined if `open` would throw, so that one damaged row does not block the others. */
  tryOpen(sealed: Uint8Array | undefined, place: SealPlace): string | undefined;
  /**
   * Like `tryOpen`, and undefined if the text is longer than `maxBytes`: texts are compressed, so a small row may hold
   * a large one.
   */
  openUpTo(sealed: Uint8Array, place: SealPlace, maxBytes: number | undefined): string | undefined;
  /** Whether the value was encrypted with the current key. */
  current(sealed: Uint8Array): boolean;
  /** Keyed hash (HMAC), only for testing two texts for equality. */
  fingerprint(text: string): string;
  /** Whether the hash is of this text, under the current key or a former one. */
  isFingerprint(print: string, text: string): boolean;
}

/** Where a sealed value is stored. A value copied to another row does not decrypt. */
export interface SealPlace {
  readonly table: string;
  readonly row: string;
  readonly field: string;
}

const version = 1;
const idBytes = 8;
const nonceBytes = 12;
const tagBytes = 16;
const tagAt = 2 + idBytes + nonceBytes;
const headBytes = tagAt + tagBytes;
/** Device output compresses to a fifth; below this size compression is not worth the time. */
const deflateFrom = 2_048;

interface Key {
  id: Buffer;
  seal: KeyObject;
  print: Buffer;
  ledger: Buffer;
}

/**
 * @param master 32 bytes; encrypts and decrypts
 * @param former previous keys; decrypt only
 */
export function createCipher(master: Uint8Array, former: readonly Uint8Array[] = []): Cipher {
  const key = derive(master);
  const keys = [key, ...former.map(derive)];
  const fingerprint = (text: string, by = key) => createHmac("sha256", by.print).update(text).digest("hex");

  const makeNonce = createNonces();

  function seal(text: string, place: SealPlace): Buffer {
    const plain = Buffer.from(text, "utf8");
    const deflated = plain.length >= deflateFrom;
    const nonce = makeNonce();
    const cipher = createCipheriv("aes-256-gcm", key.seal, nonce);
    cipher.setAAD(aad(place, deflated));
    const body = cipher.update(deflated ? zlib().deflateRawSync(plain, { level: 1 }) : plain);
    // GCM has no padding: `final` returns no bytes.
    cipher.final();
    const sealed = Buffer.allocUnsafe(headBytes + body.length);
    sealed[0] = version;
    sealed[1] = deflated ? 1 : 0;
    sealed.set(key.id, 2);
    sealed.set(nonce, 2 + idBytes);
    sealed.set(cipher.getAuthTag(), 2 + idBytes + nonceBytes);
    sealed.set(body, headBytes);
    return sealed;
  }

  const keyOf = (bytes: Buffer) => keys.find(({ id }) => id.compare(bytes, 2, 2 + idBytes) === 0);

  function open(sealed: Uint8Array, place: SealPlace): string {
    return openUpTo(sealed, place, undefined) ?? "";
  }

  function openUpTo(sealed: Uint8Array, place: SealPlace, maxBytes: number | undefined): string | undefined {
    const bytes = Buffer.isBuffer(sealed)
      ? sealed
      : Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
    const sealKey = bytes.length < headBytes ? undefined : keyOf(bytes);
    if (bytes[0] !== version || !sealKey)
      throw unreadable(`it was encrypted with another master key (${idOf(bytes)})`);
    const deflated = bytes[1] === 1;
    try {
      const decipher = createDecipheriv("aes-256-gcm", sealKey.seal, bytes.subarray(2 + idBytes, tagAt));
      decipher.setAAD(aad(place, deflated));
      decipher.setAuthTag(bytes.subarray(tagAt, headBytes));
      // GCM is a stream mode: `update` returns the whole text and `final` only verifies the tag. Lists decrypt 100,000
      // values.
      const plain = decipher.update(bytes.subarray(headBytes));
      decipher.final();
      if (!deflated)
        return maxBytes !== undefined && plain.length > maxBytes ? undefined : plain.toString("utf8");
      const limits = maxBytes === undefined ? {} : { maxOutputLength: maxBytes };
      return zlib().inflateRawSync(plain, limits).toString("utf8");
    } catch (error) {
      if (isTooLarge(error)) return undefined;
      throw unreadable("it was changed, or belongs to another row", error);
    }
  }

  return {
    keyId: key.id.toString("hex"),
    ledgerKey: key.ledger,
    seal,
    open,
    tryOpen(sealed, place) {
      try {
        return sealed && open(sealed, place);
      } catch (error) {
        if (error instanceof ServiceError) return undefined;
        throw error;
      }
    },
    openUpTo,
    current: (sealed) => Buffer.from(sealed.subarray(2, 2 + idBytes)).equals(key.id),
    fingerprint: (text) => fingerprint(text),
    isFingerprint: (hash, text) => keys.some((candidate) => fingerprint(text, candidate) === hash),
  };
}

/**
 * Nonces, each used once. Random bytes are fetched for hundreds of nonces at a time: one call per nonce took as long as
 * encrypting a short text.
 */
function createNonces(): () => Uint8Array {
  let pool: Uint8Array = new Uint8Array();
  let at = 0;
  return () => {
    if (at === pool.length) {
      pool = randomBytes(256 * nonceBytes);
      at = 0;
    }
    at += nonceBytes;
    return pool.subarray(at - nonceBytes, at);
  };
}

/** The decompressed text exceeds the limit. */
function isTooLarge(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
}

function idOf(bytes: Buffer): string {
  return bytes.subarray(2, 2 + idBytes).toString("hex");
}

function derive(master: Uint8Array): Key {
  if (master.length !== 32)
    throw new ServiceError("Validation", `The master key must have 32 bytes; it has ${master.length}.`);
  return {
    id: createHash("sha256").update("patchbay key id v1").update(master).digest().subarray(0, idBytes),
    seal: createSecretKey(Buffer.from(hkdfSync("sha256", master, "", "patchbay seal v1", 32))),
    print: Buffer.from(hkdfSync("sha256", master, "", "patchbay fingerprint v1", 32)),
    ledger: Buffer.from(hkdfSync("sha256", master, "", "patchbay ledger v1", 32)),
  };
}

const scratch = Buffer.alloc(512);

/** Valid until the next call: lists open 100,000 values, and a buffer of its own for each took a tenth of that. */
function aad({ table, row, field }: SealPlace, deflated: boolean): Buffer {
  const text = `${table}|${row}|${field}|${version}|${deflated ? 1 : 0}`;
  // A character takes at most three bytes.
  if (text.length * 3 > scratch.length) return Buffer.from(text);
  return scratch.subarray(0, scratch.write(text));
}

function unreadable(why: string, cause?: unknown): ServiceError {
  return new ServiceError("Internal", `An encrypted value could not be decrypted: ${why}.`, undefined, {
    cause,
  });
}
