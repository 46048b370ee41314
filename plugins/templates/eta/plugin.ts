/** Template engine `eta`: JavaScript templates of the operator, never of a caller. */

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
    /** There are no warnings that it could make errors of. */
    strict: v.optional(v.boolean()),
    /** Name of the variable that holds the context. */
    varName: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z_]\w{0,31}$/, "must be a plain name")), "it"),
  }),
  load: () => import("./engine.ts"),
});
