/** What webhooks are told of many things that may happen at once: a few per minute singly, more of them together. */
import { webhookLimits } from "../api/webhooks/webhook.ts";
import type { Caller } from "../auth/port.ts";
import { hasRight } from "../auth/rights.ts";
import { giveWay } from "../base/time/yield.ts";
import type { Notice, Store } from "../store/port.ts";
import type { Told } from "./forms.ts";

export interface TogetherTools {
  readonly store: Pick<Store, "webhooks" | "clock">;
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

/** What a notice is of. */
export interface NoticedItem {
  readonly notice: Notice;
  isVisibleTo(caller: Caller): boolean;
}

/** Notices of one room. All of them need the right `history`. */
export interface Room<K extends Notice["kind"], I extends NoticedItem> {
  readonly kinds: readonly K[];
  /** Without those that are gone, or no longer so. */
  items(kind: K, notices: readonly Notice[]): Promise<readonly I[]>;
  toldOf(kind: K, item: I): Told;
  toldOfMany(kind: K, items: readonly I[]): Told;
  difference(item: I): Promise<string | undefined>;
}

/** Notices that are told in one message; what is more than that follows in the next one. */
const togetherMost = 5_000;
const minuteMs = 60_000;
/** Names in a message that tells of many. */
export const shownNames = 20;
export const listedNames = 100;

/** The first names as a text. */
export function firstNames(names: readonly string[]): string {
  const rest = names.length - shownNames;
  const shown = names.slice(0, shownNames).join(", ");
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

export function createTogether<K extends Notice["kind"], I extends NoticedItem>(
  { store, ownerOf }: TogetherTools,
  room: Room<K, I>,
) {
  /** Of each kind: when its minute ends, and how many messages were sent in it. */
  const minutes = new Map<K, { readonly until: number; readonly sent: number }>();

  async function tellKind<L extends Listener>(
    kind: K,
    listeners: readonly L[],
    send: SendTold<L>,
  ): Promise<void> {
    const [first, ...others] = await store.webhooks.notices(togetherMost, [kind]);
    if (first === undefined) return;
    const now = store.clock.steady();
    const past = minutes.get(kind);
    const minute = past === undefined || past.until <= now ? { until: now + minuteMs, sent: 0 } : past;
    const left = webhookLimits.singly - minute.sent;
    const isMany = 1 + others.length > webhookLimits.singly;
    const callers = await callersOf(listeners);
    if (callers.length === 0) return send([first, ...others], []);
    if (minute.sent === 0 && isMany) {
      minutes.set(kind, { ...minute, sent: 1 });
      return tellTogether(kind, [first, ...others], callers, send);
    }
    const singly = [first, ...others].slice(0, left);
    minutes.set(kind, { ...minute, sent: minute.sent + singly.length });
    for (const notice of singly) await tellSingly(kind, notice, callers, send);
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

  async function tellSingly<L extends Listener>(
    kind: K,
    notice: Notice,
    callers: readonly { readonly to: L; readonly caller: Caller }[],
    send: SendTold<L>,
  ): Promise<void> {
    const [item] = await room.items(kind, [notice]);
    if (item === undefined) return send([notice], []);
    const seeing = callers.filter(({ caller }) => item.isVisibleTo(caller));
    const isWanted = seeing.some(({ to }) => to.wantsDifference);
    const told = {
      ...room.toldOf(kind, item),
      difference: isWanted ? await room.difference(item) : undefined,
    };
    await send(
      [notice],
      seeing.map(({ to }) => ({ to, told })),
    );
  }

  async function tellTogether<L extends Listener>(
    kind: K,
    notices: readonly [Notice, ...Notice[]],
    callers: readonly { readonly to: L; readonly caller: Caller }[],
    send: SendTold<L>,
  ): Promise<void> {
    const items = await room.items(kind, notices);
    const messages: { readonly to: L; readonly told: Told }[] = [];
    for (const { to, caller } of callers) {
      await giveWay(to.owner);
      const seen = items.filter((item) => item.isVisibleTo(caller));
      const [only] = seen;
      if (only === undefined) continue;
      messages.push({ to, told: seen.length === 1 ? room.toldOf(kind, only) : room.toldOfMany(kind, seen) });
    }
    await send(notices, messages);
  }

  return {
    /** @param listenersOf webhooks that want an event. What has to wait is told by a later call. */
    async tell<L extends Listener>(
      listenersOf: (event: K) => readonly L[],
      send: SendTold<L>,
    ): Promise<void> {
      for (const kind of room.kinds) await tellKind(kind, listenersOf(kind), send);
    },
  };
}
