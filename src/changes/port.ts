/** The interface of changes. */
import type { Body } from "../api/body.ts";
import type {
  ChangeDetail,
  ChangeDifference,
  ChangeRecord,
  ChangeTarget,
  StepRecord,
} from "../api/change.ts";
import type { Caller } from "../auth/port.ts";

/** Words that move a change on. */
export const changeWords = ["start", "pause", "resume", "stop", "return", "cancel"] as const;
export type ChangeWord = (typeof changeWords)[number];

interface PageAsked {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

interface PageOf<T> {
  readonly items: T[];
  readonly next: string | undefined;
}

/**
 * A caller sees changes of its own, and those whose devices it may all reach. All methods throw ServiceError Forbidden,
 * NotFound, Unavailable, besides what each lists.
 */
export interface Changes {
  /** Newest first. Scope `read`. */
  list(states: readonly string[] | undefined, caller: Caller, page: PageAsked): Promise<PageOf<ChangeRecord>>;
  /** Scope `read`. */
  read(id: string, caller: Caller): Promise<ChangeDetail>;
  /** In the order of the waves. Scope `read`. */
  targets(
    id: string,
    filter: { readonly wave?: number | undefined; readonly state?: string | undefined },
    caller: Caller,
    page: PageAsked,
  ): Promise<PageOf<ChangeTarget>>;
  /**
   * What the lines of a device would change in its configuration. Needs the right `history`. Scope `read`.
   * @throws ServiceError ReadTimeout, TooManyRequests
   */
  difference(id: string, device: string, caller: Caller, signal: AbortSignal): Promise<ChangeDifference>;
  /** What happened, oldest first. Scope `read`. */
  steps(id: string, caller: Caller, page: PageAsked): Promise<PageOf<StepRecord>>;
  /** Scope `operate`. @throws ServiceError Validation, TooManyRequests (too many are open) */
  draft(body: Body, caller: Caller): Promise<ChangeDetail>;
  /** A new revision, without plan and votes, before it has started. Scope `operate`. @throws ServiceError Validation, InUse */
  edit(id: string, body: Body, caller: Caller): Promise<ChangeDetail>;
  /** Plans it anew: a new revision. Waits for it up to 20 seconds. Scope `operate`. @throws ServiceError InUse */
  plan(id: string, caller: Caller): Promise<ChangeDetail>;
  /**
   * The vote of a person with the right `approve` on exactly that plan.
   * @throws ServiceError Validation, InUse (another revision, expired, the author, no person)
   */
  vote(id: string, body: Body, caller: Caller): Promise<ChangeDetail>;
  /** Scope `operate`. @throws ServiceError Validation, InUse (not in that state; a device is in another change) */
  say(id: string, word: ChangeWord, body: Body | undefined, caller: Caller): Promise<ChangeDetail>;
}
