/** Builds the pool: device threads, and processes for templates and for searches with their limits. */
import type { Log } from "../base/log.ts";
import type { Config } from "../config/config.ts";
import { createPool } from "../pool/pool.ts";
import { searchShards } from "../pool/port.ts";
import { createTemplatePool, withSearches } from "../pool/template-pool.ts";
import {
  type FromWorker,
  type ThreadQuestion,
  type ToWorker,
  templateProcessFlag,
} from "../protocol/message-port.ts";
import type { PluginModule } from "../protocol/plugin-module.ts";
import type { Registry } from "../registry/registry.ts";
import { settingsOfPlugins } from "../registry/settings.ts";
import { spawnChild } from "../runtime/child.ts";
import { isCompiled } from "../runtime/self.ts";
import type { Store } from "../store/port.ts";
import { sessionsThatFit } from "./descriptors.ts";
import type { Program } from "./program.ts";
import { workerSettings } from "./settings.ts";

const mib = 1024 * 1024;

export interface PoolMaterials {
  readonly config: Config;
  readonly program: Pick<Program, "mainPath" | "threadEntry">;
  readonly log: Log;
  readonly plugins: readonly PluginModule[];
  readonly registry: Registry;
  readonly store: Pick<Store, "hostKeys" | "credentials">;
}

/** A working day: the next search then finds the texts in memory, which has a limit of its own. */
export const searchRestMs = 8 * 3_600_000;

/** Nothing is started: the first task of each kind does. */
export function assemblePool(
  { config, program, log, plugins, registry, store }: PoolMaterials,
  leaseValidUntil: SharedArrayBuffer,
) {
  const { values } = config;
  const settings = workerSettings(config, plugins, leaseValidUntil, sessionsThatFit(config, log));
  const spawn = () =>
    spawnChild<FromWorker, ToWorker>(isCompiled ? undefined : program.mainPath, [templateProcessFlag]);
  const renderers = createTemplatePool({
    spawn,
    processes: values.template_processes,
    // Templates are untrusted: their process gets the settings of template engines only, not of other plugins.
    settings: {
      ...settings,
      pluginSettings: settingsOfPlugins(config.pluginSettings, [
        ...registry.list("template"),
        ...registry.list("inventory").filter(({ does }) => does === "format"),
      ]),
    },
    log,
    limitMs: values.template_seconds * 1000,
    memoryBytes: values.template_memory_mb * mib,
  });
  const keptTextBytes = (values.history_search_mb * mib) / searchShards;
  const searches = Array.from({ length: searchShards }, () =>
    createTemplatePool({
      spawn,
      processes: 1,
      settings: {
        ...settings,
        plugins: [],
        pluginSettings: settingsOfPlugins(config.pluginSettings, []),
        keptTextBytes,
      },
      log,
      limitMs: values.template_seconds * 1000,
      // A heap grows to twice of what it holds before it is collected.
      memoryBytes: values.template_memory_mb * mib + 2 * keptTextBytes,
      spareAfterMs: 500,
      restMs: searchRestMs,
    }),
  );
  const templates = withSearches(renderers, searches);
  const pool = createPool({
    threadEntry: program.threadEntry,
    threads: values.device_threads,
    outputBytes: values.output_memory_mb * mib,
    settings,
    templates,
    log,
    answer: (question) => answerThread(store, question),
  });
  return { pool, templates };
}

async function answerThread(
  { hostKeys, credentials }: PoolMaterials["store"],
  question: ThreadQuestion,
): Promise<unknown> {
  switch (question.about) {
    case "knownHostKeys":
      return hostKeys.known(question.host, question.port, question.route);
    case "keptCredential":
      return credentials.open(question.source, question.ref);
    case "learnHostKey":
      return hostKeys.learn(question.host, question.port, question.key, question.route);
    case "offerHostKey":
      return hostKeys.offer(question.host, question.port, question.key, question.route);
  }
}
