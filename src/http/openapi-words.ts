/** What the document says of headers and statuses. */

export const requestHeaders = {
  Prefer: "`wait=<seconds>`: answer when the work has ended or the time is over, at most 600.",
  "Last-Event-ID": "Where an earlier stream ended: what came after it is sent.",
  "Idempotency-Key": "The same key and body within 24 hours give the first answer again.",
} as const;

export const statuses = {
  "400": "Bad request",
  "403": "API key missing or wrong, or not allowed to this key",
  "404": "Not found",
  "409": "The first request with this Idempotency-Key is still under way; see Retry-After",
  "413": "Body too large",
  "415": "Body is not JSON",
  "422": "Validation failed",
  "429": "Too many requests; see Retry-After",
  "500": "Unexpected; data.error_id stands in the log",
  "503": "Unavailable; see Retry-After",
  "507": "No room in the transfer folder",
} as const;
export type Status = keyof typeof statuses;
