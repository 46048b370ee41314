/** Envelopes, and the table that maps errors to statuses. */
import { randomUUID } from "node:crypto";
import { type ErrorKind, ServiceError } from "../../base/errors.ts";
import { fullRetryS } from "../../base/files/disk-reserve.ts";
import type { Log } from "../../base/log.ts";
import { faultParts } from "../../registry/plugin-fault.ts";
import { maskText } from "../request/mask.ts";

/** 499 is for the log only: the caller has disconnected. */
type Status = 200 | 400 | 403 | 404 | 405 | 409 | 412 | 413 | 415 | 422 | 429 | 499 | 500 | 503 | 507;

const statuses: Record<ErrorKind, Status> = {
  BadRequest: 400,
  TemplateError: 400,
  TemplateTimeout: 400,
  TemplateLimit: 400,
  ParseError: 400,
  RenderError: 400,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  Validation: 422,
  Conflict: 422,
  InProgress: 409,
  InUse: 409,
  PreconditionFailed: 412,
  TooManyRequests: 429,
  StorageFull: 507,
  BusinessFailure: 200,
  Internal: 500,
  Unavailable: 503,
  WorkerLost: 503,
  ResourceExhausted: 503,
  Cancelled: 499,
  // A template fetched from a URL in the request: the request is at fault.
  OutputTooLarge: 400,
  HostUnreachable: 400,
  ConnectionTimeout: 400,
  ConnectionRefused: 400,
  ConnectionLost: 400,
  ReadTimeout: 400,
  AuthenticationFailed: 400,
  // Outcomes of jobs. A request that fails with one of these is an internal error.
  AuthBackoff: 500,
  HostKeyMismatch: 500,
  CommandError: 500,
  CheckFailed: 500,
  JobTimeout: 500,
  JobExpired: 500,
  DriverError: 500,
};

const json = { "Content-Type": "application/json; charset=utf-8" } as const;

export function statusOf(error: ServiceError): number {
  return statuses[error.kind];
}

export function success(
  data: unknown,
  message = "success",
  status = 200,
  headers: Record<string, string> = {},
): Response {
  return respond(status, { code: 200, message, data }, headers);
}

/** @param beside optional members of the envelope */
export function successBeside(data: unknown, beside: object, headers: Record<string, string> = {}): Response {
  return respond(200, { code: 200, message: "success", data, ...beside }, headers);
}

/** A page of a list. @param next cursor of the next page; absent on the last */
export function successPage(data: unknown, next: string | null | undefined): Response {
  return success(data, "success", 200, next ? { "X-Next-Cursor": next } : {});
}

/**
 * An answer whose data is already JSON text; preserves its key order and number types.
 * @param warnings placed next to the data, if any.
 */
export function successRaw(
  dataJson: string,
  status = 200,
  headers: Record<string, string> = {},
  warnings: readonly string[] = [],
): Response {
  const [before, after] = envelope(warnings);
  return new Response(before + dataJson + after, { status, headers: { ...json, ...headers } });
}

/** The text before and after the data. */
export function envelope(warnings: readonly string[]): [before: string, after: string] {
  const warningsJson = warnings.length === 0 ? "" : `,"warnings":${JSON.stringify(warnings)}`;
  return ['{"code":200,"message":"success","data":', `${warningsJson}}`];
}

export function successStream(
  body: ReadableStream<Uint8Array>,
  status = 200,
  headers: Record<string, string> = {},
): Response {
  return new Response(body, { status, headers: { ...json, ...headers } });
}

/** The document is the whole body: an API description has no envelope. */
export function plainJson(document: string): Response {
  return new Response(document, { headers: json });
}

export function failed(
  status: number,
  message: string,
  data: unknown,
  headers: Record<string, string> = {},
): Response {
  return respond(status, { code: -1, message, data }, headers);
}

function respond(status: number, body: object, headers: Record<string, string>): Response {
  return new Response(JSON.stringify(body), { status, headers: { ...json, ...headers } });
}

/** What the log may say about the failed request. */
export interface FailureContext {
  readonly request: string;
  /** Caller-supplied texts, which are masked in the log. Evaluated only if something is logged. */
  sent(): readonly unknown[];
}

/** Turns any error into an envelope; an unexpected error is reported by an id that is in the log, never by its text. */
export function failure(thrown: unknown, log: Log, about: FailureContext): Response {
  const error = withFullStore(thrown);
  const status = error instanceof ServiceError ? statuses[error.kind] : 500;
  if (!(error instanceof ServiceError) || status === 500) return unexpected(error, log, about);
  const { kind, message, detail } = error;
  const headers: Record<string, string> = {};
  if (kind === "InProgress" || status === 429 || status === 503)
    headers["Retry-After"] = String(retryAfterS(detail?.retryAfter));
  if (kind === "MethodNotAllowed") headers.Allow = String(detail?.allow ?? "");
  // The rest of the body is not read.
  if (status === 413) headers.Connection = "close";
  try {
    if (status !== 422) return failed(status, message, shownDetail(kind, message, detail), headers);
    return failed(status, "Validation Error", issuesOf(error), headers);
  } catch (unwritable) {
    return unexpected(unwritable, log, about);
  }
}

/** A full disk has one answer, whether it was noticed beforehand or by a write that failed. */
function withFullStore(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.kind !== "Unavailable" || error.detail?.fault !== "full")
    return error;
  const { fault: _fault, retryAfter: _retryAfter, ...rest } = error.detail;
  const detail = { ...rest, retryAfter: fullRetryS };
  return new ServiceError("StorageFull", error.message, detail, { cause: error });
}

function retryAfterS(seconds: unknown): number {
  return typeof seconds === "number" && Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : 1;
}

function issuesOf({ message, detail }: ServiceError): unknown {
  if (Array.isArray(detail?.issues)) return detail.issues;
  return [{ path: "", message }];
}

function shownDetail(kind: ErrorKind, message: string, detail: ServiceError["detail"]): unknown {
  if (detail === undefined) return message;
  const { issues: _issues, allow: _allow, retryAfter, ...rest } = detail;
  const withType = { type: kind, ...rest, ...(retryAfter === undefined ? {} : { retry_after: retryAfter }) };
  return Object.keys(withType).length === 1 ? message : withType;
}

function unexpected(error: unknown, log: Log, about: FailureContext): Response {
  const error_id = report("http.unexpected", error, log, about);
  // A plugin is at fault: its author needs the reason.
  if (error instanceof ServiceError && error.kind === "DriverError") {
    // The request names the plugin, so its name would be masked, too.
    const [ours, theirs] = faultParts(error);
    return failed(500, ours + maskText(theirs, about.sent()), { type: error.kind, error_id });
  }
  return failed(500, "Internal server error", { error_id });
}

/**
 * Logs the error.
 * @returns the id under which to find it
 */
export function report(event: string, error: unknown, log: Log, { request, sent }: FailureContext): string {
  const error_id = randomUUID();
  // The cause has the place in the plugin's file.
  const { cause } = error instanceof Error ? error : {};
  const own = error instanceof Error ? `${error.stack || error.message}` : String(error);
  const text = cause instanceof Error ? `${own}\ncaused by ${cause.stack || cause.message}` : own;
  log.error(event, { error_id, request, reason: maskText(text, sent()) });
  return error_id;
}
