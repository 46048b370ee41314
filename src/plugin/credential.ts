/** Contract of a credential source: turns a reference in `connection_args` into values, just in time on the thread. */
import type { Context, Implementation, Manifest, Schema } from "./kit.ts";

export interface CredentialPlugin extends Manifest<"credential"> {
  /** Checks `connection_args.credential`, e.g. `{name: "file", path: "core"}`. */
  readonly reference: Schema;
  readonly load: Implementation<CredentialSource>;
}

export interface CredentialSource {
  /** Fields laid under what `connection_args` gives (username, password, secret, ...). Never stored. */
  resolve(reference: unknown, ctx: Context): Promise<Readonly<Record<string, string>>>;
}
