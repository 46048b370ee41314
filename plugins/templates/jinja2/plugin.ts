/** Manifest of the Jinja2 engine: renders configuration from Jinja templates. */
import { defineTemplateEngine, laxBoolean } from "patchbay/plugin";
import { implementation } from "../implementation.ts";
import { argsOf } from "./args.ts";

export default defineTemplateEngine({
  name: "jinja2",
  does: "render",
  default: true,
  args: argsOf(laxBoolean()),
  extensions: ["j2", "jinja", "jinja2"],
  detects: (source) => /\{\{|\{%|\{#/.test(source),
  load: () => implementation(() => import("./index.ts")),
});
