/** The interface of changes. */
import type { Body } from "../api/body.ts";
import type {
  ChangeDetail,
  ChangeEventName,
  ChangeNewsRecord,
  ChangeRecord,
  ChangeReport,
  ChangeState,
  ChangeTarget,
  ChangeWord,
  StepRecord,
  TargetState,
} from "../api/changes/change.ts";
import type { ChangeComparison, ChangeDifference } from "../api/changes/change-difference.ts";
import type { PageAsked, PageOf } from "../api/page.ts";
import type { Caller } from "../auth/port.ts";
import type { StopCause } from "../store/port.ts";

export { type StopCause, stopCauses } from "../store/port.ts";

export const reportForms = ["md", "html"] as const;
export type ReportForm = (typeof reportForms)[number];

export interface ReportedChange {
  readonly report: ChangeReport;
  /** In the order of the waves, in pages. */
  devices(): AsyncGenerator<readonly ChangeTarget[]>;
}

export interface ReportText {
  /** Content type. */
  readonly type: string;
  /** `Content-Security-Policy` of a page. */
  readonly policy?: string;
  readonly pieces: AsyncGenerator<string>;
}

/**
 * A caller sees changes of its own, and those whose devices it may all reach. All methods throw ServiceError Forbidden,
 * NotFound, Unavailable, besides what each lists.
 */
export interface Changes {
  /** Newest first; `waits`: only those that wait for the caller. Scope `read`. */
  list(
    filter: { readonly state?: ChangeState | undefined; readonly waits?: boolean | undefined },
    caller: Caller,
    page: PageAsked,
  ): Promise<PageOf<ChangeRecord>>;
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
  /**
   * Submits a dry run of the lines of a device, as the caller, if its driver lets it compare. Lines that restore a version
   * need the right `history`. Scope `operate`.
   * @throws ServiceError InUse (its address is another one than in the plan), and as the submission of a job
   */
  compare(id: string, device: string, caller: Caller): Promise<ChangeComparison>;
  /** What was planned and what became of it. Scope `read`. */
  report(id: string, caller: Caller): Promise<ReportedChange>;
  /** The same as a page or text, in pieces. Scope `read`. */
  reportText(id: string, form: ReportForm, caller: Caller): Promise<ReportText>;
  /** What happened, oldest first. Scope `read`. */
  steps(id: string, caller: Caller, page: PageAsked): Promise<PageOf<StepRecord>>;
  /** Scope `operate`. @throws ServiceError Validation, TooManyRequests (too many are open) */
  draft(body: Body, caller: Caller): Promise<ChangeDetail>;
  /**
   * Drafts the change that an agent proposes, and plans it: only a person's vote lets it go on. A repeat within a day gets
   * the same change. Waits for its plan up to 20 seconds. Scope `agent`.
   * @throws ServiceError as `draft`; InUse (the key was used with other arguments)
   */
  propose(
    body: Body,
    once: { readonly key: string; readonly sha256: string },
    caller: Caller,
  ): Promise<ChangeDetail>;
  /** A new revision, without plan and votes, before it has started. Scope `operate`. @throws ServiceError Validation, InUse */
  edit(id: string, body: Body, caller: Caller): Promise<ChangeDetail>;
  /** Plans it anew: a new revision. Waits for it up to 20 seconds. Scope `operate`. @throws ServiceError InUse */
  plan(id: string, caller: Caller): Promise<ChangeDetail>;
  /**
   * Rehearses the lines of its devices, as a bulk that pushes nothing: with the rights of the caller. Lines of a fix need the
   * right `history`. Scope `operate`.
   * @throws ServiceError Validation, InUse (it has no plan, or gives devices versions that they had), and as `bulk`
   */
  rehearse(id: string, body: Body | undefined, caller: Caller): Promise<ChangeDetail>;
  /**
   * The vote of a person with the right `approve` on exactly that plan.
   * @throws ServiceError Validation, InUse (another revision, expired, the author, no person)
   */
  vote(id: string, body: Body, caller: Caller): Promise<ChangeDetail>;
  /** Scope `operate`. @throws ServiceError Validation, InUse (not in that state; a device is in another change) */
  say(id: string, word: ChangeWord, body: Body | undefined, caller: Caller): Promise<ChangeDetail>;
}

/** A change that a step of a recipe has drafted. */
export interface RunChange {
  readonly id: string;
  readonly state: ChangeState;
  /** Why it is in that state. */
  readonly reason: string | null;
  readonly revision: number;
  /** Who has edited it since it was drafted: it is not what the step has asked for. */
  readonly edited: string | null;
}

/** The step that drafts a change; the same one again has the same `key`. */
export interface DraftingStep {
  readonly key: string;
  readonly recipe: string;
  readonly run: string;
}

/** What steps of recipes do with changes. All methods throw ServiceError Unavailable, besides what each lists. */
export interface RunChanges {
  /** Whether it could be drafted. @throws ServiceError as `draft` of changes */
  check(body: Body, caller: Caller): Promise<void>;
  /**
   * Drafts the change and has it planned, once for its step, however often it is said; waits for nothing. It runs with the
   * rights of the caller, also one that may only run that recipe. Scope `operate`.
   * @throws ServiceError as `draft` of changes
   */
  draft(body: Body, step: DraftingStep, caller: Caller): Promise<RunChange>;
  /** What the step has drafted; undefined: nothing. */
  drafted(step: Pick<DraftingStep, "key">, caller: Pick<Caller, "keyId">): Promise<RunChange | undefined>;
  find(id: string): Promise<RunChange | undefined>;
  /**
   * Only in the revision that was read.
   * @param why a note. Scope `operate`. @throws ServiceError as `say` of changes
   */
  say(change: RunChange, word: "start" | "cancel", why: string, caller: Caller): Promise<void>;
  /** The service itself cancels one that has not begun, as nobody can any more. */
  withdraw(id: string, why: string): Promise<void>;
  /** Waits until it may have another state than this one, or for the time or signal. */
  waitFor(id: string, state: ChangeState, forMs: number, signal: AbortSignal): Promise<void>;
}

/** `n`: position after it. */
export type ChangeFeedEvent =
  | { readonly kind: "change"; readonly n: number; readonly record: ChangeNewsRecord }
  /** There was no such position: this is the newest one. */
  | { readonly kind: "reset"; readonly n: number }
  /** Keep-alive. */
  | { readonly kind: "here"; readonly n: number };

export interface ChangeFeed {
  /**
   * The steps of one change, or of all that the caller sees, endlessly, in the order in which they were stored. Getting
   * the first event throws ServiceError Forbidden, NotFound; any one Unavailable.
   */
  follow(
    id: string | undefined,
    listening: {
      readonly caller: Caller;
      /** Undefined: from now on. */
      readonly from: number | undefined;
      readonly signal: AbortSignal;
    },
  ): AsyncGenerator<ChangeFeedEvent>;
}

/** An event of a change, for webhooks: neither lines nor secrets. */
export interface ChangeTold {
  readonly record: ChangeNewsRecord & { readonly event: ChangeEventName };
  readonly ticket: string | null;
  readonly author: ChangeRecord["submitted_by"];
  readonly revision: number;
  readonly hash: string | null;
  /** Number of devices of each wave. */
  readonly waves: readonly number[];
  readonly approvals: ChangeRecord["approvals"];
  isVisibleTo(caller: Caller): Promise<boolean>;
}

export interface ChangeNews {
  /** An event by its number; undefined: its change was deleted, or it is none that is told. */
  read(n: number): Promise<ChangeTold | undefined>;
}

/** What is done to changes on this node. */
export interface ChangeCounters {
  waveBegun(): void;
  changeStopped(cause: StopCause): void;
  /** @param seconds since its plan; undefined: it has none */
  changeEnded(
    state: ChangeState,
    seconds: number | undefined,
    targets: ReadonlyMap<TargetState, number>,
  ): void;
}
