/** Documents by name, each version kept: recipes and templates. */
import type { DocumentRow } from "../tables/recipes.ts";
import type { Actor } from "./trail.ts";

export type StoredHead = Omit<DocumentRow, "document" | "listed">;

/** The document is JSON text; undefined: it can no longer be decrypted. */
export interface StoredDocument extends StoredHead {
  readonly document: string | undefined;
}

export interface ListedDocument extends StoredHead {
  /** JSON text of what lists show. Undefined: written by a version before, or it can no longer be decrypted. */
  readonly listed: string | undefined;
  /** If there is no `listed`, and it can be decrypted. */
  readonly document: string | undefined;
}

export interface WrittenDocument {
  readonly document: string;
  /** JSON text of what lists show. */
  readonly listed: string;
  /** Of one that a source brings. */
  readonly source?: string;
  readonly revision?: string | undefined;
}

export interface Documents {
  /**
   * Writes the next version; the oldest ones beyond the limit go.
   * @param expected the version that must be in force; null: there must be none; undefined: any
   * @returns `moved`: another version is in force; `full`: there are too many names
   */
  put(
    name: string,
    written: WrittenDocument,
    by: Actor,
    expected?: number | null,
  ): Promise<{ readonly version: number; readonly added: boolean } | "moved" | "full">;
  /** Those in force, by name. */
  list(): Promise<readonly ListedDocument[]>;
  /** @param version undefined: the one in force */
  find(name: string, version?: number): Promise<StoredDocument | undefined>;
  /** Of one name, newest first, without their documents. */
  versions(name: string): Promise<readonly StoredHead[]>;
  /** With all its versions. @returns false: there is none, or another version is in force */
  remove(name: string, by: Actor, expected?: number): Promise<boolean>;
}
