/** Files that anybody may have, sent from bytes that all share: who asks for many and reads none holds a piece of each. */
import { takesGzip } from "./request-facts.ts";

export interface SharedFile {
  bytes(): Promise<Uint8Array>;
  /** The same, packed with gzip. */
  packed(): Promise<Uint8Array>;
}

const pieceBytes = 64 * 1024;

/** Packed, to whoever unpacks it. */
export async function sendShared(
  request: Request,
  headers: Record<string, string>,
  file: SharedFile,
): Promise<Response> {
  const packs = takesGzip(request);
  const bytes = packs ? await file.packed() : await file.bytes();
  return new Response(inPieces(bytes), {
    headers: packs ? { ...headers, "Content-Encoding": "gzip" } : headers,
  });
}

/** The runtime copies what it is given whole, and holds on to it until it is read; of a stream it asks for the next piece. */
function inPieces(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + pieceBytes));
      at += pieceBytes;
    },
  });
}
