/** Reads a JSON body within the limits, by its length and while it comes. */
import { ServiceError } from "../base/errors.ts";
import { readJson } from "../base/json.ts";
import type { Body } from "../jobs/api.ts";

/** @throws ServiceError UnsupportedMediaType, PayloadTooLarge, BadRequest, Validation, Cancelled */
export async function readBody(request: Request, maxBytes: number): Promise<Body> {
  demandJson(request.headers);
  const text = decode(await readBytes(request, maxBytes));
  if (text.trim() === "") throw new ServiceError("BadRequest", "The body is missing.");
  const value = readJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid("", "must be an object");
  }
  if (suspect.test(text)) demandPlainValues(value, "");
  return { text, value };
}

/** A body without a type is taken for JSON, as clients of 0.2 that send plain text of JSON expect. */
function demandJson(headers: Headers): void {
  const [type, ...parameters] = (headers.get("content-type") ?? "application/json").toLowerCase().split(";");
  const name = type?.trim() ?? "";
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith("charset="));
  const encoding = headers.get("content-encoding")?.toLowerCase() ?? "identity";
  const json = name === "application/json" || (name.startsWith("application/") && name.endsWith("+json"));
  if (json && encoding === "identity" && (!charset || /^charset="?utf-?8"?$/.test(charset))) return;
  throw new ServiceError(
    "UnsupportedMediaType",
    "The body must be JSON in UTF-8, not compressed: Content-Type: application/json.",
  );
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () => new ServiceError("PayloadTooLarge", `The body is larger than ${maxBytes} bytes.`);
  const stated = request.headers.get("content-length");
  if (stated !== null && Number(stated) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    // The runtime holds a sender to the length it stated; without one the bytes are counted as they come.
    if (stated !== null) return new Uint8Array(await request.arrayBuffer());
    for await (const chunk of request.body ?? []) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError("Cancelled", "The body ended before its end.", undefined, { cause: error });
  }
  return Buffer.concat(chunks);
}

/** U+FFFD in place of a broken byte would be sent to a device: such a text is refused. So is a byte order mark. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ServiceError("BadRequest", "The body is not valid UTF-8.");
  }
}

/** Half of a surrogate pair, or a number too large: only a text with one of these is walked. */
const suspect = /\\u[dD][89a-fA-F]|\d[eE]\+?0*[1-9]\d\d|\d{309}/;

/** Half a character becomes U+FFFD and `1e400` becomes infinity: neither is what the caller wrote. */
function demandPlainValues(value: unknown, path: string): void {
  if (typeof value === "string") {
    if (!value.isWellFormed()) throw invalid(path, "must be valid Unicode text");
  } else if (typeof value === "number") {
    if (!Number.isFinite(value)) throw invalid(path, "must be a number of at most 1.8e308");
  } else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      if (!key.isWellFormed()) throw invalid(path, "must have names of valid Unicode text");
      demandPlainValues(member, path === "" ? key : `${path}.${key}`);
    }
  }
}

function invalid(path: string, message: string): ServiceError {
  return new ServiceError("Validation", "Validation Error", { issues: [{ path, message }] });
}
