/** How people sign in to the console: as in GET /login. */
import * as v from "valibot";
import { described, named, text, texts, type Unchanged } from "../schema.ts";

export const loginWays = named(
  "LoginWays",
  v.object({
    key: described(v.boolean(), "Whether POST /session takes an API key"),
    providers: described(texts, "Names of the OpenID Connect providers, for GET /login/{name}"),
  }),
);
export type LoginWays = Unchanged<v.InferOutput<typeof loginWays>>;

/** Set for a moment after a sign-in: the console, which cannot see the session's cookie, asks for the session then. */
export const signedInCookie = "patchbay_signed_in";

/** Beside the id of an ended session. */
export const endedSession = v.object({
  logout_url: described(
    v.optional(text),
    "Of a person's session that the request itself used: where to log out of the provider, too",
  ),
});
