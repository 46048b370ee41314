/** The door of the package: what others may import. */
export { TemplateError } from "../python/index.ts";
export type { TtpArgs } from "./args.ts";
export { createEngine, type TtpEngine } from "./engine.ts";
export { checkSet, chooseSetFiles } from "./install.ts";
