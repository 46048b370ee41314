/**
 * Contract of a credential source: resolves a reference in `connection_args` to values on the device thread, just
 * before they are used.
 */
import type { Context, Manifest, OutputOf, Schema } from "./kit/kit.ts";
import type { NetworkKit } from "./kit/network.ts";

export interface CredentialPlugin extends Manifest<"credential"> {
  /** Validates `connection_args.credential`, e.g. `{name: "file", ref: "core"}`. */
  readonly reference: Schema;
  /** See `CredentialDefinition`. */
  identify?(reference: unknown): string;
  /** See `CredentialDefinition`. */
  readonly keeps?: boolean;
  load(): Promise<{ default: Resolve<unknown, unknown> }>;
}

/**
 * Returns fields that fill in what `connection_args` omits (username, password, secret, ...). They are never stored,
 * and masked everywhere.
 */
export type Resolve<Reference, Settings> = (
  tools: CredentialTools<Reference, Settings>,
  ctx: Context,
) => Promise<Readonly<Record<string, string>>>;

export interface CredentialTools<Reference, Settings> extends NetworkKit<Settings> {
  readonly reference: Reference;
  /** The device rejected the previous values: do not return cached ones. */
  readonly fresh: boolean;
  /** Fetches what an administrator stored on the appliance for this source; undefined if the name does not exist. */
  kept(ref: string): Promise<Readonly<Record<string, string>> | undefined>;
}

export interface CredentialDefinition<R extends Schema, S extends Schema> {
  readonly name: string;
  readonly version?: string;
  readonly settings?: S;
  readonly reference: R;
  /**
   * The identity that API keys are restricted by, behind `<name>:`. Default: the only member of the reference besides
   * `name`, if it is a text; otherwise all members as JSON. References to different secrets must have different
   * identities.
   */
  identify?(reference: OutputOf<R>): string;
  /** Its secrets are stored on the appliance, with `patchbay credential set --source <name>`. */
  readonly keeps?: boolean;
  /** Given here, or as the default export of a module that is loaded on demand. */
  readonly resolve?: Resolve<OutputOf<R>, OutputOf<S>>;
  load?(): Promise<{ default: Resolve<OutputOf<R>, OutputOf<S>> }>;
}
