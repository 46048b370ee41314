/** Converts template failures to RenderError or ParseError, but keeps job timeouts. */
import { ServiceError } from "../base/errors.ts";

export async function asTemplateFailure<T>(
  kind: "RenderError" | "ParseError",
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ServiceError) || !/^(Template|NotFound|Validation|BadRequest)/.test(error.kind))
      throw error;
    throw new ServiceError(kind, error.message, { ...error.detail, reason: error.kind }, { cause: error });
  }
}
