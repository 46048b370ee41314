/** Template engine `ttp`: parses device text with templates of the Template Text Parser. */
import { defineTemplateEngine } from "patchbay/plugin";
import { ttpArgs } from "./args.ts";

const TAG = /<(?:group|grp|g|template|input|vars|macro)[\s/>]/i;
const VARIABLE = /\{\{[^{}]+\}\}/;

export default defineTemplateEngine({
  name: "ttp",
  does: "parse",
  args: ttpArgs,
  detects: (source) => TAG.test(source) || VARIABLE.test(source),
  load: () => import("./engine.ts"),
});
