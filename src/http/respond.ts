/** Envelopes, and the one table that says which error has which status. */
import { randomUUID } from "node:crypto";
import { type ErrorKind, ServiceError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";

type Status = 400 | 403 | 404 | 405 | 413 | 415 | 422 | 429 | 500 | 503 | 200;

/** Kinds that are not listed are failures of ours: 500. */
const statuses: Partial<Record<ErrorKind, Status>> = {
  BadRequest: 400,
  TemplateError: 400,
  TemplateTimeout: 400,
  TemplateLimit: 400,
  ParseError: 400,
  RenderError: 400,
  OutputTooLarge: 400,
  HostUnreachable: 400,
  ConnectionTimeout: 400,
  ConnectionRefused: 400,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  Conflict: 422,
  Validation: 422,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  TooManyRequests: 429,
  BusinessFailure: 200,
  Unavailable: 503,
  WorkerLost: 503,
};

const json = { "Content-Type": "application/json; charset=utf-8" } as const;

export function success(
  data: unknown,
  message = "success",
  status = 200,
  headers: Record<string, string> = {},
): Response {
  return new Response(JSON.stringify({ code: 200, message, data }), {
    status,
    headers: { ...json, ...headers },
  });
}

/** An answer whose data is JSON text already: its key order and number kinds are kept. */
export function successRaw(dataJson: string): Response {
  return new Response(`{"code":200,"message":"success","data":${dataJson}}`, { status: 200, headers: json });
}

/** Any error as an envelope; what was not expected is told by an id that stands in the log, never by its text. */
export function failure(error: unknown, log: Log): Response {
  const known = error instanceof ServiceError ? error : undefined;
  const status = known && statuses[known.kind];
  if (!known || !status) return unexpected(error, log);
  const { kind, message, detail } = known;
  const headers: Record<string, string> = { ...json };
  if (status === 429 || status === 503)
    headers["Retry-After"] = String(Math.max(1, Math.ceil(Number(detail?.retryAfter ?? 1))));
  if (kind === "MethodNotAllowed") headers.Allow = String(detail?.allow ?? "");
  if (status === 413) headers.Connection = "close";
  const body =
    kind === "Validation"
      ? { code: -1, message: "Validation Error", data: detail?.issues ?? message }
      : { code: -1, message, data: shownDetail(kind, message, detail) };
  return new Response(JSON.stringify(body), { status, headers });
}

function shownDetail(kind: ErrorKind, message: string, detail: ServiceError["detail"]): unknown {
  if (detail === undefined) return message;
  const { issues: _issues, allow: _allow, retryAfter, ...rest } = detail;
  const shown = { type: kind, ...rest, ...(retryAfter === undefined ? {} : { retry_after: retryAfter }) };
  return Object.keys(shown).length === 1 ? message : shown;
}

function unexpected(error: unknown, log: Log): Response {
  const error_id = randomUUID();
  log.error("http.unexpected", {
    error_id,
    reason: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  const body = { code: -1, message: "Internal server error", data: { error_id } };
  return new Response(JSON.stringify(body), { status: 500, headers: json });
}
