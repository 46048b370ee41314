/** The part of the door for those who only match text: expressions, blanks, errors, limits. */
export {
  type CompiledTemplate,
  type EngineHost,
  hostOf,
  type SetFile,
  type TemplateEngine,
  type TemplateLibrary,
} from "./engine.ts";
export { TemplateError } from "./errors.ts";
export { defaultTemplateLimits, Meter, type TemplateLimits } from "./limits.ts";
export { didYouMean, didYouMeanThen } from "./near.ts";
export { END, OTHER } from "./regex/analyse/first-set.ts";
export type { Prefix } from "./regex/analyse/prefix.ts";
export { Matcher } from "./regex/matcher.ts";
export type { Node, ParsedPattern } from "./regex/parse/ast.ts";
export { PatternError } from "./regex/parse/errors.ts";
export { parsePattern } from "./regex/parse/parse.ts";
export { compilePython, type PythonPattern } from "./regex/pattern.ts";
export { tierOf } from "./regex/text-facts.ts";
export { BLANK, splitAt, splitLines, strip, stripEnd } from "./text/blanks.ts";
export { repr } from "./text/repr.ts";
export { PyDict } from "./values/dict.ts";
