/** Contract of a credential source: turns a reference in `connection_args` into values, just in time on the thread. */
import type { Context, Manifest, OutputOf, Schema } from "./kit.ts";
import type { NetworkKit } from "./network.ts";

export interface CredentialPlugin extends Manifest<"credential"> {
  /** Checks `connection_args.credential`, e.g. `{name: "file", path: "core"}`. */
  readonly reference: Schema;
  load(): Promise<{ default: Resolve<unknown, unknown> }>;
}

/** Fields laid under what `connection_args` gives (username, password, secret, ...). Never stored, masked everywhere. */
export type Resolve<Reference, Settings> = (
  tools: CredentialTools<Reference, Settings>,
  ctx: Context,
) => Promise<Readonly<Record<string, string>>>;

export interface CredentialTools<Reference, Settings> extends NetworkKit<Settings> {
  readonly reference: Reference;
  /** The device refused what was given before: what is kept in memory is not to be given again. */
  readonly fresh: boolean;
}

export interface CredentialDefinition<R extends Schema, S extends Schema> {
  readonly name: string;
  readonly version?: string;
  readonly settings?: S;
  readonly reference: R;
  /** Here, or as the default export of a module that is loaded when it is needed. */
  readonly resolve?: Resolve<OutputOf<R>, OutputOf<S>>;
  load?(): Promise<{ default: Resolve<OutputOf<R>, OutputOf<S>> }>;
}
