/** Makes a delivery of each notice for each webhook that is to be told of it. */

import { readWebhookContent } from "../api/payload.ts";
import { readSpec, testEvent, type WebhookSpec } from "../api/webhook.ts";
import { messageOf } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { pause } from "../base/time/deadline.ts";
import type { NewDelivery, Notice, Store, StoredWebhook } from "../store/port.ts";
import { messageText, type Told } from "./forms.ts";
import { createTelling, type Telling, type ToldTools } from "./told.ts";

export interface ExpanderTools extends ToldTools {
  readonly store: ToldTools["store"] & Pick<Store, "clock">;
  readonly log: Log;
  /** Messages are due. */
  onDue(): void;
}

export interface Expander {
  /** Something may have happened. */
  wake(): void;
  /** Resolves when nothing is under way. Nothing begins after it. */
  stop(): Promise<void>;
}

const atOnce = 50;
/** Many jobs end together: one look serves them all. */
const betweenMs = 50;

/** The same on every node: a notice makes one message for each webhook and event. */
export function deliveryIdOf(notice: string, webhook: string, event: string = testEvent): string {
  return `${notice}.${event}.${webhook}`;
}

export function createExpander(tools: ExpanderTools): Expander {
  const { store, log, iso } = tools;
  const tellingOf = createTelling(tools);
  let isRequested = false;
  let running: Promise<void> | undefined;
  let stopped = false;

  function wake(): void {
    isRequested = true;
    if (!stopped) running ??= work();
  }

  async function work(): Promise<void> {
    while (isRequested && !stopped) {
      isRequested = false;
      try {
        await tellAll();
      } catch (error) {
        // The next beat tries again.
        log.warn("webhook.not_told", { reason: String(error) });
      }
      await pause(betweenMs);
    }
    running = undefined;
  }

  async function tellAll(): Promise<void> {
    for (;;) {
      const notices = await store.webhooks.notices(atOnce);
      if (notices.length === 0 || stopped) return;
      const webhooks = await store.webhooks.list();
      for (const notice of notices) await tell(notice, webhooks);
      tools.onDue();
    }
  }

  async function tell(notice: Notice, webhooks: readonly StoredWebhook[]): Promise<void> {
    const telling = await tellingOf(notice);
    const messages = telling.events.flatMap((told) =>
      webhooks
        .filter((webhook) => isFor(webhook, told, telling))
        .flatMap((webhook) => messageFor(webhook, told, notice) ?? []),
    );
    await store.webhooks.tell(notice.id, messages, telling.failures);
  }

  function messageFor(webhook: StoredWebhook, told: Told, notice: Notice): NewDelivery | undefined {
    const { name, receiver, content } = webhook;
    const { event } = told;
    if (content === undefined) {
      log.warn("webhook.unreadable", { webhook: name });
      return undefined;
    }
    const id = deliveryIdOf(notice.id, name, event);
    const head = { event, timestamp: iso(notice.at), webhook: name, delivery: { id } };
    try {
      const message = messageText(told, readSpec(webhook.spec), head);
      const whole = JSON.stringify({ ...readWebhookContent(content), message });
      return { id, webhook: name, receiver, event, content: whole };
    } catch (error) {
      // Another version wrote it; the others must be told all the same.
      log.warn("webhook.unreadable", { webhook: name, reason: messageOf(error) });
      return undefined;
    }
  }

  return {
    wake,
    async stop() {
      stopped = true;
      await running;
    },
  };
}

function isFor(webhook: StoredWebhook, { event }: Told, { only, owner }: Telling): boolean {
  if (only !== undefined) return webhook.name === only;
  if (webhook.limited && webhook.owner !== owner) return false;
  const spec = specOf(webhook);
  return spec?.enabled === true && spec.events.some((name) => name === event);
}

/** Undefined: another version wrote it. */
function specOf({ spec }: StoredWebhook): WebhookSpec | undefined {
  try {
    return readSpec(spec);
  } catch {
    return undefined;
  }
}
