/** Public files served from shared bytes: a client that requests many and reads none holds one piece of each. */
import { takesGzip } from "../request/request-facts.ts";

export interface SharedFile {
  bytes(): Promise<Uint8Array>;
  /** The same, gzip-compressed. */
  packed(): Promise<Uint8Array>;
}

const pieceBytes = 64 * 1024;

/** Compressed if the caller accepts gzip. */
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

/** The runtime copies a whole buffer and holds it until it is read; from a stream it pulls piece by piece. */
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
