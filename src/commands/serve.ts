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

/**
 * Listens for SIGHUP, which would end a service that is still starting. Reloads run one after the other; signals that
 * arrive during one are followed by a single other one.
 * @returns sets what a signal does, and does it if one has arrived.
 */
function onHangup(): (reload: () => Promise<void>) => void {
  let reload: (() => Promise<void>) | undefined;
  let asked = false;
  let running = false;
  const run = async () => {
    if (running) return;
    running = true;
    while (asked && reload !== undefined) {
      asked = false;
      await reload();
    }
    running = false;
  };
  process.on("SIGHUP", () => {
    asked = true;
    void run();
  });
  return (action) => {
    reload = action;
    void run();
  };
}

async function serve(config: Config, program: Program): Promise<void> {
  const { values } = config;
  const reloadWith = onHangup();
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
  reloadWith(async () => {
    supervisor.reloading();
    await service.reload().catch((error) => log.error("plugins.reload_failed", { reason: String(error) }));
    supervisor.reloaded();
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
