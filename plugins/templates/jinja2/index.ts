/** The door of the package: what others may import. */
export { TemplateError } from "../python/index.ts";
export type { Args } from "./args.ts";
export { createEngine } from "./engine.ts";
export { Environment } from "./environment.ts";
export { Shelf } from "./shelf.ts";
