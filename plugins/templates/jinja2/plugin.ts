/** Manifest of the Jinja2 engine: renders configuration from Jinja templates. */
import { defineTemplateEngine } from "patchbay/plugin";
import { argsSchema } from "./options.ts";

export default defineTemplateEngine({
  name: "jinja2",
  does: "render",
  default: true,
  args: argsSchema,
  extensions: ["j2", "jinja", "jinja2"],
  detects: (source) => /\{\{|\{%|\{#/.test(source),
  load: () => import("./engine.ts"),
});
