/** What webhooks are told of configurations: a few per minute singly, more of them together. */

import { webhookLimits } from "../api/webhook.ts";
import type { Caller } from "../auth/port.ts";
import { hasRight } from "../auth/rights.ts";
import { giveWay } from "../base/time/yield.ts";
import type { ConfigurationNews, FailureNews, HistoryNews, VersionNews } from "../history/port.ts";
import { type HistoryNoticeKind, historyNoticeKinds, type Notice, type Store } from "../store/port.ts";
import type { Told } from "./forms.ts";

export interface ConfigurationTools {
  readonly store: Pick<Store, "webhooks" | "clock">;
  readonly news: HistoryNews;
  readonly iso: (ms: number) => string;
  /** The caller of a key; undefined: it was revoked or has expired. */
  ownerOf(keyId: string): Promise<Caller | undefined>;
}

/** One that is told of an event. */
export interface Listener {
  /** The key that gave its address. */
  readonly owner: string;
  readonly wantsDifference: boolean;
}

/** Tells what a listener may see, and removes the notices. */
export type SendTold<L extends Listener> = (
  notices: readonly [Notice, ...Notice[]],
  messages: readonly { readonly to: L; readonly told: Told }[],
) => Promise<void>;

/** Notices that are told in one message; what is more than that follows in the next one. */
const togetherMost = 5_000;
const minuteMs = 60_000;
/** Names in a message that tells of many. */
const shownNames = 20;
const listedNames = 100;

type Item = (ConfigurationNews & { readonly notice: Notice }) &
  ({ readonly version: VersionNews } | { readonly failure: FailureNews });

export function createConfigurationTelling({ store, news, iso, ownerOf }: ConfigurationTools) {
  /** Of each kind: when its minute ends, and how many messages were sent in it. */
  const minutes = new Map<HistoryNoticeKind, { readonly until: number; readonly sent: number }>();

  /** @param listenersOf webhooks that want an event. What has to wait is told by a later call. */
  async function tell<L extends Listener>(
    listenersOf: (event: HistoryNoticeKind) => readonly L[],
    send: SendTold<L>,
  ): Promise<void> {
    for (const kind of historyNoticeKinds) await tellKind(kind, listenersOf(kind), send);
  }

  async function tellKind<L extends Listener>(
    kind: HistoryNoticeKind,
    listeners: readonly L[],
    send: SendTold<L>,
  ): Promise<void> {
    const [first, ...others] = await store.webhooks.notices(togetherMost, [kind]);
    if (first === undefined) return;
    const now = store.clock.steady();
    const past = minutes.get(kind);
    const minute = past === undefined || past.until <= now ? { until: now + minuteMs, sent: 0 } : past;
    const room = webhookLimits.singly - minute.sent;
    const isMany = 1 + others.length > webhookLimits.singly;
    const callers = await callersOf(listeners);
    if (callers.length === 0) return send([first, ...others], []);
    if (minute.sent === 0 && isMany) {
      minutes.set(kind, { ...minute, sent: 1 });
      return tellTogether(kind, [first, ...others], callers, send);
    }
    const singly = [first, ...others].slice(0, room);
    minutes.set(kind, { ...minute, sent: minute.sent + singly.length });
    for (const notice of singly) await tellSingly(notice, callers, send);
  }

  /** Listeners whose key has the right to read configurations. */
  async function callersOf<L extends Listener>(listeners: readonly L[]) {
    const owners = [...new Set(listeners.map(({ owner }) => owner))];
    const callers = new Map<string, Caller>();
    for (const owner of owners) {
      const caller = await ownerOf(owner);
      if (caller !== undefined && hasRight(caller, "history")) callers.set(owner, caller);
    }
    return listeners.flatMap((to) => {
      const caller = callers.get(to.owner);
      return caller === undefined ? [] : [{ to, caller }];
    });
  }

  async function itemsOf(kind: HistoryNoticeKind, notices: readonly Notice[]): Promise<Item[]> {
    const bySubject = new Map(notices.map((notice) => [Number(notice.subject), notice]));
    const ids = [...bySubject.keys()];
    if (kind === "history.failed")
      return (await news.failures(ids)).flatMap((failure) =>
        itemOf(bySubject.get(failure.id), failure, { failure }),
      );
    return (await news.versions(ids)).flatMap((version) =>
      itemOf(bySubject.get(version.n), version, { version }),
    );
  }

  async function tellSingly<L extends Listener>(
    notice: Notice,
    callers: readonly { readonly to: L; readonly caller: Caller }[],
    send: SendTold<L>,
  ): Promise<void> {
    const kind = historyNoticeKinds.find((known) => known === notice.kind);
    const [item] = kind === undefined ? [] : await itemsOf(kind, [notice]);
    if (item === undefined || kind === undefined) return send([notice], []);
    const seeing = callers.filter(({ caller }) => item.isVisibleTo(caller));
    const isWanted = seeing.some(({ to }) => to.wantsDifference);
    const difference = isWanted && "version" in item ? await item.version.difference() : undefined;
    const told = { ...toldOf(kind, item), difference };
    await send(
      [notice],
      seeing.map(({ to }) => ({ to, told })),
    );
  }

  async function tellTogether<L extends Listener>(
    kind: HistoryNoticeKind,
    notices: readonly [Notice, ...Notice[]],
    callers: readonly { readonly to: L; readonly caller: Caller }[],
    send: SendTold<L>,
  ): Promise<void> {
    const items = await itemsOf(kind, notices);
    const messages: { readonly to: L; readonly told: Told }[] = [];
    for (const { to, caller } of callers) {
      await giveWay(to.owner);
      const seen = items.filter((item) => item.isVisibleTo(caller));
      const [only] = seen;
      if (only === undefined) continue;
      messages.push({ to, told: seen.length === 1 ? toldOf(kind, only) : toldOfMany(kind, seen) });
    }
    await send(notices, messages);
  }

  function toldOf(event: HistoryNoticeKind, item: Item): Told {
    const page = `history/${encodeURIComponent(item.device)}`;
    if ("failure" in item) {
      const { device, error, failedAt, lastGoodAt, jobId } = item.failure;
      const last_good_at = lastGoodAt === null ? null : iso(lastGoodAt);
      return {
        ...{ event, page },
        data: { history: { device, error, failed_at: iso(failedAt), last_good_at, job_id: jobId } },
        values: {
          what: `Configuration of ${device} could not be read`,
          ...{ error, lastGood: last_good_at ?? "", job: jobId ?? "" },
        },
      };
    }
    const { record } = item.version;
    const { device, part, version, added, removed, reason, source, who, by_on_device } = record;
    const what =
      event === "history.changed"
        ? `Configuration of ${device} changed: ${added} added, ${removed} removed`
        : `Configuration of ${device} is suspect`;
    return {
      ...{ event, page, data: { history: record } },
      values: {
        ...{
          what,
          source,
          reason: reason ?? "",
          version: `${version}${part === "running" ? "" : ` (${part})`}`,
        },
        ...{ who: who ?? "", onDevice: by_on_device ?? "" },
        ...{ push: record.cause_job_id ?? "", job: record.job_id ?? "" },
      },
    };
  }

  return { tell };
}

function itemOf(
  notice: Notice | undefined,
  { device, isVisibleTo }: ConfigurationNews,
  what: { readonly version: VersionNews } | { readonly failure: FailureNews },
): Item[] {
  return notice === undefined ? [] : [{ device, isVisibleTo, notice, ...what }];
}

const ofMany: Readonly<Record<HistoryNoticeKind, (count: string) => string>> = {
  "history.changed": (count) => `Configurations of ${count} changed`,
  "history.suspect": (count) => `Configurations of ${count} are suspect`,
  "history.failed": (count) => `Configurations of ${count} could not be read`,
};

function toldOfMany(event: HistoryNoticeKind, items: readonly Item[]): Told {
  const names = [...new Set(items.map(({ device }) => device))].sort();
  const shown = names.slice(0, shownNames).join(", ");
  const rest = names.length - shownNames;
  const history = { count: items.length, device_count: names.length, devices: names.slice(0, listedNames) };
  const people = [
    ...new Set(items.flatMap((item) => ("version" in item ? (item.version.record.who ?? []) : []))),
  ];
  return {
    ...{ event, page: "history", data: { history } },
    values: {
      what: ofMany[event](names.length === 1 ? "1 device" : `${names.length} devices`),
      devices: rest > 0 ? `${shown} and ${rest} more` : shown,
      who: people.slice(0, shownNames).join(", "),
    },
  };
}
