/** The part of the door for those who only read JSON without loss. */
export { type CompiledTemplate, type EngineHost, type RunContext, silent } from "./engine.ts";
export { TemplateError } from "./errors.ts";
export { toJson } from "./json/plain.ts";
export { parseJson } from "./json/read.ts";
export { Meter } from "./limits.ts";
export { didYouMeanThen } from "./near.ts";
export { PyDict } from "./values/dict.ts";
export type { Value } from "./values/values.ts";
