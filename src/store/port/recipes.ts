/** Recipes and their runs. A run is moved on only from the move that was read. */
import type { RecipeRunRow } from "../tables/recipes.ts";
import type { Documents } from "./documents.ts";
import type { Actor } from "./trail.ts";

/** `request` and `steps` are JSON text; undefined: they can no longer be decrypted. */
export interface StoredRun extends Omit<RecipeRunRow, "request" | "steps"> {
  readonly request: string | undefined;
  readonly steps: string | undefined;
}

export type ListedStoredRun = Omit<StoredRun, "request" | "steps">;

export interface NewRun
  extends Pick<
    StoredRun,
    "id" | "recipe" | "version" | "holder" | "submitterKind" | "submitter" | "ticket" | "dry"
  > {
  /** An agent proposes it: it does not run before a person has accepted it. */
  readonly proposed?: { readonly proposer: string; readonly proposedBy: string };
  readonly request: string;
  readonly steps: string;
}

export interface RunMove extends Partial<Pick<StoredRun, "state" | "reason">> {
  readonly steps?: string;
  /** It ends with this move. */
  readonly ends?: true;
}

export interface Recipes extends Documents {
  /** @returns `full`: too many runs are open */
  addRun(run: NewRun, by: Actor): Promise<"added" | "full">;
  run(id: string): Promise<StoredRun | undefined>;
  /**
   * Newest first, without their requests and steps.
   * @param page `before`: id of the last one of the page before; `owner`: of this key or person, keys of the person
   * included; undefined: of all
   */
  runs(
    recipe: string,
    page: {
      readonly limit: number;
      readonly before?: string | undefined;
      readonly owner?: string | undefined;
    },
  ): Promise<readonly ListedStoredRun[]>;
  /**
   * Fingerprints of dry runs that have finished since then, newest first.
   * @param owner a key or person; keys of the person are included
   */
  dryRuns(recipe: string, owner: string, sinceMs: number): Promise<readonly string[]>;
  /** Proposed and not decided, with those that have expired, oldest first. */
  proposals(): Promise<readonly StoredRun[]>;
  /** A proposal becomes a run of this holder. @returns `full`: too many of theirs are open */
  acceptRun(
    at: Pick<StoredRun, "id" | "move" | "recipe">,
    as: Pick<StoredRun, "holder" | "submitterKind" | "submitter">,
    by: Actor,
  ): Promise<"accepted" | "moved" | "full">;
  /** Not ended, oldest first, without proposals that may still be accepted. */
  openRuns(): Promise<readonly Pick<StoredRun, "id" | "move">[]>;
  /**
   * @param by null: the service itself
   * @returns false: it was moved on meanwhile
   */
  moveRun(
    at: Pick<StoredRun, "id" | "move">,
    move: RunMove,
    event?: { readonly what: "cancel" | "refuse"; readonly by: Actor },
  ): Promise<boolean>;
  /**
   * Ended runs beyond the limits, the oldest first.
   * @param most default: `recipeLimits`; of all runs together
   * @returns how many were deleted
   */
  pruneRuns(most?: { readonly runs: number; readonly bytes: number }): Promise<number>;
}
