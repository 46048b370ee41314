/** The reach of the current task: every tool that dials asks here, whatever context a driver passes. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Reach } from "../../auth/port.ts";
import { keepsHostKey, reachOf, requireAddresses, requireStatedHost, urlReachOf } from "../../auth/reach.ts";
import { ServiceError } from "../../base/errors.ts";
import type { DialRule } from "../../base/net/dial.ts";
import type { OutputShare } from "../output-shares.ts";
import type { AskMain } from "../push/check-run.ts";

/** On whose behalf a task runs. */
interface Behalf {
  /** Asks the main thread on behalf of the task. */
  readonly ask?: AskMain;
  /** Id of the key. */
  readonly whose?: string;
  /** What it holds in memory. */
  readonly share?: OutputShare;
}

export interface TaskReach {
  run<T>(patterns: readonly string[], work: () => Promise<T>, behalf?: Behalf): Promise<T>;
  /**
   * For devices.
   * @throws ServiceError DriverError outside of a task
   */
  rule(): DialRule;
  /**
   * For webhooks and templates.
   * @throws ServiceError DriverError outside of a task
   */
  url(): Reach;
  /** What the current task holds in memory, if that is counted. */
  share(): OutputShare | undefined;
  /** Part of a session's cache key; empty without restrictions. */
  sessionPart(): string;
}

export function createTaskReach(urlAllow: readonly string[]): TaskReach {
  const current = new AsyncLocalStorage<Behalf & { readonly patterns: readonly string[] }>();

  function running() {
    const task = current.getStore();
    if (task) return task;
    throw new ServiceError("DriverError", "Connections are only allowed within a task.");
  }

  return {
    run: (patterns, work, behalf = {}) => current.run({ patterns, ...behalf }, work),
    rule() {
      const { patterns, ...behalf } = running();
      return dialRule(reachOf(patterns), behalf);
    },
    url: () => urlReachOf(running().patterns, urlAllow),
    share: () => current.getStore()?.share,
    sessionPart: () => [...running().patterns].sort().join(" "),
  };
}

function dialRule(reach: Reach, { ask, whose }: Behalf): DialRule {
  return {
    limited: reach.limited,
    whose,
    addresses: (host, addresses) => requireAddresses(reach, host, addresses),
    stated: (host) => requireStatedHost(reach, host),
    ...(ask ? { enterHops: (logins) => ask({ about: "hops", logins }) } : {}),
    keepsHostKey: (throughHop) => keepsHostKey(reach, throughHop),
  };
}
