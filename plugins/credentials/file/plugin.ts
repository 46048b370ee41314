/**
 * Credential source `file`: secrets stored encrypted on the appliance by an administrator (`patchbay credential set`).
 */
import { defineCredentialSource, PluginError } from "patchbay/plugin";
import * as v from "valibot";

export default defineCredentialSource({
  name: "file",
  keeps: true,
  reference: v.strictObject({
    name: v.literal("file"),
    ref: v.pipe(v.string(), v.regex(/^[A-Za-z0-9][\w.@-]{0,127}$/, "must be a name such as lab")),
  }),
  async resolve({ reference: { ref }, kept }) {
    const found = await kept(ref);
    if (found !== undefined) return found;
    const text = `There is no credential "${ref}" on this appliance: an administrator adds it with \`patchbay credential set ${ref}\`.`;
    throw new PluginError("DriverError", text, { outcome: "none" });
  },
});
