/**
 * What a supervisor (systemd, `Type=notify`) is told: when the service takes work, reloads, stops, and that it lives.
 * The sign of life is given only after the service has answered a request of its own: a loop that turns is not enough.
 */
import process from "node:process";
import { pause } from "../base/deadline.ts";
import { createNotifier, type Notifier } from "../runtime/notify.ts";

export interface Supervisor {
  /** Waits until the service takes work, tells it, and begins the signs of life. */
  started(): Promise<void>;
  reloading(): void;
  reloaded(): void;
  stopping(): void;
}

/** What is asked of the service. */
export interface Supervised {
  /** Whether it answers a request. */
  answers(): Promise<boolean>;
  /** Whether it takes work. */
  ready(): boolean;
}

/** Names of the variables that systemd gives; children must not find them. */
const names = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] as const;

const readyEveryMs = 50;
/** Three signs fit into the time after which systemd ends the service. */
const signs = 3;

/** To be called once, before anything is started. The service is known later. */
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
      // A store that is away is waited for: it lives all the same.
      if (everyMs > 0) void giveSigns();
      while (!ready()) await pause(readyEveryMs);
      notifier.send("READY=1", "STATUS=takes jobs");
    },
    reloading: () => void notifier?.send("RELOADING=1", `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`),
    reloaded: () => void notifier?.send("READY=1"),
    // Draining may take longer than the watchdog waits: signs go on until the process ends.
    stopping: () => void notifier?.send("STOPPING=1", "STATUS=ends what runs"),
  };
}
