/**
 * The error that plugins throw on purpose. Its kind is shown to the caller and decides whether further logins are held
 * back.
 */
import { type ErrorDetail, type JobErrorKind, ServiceError } from "../base/errors.ts";

/** Error kinds available to plugins; the others are reserved for the service. */
export type PluginErrorKind = Exclude<
  JobErrorKind,
  "AuthBackoff" | "JobTimeout" | "JobExpired" | "WorkerLost" | "Cancelled" | "RenderError" | "CheckFailed"
>;

export interface PluginErrorDetail extends Omit<ErrorDetail, "outcome"> {
  /**
   * What happened to the data that was sent. `unknown`: it may have taken effect. `none`: nothing reached the device.
   * Absent: decided by the kind (a CommandError is an answer from the device, a lost connection is not).
   */
  outcome?: "unknown" | "none";
}

/** The tools of the kit throw the same class, so `error instanceof PluginError` also holds for their errors. */
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

/** Copies a PluginError with more detail, such as the `partial` outputs so far; returns any other error unchanged. */
export function withDetail(error: unknown, detail: PluginErrorDetail): unknown {
  if (!(error instanceof ServiceError)) return error;
  return new ServiceError(error.kind, error.message, { ...error.detail, ...detail }, { cause: error });
}
