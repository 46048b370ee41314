/** Protects device accounts from lock-out: backs off after failed logins, and paces logins. */
import { createHash } from "node:crypto";
import { canonicalHost } from "../api/identity.ts";
import { type ErrorKind, requestErrorKinds, ServiceError } from "../base/errors.ts";
import { createBoundedCache } from "../base/share/bounded-cache.ts";
import { abortReason, onAbort, pause } from "../base/time/deadline.ts";
import { accountWord, type Login, type LoginGate, type LoginLimits, type LoginPass } from "./port.ts";

interface Account {
  /** Logins in progress or waiting. */
  users: number;
  failures: number;
  /** Logins in progress while the password is not known to be right. */
  trying: number;
  accepted: boolean;
  /** The device said so, and has refused it never since. */
  proven: boolean;
  closedUntil: number;
  waiting: (() => void)[];
}

interface Entry extends Login {
  /** The user is the word of a stored credential. */
  readonly isStored?: boolean;
}

/** The pass of one account on the way. */
type AccountPass = Omit<LoginPass, "enterHops">;

/** Errors that occur before credentials are tried. */
const notTried: ReadonlySet<ErrorKind> = new Set([
  ...requestErrorKinds,
  "ConnectionTimeout",
  "ConnectionRefused",
  "HostUnreachable",
  "HostKeyMismatch",
  "RenderError",
  "AuthBackoff",
  "Cancelled",
  "JobTimeout",
  "WorkerLost",
  "ResourceExhausted",
]);
/** They show that the device took the login; a connection that is lost may be its way to refuse one. */
const behindLogin: ReadonlySet<ErrorKind> = new Set([
  "CommandError",
  "ParseError",
  "CheckFailed",
  "OutputTooLarge",
]);
/** No credential was offered: an unreadable private key, or no common authentication method. */
const wasNotOffered = ({ detail }: ServiceError) => Array.isArray(detail?.tried) && detail.tried.length === 0;
/** A credential could not be read; a driver that was let in has said so before. */
const wasNotRead = ({ kind, detail }: ServiceError) => kind === "DriverError" && detail?.outcome === "none";

/** Of all stored credentials of a device, failed logins in the time of a back-off: times those of one. */
const storedShare = 4;

/** Maximum idle accounts remembered, least recently used evicted first. */
const maxRemembered = 50_000;

export function createLoginGate(limits: LoginLimits, now: () => number = () => performance.now()): LoginGate {
  /** Bounded by running jobs and connection tests. */
  const inUse = new Map<string, Account>();
  const acceptedAccounts = createBoundedCache<Account>(maxRemembered);
  /** Separate from accepted accounts, so that many good logins cannot evict a back-off. */
  const suspectAccounts = createBoundedCache<Account>(maxRemembered);
  let nextLoginAt = 0;

  function accountOf(key: string): Account {
    const remembered = inUse.get(key) ?? acceptedAccounts.get(key) ?? suspectAccounts.get(key);
    const account = remembered ?? {
      users: 0,
      failures: 0,
      trying: 0,
      ...{ accepted: false, proven: false },
      closedUntil: 0,
      waiting: [],
    };
    account.users++;
    inUse.set(key, account);
    return account;
  }

  /** Constant time, regardless of the number of accounts. */
  function releaseAccount(key: string, account: Account): void {
    if (--account.users > 0) return;
    inUse.delete(key);
    const isSuspect = account.failures > 0 || account.closedUntil > 0;
    const place = isSuspect ? suspectAccounts : account.accepted ? acceptedAccounts : undefined;
    // Does not remove it from the cache it stays in.
    for (const other of [acceptedAccounts, suspectAccounts]) if (other !== place) other.delete(key);
    place?.set(key, account);
  }

  /** Paces logins for the sake of authentication servers. */
  async function pace(signal: AbortSignal): Promise<void> {
    const at = Math.max(now(), nextLoginAt);
    nextLoginAt = at + 1_000 / limits.perSecond;
    await pause(Math.max(0, at - now()), signal);
    if (signal.aborted) throw abortReason(signal);
  }

  function wake(account: Account): void {
    for (const wakeWaiter of account.waiting.splice(0)) wakeWaiter();
  }

  async function takeTurn(account: Account, { host, user }: Login, signal: AbortSignal): Promise<void> {
    for (;;) {
      const closedMs = account.closedUntil - now();
      if (closedMs > 0) throw backoff(host, user, closedMs);
      if (account.closedUntil > 0) {
        // The back-off is over: a single login tries whether the password is right now.
        account.closedUntil = 0;
        account.failures = limits.failures - 1;
      }
      if (account.accepted || account.trying < limits.failures - account.failures) {
        // Incremented here: after an await of the caller, all waiters would have passed.
        account.trying++;
        return;
      }
      await waitForTurn(account, signal);
    }
  }

  /** `closedUntil` is when the failures are forgotten: a credential that is right makes no room for others. */
  async function takeStoredTurn(all: Account, host: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const closedMs = all.closedUntil - now();
      if (closedMs <= 0) all.failures = all.closedUntil = 0;
      const room = storedShare * limits.failures - all.failures;
      if (room <= 0) throw backoff(host, "many credentials", closedMs);
      if (all.trying < room) {
        all.trying++;
        return;
      }
      await waitForTurn(all, signal);
    }
  }

  /** @returns undefined: the device has taken it before */
  async function enterStored({ host, isStored }: Entry, account: Account, signal: AbortSignal) {
    if (isStored !== true || account.proven) return undefined;
    const key = keyOf({ host, user: "", isStored });
    const all = accountOf(key);
    try {
      await takeStoredTurn(all, host, signal);
    } catch (error) {
      releaseAccount(key, all);
      throw error;
    }
    let isInside = true;
    return {
      failed() {
        if (all.failures === 0) all.closedUntil = now() + limits.backoffMs;
        all.failures++;
      },
      leave() {
        if (!isInside) return;
        isInside = false;
        all.trying--;
        wake(all);
        releaseAccount(key, all);
      },
    };
  }

  async function enterOne(
    login: Entry,
    signal: AbortSignal,
    open: (login: Entry) => boolean,
  ): Promise<AccountPass> {
    if (limits.perSecond > 0 && !open(login)) await pace(signal);
    if (limits.failures === 0) return noPass;
    const key = keyOf(login);
    const account = accountOf(key);
    const leave = () => {
      account.trying--;
      wake(account);
      releaseAccount(key, account);
    };
    try {
      await takeTurn(account, login, signal);
    } catch (error) {
      releaseAccount(key, account);
      throw error;
    }
    let stored: Awaited<ReturnType<typeof enterStored>>;
    try {
      stored = await enterStored(login, account, signal);
    } catch (error) {
      leave();
      throw error;
    }
    const accepted = () => {
      account.proven = true;
      stored?.leave();
      if (account.accepted) return;
      account.accepted = true;
      account.failures = 0;
      wake(account);
    };
    return {
      accepted,
      failed(error) {
        if (wasNotOffered(error) || wasNotRead(error)) return;
        if (error.kind !== "AuthenticationFailed") {
          if (behindLogin.has(error.kind)) accepted();
          else if (!notTried.has(error.kind)) account.accepted = true;
          return;
        }
        account.accepted = false;
        account.proven = false;
        account.failures++;
        stored?.failed();
        if (account.failures >= limits.failures) account.closedUntil = now() + limits.backoffMs;
      },
      leave() {
        stored?.leave();
        leave();
      },
    };
  }

  /** Enters all accounts in sorted order, to avoid deadlocks. */
  async function enterAll(logins: readonly Entry[], signal: AbortSignal, open: (login: Entry) => boolean) {
    const passes = new Map<string, AccountPass>();
    const inOrder = logins
      .map((login) => ({ login, key: keyOf(login) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    try {
      for (const { login, key } of inOrder)
        if (!passes.has(key)) passes.set(key, await enterOne(login, signal, open));
    } catch (error) {
      for (const pass of passes.values()) pass.leave();
      throw error;
    }
    return passes;
  }

  return {
    async enter(hostKey, account, signal, open = () => false, through = []) {
      const login = { host: hostKey, user: accountWord(account), isStored: typeof account !== "string" };
      let logins: Entry[] = [...through, login];
      let passes = await enterAll(logins, signal, open);
      return {
        accepted() {
          for (const pass of passes.values()) pass.accepted();
        },
        failed: (error) => settleFailure(error, logins, passes),
        async enterHops(hops, signal) {
          const newHops = hops
            .map(({ host, user }) => ({ host: canonicalHost(host), user }))
            .filter((hop) => !passes.has(keyOf(hop)));
          if (newHops.length === 0) return;
          // Nothing has been tried yet: leaves all first, to keep the sorted order.
          for (const pass of passes.values()) pass.leave();
          passes = new Map();
          logins = [...logins.slice(0, -1), ...newHops, ...logins.slice(-1)];
          passes = await enterAll(logins, signal, (login) => !newHops.includes(login));
        },
        leave() {
          for (const pass of passes.values()) pass.leave();
        },
      };
    },
  };
}

/** A login that is refused on the way is that of a jump host: the device was not asked. */
function settleFailure(
  error: ServiceError,
  logins: readonly Entry[],
  passes: ReadonlyMap<string, AccountPass>,
): void {
  const passOf = (login: Entry) => passes.get(keyOf(login));
  if (error.kind !== "AuthenticationFailed") {
    for (const pass of passes.values()) pass.failed(error);
    return;
  }
  const at = refusedAt(error, logins);
  const refused = logins[at];
  for (const login of logins.slice(0, at)) passOf(login)?.accepted();
  if (refused) passOf(refused)?.failed(error);
}

/** Index of the hop that refused; by default the device. */
function refusedAt({ detail }: ServiceError, logins: readonly Login[]): number {
  const host = typeof detail?.host === "string" ? canonicalHost(detail.host) : undefined;
  const exact = logins.findIndex((login) => login.host === host && login.user === detail?.username);
  const hop = exact >= 0 ? exact : logins.findIndex((login) => login.host === host);
  return hop >= 0 ? hop : logins.length - 1;
}

const noPass: AccountPass = { accepted() {}, failed() {}, leave() {} };

/** Hashed, because user names may be long. */
function keyOf({ host, user, isStored = false }: Entry): string {
  const short = user.length <= 128 ? user : createHash("sha256").update(user).digest("hex");
  return JSON.stringify([host, user.length, short, ...(isStored ? ["stored"] : [])]);
}

function waitForTurn(account: Account, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const wakeWaiter = () => {
      unlisten();
      resolve();
    };
    account.waiting.push(wakeWaiter);
    const unlisten = onAbort(signal, (reason) => {
      account.waiting = account.waiting.filter((waiter) => waiter !== wakeWaiter);
      reject(reason);
    });
  });
}

function backoff(host: string, user: string, forMs: number): ServiceError {
  const seconds = Math.ceil(forMs / 1000);
  return new ServiceError(
    "AuthBackoff",
    `The device ${host} rejected ${user === "" ? "logins" : `the password of ${user}`} too often: no login is attempted for ${seconds} seconds, so that the account is not locked.`,
    { retry_after: seconds },
  );
}
