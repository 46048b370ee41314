/** A fresh router with sessions for each test. */
import { afterEach, beforeEach, expect } from "vitest";
import type { ChangeOptions, SystemSession } from "../../../../plugins/drivers/napalm/system.ts";
import junos from "../../../../plugins/drivers/napalm/systems/junos/system.ts";
import type { Context } from "../../../../src/plugin/index.ts";
import { scopeOf } from "../../../device/ssh/support.ts";
import { taskContext } from "../../../plugin/context.ts";
import { openOn } from "../open-netconf.ts";
import { type JunosRouter, startJunosRouter } from "./router.ts";

export const first = ["system host-name a", "system domain-name example.net"];
export const text = "system {\n    host-name b;\n}\n";
export const merge: ChangeOptions = { replace: false, dryRun: false };
/** The expected diff. */
export const diff = "[edit]\n-  system host-name a;\n+  system host-name b;";
export const changed = ["system host-name b", "system domain-name example.net"];

export interface Lab {
  readonly router: JunosRouter;
  /** Warnings of all contexts. */
  readonly warnings: readonly string[];
  readonly contextOf: () => Context;
  open(optional?: Record<string, unknown>): Promise<SystemSession>;
  /** Closes all sessions. */
  leave(): Promise<void>;
  /** Unchanged: no lock is held, and no change is left in the candidate for the next user to commit. */
  expectUntouched(): Promise<void>;
}

export function lab(): () => Lab {
  let current: Lab;
  beforeEach(async () => {
    const router = await startJunosRouter(first);
    const warnings: string[] = [];
    const sessions: SystemSession[] = [];
    const contextOf = () => taskContext({ ...scopeOf(), warn: (message) => void warnings.push(message) });
    current = {
      router,
      warnings,
      contextOf,
      async open(optional = {}) {
        const session = await openOn(junos, router, contextOf(), optional);
        sessions.push(session);
        return session;
      },
      async leave() {
        await Promise.all(sessions.splice(0).map((session) => session.close()));
      },
      async expectUntouched() {
        await router.store.clean();
        expect(router.store.running()).toEqual(first);
      },
    };
  });
  afterEach(async () => {
    await current.leave();
    await current.router.close();
  });
  return () => current;
}
