/** Python exceptions as the one error that engines throw: `PyError` keeps the exception's class name. */
import { TemplateError, type TemplateErrorKind } from "patchbay/plugin";

export type ErrorPlace = { line?: number; column?: number; template?: string; state?: string };

/** A Python exception such as `TypeError`; `pythonMessage` is what `str(e)` gives in Python. */
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
export const keyError = (message: string): PyError => new PyError("KeyError", message);
export const indexError = (message: string): PyError => new PyError("IndexError", message);
export const attributeError = (message: string): PyError => new PyError("AttributeError", message);
export const overflowError = (message: string): PyError => new PyError("OverflowError", message);
export const zeroDivision = (message: string): PyError => new PyError("ZeroDivisionError", message);
export const undefinedError = (message: string): PyError => new PyError("UndefinedError", message);

/** The same error with a place, unless it already has one. */
export function placed(error: unknown, at: ErrorPlace): unknown {
  if (error instanceof PyError) {
    return error.at.line === undefined
      ? new PyError(error.pythonType, error.pythonMessage, { ...at, ...error.at }, error.kind)
      : error;
  }
  if (error instanceof TemplateError && error.at.line === undefined) {
    return new TemplateError(error.kind, error.message, { ...at, ...error.at });
  }
  return error;
}

const BLAMED = /^(?:filter|test) '/;

/**
 * The same error with a place and, in front, what failed.
 * @param what `filter` or `test` and its name in quotes.
 */
export function blamed(error: unknown, what: string, at: ErrorPlace): unknown {
  if (error instanceof PyError) {
    const { pythonMessage } = error;
    const message = BLAMED.test(pythonMessage) ? pythonMessage : `${what}: ${pythonMessage}`;
    return new PyError(error.pythonType, message, { ...at, ...error.at }, error.kind);
  }
  if (error instanceof TemplateError) {
    const message = BLAMED.test(error.message) ? error.message : `${what}: ${error.message}`;
    return new TemplateError(error.kind, message, { ...at, ...error.at });
  }
  return error;
}
