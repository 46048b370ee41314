/** Template engine `json`: selects a part of a device's answer, either structured data or JSON text. */
import { defineTemplateEngine } from "patchbay/plugin";
import { implementation } from "../implementation.ts";
import { jsonArgs } from "./args.ts";

export default defineTemplateEngine({
  name: "json",
  does: "parse",
  args: jsonArgs,
  ownFields: ["path"],
  withoutTemplate: true,
  load: () => implementation(() => import("./engine.ts")),
});
