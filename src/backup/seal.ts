/** Encrypts archives with a passphrase in the age format (age-encryption.org/v1), so that `age -d` opens them. */
import { randomBytes, type ScryptOptions, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { Decrypter, Encrypter, type Identity, type Recipient, Stanza } from "age-encryption";
import { ServiceError } from "../base/errors.ts";

/** log2 of scrypt's cost: that of `age -p`, about a second; and the most that is accepted, 1 GiB of memory. */
const cost = 18;
const maxCost = 20;
const saltBytes = 16;

export async function sealed(
  source: AsyncIterable<Uint8Array>,
  passphrase: string,
): Promise<AsyncIterable<Uint8Array>> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipientOf(passphrase));
  return piecesOf(await encrypter.encrypt(streamOf(source)));
}

/** @throws ServiceError Validation: wrong passphrase */
export async function opened(
  source: AsyncIterable<Uint8Array>,
  passphrase: string,
): Promise<AsyncIterable<Uint8Array>> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(identityOf(passphrase));
  try {
    return piecesOf(await decrypter.decrypt(streamOf(source)));
  } catch (error) {
    const message = "The passphrase does not open this archive, or its beginning is damaged.";
    throw new ServiceError("Validation", message, undefined, { cause: error });
  }
}

/** In place of the library's, whose scrypt takes half as long again and meanwhile blocks the event loop. */
function recipientOf(passphrase: string): Recipient {
  return {
    async wrapFileKey(fileKey) {
      const salt = randomBytes(saltBytes);
      const body = (await wrapping(passphrase, salt, cost)).encrypt(fileKey);
      return [new Stanza(["scrypt", unpadded(salt), String(cost)], body)];
    },
  };
}

/** The format has a passphrase as the only way in. */
function identityOf(passphrase: string): Identity {
  return {
    async unwrapFileKey(stanzas) {
      const [stanza, ...others] = stanzas;
      const [kind, salt = "", work = "", ...more] = stanza?.args ?? [];
      if (stanza === undefined || kind !== "scrypt") return null;
      const bytes = Buffer.from(salt, "base64");
      const isWhole =
        others.length === 0 &&
        more.length === 0 &&
        bytes.length === saltBytes &&
        unpadded(bytes) === salt &&
        /^[1-9]\d?$/.test(work) &&
        Number(work) <= maxCost &&
        stanza.body.length === 32;
      if (!isWhole) throw new Error("invalid scrypt stanza");
      const cipher = await wrapping(passphrase, bytes, Number(work));
      try {
        return cipher.decrypt(stanza.body);
      } catch {
        return null;
      }
    },
  };
}

const unpadded = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");

/** The cipher that wraps the key of the file: its key is used once, so its nonce is zero. */
async function wrapping(passphrase: string, salt: Buffer, work: number) {
  const salted = Buffer.concat([Buffer.from("age-encryption.org/v1/scrypt"), salt]);
  const N = 2 ** work;
  const key = await derive(passphrase, salted, 32, { N, r: 8, p: 1, maxmem: 128 * 8 * (N + 8) });
  return chacha20poly1305(key, new Uint8Array(12));
}

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** Converts to a stream with back-pressure. */
function streamOf(source: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const pieces = source[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const next = await pieces.next();
      if (next.done === true) controller.close();
      else controller.enqueue(new Uint8Array(next.value));
    },
    async cancel() {
      await pieces.return?.();
    },
  });
}

async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
