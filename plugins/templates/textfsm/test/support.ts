/** The TextFSM engine with a set of templates, for tests. */
import { type EngineHost, hostOf, type TemplateLibrary } from "../../python/text.ts";

export const nothingInstalled: TemplateLibrary = { installed: false, list: () => [], read: () => undefined };

export const kitWith = (library: TemplateLibrary): EngineHost => hostOf({ library: () => library });

export const context = { warn: () => undefined };
