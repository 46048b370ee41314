/** Assembles stored webhooks: their administration, and what tells them of events. */
import type { DiskReserve } from "../base/files/disk-reserve.ts";
import type { Store } from "../store/port.ts";
import { type AdministrationTools, createAdministration } from "./administration.ts";
import { createExpander, type ExpanderTools } from "./expander.ts";
import type { Webhooks } from "./port.ts";

export interface WebhooksOptions
  extends Omit<AdministrationTools, "wake" | "store" | "jobs">,
    Pick<ExpanderTools, "log" | "onDue" | "news" | "driftNews" | "changeNews" | "ownerOf"> {
  readonly store: Store;
  readonly jobs: AdministrationTools["jobs"] & ExpanderTools["jobs"];
  /** Name of this node. */
  readonly node: string;
  /** Reports a disk before work is refused; undefined: it is not watched. */
  readonly disk?: Pick<DiskReserve, "reason"> | undefined;
}

export interface ServedWebhooks extends Webhooks {
  /** A job, bulk or firing has ended on this node, or a change was moved on. */
  happened(): void;
  /** Looks for what other nodes left, and at the disk; called every ten seconds. Never rejects. */
  beat(): Promise<void>;
  stop(): Promise<void>;
}

export function createWebhooks(options: WebhooksOptions): ServedWebhooks {
  const { store, log, node, disk } = options;
  const expander = createExpander(options);
  /** Whether there are webhooks: without them nothing is looked for. Other nodes may add one to a shared store. */
  let isActive: boolean | undefined;
  /** Undefined until it is first looked at: an earlier run may have reported the disk. */
  let isLowKnown: boolean | undefined;
  let stopped = false;

  async function watchDisk(): Promise<void> {
    const reason = disk?.reason();
    if (isLowKnown === (reason !== undefined)) return;
    isLowKnown = await store.webhooks.observe("disk.low", node, reason);
  }

  return {
    ...createAdministration({
      ...options,
      wake() {
        isActive = undefined;
        expander.wake();
      },
    }),
    happened() {
      if (isActive !== false) expander.wake();
    },
    async beat() {
      try {
        if (stopped) return;
        if (isActive === undefined || store.shared) isActive = (await store.webhooks.list()).length > 0;
        if (!isActive) return;
        await watchDisk();
        expander.wake();
      } catch (error) {
        log.warn("webhook.not_told", { reason: String(error) });
      }
    },
    stop() {
      stopped = true;
      return expander.stop();
    },
  };
}
