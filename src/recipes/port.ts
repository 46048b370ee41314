/** The interface of recipes, stored operations with parameters and their runs, and of stored templates. */
import type { Body } from "../api/body.ts";
import type { HookAnswer, HookRecord, WrittenHook } from "../api/recipes/hook.ts";
import type {
  ListedRecipe,
  ListedRun,
  RecipeRecord,
  RunRecord,
  ShippedRecipe,
} from "../api/recipes/recipe.ts";
import type {
  ListedTemplate,
  TemplateRecord,
  TemplateTests,
  VersionRecord,
} from "../api/recipes/template.ts";
import type { Caller } from "../auth/port.ts";
import type { Precondition } from "../inventory/port.ts";
import type { WrittenDocument } from "../store/port.ts";
import type { InnerCall } from "./request/calls.ts";

/** The API, as steps of recipes call it. */
export interface InnerCalls {
  /** @param route such as `GET /job`. @throws ServiceError Forbidden: the caller has not the scope or right of it */
  require(route: string, caller: Caller): Promise<void>;
  /** @returns `data` of the answer. @throws ServiceError as the route */
  call(call: InnerCall, caller: Caller, signal: AbortSignal): Promise<unknown>;
}

export interface RunPage {
  readonly runs: ListedRun[];
  /** Cursor of the next page; undefined at the end. */
  readonly next: string | undefined;
}

/** Runs that agents propose. All methods throw ServiceError as those of recipes. */
export interface Proposals {
  /** Those that the caller may propose, by name, as they are in force. Scope `agent`. */
  proposable(
    caller: Caller,
    page: { readonly name?: string | undefined; readonly after?: string | undefined; readonly limit: number },
  ): Promise<RecipeRecord[]>;
  /**
   * Stores a run that begins only when a person who may run the recipe accepts it. Scope `agent`.
   * @param how `key`: a repeat gets the first one; `acting`: the caller with what an agent reaches
   * @throws ServiceError Validation (also for a secret), InUse, TooManyRequests (too many wait)
   */
  propose(
    name: string,
    body: Body,
    how: { readonly reason: string; readonly key: string; readonly acting: Caller },
    caller: Caller,
  ): Promise<RunRecord>;
  /** What this key has proposed, whatever has become of it. Scope `agent`. */
  proposal(id: string, caller: Caller): Promise<RunRecord | undefined>;
  /** Those that wait and that the caller may decide, or has proposed, oldest first. Scope `read`. */
  proposals(caller: Caller): Promise<ListedRun[]>;
  /**
   * The run begins, with the rights of the caller, a person who may run the recipe.
   * @throws ServiceError InUse (no person, decided, expired, another version), Validation, TooManyRequests
   */
  accept(name: string, id: string, caller: Caller): Promise<RunRecord>;
  /** Whoever may run the recipe. @throws ServiceError InUse (decided, expired), Validation */
  refuse(name: string, id: string, body: Body, caller: Caller): Promise<RunRecord>;
}

/**
 * A recipe gives nobody a right: a run has those of its caller. Its runs are seen by whoever started them, by the person
 * whose key that was, and by admins without host limits. All methods throw ServiceError Forbidden, NotFound, Unavailable,
 * besides what each lists.
 */
export interface Recipes extends Proposals {
  /** Those in force, by name. Scope `read`. */
  list(caller: Caller): Promise<ListedRecipe[]>;
  /** Those that the caller may run, by name, as they are in force; what cannot be read is left out. Scope `read`. */
  runnable(caller: Caller): Promise<RecipeRecord[]>;
  /** Those that come with the program, by name. Scope `read`. */
  shipped(caller: Caller): Promise<ShippedRecipe[]>;
  /** @param version undefined: the one in force. Scope `read`. */
  read(name: string, caller: Caller, version?: number): Promise<RecipeRecord>;
  /** A document that could be put. @throws ServiceError as `put` */
  proven(value: unknown, caller: Caller): Promise<WrittenDocument>;
  /**
   * Writes the next version. Scope `admin`, of a caller without host limits.
   * @throws ServiceError Validation (also for a step that holds a secret), PreconditionFailed, PayloadTooLarge,
   * TooManyRequests (too many recipes)
   */
  put(
    name: string,
    body: Body,
    caller: Caller,
    condition: Precondition,
  ): Promise<{ readonly record: RecipeRecord; readonly added: boolean }>;
  /** With all versions; its runs stay. Scope `admin`. @throws ServiceError PreconditionFailed */
  remove(name: string, caller: Caller, condition: Precondition): Promise<void>;
  /** Newest first. Scope `read`. */
  versions(name: string, caller: Caller): Promise<VersionRecord[]>;
  /**
   * Starts a run with the rights of the caller. Scope `operate`.
   * @param idempotencyKey a repeat gets the first run
   * @throws ServiceError Validation, InUse (another version is in force, or the key was used with another body),
   * TooManyRequests (too many are open)
   */
  run(name: string, body: Body, caller: Caller, idempotencyKey?: string): Promise<RunRecord>;
  /** Whether `run` would begin now; nothing is stored. Scope `operate`. @throws ServiceError Validation, InUse */
  check(name: string, body: Body, caller: Caller): Promise<void>;
  /** Newest first. Scope `read`. */
  runs(
    name: string,
    caller: Caller,
    page: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<RunPage>;
  /** Scope `read`. */
  readRun(name: string, id: string, caller: Caller): Promise<RunRecord>;
  /** Begins no step any more, and cancels what waits; what runs goes to its end. Scope `operate`. */
  cancel(name: string, id: string, caller: Caller): Promise<RunRecord>;
  /** Waits until the run has ended, or for the time or signal. */
  waitFor(id: string, forMs: number, signal: AbortSignal): Promise<void>;
}

/**
 * Addresses where other systems start runs of a recipe, with the rights that the owner of the hook has then. They are
 * seen by whoever sees the runs of their owner. All methods throw ServiceError as those of recipes.
 */
export interface Hooks {
  /** By name. Scope `read`. */
  list(recipe: string, caller: Caller): Promise<HookRecord[]>;
  /** Scope `read`. */
  read(recipe: string, name: string, caller: Caller): Promise<HookRecord>;
  /**
   * Whoever may run the recipe. The answer has the token and the secret, which are shown at no other time.
   * @throws ServiceError Validation, InUse (its name is taken), PayloadTooLarge, TooManyRequests (too many hooks)
   */
  add(recipe: string, body: Body, caller: Caller): Promise<WrittenHook>;
  /** The caller becomes its owner. @throws ServiceError Validation, PayloadTooLarge */
  change(recipe: string, name: string, body: Body, caller: Caller): Promise<WrittenHook>;
  remove(recipe: string, name: string, caller: Caller): Promise<string>;
  /**
   * A delivery: starts a run once, however often it arrives.
   * @param from address of the sender; null: a Unix socket
   * @throws ServiceError NotFound (no such token), Forbidden (not proven, or the owner may not), InUse (a copy under
   * another id), TooManyRequests, Validation, ParseError and ReadTimeout (an expression failed)
   */
  receive(
    token: string,
    arrived: { readonly headers: Headers; readonly text: string },
    from: string | null,
  ): Promise<HookAnswer>;
}

/** Everybody with scope `operate` may use one by its name. All methods throw ServiceError as those of recipes. */
export interface Templates {
  /** Those in force, by name. Scope `read`. */
  list(caller: Caller): Promise<ListedTemplate[]>;
  /** @param version undefined: the one in force. Scope `read`. */
  read(name: string, caller: Caller, version?: number): Promise<TemplateRecord>;
  /** Newest first. Scope `read`. */
  versions(name: string, caller: Caller): Promise<VersionRecord[]>;
  /** A document that could be put. @throws ServiceError as `put` */
  proven(value: unknown, caller: Caller, signal: AbortSignal): Promise<WrittenDocument>;
  /**
   * Writes the next version, if all its tests pass. Scope `admin`, of a caller without host limits.
   * @throws ServiceError Validation (also for a test that does not pass), PreconditionFailed, PayloadTooLarge,
   * TooManyRequests (too many templates)
   */
  put(
    name: string,
    body: Body,
    caller: Caller,
    condition: Precondition,
    signal: AbortSignal,
  ): Promise<{ readonly record: TemplateRecord; readonly added: boolean }>;
  /** With all versions; jobs keep the text that they have. Scope `admin`. @throws ServiceError PreconditionFailed */
  remove(name: string, caller: Caller, condition: Precondition): Promise<void>;
  /**
   * Runs the tests. Scope `operate`.
   * @param body may have a draft in place of the stored one, which need not be there
   * @throws ServiceError Validation, NotFound
   */
  test(name: string, body: Body, caller: Caller, signal: AbortSignal): Promise<TemplateTests>;
}
