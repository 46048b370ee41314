/** Recipes, their runs, and their hooks. A run is moved on only from the move that was read. */
import type { HookDeliveryRow, HookRow, RecipeRunRow } from "../tables/recipes.ts";
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

/** `spec` is JSON text; undefined, as `secret`: it can no longer be decrypted. */
export interface StoredHook extends Omit<HookRow, "spec" | "secret"> {
  readonly spec: string | undefined;
  readonly secret: string | undefined;
}

export interface HookValues extends Pick<StoredHook, "id" | "recipe" | "name" | "owner" | "token"> {
  readonly spec: string;
  readonly secret: string;
}

export type HookDelivery = Pick<HookDeliveryRow, "hook" | "content" | "delivery" | "run">;
export type StoredHookDelivery = HookDelivery & Pick<HookDeliveryRow, "begun">;

/** Hooks, and the deliveries that they remember. */
export interface Hooks {
  /** @returns `taken`: the recipe has one of this name; `full`: there are too many */
  add(hook: HookValues, by: Actor): Promise<"added" | "taken" | "full">;
  /** @returns false: there is none with this id */
  change(hook: HookValues, by: Actor): Promise<boolean>;
  /** By name. */
  list(recipe: string): Promise<readonly StoredHook[]>;
  find(recipe: string, name: string): Promise<StoredHook | undefined>;
  /** @param token its hash */
  byToken(token: string): Promise<StoredHook | undefined>;
  /** With what it remembers. @returns false: there is none with this id */
  remove(hook: Pick<StoredHook, "id" | "recipe" | "name">, by: Actor): Promise<boolean>;
  /** Those with this content or this id that are remembered: one of them, or two. */
  deliveries(of: Omit<HookDelivery, "run">): Promise<readonly StoredHookDelivery[]>;
  /**
   * Remembers a delivery, unless there is one with this content or this id; forgets old ones.
   * @returns those that are remembered now, as `deliveries`; none: there are too many, or the hook is gone
   */
  remember(delivery: HookDelivery): Promise<readonly StoredHookDelivery[]>;
  /** Its run is stored. */
  begun(delivery: HookDelivery): Promise<void>;
}
