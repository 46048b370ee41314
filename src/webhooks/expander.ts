/** Makes a delivery of each notice for each webhook that is to be told of it. */

import { testEvent, type WebhookEventName } from "../api/webhooks/webhook.ts";
import type { Holders } from "../auth/holders.ts";
import type { Log } from "../base/log.ts";
import { pause } from "../base/time/deadline.ts";
import { readWebhookContent } from "../jobs/request/webhook-content.ts";
import {
  driftNoticeKinds,
  historyNoticeKinds,
  type NewDelivery,
  type Notice,
  type Store,
  type StoredWebhook,
  singleNoticeKinds,
} from "../store/port.ts";
import { type ConfigurationTools, createConfigurationTelling } from "./configurations.ts";
import { createDriftTelling, type DriftTools } from "./drifts.ts";
import { messageText, type Told } from "./forms.ts";
import { holdersOf, type Standing, standingOf } from "./standing.ts";
import type { SendTold } from "./together.ts";
import { createTelling, isSingle, type SingleNotice, type Telling, type ToldTools } from "./told.ts";

export interface ExpanderTools
  extends ToldTools,
    Omit<ConfigurationTools, "store">,
    Pick<DriftTools, "driftNews"> {
  readonly store: ToldTools["store"] & ConfigurationTools["store"] & Pick<Store, "webhooks">;
  readonly holders: Pick<Holders, "byId">;
  readonly log: Log;
  /** Messages are due. */
  onDue(): void;
}

type ReadyWebhook = Omit<StoredWebhook, "spec" | "content"> & Exclude<Standing, { state: "stopped" }>;

export interface Expander {
  /** Something may have happened. */
  wake(): void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
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
  const configurations = createConfigurationTelling(tools);
  const drifts = createDriftTelling(tools);
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
      const notices = (await store.webhooks.notices(atOnce, singleNoticeKinds)).filter(isSingle);
      if (notices.length === 0 || stopped) break;
      const webhooks = await readyWebhooks();
      for (const notice of notices) await tell(notice, webhooks);
      tools.onDue();
    }
    if (!stopped) await tellMany();
  }

  /** Those of which many may come at once. */
  async function tellMany(): Promise<void> {
    const [waiting] = await store.webhooks.notices(1, [...historyNoticeKinds, ...driftNoticeKinds]);
    if (waiting === undefined) return;
    const listeners = (await readyWebhooks())
      .filter(({ spec }) => spec.enabled)
      .map((webhook) => ({ ...webhook, wantsDifference: webhook.spec.difference }));
    type L = (typeof listeners)[number];
    const listenersOf = (event: WebhookEventName) =>
      listeners.filter(({ spec }) => spec.events.includes(event));
    const send: SendTold<L> = async ([notice, ...others], messages) => {
      const deliveries = messages.map(({ to, told }) => messageFor(to, told, notice));
      await store.webhooks.tell(notice.id, deliveries, { notices: others.map(({ id }) => id) });
      if (deliveries.length > 0) tools.onDue();
    };
    await configurations.tell(listenersOf, send);
    await drifts.tell(listenersOf, send);
  }

  /** Those that are not stopped. One that another version wrote must not keep others from being told. */
  async function readyWebhooks(): Promise<ReadyWebhook[]> {
    const webhooks = await store.webhooks.list();
    const owners = await holdersOf(webhooks, tools.holders);
    return webhooks.flatMap((webhook) => {
      const standing = standingOf(webhook, owners.get(webhook.owner));
      if (standing.state !== "stopped") return [{ ...webhook, ...standing }];
      log.warn("webhook.stopped", { webhook: webhook.name, reason: standing.why });
      return [];
    });
  }

  async function tell(notice: SingleNotice, webhooks: readonly ReadyWebhook[]): Promise<void> {
    const telling = await tellingOf(notice);
    const messages: NewDelivery[] = [];
    for (const told of telling.events)
      for (const webhook of webhooks)
        if (await isFor(webhook, told, telling)) messages.push(messageFor(webhook, told, notice));
    await store.webhooks.tell(notice.id, messages, { failures: telling.failures });
  }

  async function isFor(
    { name, limited, owner, spec }: ReadyWebhook,
    { event }: Told,
    of: Telling,
  ): Promise<boolean> {
    if (of.only !== undefined) return name === of.only;
    if (!spec.enabled || !spec.events.some((subscribed) => subscribed === event)) return false;
    if (!limited || owner === of.owner) return true;
    if (of.isVisibleTo === undefined) return false;
    const caller = await tools.ownerOf(owner);
    return caller !== undefined && of.isVisibleTo(caller);
  }

  function messageFor(webhook: ReadyWebhook, told: Told, notice: Notice): NewDelivery {
    const { name, receiver, content, owner, spec } = webhook;
    const { event } = told;
    const id = deliveryIdOf(notice.id, name, event);
    const head = { event, timestamp: iso(notice.at), webhook: name, delivery: { id } };
    const message = messageText(told, spec, head);
    const whole = JSON.stringify({ ...readWebhookContent(content), message, owner });
    return { id, webhook: name, receiver, event, content: whole };
  }

  return {
    wake,
    idle: async () => running,
    async stop() {
      stopped = true;
      await running;
    },
  };
}
