/** Loads plugins in a child process first: one that loops, hangs or ends its process must not do so to the service. */

import { messageOf } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { PluginSettings } from "../base/plugin-settings.ts";
import { pause } from "../base/time/deadline.ts";
import { type FromTrial, pluginTrialFlag, type ToTrial } from "../protocol/plugin-trial.ts";
import type { PluginModule } from "../registry/discover.ts";
import type { Refusal } from "../registry/registry.ts";
import { type Child, spawnChild, type Usage } from "../runtime/child.ts";
import { isCompiled } from "../runtime/self.ts";
import type { Program } from "./program.ts";

export interface TriedPlugins {
  /** Those that can be loaded. */
  readonly sound: readonly PluginModule[];
  readonly refused: readonly Refusal[];
}

/** For each plugin; one that only waits is refused by the child itself. */
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
  let rest = plugins;
  while (rest.length > 0) {
    const { reasons, lost } = await runTrial(program, rest, settings);
    for (const [at, reason] of reasons.entries())
      if (reason !== undefined) refused.push({ plugin: rest[at]?.name ?? "", reason });
    const culprit = rest[reasons.length];
    rest = rest.slice(reasons.length + 1);
    if (culprit === undefined) break;
    if (lost?.loading !== true) {
      log.warn("plugins.not_tried", { reason: lost?.why });
      break;
    }
    refused.push({ plugin: culprit.name, reason: `${culprit.path}: ${lost.why}` });
  }
  const names = new Set(refused.map(({ plugin }) => plugin));
  return { sound: plugins.filter(({ name }) => !names.has(name)), refused };
}

interface Trial {
  /** By plugin, up to the one that the child did not survive: why it is refused. */
  readonly reasons: readonly (string | undefined)[];
  /** Why the child ended early, and whether it was loading a plugin. */
  readonly lost: { readonly why: string; readonly loading: boolean } | undefined;
}

async function runTrial(
  program: Pick<Program, "mainPath">,
  plugins: readonly PluginModule[],
  settings: PluginSettings,
): Promise<Trial> {
  const reasons: (string | undefined)[] = [];
  let loading = false;
  let child: TrialChild;
  try {
    child = spawnChild(isCompiled ? undefined : program.mainPath, [pluginTrialFlag], { asService: true });
  } catch (error) {
    return { reasons, lost: { why: messageOf(error), loading } };
  }
  const over = Promise.withResolvers<string | undefined>();
  let unwatch = watchLoading(child, over.resolve);
  child.onMessage((message) => {
    if (message.type === "listening") return child.post({ plugins, settings });
    loading = true;
    if (message.type === "begun") {
      unwatch();
      unwatch = watchLoading(child, over.resolve);
      return;
    }
    reasons.push(message.reason);
    if (reasons.length === plugins.length) over.resolve(undefined);
  });
  void child.exited.then((code) => {
    const how = code === null ? "it was killed" : `exit code ${code}`;
    over.resolve(`its process ended while it was loaded (${how}). ${advice}`);
  });
  const why = await over.promise;
  unwatch();
  child.kill();
  return { reasons, lost: why === undefined ? undefined : { why, loading } };
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
