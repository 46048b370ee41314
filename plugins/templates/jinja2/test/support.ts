/** The Jinja2 engine by itself, for tests. */
import type { TemplateEngine } from "../../python/index.ts";
import { createEngine } from "../index.ts";

export const createTestEngine = (): TemplateEngine => createEngine();

export const ctx = { warn: () => undefined };
