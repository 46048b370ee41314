/** Template engine `json`: a part of what a device answered as a structure, or as JSON text. */
import { defineTemplateEngine } from "patchbay/plugin";
import { jsonArgs } from "./args.ts";

export default defineTemplateEngine({
  name: "json",
  does: "parse",
  args: jsonArgs,
  ownFields: ["path"],
  withoutTemplate: true,
  load: () => import("./engine.ts"),
});
