/** Credential source `command`: a program of the operator is asked, without a shell, within a time limit. */
import { defineCredentialSource } from "patchbay/plugin";
import * as v from "valibot";
import { settings } from "./schemas.ts";

export default defineCredentialSource({
  name: "command",
  settings,
  reference: v.strictObject({
    name: v.literal("command"),
    // No option of the program: it begins with a letter or digit.
    ref: v.pipe(
      v.string(),
      v.regex(/^[A-Za-z0-9][\w.:/@-]{0,255}$/, "must be a name such as core/r1"),
      // A key that may name core/* is not to get what lies beside it.
      v.check((text) => !/(?:^|\/)\.\.?(?:\/|$)/.test(text), "must not hold . or .. as a step"),
    ),
  }),
  load: () => import("./resolve.ts"),
});
