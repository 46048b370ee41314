/** Manifest of the jinja2 engine: renders configuration from templates in Jinja's language. */
import type { TemplateEnginePlugin } from "patchbay/plugin";
import { argsSchema } from "./options.ts";

const plugin: TemplateEnginePlugin = {
  api: 1,
  kind: "template",
  name: "jinja2",
  does: "render",
  args: argsSchema,
  detects: (source) => /\{\{|\{%|\{#/.test(source),
  load: () => import("./engine.ts"),
};

export default plugin;
