/** Reads a JSON body within the limits, checking its size by its length and as it arrives. */

import type { Body } from "../../api/body.ts";
import { ServiceError } from "../../base/errors.ts";
import { invalid } from "../../base/issues.ts";
import { readJson } from "../../base/json/json.ts";
import { neverAborted, within } from "../../base/time/deadline.ts";

/** A body whose JSON is parsed on first use. */
export interface ReadBody extends Body {
  /**
   * Parses the value.
   * @throws ServiceError BadRequest, Validation
   */
  check(): void;
  /** The value, if it has been parsed and not been released. */
  parsedSoFar(): unknown;
  /** Releases the value once the request is accepted, even while others wait for it. */
  forget(): void;
}

export interface BodyLimits {
  readonly maxBytes: number;
  /**
   * Reserves memory for bytes about to be buffered.
   * @throws ServiceError TooManyRequests
   */
  hold(bytes: number): void;
}

/** @throws ServiceError UnsupportedMediaType, PayloadTooLarge, TooManyRequests, BadRequest, Cancelled */
export async function readBody(request: Request, limits: BodyLimits): Promise<ReadBody> {
  requireJson(request.headers);
  const text = decode(await readBytes(request, limits));
  if (text.trim() === "") throw new ServiceError("BadRequest", "The body is missing.");
  let read: { value: unknown } | undefined;
  let forgotten = false;
  const value = () => {
    read ??= { value: objectOf(text) };
    return read.value;
  };
  return {
    text,
    get value() {
      return value();
    },
    check: () => void value(),
    forget() {
      read = undefined;
      forgotten = true;
    },
    parsedSoFar() {
      try {
        return forgotten ? undefined : value();
      } catch {
        return undefined;
      }
    },
  };
}

/**
 * Reads a body of arbitrary text, such as a table.
 * @throws ServiceError as readBody
 */
export async function readText(request: Request, limits: BodyLimits): Promise<string> {
  const encoding = request.headers.get("content-encoding")?.toLowerCase() ?? "identity";
  const type = (request.headers.get("content-type") ?? "text/plain").toLowerCase();
  const charset = /charset="?([^";]+)/.exec(type)?.[1]?.trim() ?? "utf-8";
  if (encoding !== "identity" || type.startsWith("multipart/") || !/^(?:utf-?8|us-ascii)$/.test(charset))
    throw new ServiceError("UnsupportedMediaType", "The body must be uncompressed UTF-8 text, not a form.");
  const text = decode(await readBytes(request, limits));
  if (text.trim() === "") throw new ServiceError("BadRequest", "The body is missing.");
  return text;
}

/** @throws ServiceError BadRequest, Validation */
function objectOf(text: string): unknown {
  const value = readJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid("", "must be an object");
  }
  if (suspect.test(text)) requirePlainValues(value, "");
  return value;
}

/** A body without a content type counts as JSON: clients of 0.2 send JSON as plain text. */
function requireJson(headers: Headers): void {
  const [type, ...parameters] = (headers.get("content-type") ?? "application/json").toLowerCase().split(";");
  const name = type?.trim() ?? "";
  const charset = parameters
    .map((parameter) => parameter.trim())
    .find((parameter) => parameter.startsWith("charset="));
  const encoding = headers.get("content-encoding")?.toLowerCase() ?? "identity";
  const json = name === "application/json" || (name.startsWith("application/") && name.endsWith("+json"));
  if (json && encoding === "identity" && (!charset || /^charset="?utf-?8"?$/.test(charset))) return;
  throw new ServiceError(
    "UnsupportedMediaType",
    "The body must be JSON in UTF-8, not compressed: Content-Type: application/json.",
  );
}

/** Slow-body limit: a minimum time, plus a second per this many bytes. */
const slowest = { leastMs: 20_000, bytesPerS: 128 * 1024 } as const;

async function readBytes(request: Request, { maxBytes, hold }: BodyLimits): Promise<Uint8Array> {
  const tooLarge = () => new ServiceError("PayloadTooLarge", `The body is larger than ${maxBytes} bytes.`);
  const stated = request.headers.get("content-length");
  const size = stated !== null && /^\d{1,15}$/.test(stated) ? Number(stated) : undefined;
  if (size !== undefined && size > maxBytes) throw tooLarge();
  if (size !== undefined) hold(size);
  const limitMs = slowest.leastMs + ((size ?? maxBytes) / slowest.bytesPerS) * 1000;
  const late = () => new ServiceError("BadRequest", "The body took too long to arrive.");
  // The runtime enforces Content-Length; without one the bytes are counted as they arrive.
  const bytes: Promise<ArrayBuffer | Uint8Array> =
    size === undefined ? counted(request, maxBytes, tooLarge, hold) : request.arrayBuffer();
  try {
    const read = await within(bytes, limitMs, neverAborted, late);
    return read instanceof Uint8Array ? read : new Uint8Array(read);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError("Cancelled", "The body ended early.", undefined, {
      cause: error,
    });
  }
}

async function counted(
  request: Request,
  maxBytes: number,
  tooLarge: () => ServiceError,
  hold: (bytes: number) => void,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    hold(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Rejects invalid UTF-8, since U+FFFD in place of a broken byte would be sent to a device. Also rejects a byte order
 * mark.
 */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ServiceError("BadRequest", "The body is not valid UTF-8.");
  }
}

/** May contain a lone surrogate or a number out of range: only such texts are checked in full. */
const suspect = /\\u[dD][89a-fA-F]|\d[eE]\+?0*[1-9]\d\d|\d{309}/;

/** A lone surrogate would become U+FFFD and `1e400` infinity: neither is what the caller wrote. */
function requirePlainValues(value: unknown, path: string): void {
  if (typeof value === "string") {
    if (!value.isWellFormed()) throw invalid(path, "must be valid Unicode text");
  } else if (typeof value === "number") {
    if (!Number.isFinite(value)) throw invalid(path, "must be a number of at most 1.8e308");
  } else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      if (!key.isWellFormed()) throw invalid(path, "must have names of valid Unicode text");
      requirePlainValues(member, path === "" ? key : `${path}.${key}`);
    }
  }
}
