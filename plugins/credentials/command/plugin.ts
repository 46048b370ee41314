/** Credential source `command`: runs a program of the operator, without a shell and with a timeout. */
import { defineCredentialSource } from "patchbay/plugin";
import * as v from "valibot";
import { settings } from "./schemas.ts";

export default defineCredentialSource({
  name: "command",
  settings,
  reference: v.strictObject({
    name: v.literal("command"),
    // Starts with a letter or digit, so that the program cannot take it for an option.
    ref: v.pipe(
      v.string(),
      v.regex(/^[A-Za-z0-9][\w.:/@-]{0,255}$/, "must be a name such as core/r1"),
      // A key restricted to core/* must not reach paths beside it, nor one that is denied core/r1 write core//r1.
      v.check((text) => !/(?:^|\/)\.{0,2}(?:\/|$)/.test(text), "must not contain an empty segment, . or .."),
    ),
  }),
  load: () => import("./resolve.ts"),
});
