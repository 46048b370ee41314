/** Credential source `env`: values from the operator's settings, by a name that requests refer to. */
import { defineCredentialSource, PluginError, Secret } from "patchbay/plugin";
import * as v from "valibot";
import { credentialFields } from "../fields.ts";

/** `<reference>_<field>`: `core_password`, from `PATCHBAY_PLUGIN_ENV_CORE_PASSWORD` or `[plugins.env]`. */
const settings = v.pipe(
  v.record(v.string(), v.string()),
  v.transform((settings) =>
    Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [
        name,
        // A username is not secret: it appears wherever a device prints it.
        name.endsWith("_username") ? value : new Secret(value),
      ]),
    ),
  ),
);

export default defineCredentialSource({
  name: "env",
  settings,
  reference: v.strictObject({
    name: v.literal("env"),
    ref: v.pipe(v.string(), v.regex(/^[A-Za-z0-9][\w-]{0,63}$/, "must be a name such as core")),
  }),
  // Other spellings read the same settings: a key that may not use one may use none of them.
  identify: ({ ref }) => ref.toLowerCase().replaceAll("_", "-"),
  async resolve({ reference: { ref }, settings }) {
    const start = ref.toLowerCase().replaceAll("-", "_");
    const fields = credentialFields.flatMap((field) => {
      const value = settings[`${start}_${field}`];
      return value === undefined ? [] : [[field, value instanceof Secret ? value.reveal() : value] as const];
    });
    if (fields.length > 0) return Object.fromEntries(fields);
    const variable = `PATCHBAY_PLUGIN_ENV_${start.toUpperCase()}_PASSWORD`;
    const text = `There is no credential "${ref}" in the settings of this node: set ${variable} or another of its fields.`;
    throw new PluginError("DriverError", text, { outcome: "none" });
  },
});
