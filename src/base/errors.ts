/** The single error class of the service, and its plain form for crossing threads (a cloned Error loses its class). */

/** How a job can fail: `result.error.type` of the API. */
export const jobErrorKinds = [
  "ConnectionTimeout",
  "ConnectionRefused",
  "HostUnreachable",
  "AuthenticationFailed",
  "AuthBackoff",
  "HostKeyMismatch",
  "ConnectionLost",
  "ReadTimeout",
  "CommandError",
  "ParseError",
  "RenderError",
  "CheckFailed",
  "OutputTooLarge",
  "JobTimeout",
  "JobExpired",
  "WorkerLost",
  "ResourceExhausted",
  "Cancelled",
  "DriverError",
] as const;
export type JobErrorKind = (typeof jobErrorKinds)[number];

/** How a request can fail; http/answer/respond maps each to a status. */
export const requestErrorKinds = [
  "BadRequest",
  "TemplateError",
  "TemplateTimeout",
  "TemplateLimit",
  "Forbidden",
  "NotFound",
  "MethodNotAllowed",
  "Conflict",
  "InProgress",
  "InUse",
  "PreconditionFailed",
  "PayloadTooLarge",
  "UnsupportedMediaType",
  "Validation",
  "TooManyRequests",
  "StorageFull",
  "BusinessFailure",
  "Internal",
  "Unavailable",
] as const;
export type RequestErrorKind = (typeof requestErrorKinds)[number];

export type ErrorKind = JobErrorKind | RequestErrorKind;

export class ServiceError extends Error {
  override readonly name = "ServiceError";
  constructor(
    readonly kind: ErrorKind,
    message: string,
    /** Plain data for the caller: never contains a secret. */
    readonly detail?: ErrorDetail,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** Details of an error besides its message. */
export interface ErrorDetail {
  /** The command or configuration line that failed. */
  command?: string;
  /** `unknown`: something may have reached the device and its result was not seen. `none`: nothing reached it. */
  outcome?: "unknown" | "none";
  /** Lines that may have reached the device. */
  sent?: string[];
  /** Results obtained before the failure. */
  partial?: unknown;
  /** Warnings of the driver before the failure; shown next to the error, not in it. */
  warnings?: string[];
  /** Seconds after which to retry. */
  retryAfter?: number;
  [key: string]: unknown;
}

/** Plain form of an error, safe to post to another thread and to store. */
export interface ErrorData {
  kind: ErrorKind;
  message: string;
  detail?: ErrorDetail;
}

/** How the engine refuses a change of what base/intrinsics has frozen. */
const refusedChange =
  /readonly property|read only property|not extensible|of (?:an )?unconfigurable property/;

function hintOf(error: Error): string {
  const isRefusal =
    error instanceof TypeError && Object.isFrozen(Array.prototype) && refusedChange.test(error.message);
  return isRefusal
    ? " (objects of the language, such as Map or JSON, are shared by all plugins and cannot be changed)"
    : "";
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return `${String(error.message)}${hintOf(error)}`;
  if (typeof error === "string") return error;
  if (typeof error === "object" && error !== null && "message" in error) return String(error.message);
  if (typeof error === "object" && error !== null) return "An object that is no error was thrown.";
  return `${String(error)} was thrown, which is no error.`;
}

/** Converts any thrown value to plain data; anything but a ServiceError becomes `fallback` with its own message. */
export function toErrorData(error: unknown, fallback: ErrorKind = "Internal"): ErrorData {
  if (error instanceof ServiceError) {
    return error.detail === undefined
      ? { kind: error.kind, message: error.message }
      : { kind: error.kind, message: error.message, detail: error.detail };
  }
  return { kind: fallback, message: messageOf(error) };
}

export function fromErrorData(data: ErrorData): ServiceError {
  return new ServiceError(data.kind, data.message, data.detail);
}
