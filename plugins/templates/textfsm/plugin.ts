/** Template engine `textfsm`: parses command output with TextFSM templates. */
import type { TemplateEnginePlugin } from "patchbay/plugin";
import { textFsmArgs } from "./args.ts";

export default {
  api: 1,
  kind: "template",
  name: "textfsm",
  does: "parse",
  args: textFsmArgs,
  detects: (source) => /^Value /m.test(source) && /^Start[\t ]*\r?$/m.test(source),
  load: () => import("./engine.ts"),
} satisfies TemplateEnginePlugin;
