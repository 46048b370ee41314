/** Python's regular expressions: the exports for the engines. */

export { keptPattern } from "./kept.ts";
export type { PythonMatch } from "./match.ts";
export { ASCII, DOTALL, IGNORECASE, MULTILINE, UNICODE, VERBOSE } from "./parse/ast.ts";
export { PatternError } from "./parse/errors.ts";
export { compilePython, escapePython, type PythonPattern } from "./pattern.ts";
