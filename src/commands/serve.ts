/**
 * `patchbay serve`: runs until SIGTERM or SIGINT, then drains; a second signal ends it at once. SIGHUP reloads plugins,
 * SIGUSR2 logs what is running.
 */
import process from "node:process";
import type { Command } from "commander";
import { createLog, type Log } from "../base/log.ts";
import { version } from "../base/version.ts";
import type { Config } from "../config/config.ts";
import { loadService } from "../service/load.ts";
import type { Program } from "../service/program.ts";
import { findSupervisor } from "../service/supervisor.ts";
import { allSettings, configOf, withSettings } from "./options.ts";
import { untilSignal } from "./output.ts";

export function defineServe(parent: Command, program: Program): void {
  withSettings(parent.command("serve").description("start the service"), allSettings).action(
    (_options, command: Command) => serve(configOf(command), program),
  );
}

/** The first place in a stack that is a file of a plugin, or of the service when it runs from source. */
const place = /(\/[^()\s]+:\d+)(?::\d+)?\)?$/m;

/**
 * What plugins, or the service, throw outside of any request. Plugins get secrets, and nothing tells which ones a
 * message contains: only its kind and place are logged.
 */
function logLateErrors(log: Log): void {
  const report = (error: unknown) => {
    const name = error instanceof Error ? error.name : typeof error;
    const at = error instanceof Error ? place.exec(error.stack ?? "")?.[1] : undefined;
    log.error("service.unhandled", { reason: `${name} at ${at ?? "an unknown place"}` });
  };
  process.on("unhandledRejection", report);
  process.on("uncaughtException", report);
}

async function serve(config: Config, program: Program): Promise<void> {
  const { values } = config;
  const supervisedBy = findSupervisor();
  const { startService } = await loadService(values.data_dir);
  const format = values.log_format ?? (process.stdout.isTTY ? "pretty" : "json");
  const log = createLog({ level: values.log_level, format });
  logLateErrors(log);
  const service = await startService(config, program, log);
  log.info("service.started", {
    url: service.url,
    version,
    node: values.node,
    data: values.data_dir,
    pid: process.pid,
  });
  if (service.madeKey) {
    // Not logged: logs are stored and shipped.
    process.stderr.write(
      `\n  The first API key (shown once): ${service.madeKey}\n  Try: curl -H "X-API-KEY: ${service.madeKey}" ${service.url}/health\n\n`,
    );
  }
  const supervisor = supervisedBy(service);
  void supervisor.started();
  // Serialized: two reloads at once would mix.
  let reloaded = Promise.resolve();
  process.on("SIGHUP", () => {
    reloaded = reloaded
      .then(() => supervisor.reloading())
      .then(service.reload)
      .catch((error) => log.error("plugins.reload_failed", { reason: String(error) }))
      .then(() => supervisor.reloaded());
  });
  process.on("SIGUSR2", () => {
    void service.dump().catch((error) => log.error("service.dump_failed", { reason: String(error) }));
  });
  await untilSignal();
  supervisor.stopping();
  log.info("service.draining", { seconds: values.drain_seconds });
  void untilSignal().then(() => process.exit(1));
  await service.stop(values.drain_seconds * 1000);
  log.info("service.stopped");
  process.exit(0);
}
