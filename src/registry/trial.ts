/** The child process in which each plugin is loaded first: one that hangs or ends here does no harm. */
import { freezeIntrinsics } from "../base/intrinsics.ts";
import { silentLog } from "../base/log.ts";
import type { Port } from "../protocol/message-port.ts";
import type { FromTrial, ToTrial } from "../protocol/plugin-trial.ts";
import { discover } from "./discover.ts";

/** Loads the plugins one after the other, as the service does, and reports each of them. */
export function serveTrial(port: Port<ToTrial, FromTrial>): void {
  port.onMessage(({ plugins, settings }) => {
    void (async () => {
      freezeIntrinsics();
      for (const [at, plugin] of plugins.entries()) {
        port.post({ type: "begun", at });
        const registry = await discover([], [plugin], silentLog, settings);
        const [refusal] = registry.refusals();
        port.post({ type: "tried", at, ...(refusal === undefined ? {} : { reason: refusal.reason }) });
      }
    })();
  });
  port.post({ type: "listening" });
}
