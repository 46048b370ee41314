/** The reach of the current task: every tool that dials asks here, whatever context a driver passes. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Reach } from "../auth/port.ts";
import { keepsHostKey, reachOf, requireAddresses, requireStatedHost, urlReachOf } from "../auth/reach.ts";
import type { DialRule } from "../base/dial.ts";
import { ServiceError } from "../base/errors.ts";

export interface TaskReach {
  run<T>(patterns: readonly string[], work: () => Promise<T>): Promise<T>;
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
  /** Part of a session's cache key; empty without restrictions. */
  sessionPart(): string;
}

export function createTaskReach(urlAllow: readonly string[]): TaskReach {
  const current = new AsyncLocalStorage<readonly string[]>();

  function patterns(): readonly string[] {
    const found = current.getStore();
    if (found) return found;
    throw new ServiceError(
      "DriverError",
      "Nothing is dialled outside of a task: who asked for it is not known.",
    );
  }

  return {
    run: (list, work) => current.run(list, work),
    rule: () => dialRule(reachOf(patterns())),
    url: () => urlReachOf(patterns(), urlAllow),
    sessionPart: () => [...patterns()].sort().join(" "),
  };
}

function dialRule(reach: Reach): DialRule {
  return {
    limited: reach.limited,
    addresses: (host, addresses) => requireAddresses(reach, host, addresses),
    stated: (host) => requireStatedHost(reach, host),
    keepsHostKey: (throughHop) => keepsHostKey(reach, throughHop),
  };
}
