/** Encrypts archives with a passphrase in the age format (age-encryption.org/v1), so that `age -d` opens them. */
import { Decrypter, Encrypter } from "age-encryption";
import { ServiceError } from "../base/errors.ts";

export async function sealed(
  source: AsyncIterable<Uint8Array>,
  passphrase: string,
): Promise<AsyncIterable<Uint8Array>> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  return piecesOf(await encrypter.encrypt(streamOf(source)));
}

/** @throws ServiceError Validation: wrong passphrase */
export async function opened(
  source: AsyncIterable<Uint8Array>,
  passphrase: string,
): Promise<AsyncIterable<Uint8Array>> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    return piecesOf(await decrypter.decrypt(streamOf(source)));
  } catch (error) {
    const message = "The passphrase does not open this archive, or its beginning is damaged.";
    throw new ServiceError("Validation", message, undefined, { cause: error });
  }
}

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
