/** The child process in which each plugin is loaded first: one that hangs or ends here does no harm. */
import { messageOf } from "../base/errors.ts";
import { freezeIntrinsics } from "../base/intrinsics.ts";
import { silentLog } from "../base/log.ts";
import { within } from "../base/time/deadline.ts";
import type { Port } from "../protocol/message-port.ts";
import { type PluginModule, withOriginals } from "../protocol/plugin-module.ts";
import type { FromTrial, ToTrial } from "../protocol/plugin-trial.ts";
import { discover, withoutSecrets } from "./discover.ts";
import { implementationFault } from "./loader.ts";
import type { Registry } from "./registry.ts";

/** Loads the plugins one after the other, as the service does, and reports each of them. */
export function serveTrial(port: Port<ToTrial, FromTrial>): void {
  port.onMessage(({ plugins, settings }) => {
    void (async () => {
      freezeIntrinsics();
      for (const [at, plugin] of plugins.entries()) {
        port.post({ type: "begun", at });
        const registry = await discover([], [plugin], silentLog, settings);
        const [refusal] = registry.refusals();
        if (refusal === undefined) port.post({ type: "manifest", at });
        const lacks = await withoutSecrets(await faultsOf(registry, plugin), settings);
        port.post({
          type: "tried",
          at,
          ...(refusal === undefined ? {} : { reason: refusal.reason }),
          ...(lacks === "" ? {} : { lacks }),
        });
      }
    })();
  });
  port.post({ type: "listening" });
}

const loadLimitMs = 10_000;
const late = () => new Error(`it did not load within ${loadLimitMs / 1000} s`);

async function faultsOf(registry: Registry, module: PluginModule): Promise<string> {
  const faults: string[] = [];
  for (const plugin of registry.all()) {
    const loading = implementationFault(plugin);
    const why = await within(loading, loadLimitMs, new AbortController().signal, late).catch(messageOf);
    if (why !== undefined) faults.push(`${plugin.kind} ${plugin.name}: ${why}`);
  }
  return withOriginals(faults.join("; "), [module]);
}
