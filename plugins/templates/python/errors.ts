/** Errors of templates, and Python exceptions as such; `PyError` keeps the exception's class name. */

export type TemplateErrorKind = "TemplateSyntax" | "TemplateRuntime" | "TemplateLimit" | "TemplateNotFound";

/** The one error an engine throws on purpose. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
  /** @param at where in the template; `line` is 1-based. */
  constructor(
    readonly kind: TemplateErrorKind,
    message: string,
    readonly at: ErrorPlace = {},
  ) {
    super(message);
  }
}

export type ErrorPlace = { line?: number; column?: number; template?: string; state?: string };

/** A Python exception such as `TypeError`; `pythonMessage` is `str(e)`. */
export class PyError extends TemplateError {
  constructor(
    readonly pythonType: string,
    readonly pythonMessage: string,
    at: ErrorPlace = {},
    kind: TemplateErrorKind = "TemplateRuntime",
  ) {
    super(kind, pythonMessage === "" ? pythonType : `${pythonType}: ${pythonMessage}`, at);
  }
}

export const typeError = (message: string): PyError => new PyError("TypeError", message);
export const valueError = (message: string): PyError => new PyError("ValueError", message);
export const indexError = (message: string): PyError => new PyError("IndexError", message);
export const attributeError = (message: string): PyError => new PyError("AttributeError", message);
export const overflowError = (message: string): PyError => new PyError("OverflowError", message);
export const zeroDivision = (message: string): PyError => new PyError("ZeroDivisionError", message);
export const undefinedError = (message: string): PyError => new PyError("UndefinedError", message);

/** Runs `work`; handles Python exceptions of the given types (of any type if none is given) with `instead`. */
export function attempt<Result>(
  work: () => Result,
  instead: (error: PyError) => Result,
  ...types: readonly string[]
): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof PyError) || (types.length > 0 && !types.includes(error.pythonType))) throw error;
    return instead(error);
  }
}

/** Adds a position to an error that has none; the original becomes its cause. */
export function placed(error: unknown, at: ErrorPlace): unknown {
  if (error instanceof PyError) {
    if (error.at.line !== undefined) return error;
    const placed = new PyError(error.pythonType, error.pythonMessage, { ...at, ...error.at }, error.kind);
    placed.cause = error;
    return placed;
  }
  if (error instanceof TemplateError && error.at.line === undefined) {
    const there = new TemplateError(error.kind, error.message, { ...at, ...error.at });
    there.cause = error;
    return there;
  }
  return error;
}

const BLAMED = /^(?:filter|test) '/;

/**
 * Adds a position to an error, and names what failed in front of the message.
 * @param subject `filter` or `test` and its name in quotes.
 */
export function blamed(error: unknown, subject: string, at: ErrorPlace): unknown {
  if (error instanceof PyError) {
    const { pythonMessage } = error;
    const message = BLAMED.test(pythonMessage) ? pythonMessage : `${subject}: ${pythonMessage}`;
    return new PyError(error.pythonType, message, { ...at, ...error.at }, error.kind);
  }
  if (error instanceof TemplateError) {
    const message = BLAMED.test(error.message) ? error.message : `${subject}: ${error.message}`;
    return new TemplateError(error.kind, message, { ...at, ...error.at });
  }
  return error;
}
