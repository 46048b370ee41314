/** Template engine `eta`: JavaScript templates that the operator provides, never a caller. */

import { defineTemplateEngine } from "patchbay/plugin";
import * as v from "valibot";

export default defineTemplateEngine({
  name: "eta",
  does: "render",
  trustedSourcesOnly: true,
  extensions: ["eta"],
  args: v.strictObject({
    autoEscape: v.optional(v.boolean(), false),
    autoTrim: v.optional(v.boolean(), false),
    /** Accepted for consistency with the other engines; Eta has no warnings to turn into errors. */
    strict: v.optional(v.boolean()),
    /** Name of the variable that holds the context. */
    varName: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z_]\w{0,31}$/, "must be a plain name")), "it"),
  }),
  load: () => import("./engine.ts"),
});
