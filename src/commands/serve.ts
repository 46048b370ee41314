/** `patchbay serve`: runs until SIGTERM or SIGINT, then drains; a second signal ends it at once. SIGHUP takes new plugins. */
import process from "node:process";
import { createLog } from "../base/log.ts";
import { version } from "../base/version.ts";
import type { Config } from "../config/config.ts";
import type { Program } from "../service/program.ts";
import { startService } from "../service/service.ts";

export async function serve(config: Config, program: Program): Promise<void> {
  const { values } = config;
  const format = values.log_format ?? (process.stdout.isTTY ? "pretty" : "json");
  const log = createLog({ level: values.log_level, format });
  const service = await startService(config, program, log);
  log.info("service.started", {
    url: service.url,
    version,
    node: values.node,
    data: values.data_dir,
    pid: process.pid,
  });
  if (service.madeKey) {
    // Not a log line: logs are kept and shipped.
    process.stderr.write(
      `\n  The first API key (shown once): ${service.madeKey}\n  Try: curl -H "X-API-KEY: ${service.madeKey}" ${service.url}/health\n\n`,
    );
  }
  // One after the other: two at once would read half of each.
  let reloaded = Promise.resolve();
  process.on("SIGHUP", () => {
    reloaded = reloaded
      .then(service.reload)
      .catch((error) => log.error("plugins.reload_failed", { reason: String(error) }));
  });
  await signalled();
  log.info("service.draining", { seconds: values.drain_seconds });
  void signalled().then(() => process.exit(1));
  await service.stop(values.drain_seconds * 1000);
  log.info("service.stopped");
  process.exit(0);
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
}
