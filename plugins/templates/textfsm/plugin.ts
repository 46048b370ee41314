/** Template engine `textfsm`: parses command output with TextFSM templates. */
import { defineTemplateEngine } from "patchbay/plugin";
import { implementation, installer } from "../implementation.ts";
import { textFsmArgs } from "./args.ts";

export default defineTemplateEngine({
  name: "textfsm",
  does: "parse",
  args: textFsmArgs,
  detects: (source) => /^Value /m.test(source) && /^Start[\t ]*\r?$/m.test(source),
  looksFor: "a line that begins with `Value ` and a `Start` state",
  extensions: ["textfsm", "fsm"],
  set: {
    use: "use_ntc_template",
    args: "ntc_template_args",
    platform: "device_type",
    platformFields: ["platform"],
    install: () => installer(() => import("./index.ts")),
  },
  load: () => implementation(() => import("./index.ts"), { refusesFileNames: true }),
});
