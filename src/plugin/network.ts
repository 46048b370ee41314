/** Tools of plugins that reach out: HTTP behind the operator's guard, and files below his folders. */
import type { HttpKit } from "./http.ts";
import type { Kit } from "./kit.ts";

/** Tools of plugins that reach out: drivers, webhooks, credential sources. */
export interface NetworkKit<Settings = unknown> extends Kit<Settings> {
  readonly http: HttpKit;
  readonly files: FilesKit;
}

/** Files of this host, below the operator's folders only. */
export interface FilesKit {
  /** Real path of a file below the transfer roots; throws when it lies outside. */
  localFile(path: string, use: "read" | "write"): Promise<string>;
  /** The same for a folder: to be moved with all that is in it. */
  localFolder(path: string, use: "read" | "write"): Promise<string>;
  /** Real path of a key file below the key roots; throws when it lies outside. */
  keyFile(path: string): Promise<string>;
  /** Key files the operator allows to be tried (`look_for_keys`). */
  discoverKeys(): Promise<readonly string[]>;
}
