/** Optimistic locking: `ETag` in answers, `If-Match` and `If-None-Match` in requests. */
import { ServiceError } from "../base/errors.ts";
import type { Precondition } from "../inventory/port.ts";
import type { Call } from "./call.ts";

export function etagOf(version: number): Record<string, string> {
  return { ETag: `"${version}"` };
}

/**
 * `If-Match` with the ETag last read; `If-None-Match: *` to create only.
 * @throws ServiceError BadRequest
 */
export function conditionOf({ request }: Call): Precondition {
  const match = request.headers.get("if-match");
  const none = request.headers.get("if-none-match");
  if (none !== null && (none.trim() !== "*" || match !== null))
    throw new ServiceError("BadRequest", "If-None-Match must be `*` and cannot be combined with If-Match.");
  if (none !== null) return "none";
  if (match === null) return undefined;
  if (match.trim() === "*") return "*";
  const revision = /^\s*"(\d{1,15})"\s*$/.exec(match)?.[1];
  if (revision === undefined)
    throw new ServiceError("BadRequest", "If-Match must be `*` or one ETag as issued.");
  return Number(revision);
}
