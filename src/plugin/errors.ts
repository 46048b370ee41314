/** The error that plugins throw on purpose: its kind decides what a caller reads, and whether logins are held back. */
import { type ErrorDetail, type JobErrorKind, ServiceError } from "../base/errors.ts";

/** What a plugin may call a failure; the other kinds are the service's own. */
export type PluginErrorKind = Exclude<
  JobErrorKind,
  "AuthBackoff" | "JobTimeout" | "JobExpired" | "WorkerLost" | "Cancelled" | "RenderError" | "CheckFailed"
>;

export interface PluginErrorDetail extends Omit<ErrorDetail, "outcome"> {
  /**
   * What became of what was sent. `unknown`: it may have taken effect. `none`: nothing reached the device.
   * Absent: the kind tells (a CommandError is an answer of the device, a lost connection is not).
   */
  outcome?: "unknown" | "none";
}

/** The tools of the kit throw the same class: `error instanceof PluginError` holds for theirs, too. */
export interface PluginError extends ServiceError {}

export const PluginError: {
  new (
    kind: PluginErrorKind,
    message: string,
    detail?: PluginErrorDetail,
    options?: { cause?: unknown },
  ): PluginError;
  readonly prototype: PluginError;
} = ServiceError;

/** The same error with more detail, such as the outputs `partial` obtained before; what is no PluginError stays as it is. */
export function withDetail(error: unknown, detail: PluginErrorDetail): unknown {
  if (!(error instanceof ServiceError)) return error;
  return new ServiceError(error.kind, error.message, { ...error.detail, ...detail }, { cause: error });
}
