/**
 * Tools of plugins that access the network: HTTP under the operator's policy, and files below the operator's folders.
 */
import type { HttpKit } from "./http.ts";
import type { Kit } from "./kit.ts";

/** Tools of plugins that access the network: drivers, webhooks, credential sources. */
export interface NetworkKit<Settings = unknown> extends Kit<Settings> {
  readonly http: HttpKit;
  readonly files: FilesKit;
}

/** Files of this host, restricted to the operator's folders. */
export interface FilesKit {
  /** Resolves a path below the transfer roots to its real path; throws if it is outside. */
  localFile(path: string, use: "read" | "write"): Promise<string>;
  /** The same for a folder that is transferred with its contents. */
  localFolder(path: string, use: "read" | "write"): Promise<string>;
  /** Resolves the path of a key file below the key roots to its real path; throws if it is outside. */
  keyFile(path: string): Promise<string>;
  /** Key files that the operator allows to be tried (`look_for_keys`). */
  discoverKeys(): Promise<readonly string[]>;
}
