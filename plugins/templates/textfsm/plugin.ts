/** Template engine `textfsm`: parses command output with TextFSM templates. */
import { defineTemplateEngine } from "patchbay/plugin";
import { textFsmArgs } from "./args.ts";

export default defineTemplateEngine({
  name: "textfsm",
  does: "parse",
  args: textFsmArgs,
  detects: (source) => /^Value /m.test(source) && /^Start[\t ]*\r?$/m.test(source),
  load: () => import("./engine.ts"),
});
