/** Syntax errors of macros, with construct and line. */

import { TemplateError } from "../../python/index.ts";
export function syntaxError(message: string, line: number): TemplateError {
  return new TemplateError("TemplateSyntax", `macro line ${line}: ${message}`, { line });
}

export function unsupported(construct: string, line: number): TemplateError {
  return syntaxError(`${construct} is not supported in macros`, line);
}
