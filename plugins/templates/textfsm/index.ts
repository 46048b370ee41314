/** The door of the package: what others may import. */
export { TemplateError } from "../python/text.ts";
export { createEngine } from "./engine.ts";
export { checkSet, chooseSetFiles } from "./install.ts";
export { TemplateSet } from "./library.ts";
export { starterSet } from "./starter.ts";
