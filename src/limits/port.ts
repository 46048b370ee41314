/** The interface of limits: admission, backlog, login gate, use of credentials. */
import type { NamedCredential } from "../auth/port.ts";
import type { ServiceError } from "../base/errors.ts";
import type { FairSemaphore } from "../base/share/fair-semaphore.ts";

/** A user on a device, with its canonical host. */
export interface Login {
  readonly host: string;
  readonly user: string;
}

/** The user of a stored credential is only known to the thread that opens it, so the credential stands for it. */
export interface StoredAccount {
  readonly credential: string;
}
/** The account of a login: its user, or what stands for it. */
export type AccountName = string | StoredAccount;

export function accountNamed(username: unknown, credential: NamedCredential | undefined): AccountName {
  const user = String(username ?? "");
  return user === "" && credential !== undefined ? { credential: credential.name } : user;
}

export const accountWord = (name: AccountName): string =>
  typeof name === "string" ? name : `the credential ${name.credential}`;

/** Protects device accounts from lock-out: backs off after failed logins, and paces logins. */
export interface LoginGate {
  /**
   * Waits until this login may be tried.
   * @param hostKey the canonical host of the device.
   * @param account stored credentials that name one user are told apart: on a device all of them share a further bound.
   * @param open whether a session is open, so that a login is unlikely.
   * @param through logins at jump hosts, nearest first.
   * @throws ServiceError AuthBackoff, with `retry_after` in seconds; the reason of the signal.
   */
  enter(
    hostKey: string,
    account: AccountName,
    signal: AbortSignal,
    open?: () => boolean,
    through?: readonly Login[],
  ): Promise<LoginPass>;
}

/** Permission for one login. */
export interface LoginPass {
  /** The device took the credentials. */
  accepted(): void;
  /** The kind of error tells whether credentials were refused, accepted or never tried. */
  failed(error: ServiceError): void;
  /**
   * Waits until these jump hosts, the nearest first, may be tried, too: the device thread finds some of them in an
   * ssh_config. Those that `enter` was given are skipped. @throws ServiceError as `enter`; the pass holds nothing then.
   */
  enterHops(hops: readonly Login[], signal: AbortSignal): Promise<void>;
  /** Always called last. */
  leave(): void;
}

export interface LoginLimits {
  /** Failed logins per device and user before backing off; 0: never. */
  readonly failures: number;
  readonly backoffMs: number;
  /** Logins per second; 0: unlimited. */
  readonly perSecond: number;
}

/** Admission control per API key, so that no pattern of requests starves others. */
export interface Admission {
  /** Concurrent requests. */
  readonly requests: Quota;
  /** Concurrent lists longer than one piece. */
  readonly lists: Quota;
  /** Concurrent connection tests. */
  readonly connectionTests: Quota;
  /** Concurrent event streams. */
  readonly streams: Quota;
  /** Bytes of request bodies, and of list pieces being sent. */
  readonly bytes: Quota;
  /** Concurrent file transfers. */
  readonly files: Quota;
  /** Request rate; a bulk costs one per device. */
  readonly rateLimiter: RateLimiter;
  /** Rate of routes that need no key, per address. */
  readonly openRate: RateLimiter;
  /** Deliveries, per hook. */
  readonly hookRate: RateLimiter;
  /** Heavy work on the main thread: parsing large bodies, bulks. */
  readonly heavyWork: FairSemaphore;
  /** Large bodies, from reading until accepted. */
  readonly largeBodies: FairSemaphore;
  /** List pieces with a single large result. */
  readonly largePieces: FairSemaphore;
  /** Submissions with an Idempotency-Key. */
  readonly inFlight: InFlightSubmissions;
  /** Requests garbage collection after something large was released. */
  collect(): void;
}

export interface AdmissionLimits {
  readonly requests: QuotaLimits;
  readonly lists: QuotaLimits;
  readonly streams: QuotaLimits;
  readonly bytes: QuotaLimits;
  readonly rate: RateLimits;
}

/** A limit in total and per API key, for concurrent requests, lists, or bytes held. */
export interface Quota {
  /** @returns releases it, once. @throws ServiceError TooManyRequests */
  take(key: string, count?: number): () => void;
  /**
   * Counts existing usage even above the limit, so that later requests of this key are refused; the other keys are
   * left their room. @returns releases it.
   */
  hold(key: string, count: number): () => void;
  /**
   * For usage that can be retried: refused if half of the key's share is used and it does not fit, so that any size
   * passes alone. @returns releases it. @throws ServiceError TooManyRequests
   */
  holdIfRoom(key: string, count: number): () => void;
  held(): number;
}

export interface QuotaLimits {
  readonly inAll: number;
  readonly perKey: number;
}

/** A token bucket per API key. */
export interface RateLimiter {
  /** @throws ServiceError TooManyRequests with `retryAfter` in seconds. */
  spend(key: string, cost: number): void;
  /** Charges usage known only afterwards, which delays later requests. */
  charge(key: string, cost: number): void;
}

export interface RateLimits {
  /** Cost per second; 0: unlimited. */
  readonly perSecond: number;
  /** Burst after a pause. */
  readonly burst: number;
}

/** Deduplicates concurrent submissions with the same Idempotency-Key. */
export interface InFlightSubmissions {
  /**
   * Runs the work, or returns the result or error of the same submission in progress.
   * @throws ServiceError Conflict (different text), InProgress (no answer in time)
   */
  run<T>(submission: Submission, work: () => Promise<T>): Promise<T>;
}

export interface Submission {
  /** Id of the API key. */
  readonly caller: string;
  /** The Idempotency-Key; undefined: not deduplicated. */
  readonly key: string | undefined;
  readonly endpoint: string;
  /** The body. */
  readonly text: string;
}

/** Counts waiting jobs (queued or held), in all and per caller (API key id), for back-pressure. */
export interface Backlog {
  /** No person, nor key of a machine, may have more jobs waiting: whoever `shareOf` names. */
  readonly most: number;
  total(): number;
  ofShare(share: string): number;
  /** Adds jobs, or removes them (negative). */
  add(share: string, count: number): void;
  /** Sets the counts of the store; reservations stay. */
  reset(counts: ReadonlyMap<string, number>): void;
  /**
   * Reserves room before the work: jobs being checked and stored count as waiting.
   * @throws ServiceError TooManyRequests, with `retryAfter`
   */
  reserve(share: string, count: number): Reservation;
}

/** A reservation of a submission. */
export interface Reservation {
  /** Releases the surplus. */
  shrinkTo(count: number): void;
  /** The jobs are stored: converts the reservation to queued jobs. */
  commit(): void;
  /** Releases what was not committed; always called last. */
  release(): void;
}

export interface BacklogLimits {
  readonly maxQueued: number;
  readonly maxQueuedPerKey: number;
}

/** An action on a device, perhaps with a credential. */
export interface CredentialUse {
  /**
   * Checks the current state of the key, and audits the use of a credential.
   * @throws ServiceError Forbidden: the key was revoked, has expired, or may no longer use the credential
   */
  note(use: UsedCredential): Promise<void>;
  /**
   * The same for a task that another key may have started: one of the two must be allowed to use its credential now.
   * @param starter id of the key that started it
   * @throws ServiceError Forbidden
   */
  noteShared(use: UsedCredential, starter: string): Promise<void>;
  /** Only audits the use: for work of the service itself. */
  record(use: UsedCredential): Promise<void>;
}

export interface UsedCredential {
  readonly keyId: string;
  readonly credential: NamedCredential | undefined;
  readonly host: string;
  readonly jobId?: string;
  /** What the key could reach when the job was submitted, as stored with the job. */
  readonly reach?: readonly string[];
}
