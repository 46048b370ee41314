/** The reach of the current task: every tool that dials asks here, whatever context a driver passes. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Reach } from "../auth/port.ts";
import { keepsHostKey, reachOf, requireAddresses, requireStatedHost, urlReachOf } from "../auth/reach.ts";
import type { DialRule } from "../base/dial.ts";
import { ServiceError } from "../base/errors.ts";
import type { AskMain } from "./check-run.ts";

export interface TaskReach {
  /** @param ask asks the main thread on behalf of the task */
  run<T>(patterns: readonly string[], work: () => Promise<T>, ask?: AskMain): Promise<T>;
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
  const current = new AsyncLocalStorage<{ patterns: readonly string[]; ask: AskMain | undefined }>();

  function running() {
    const task = current.getStore();
    if (task) return task;
    throw new ServiceError("DriverError", "Connections are only allowed within a task.");
  }

  return {
    run: (patterns, work, ask) => current.run({ patterns, ask }, work),
    rule() {
      const { patterns, ask } = running();
      return dialRule(reachOf(patterns), ask);
    },
    url: () => urlReachOf(running().patterns, urlAllow),
    sessionPart: () => [...running().patterns].sort().join(" "),
  };
}

function dialRule(reach: Reach, ask: AskMain | undefined): DialRule {
  return {
    limited: reach.limited,
    addresses: (host, addresses) => requireAddresses(reach, host, addresses),
    stated: (host) => requireStatedHost(reach, host),
    ...(ask ? { enterHops: (logins) => ask({ about: "hops", logins }) } : {}),
    keepsHostKey: (throughHop) => keepsHostKey(reach, throughHop),
  };
}
