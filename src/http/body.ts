/** Reads a JSON body within the limits, by its length and while it comes. */
import { ServiceError } from "../base/errors.ts";
import { readJson } from "../base/json.ts";
import type { Body } from "../jobs/api.ts";

/** @throws ServiceError UnsupportedMediaType, PayloadTooLarge, BadRequest, Validation */
export async function readBody(request: Request, maxBytes: number): Promise<Body> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json" && !type?.endsWith("+json")) {
    throw new ServiceError("UnsupportedMediaType", "The body must be JSON: Content-Type: application/json.");
  }
  const text = decode(await readBytes(request, maxBytes));
  if (text.trim() === "") throw new ServiceError("BadRequest", "The body is missing.");
  const value = readJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ServiceError("BadRequest", "The body must be a JSON object.");
  }
  return { text, value };
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () => new ServiceError("PayloadTooLarge", `The body is larger than ${maxBytes} bytes.`);
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge();
  if (request.headers.has("content-length")) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** U+FFFD in place of a broken byte would be sent to a device: such a text is refused. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ServiceError("BadRequest", "The body is not valid UTF-8.");
  }
}
