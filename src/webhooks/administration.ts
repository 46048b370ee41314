/** Manages stored webhooks; their secrets are never returned. */

import type { Body } from "../api/body.ts";
import type { StrictReading } from "../api/strict.ts";
import {
  readChange,
  readNewWebhook,
  readSpec,
  type WebhookRecord,
  webhookLimits,
} from "../api/webhooks/webhook.ts";
import { requireScope, seesAll, submitterNamed } from "../auth/caller.ts";
import type { Holders } from "../auth/holders.ts";
import type { Caller } from "../auth/port.ts";
import { ServiceError } from "../base/errors.ts";
import { refuse } from "../base/issues.ts";
import type { Jobs } from "../jobs/port.ts";
import type { Store, StoredWebhook, WebhookDelivery, WebhookValues } from "../store/port.ts";
import { deliveryIdOf } from "./expander.ts";
import type { Webhooks } from "./port.ts";
import { holdersOf, standingOf, unreadableText } from "./standing.ts";

export interface AdministrationTools {
  readonly store: Pick<Store, "webhooks">;
  readonly holders: Pick<Holders, "byId">;
  readonly jobs: Pick<Jobs, "checkWebhook">;
  readonly iso: (ms: number) => string;
  /** A message may be due, and webhooks have changed. */
  wake(): void;
}

export function createAdministration({ store, holders, jobs, iso, wake }: AdministrationTools): Webhooks {
  const { webhooks } = store;
  const isVisible = ({ owner }: StoredWebhook, caller: Caller) => seesAll(caller) || owner === caller.keyId;

  async function find(name: string, caller: Caller): Promise<StoredWebhook> {
    requireScope(caller, "admin");
    const stored = await webhooks.find(name);
    if (stored && isVisible(stored, caller)) return stored;
    throw new ServiceError("NotFound", "There is no webhook with that name.");
  }

  async function recordsOf(stored: readonly StoredWebhook[], limit: number): Promise<WebhookRecord[]> {
    const names = stored.map(({ name }) => name);
    const [deliveries, owners] = await Promise.all([
      webhooks.deliveriesOf(names, limit),
      holdersOf(stored, holders),
    ]);
    return stored.map((webhook) => {
      const { name, owner, createdAt, changedAt } = webhook;
      const holder = owners.get(owner);
      const standing = standingOf(webhook, holder);
      return {
        ...{ name, state: standing.state },
        ...(standing.state === "stopped" ? { why: standing.why } : {}),
        ...present(readSpec(webhook.spec).fields),
        owner: {
          kind: holder?.person?.id === owner ? ("person" as const) : ("key" as const),
          ...{ key_id: owner, name: holder?.name ?? "" },
        },
        ...{ created_at: iso(createdAt), changed_at: iso(changedAt) },
        deliveries: (deliveries.get(name) ?? []).map((delivery) => deliveryRecord(delivery)),
      };
    });
  }

  function deliveryRecord({ id, event, state, attempts }: WebhookDelivery) {
    const known = state === "delivered" || state === "failed" ? state : ("pending" as const);
    return {
      ...{ id, event, state: known },
      attempts: attempts.map(({ at, status, error }) => ({
        ...{ at: iso(at), status },
        ...(error === undefined ? {} : { error }),
      })),
    };
  }

  async function show(name: string, caller: Caller): Promise<WebhookRecord> {
    const [record] = await recordsOf([await find(name, caller)], webhookLimits.kept);
    if (record === undefined) throw new ServiceError("NotFound", "There is no webhook with that name.");
    return record;
  }

  async function write(values: WebhookValues, isNew: boolean, caller: Caller) {
    const { name } = values;
    const written = await webhooks.put(values, isNew, caller);
    if (written === "taken") throw new ServiceError("InUse", `There is a webhook named ${name} already.`);
    if (written === "gone") throw new ServiceError("NotFound", "There is no webhook with that name.");
    if (written === "full")
      throw new ServiceError(
        "TooManyRequests",
        `There are ${webhookLimits.most} webhooks, which is the maximum. Remove one.`,
      );
    wake();
    return show(name, caller);
  }

  return {
    async list(caller, { submitted_by } = {}) {
      requireScope(caller, "admin");
      return recordsOf(
        (await webhooks.list(submitterNamed(submitted_by, caller))).filter((webhook) =>
          isVisible(webhook, caller),
        ),
        1,
      );
    },

    read: show,

    async add(body, caller) {
      requireScope(caller, "admin");
      const { name, config, ...rest } = shapeOf(readNewWebhook, body);
      const { address, signed, content, receiver } = await jobs.checkWebhook(config, caller);
      const spec = JSON.stringify({ ...rest, receiver: address, signed });
      return write({ name, spec, content, receiver, ...ownership(caller) }, true, caller);
    },

    async change(name, body, caller) {
      const stored = await find(name, caller);
      const { config, ...changes } = shapeOf(readChange, body);
      const { fields: before, unreadable } = readSpec(stored.spec);
      const given = [...Object.keys(changes), ...(config === undefined ? [] : ["receiver", "signed"])];
      const missing = unreadable.filter((field) => !given.includes(field));
      if (missing.length > 0) refuse(missing.map((path) => ({ path, message: unreadableText([path]) })));
      if (config === undefined) {
        const { content, receiver, owner, limited } = stored;
        if (content === undefined)
          throw new ServiceError("BusinessFailure", "Its `config` cannot be opened: give it anew.");
        const spec = JSON.stringify({ ...before, ...changes });
        return write({ name, spec, content, receiver, owner, limited }, false, caller);
      }
      // Whoever gives the address decides what is told, with the rights of that key.
      const { address, signed, content, receiver } = await jobs.checkWebhook(config, caller);
      const spec = JSON.stringify({ ...before, ...changes, receiver: address, signed });
      return write({ name, spec, content, receiver, ...ownership(caller) }, false, caller);
    },

    async remove(name, caller) {
      await find(name, caller);
      await webhooks.remove(name, caller);
      wake();
      return name;
    },

    async test(name, caller) {
      const webhook = await find(name, caller);
      const standing = standingOf(webhook, await holders.byId(webhook.owner));
      if (standing.state === "stopped")
        throw new ServiceError("BusinessFailure", `The webhook is stopped: ${standing.why}.`);
      const notice = await webhooks.test(name, caller);
      wake();
      return { delivery: deliveryIdOf(notice, name) };
    },
  };
}

type Present<T> = { [K in keyof T]?: NonNullable<T[K]> };

function present<T extends object>(value: T): Present<T> {
  const entries = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  // Null and undefined members have just been removed.
  return Object.fromEntries(entries) as Present<T>;
}

const ownership = (caller: Caller) => ({ owner: caller.keyId, limited: !seesAll(caller) });

/** @throws ServiceError Validation, PayloadTooLarge */
function shapeOf<T>(readingOf: (value: unknown) => StrictReading<T>, body: Body): T {
  const { maxBytes } = webhookLimits;
  if (Buffer.byteLength(body.text) > maxBytes)
    throw new ServiceError("PayloadTooLarge", `A webhook may have at most ${maxBytes / 1024} KiB.`);
  const read = readingOf(body.value);
  return "issues" in read ? refuse(read.issues) : read.output;
}
