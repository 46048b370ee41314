/**
 * Reports the service's state to systemd (`Type=notify`): ready, reloading, stopping, alive. The watchdog is notified
 * only after the service has answered a request of its own: a running event loop is not enough.
 */
import process from "node:process";
import { pause } from "../base/time/deadline.ts";
import { createNotifier, type Notifier } from "../runtime/notify.ts";

export interface Supervisor {
  /** Waits until the service accepts work, reports READY, and starts the watchdog notifications. */
  started(): Promise<void>;
  reloading(): void;
  reloaded(): void;
  stopping(): void;
}

/** What it checks on the service. */
export interface Supervised {
  /** Whether it answers a request. */
  answers(): Promise<boolean>;
  /** Whether it accepts work. */
  ready(): boolean;
}

/** Variables set by systemd; removed so that children do not inherit them. */
const names = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] as const;

const readyEveryMs = 50;
/** Watchdog notifications per watchdog timeout. */
const signs = 3;

/** Called once, before anything is started; the service follows later. */
export function findSupervisor(): (service: Supervised) => Supervisor {
  const [socket, watchdog, pid] = names.map((name) => process.env[name]);
  for (const name of names) delete process.env[name];
  const notifier = socket ? createNotifier(socket) : undefined;
  const ours = pid === undefined || pid === String(process.pid);
  const everyMs = ours ? Number(watchdog ?? 0) / 1000 / signs : 0;
  return (service) => superviseBy(notifier, everyMs, service);
}

export function superviseBy(
  notifier: Notifier | undefined,
  everyMs: number,
  { answers, ready }: Supervised,
): Supervisor {
  const giveSigns = async (): Promise<void> => {
    for (;;) {
      if (await answers()) notifier?.send("WATCHDOG=1");
      await pause(everyMs);
    }
  };
  return {
    async started() {
      if (notifier === undefined) return;
      // While the store is unreachable the service waits for it, and counts as alive.
      if (everyMs > 0) void giveSigns();
      while (!ready()) await pause(readyEveryMs);
      notifier.send("READY=1", "STATUS=takes jobs");
    },
    reloading: () => void notifier?.send("RELOADING=1", `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`),
    reloaded: () => void notifier?.send("READY=1"),
    // Draining may exceed the watchdog timeout: notifications continue until the process ends.
    stopping: () => void notifier?.send("STOPPING=1", "STATUS=finishing running jobs"),
  };
}
