/** Guards accounts on devices: after some wrong passwords nobody tries again for a while; logins are spread over time. */
import { abortReason, onAbort, pause } from "../base/deadline.ts";
import { type ErrorKind, ServiceError } from "../base/errors.ts";

export interface Logins {
  /**
   * Waits for leave to log in.
   * @param open whether a session with the device is open, so that probably nothing logs in.
   * @throws ServiceError AuthBackoff; the reason of the signal.
   */
  enter(hostKey: string, user: string, signal: AbortSignal, open?: () => boolean): Promise<LoginPass>;
}

export interface LoginPass {
  /** The device took the credentials. */
  accepted(): void;
  failed(error: ServiceError): void;
  /** Always called last. */
  leave(): void;
}

export interface LoginLimits {
  /** Failed logins of a device and user after which nobody tries for a while; 0: never. */
  readonly failures: number;
  readonly backoffMs: number;
  /** New logins a second; 0: no limit. */
  readonly perSecond: number;
}

interface Account {
  failures: number;
  /** Logins that are under way while nobody knows whether the password is right. */
  trying: number;
  good: boolean;
  closedUntil: number;
  lastUsed: number;
  waiting: (() => void)[];
}

/** Failures that say that no credentials were tried, or that they were taken. */
const notTried: ReadonlySet<ErrorKind> = new Set([
  "ConnectionTimeout",
  "ConnectionRefused",
  "HostUnreachable",
  "HostKeyMismatch",
  "AuthBackoff",
  "Cancelled",
  "JobTimeout",
  "WorkerLost",
]);
const maxAccounts = 50_000;

export function createLogins(limits: LoginLimits, now: () => number = () => performance.now()): Logins {
  const accounts = new Map<string, Account>();
  let nextLoginAt = 0;

  function accountOf(key: string): Account {
    let account = accounts.get(key);
    if (!account) {
      if (accounts.size >= maxAccounts) forgetOld();
      account = { failures: 0, trying: 0, good: false, closedUntil: 0, lastUsed: now(), waiting: [] };
      accounts.set(key, account);
    }
    account.lastUsed = now();
    return account;
  }

  function forgetOld(): void {
    const before = now() - limits.backoffMs;
    for (const [key, account] of accounts)
      if (account.trying === 0 && account.lastUsed < before && account.closedUntil < now())
        accounts.delete(key);
  }

  /** Logins leave one after the other, at the pace that an authentication server takes. */
  async function pace(signal: AbortSignal): Promise<void> {
    const at = Math.max(now(), nextLoginAt);
    nextLoginAt = at + 1_000 / limits.perSecond;
    await pause(Math.max(0, at - now()), signal);
    if (signal.aborted) throw abortReason(signal);
  }

  function wake(account: Account): void {
    for (const go of account.waiting.splice(0)) go();
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
      if (account.good || account.trying < limits.failures - account.failures) {
        // Here, not after the await of the caller: between the two, all who wait would pass.
        account.trying++;
        return;
      }
      await turnOf(account, signal);
    }
  }

  return {
    async enter(hostKey, user, signal, open = () => false) {
      if (limits.perSecond > 0 && !open()) await pace(signal);
      if (limits.failures === 0) return noPass;
      const account = accountOf(JSON.stringify([hostKey, user]));
      await takeTurn(account, hostKey, user, signal);
      return {
        accepted() {
          if (account.good) return;
          account.good = true;
          account.failures = 0;
          wake(account);
        },
        failed(error) {
          if (error.kind !== "AuthenticationFailed") {
            if (!notTried.has(error.kind)) account.good = true;
            return;
          }
          account.good = false;
          account.failures++;
          if (account.failures >= limits.failures) account.closedUntil = now() + limits.backoffMs;
        },
        leave() {
          account.trying--;
          wake(account);
        },
      };
    },
  };
}

const noPass: LoginPass = { accepted() {}, failed() {}, leave() {} };

function turnOf(account: Account, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const unlisten = onAbort(signal, reject);
    account.waiting.push(() => {
      unlisten?.();
      resolve();
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
