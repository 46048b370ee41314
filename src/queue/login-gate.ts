/** Guards accounts on devices: after some wrong passwords nobody tries again for a while; logins are spread over time. */
import { createHash } from "node:crypto";
import { abortReason, onAbort, pause } from "../base/deadline.ts";
import { type ErrorKind, requestErrorKinds, ServiceError } from "../base/errors.ts";
import { createRecent } from "../base/recent.ts";
import { canonicalHost } from "../model/identity.ts";
import type { Login, LoginGate, LoginLimits, LoginPass } from "./port.ts";

interface Account {
  /** Who has entered and not left, those who wait included. */
  users: number;
  failures: number;
  /** Logins that are under way while nobody knows whether the password is right. */
  trying: number;
  accepted: boolean;
  closedUntil: number;
  waiting: (() => void)[];
}

/** Of one account on the way. */
type AccountPass = Omit<LoginPass, "enterHops">;

/** Failures that do not say whether credentials were tried: what is wrong with a request or a template comes before. */
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
/** A private key that can not be read, or no way to log in that the device takes: it was shown nothing. */
const wasNotOffered = ({ detail }: ServiceError) => Array.isArray(detail?.tried) && detail.tried.length === 0;

/** Accounts that nobody uses now; what is known of the one used longest ago is forgotten first. */
const mostRemembered = 50_000;

export function createLoginGate(limits: LoginLimits, now: () => number = () => performance.now()): LoginGate {
  /** As many as jobs and connection tests run. */
  const inUse = new Map<string, Account>();
  const acceptedAccounts = createRecent<Account>(mostRemembered);
  /** Apart from the good ones: however many devices are logged in to, no lock-out is pushed out by them. */
  const suspectAccounts = createRecent<Account>(mostRemembered);
  let nextLoginAt = 0;

  function accountOf(key: string): Account {
    const remembered = inUse.get(key) ?? acceptedAccounts.get(key) ?? suspectAccounts.get(key);
    const account = remembered ?? {
      users: 0,
      failures: 0,
      trying: 0,
      accepted: false,
      closedUntil: 0,
      waiting: [],
    };
    account.users++;
    inUse.set(key, account);
    return account;
  }

  /** One lookup and no walk: with 100,000 accounts a login must cost what it costs with ten. */
  function releaseAccount(key: string, account: Account): void {
    if (--account.users > 0) return;
    inUse.delete(key);
    const isSuspect = account.failures > 0 || account.closedUntil > 0;
    const place = isSuspect ? suspectAccounts : account.accepted ? acceptedAccounts : undefined;
    // One that stays is not taken out before.
    for (const other of [acceptedAccounts, suspectAccounts]) if (other !== place) other.delete(key);
    place?.set(key, account);
  }

  /** Logins leave one after the other, at the pace that an authentication server takes. */
  async function pace(signal: AbortSignal): Promise<void> {
    const at = Math.max(now(), nextLoginAt);
    nextLoginAt = at + 1_000 / limits.perSecond;
    await pause(Math.max(0, at - now()), signal);
    if (signal.aborted) throw abortReason(signal);
  }

  function wake(account: Account): void {
    for (const wakeWaiter of account.waiting.splice(0)) wakeWaiter();
  }

  async function takeTurn(account: Account, host: string, user: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const closedMs = account.closedUntil - now();
      if (closedMs > 0) throw backoff(host, user, closedMs);
      if (account.closedUntil > 0) {
        // The time is over: one tries, and shows whether the password is right now.
        account.closedUntil = 0;
        account.failures = limits.failures - 1;
      }
      if (account.accepted || account.trying < limits.failures - account.failures) {
        // Here, not after the await of the caller: between the two, all who wait would pass.
        account.trying++;
        return;
      }
      await waitForTurn(account, signal);
    }
  }

  async function enterOne(
    { host, user }: Login,
    signal: AbortSignal,
    open: () => boolean,
  ): Promise<AccountPass> {
    if (limits.perSecond > 0 && !open()) await pace(signal);
    if (limits.failures === 0) return noPass;
    const key = keyOf(host, user);
    const account = accountOf(key);
    try {
      await takeTurn(account, host, user, signal);
    } catch (error) {
      releaseAccount(key, account);
      throw error;
    }
    return {
      accepted() {
        if (account.accepted) return;
        account.accepted = true;
        account.failures = 0;
        wake(account);
      },
      failed(error) {
        if (wasNotOffered(error)) return;
        if (error.kind !== "AuthenticationFailed") {
          if (!notTried.has(error.kind)) account.accepted = true;
          return;
        }
        account.accepted = false;
        account.failures++;
        if (account.failures >= limits.failures) account.closedUntil = now() + limits.backoffMs;
      },
      leave() {
        account.trying--;
        wake(account);
        releaseAccount(key, account);
      },
    };
  }

  /** All take their turns in one order: none waits for another that waits for it. */
  async function enterAll(way: readonly Login[], signal: AbortSignal, open: (login: Login) => boolean) {
    const passes = new Map<string, AccountPass>();
    const inOrder = way
      .map((login) => ({ login, key: keyOf(login.host, login.user) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    try {
      for (const { login, key } of inOrder)
        if (!passes.has(key)) passes.set(key, await enterOne(login, signal, () => open(login)));
    } catch (error) {
      for (const pass of passes.values()) pass.leave();
      throw error;
    }
    return passes;
  }

  return {
    async enter(hostKey, user, signal, open = () => false, through = []) {
      let way = [...through, { host: hostKey, user }];
      let passes = await enterAll(way, signal, open);
      return {
        accepted() {
          for (const pass of passes.values()) pass.accepted();
        },
        failed: (error) => settleFailure(error, way, passes),
        async enterHops(hops, signal) {
          const found = hops
            .map(({ host, user }) => ({ host: canonicalHost(host), user }))
            .filter(({ host, user }) => !passes.has(keyOf(host, user)));
          if (found.length === 0) return;
          // Nothing was tried yet: all are left first, so that the order of turns holds.
          for (const pass of passes.values()) pass.leave();
          passes = new Map();
          way = [...way.slice(0, -1), ...found, ...way.slice(-1)];
          passes = await enterAll(way, signal, (login) => !found.includes(login));
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
  way: readonly Login[],
  passes: ReadonlyMap<string, AccountPass>,
): void {
  const passOf = ({ host, user }: Login) => passes.get(keyOf(host, user));
  if (error.kind !== "AuthenticationFailed") {
    for (const pass of passes.values()) pass.failed(error);
    return;
  }
  const at = refusedAt(error, way);
  const refused = way[at];
  for (const login of way.slice(0, at)) passOf(login)?.accepted();
  if (refused) passOf(refused)?.failed(error);
}

/** Where on the way; what does not say so is of the device. */
function refusedAt({ detail }: ServiceError, way: readonly Login[]): number {
  const host = typeof detail?.host === "string" ? canonicalHost(detail.host) : undefined;
  const both = way.findIndex((login) => login.host === host && login.user === detail?.username);
  const hop = both >= 0 ? both : way.findIndex((login) => login.host === host);
  return hop >= 0 ? hop : way.length - 1;
}

const noPass: AccountPass = { accepted() {}, failed() {}, leave() {} };

/** A user name may be as long as a request: what is remembered of it is short. */
function keyOf(hostKey: string, user: string): string {
  const short = user.length <= 128 ? user : createHash("sha256").update(user).digest("hex");
  return JSON.stringify([hostKey, user.length, short]);
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
    `The device ${host} refused the password of ${user} too often: nothing is tried for ${seconds} seconds, so that the account is not locked.`,
    { retry_after: seconds },
  );
}
