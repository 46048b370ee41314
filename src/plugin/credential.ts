/** Contract of a credential source: turns a reference in `connection_args` into values, just in time on the thread. */
import type { Context, Manifest, OutputOf, Schema } from "./kit.ts";
import type { NetworkKit } from "./network.ts";

export interface CredentialPlugin extends Manifest<"credential"> {
  /** Checks `connection_args.credential`, e.g. `{name: "file", ref: "core"}`. */
  readonly reference: Schema;
  /** As in the definition. */
  identify?(reference: unknown): string;
  /** As in the definition. */
  readonly keeps?: boolean;
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
  /** What an administrator has put on the appliance for this source; undefined: there is nothing of that name. */
  kept(ref: string): Promise<Readonly<Record<string, string>> | undefined>;
}

export interface CredentialDefinition<R extends Schema, S extends Schema> {
  readonly name: string;
  readonly version?: string;
  readonly settings?: S;
  readonly reference: R;
  /**
   * What API keys are limited by, behind `<name>:`. Without it the only member of a reference besides `name`, if that is a
   * text; else all of them as JSON. Two references to different secrets must not have the same one.
   */
  identify?(reference: OutputOf<R>): string;
  /** Its secrets are kept on the appliance: `patchbay credential set --source <name>` takes them. */
  readonly keeps?: boolean;
  /** Here, or as the default export of a module that is loaded when it is needed. */
  readonly resolve?: Resolve<OutputOf<R>, OutputOf<S>>;
  load?(): Promise<{ default: Resolve<OutputOf<R>, OutputOf<S>> }>;
}
