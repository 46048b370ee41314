/** Template engine `ttp`: parses device text with templates of the Template Text Parser. */
import { defineTemplateEngine } from "patchbay/plugin";
import { implementation, installer } from "../implementation.ts";
import { ttpArgs } from "./args.ts";

const TAG = /<(?:group|grp|g|template|input|vars|macro)[\s/>]/i;
const VARIABLE = /\{\{[^{}]+\}\}/;

export default defineTemplateEngine({
  name: "ttp",
  does: "parse",
  args: ttpArgs,
  detects: (source) => TAG.test(source) || VARIABLE.test(source),
  looksFor: "a tag such as <group, or {{ … }}",
  // Text that fits both engines has tags, which are the stronger evidence.
  precedence: 1,
  extensions: ["ttp"],
  set: {
    use: "use_ttp_template",
    args: "ttp_template_args",
    platform: "platform",
    install: () => installer(() => import("./index.ts")),
  },
  load: () => implementation(() => import("./index.ts")),
});
