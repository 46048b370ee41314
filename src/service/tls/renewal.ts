/** Reloads the certificate when its files change and on SIGHUP; open connections are kept. */
import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { pause } from "../../base/time/deadline.ts";
import type { Config } from "../../config/config.ts";
import type { HttpServer, TlsIdentity } from "../../runtime/net/serve.ts";
import { identityFacts, loadIdentity, tlsFiles } from "./tls.ts";

export interface TlsRenewal {
  /** Reads the files now. */
  renew(): Promise<void>;
  stop(): void;
}

/** Certificate and key are written one after the other: waits until both are there. */
const settleMs = 500;

/** @param shown the certificate currently in use. */
export function watchIdentity(
  config: Config,
  log: Log,
  server: Pick<HttpServer, "renew">,
  shown: TlsIdentity | undefined,
): TlsRenewal {
  const files = tlsFiles(config);
  if (shown === undefined || files === undefined) return { renew: async () => {}, stop() {} };
  const stopped = new AbortController();
  const watchers: FSWatcher[] = [];
  let settling = false;
  let current = shown;

  async function renew(): Promise<void> {
    try {
      const identity = await loadIdentity(config);
      if (identity === undefined || stopped.signal.aborted || isSame(identity, current)) return;
      server.renew(identity);
      current = identity;
      tell(log, "tls.renewed", identity);
    } catch (error) {
      // The previous certificate stays in use.
      log.error("tls.not_renewed", { reason: messageOf(error) });
    }
  }

  function changed(): void {
    if (settling) return;
    settling = true;
    void pause(settleMs, stopped.signal).then(() => {
      settling = false;
      return renew();
    });
  }

  function notWatched(folder: string, error: unknown): void {
    const note = "SIGHUP reloads the certificate.";
    log.warn("tls.not_watched", { folder, reason: String(error), note });
  }

  tell(log, "tls.certificate", shown);
  for (const folder of new Set([files.cert, files.key, files.clientCa].flatMap(folderOf))) {
    try {
      const watcher = watch(folder, changed);
      watcher.on("error", (error) => notWatched(folder, error));
      watchers.push(watcher);
    } catch (error) {
      notWatched(folder, error);
    }
  }
  return {
    renew,
    stop() {
      stopped.abort();
      for (const watcher of watchers) watcher.close();
    },
  };
}

function tell(log: Log, event: string, identity: TlsIdentity): void {
  const facts = identityFacts(identity);
  log[facts.warning === undefined ? "info" : "warn"](event, { ...facts });
}

function isSame(one: TlsIdentity, other: TlsIdentity): boolean {
  return one.cert === other.cert && one.key === other.key && one.clientCa === other.clientCa;
}

function folderOf(file: string | undefined): string[] {
  return file === undefined ? [] : [dirname(file)];
}
