/** Loads plugins in a child process first: one that loops, hangs or ends its process must not do so to the service. */

import { messageOf } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { PluginSettings } from "../../base/plugin-settings.ts";
import { pause } from "../../base/time/deadline.ts";
import { original, type PluginModule } from "../../protocol/plugin-module.ts";
import { type FromTrial, pluginTrialFlag, type ToTrial } from "../../protocol/plugin-trial.ts";
import type { Refusal } from "../../registry/registry.ts";
import { type Child, spawnChild, type Usage } from "../../runtime/child.ts";
import { isCompiled } from "../../runtime/self.ts";
import type { Program } from "../program.ts";

export interface TriedPlugins {
  /** Those that can be loaded. */
  readonly sound: readonly PluginModule[];
  readonly refused: readonly Refusal[];
  /** Of those that can be loaded: whose implementations cannot. */
  readonly incomplete: readonly Refusal[];
}

/** For each plugin, and again for its implementations; one that only waits is refused by the child itself. */
const limits = { cpuMs: 5_000, wallMs: 60_000, memoryBytes: 512 * 1024 * 1024 };
const lookMs = 50;
const advice = "Do such work in its functions, not while the file is loaded.";

type TrialChild = Child<FromTrial, ToTrial>;

/** Starts no process if there are no plugins. If none can be started, all plugins count as sound. */
export async function tryPlugins(
  program: Pick<Program, "mainPath">,
  plugins: readonly PluginModule[],
  settings: PluginSettings,
  log: Log,
): Promise<TriedPlugins> {
  const refused: Refusal[] = [];
  const incomplete: Refusal[] = [];
  let rest = plugins;
  while (rest.length > 0) {
    const { ends, lost } = await runTrial(program, rest, settings);
    for (const [at, { reason, lacks }] of ends.entries()) {
      const plugin = rest[at]?.name ?? "";
      if (reason !== undefined) refused.push({ plugin, reason });
      if (lacks !== undefined) incomplete.push({ plugin, reason: lacks });
    }
    const culprit = rest[ends.length];
    rest = rest.slice(ends.length + 1);
    if (culprit === undefined) break;
    if (lost?.loading !== true) {
      log.warn("plugins.not_tried", { reason: lost?.why });
      break;
    }
    const refusal = { plugin: culprit.name, reason: `${original(culprit).path}: ${lost.why}` };
    (lost.accepted ? incomplete : refused).push(refusal);
  }
  const names = new Set(refused.map(({ plugin }) => plugin));
  return { sound: plugins.filter(({ name }) => !names.has(name)), refused, incomplete };
}

interface Trial {
  /** By plugin, up to the one that the child did not survive. */
  readonly ends: readonly { readonly reason?: string; readonly lacks?: string }[];
  /** Why the child ended early, whether it was loading a plugin, and had accepted that one. */
  readonly lost: { readonly why: string; readonly loading: boolean; readonly accepted: boolean } | undefined;
}

async function runTrial(
  program: Pick<Program, "mainPath">,
  plugins: readonly PluginModule[],
  settings: PluginSettings,
): Promise<Trial> {
  const ends: { reason?: string; lacks?: string }[] = [];
  let loading = false;
  let accepted = false;
  let child: TrialChild;
  try {
    child = spawnChild(isCompiled ? undefined : program.mainPath, [pluginTrialFlag], { asService: true });
  } catch (error) {
    return { ends, lost: { why: messageOf(error), loading, accepted } };
  }
  const over = Promise.withResolvers<string | undefined>();
  let unwatch = watchLoading(child, over.resolve);
  child.onMessage((message) => {
    if (message.type === "listening") return child.post({ plugins, settings });
    loading = true;
    if (message.type !== "tried") {
      accepted = message.type === "manifest";
      unwatch();
      unwatch = watchLoading(child, over.resolve);
      return;
    }
    ends.push(message);
    if (ends.length === plugins.length) over.resolve(undefined);
  });
  void child.exited.then((code) => {
    const how = code === null ? "it was killed" : `exit code ${code}`;
    over.resolve(`its process ended while it was loaded (${how}). ${advice}`);
  });
  const why = await over.promise;
  unwatch();
  child.kill();
  return { ends, lost: why === undefined ? undefined : { why, loading, accepted } };
}

/** @returns stops watching. */
function watchLoading(child: TrialChild, tooMuch: (why: string) => void): () => void {
  const startedMs = performance.now();
  const stopped = new AbortController();
  void (async () => {
    let baseMs: number | undefined;
    for (;;) {
      const usage = await child.usage();
      if (stopped.signal.aborted) return;
      baseMs ??= usage?.cpuMs;
      const why = excess(usage, performance.now() - startedMs, baseMs ?? 0);
      if (why !== undefined) return tooMuch(`${why}. ${advice}`);
      await pause(lookMs, stopped.signal);
    }
  })();
  return () => stopped.abort();
}

function excess(usage: Usage | undefined, wallMs: number, baseMs: number): string | undefined {
  if (wallMs > limits.wallMs) return `it did not load within ${limits.wallMs / 1000} s`;
  // If the system does not report CPU time, elapsed time is the upper bound.
  if ((usage === undefined ? wallMs : usage.cpuMs - baseMs) > limits.cpuMs)
    return `it still computed after ${limits.cpuMs / 1000} s of loading`;
  if (usage !== undefined && usage.residentBytes > limits.memoryBytes)
    return `it used more than ${limits.memoryBytes / 1024 / 1024} MiB of memory while it was loaded`;
  return undefined;
}
