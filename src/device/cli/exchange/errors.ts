/** Error messages of a terminal session, each with the device's last output. */
import { type ErrorDetail, ServiceError } from "../../../base/errors.ts";
import { maskSecrets, type Secret } from "../../../base/secrets/secret.ts";

const quotedChars = 200;
const firstKept = 1024 * 1024;
const lastKept = 64 * 1024;

/** The last cleaned characters, with secrets masked, for an error message. */
export function lastWords(text: string, secrets: Iterable<Secret | undefined>): string {
  return maskSecrets(text.trimEnd(), secrets).slice(-quotedChars);
}

export interface ErrorContext {
  readonly command?: string;
  readonly sent: readonly string[];
  /** Something that may have changed the device was typed. */
  readonly acted: boolean;
  readonly secrets: readonly (Secret | undefined)[];
}

export function readTimeout(
  text: string,
  waited: string,
  afterMs: number,
  context: ErrorContext,
): ServiceError {
  const seconds = Math.round(afterMs / 100) / 10;
  const behind = context.command === undefined ? "" : ` after "${context.command}"`;
  const last = lastWords(text, context.secrets);
  return new ServiceError(
    "ReadTimeout",
    `Pattern not detected: ${waited} in output within ${seconds} seconds${behind}. Last received: ${JSON.stringify(last)}`,
    unknownOutcome(context, text),
  );
}

export function outputTooLarge(text: string, context: ErrorContext): ServiceError {
  const masked = maskSecrets(text, context.secrets);
  const shortened =
    masked.length <= firstKept + lastKept
      ? masked
      : `${masked.slice(0, firstKept)}\n[... ${masked.length - firstKept - lastKept} characters omitted ...]\n${masked.slice(-lastKept)}`;
  return new ServiceError("OutputTooLarge", "The output exceeded the size limit; reading was stopped.", {
    ...unknownOutcome(context, ""),
    output: shortened,
  });
}

export function refused(
  message: string,
  command: string,
  output: string,
  more: ErrorDetail = {},
): ServiceError {
  return new ServiceError("CommandError", message, { command, output, ...more });
}

/** A line that the device's line editor would not read as it is written. */
export function untypable(line: string, fault: string, context: ErrorContext): ServiceError {
  const shown = JSON.stringify(line.length <= quotedChars ? line : `${line.slice(0, quotedChars)}...`);
  return refused(`The line ${shown} ${fault}. It was not sent.`, line, "", doubt(context));
}

/** Adds to an error of the stream or the job whether anything may have reached the device. */
export function withOutcome(error: unknown, context: ErrorContext, text: string): unknown {
  if (!(error instanceof ServiceError) || error.detail?.outcome !== undefined) return error;
  if (context.acted && !["ConnectionLost", "Cancelled", "JobTimeout", "WorkerLost"].includes(error.kind))
    return error;
  return new ServiceError(
    error.kind,
    error.message,
    { ...error.detail, ...unknownOutcome(context, text) },
    {
      cause: error,
    },
  );
}

function doubt({ acted, sent }: ErrorContext): ErrorDetail {
  if (!acted) return { outcome: "none" };
  return sent.length === 0 ? {} : { outcome: "unknown", sent: [...sent] };
}

function unknownOutcome(context: ErrorContext, text: string): ErrorDetail {
  return {
    ...(context.command === undefined ? {} : { command: context.command }),
    ...doubt(context),
    ...(text === "" ? {} : { output: lastWords(text, context.secrets) }),
  };
}
