/** Python's regular expressions: the exports for the engines. */
export { ASCII, DOTALL, IGNORECASE, MULTILINE, UNICODE, VERBOSE } from "./ast.ts";
export { PatternError } from "./errors.ts";
export { keptPattern } from "./kept.ts";
export type { PythonMatch } from "./match.ts";
export { compilePython, escapePython, type PythonPattern } from "./pattern.ts";
