/** Subscriptions of the simulated gNMI device: once, polled, and streamed by time or at changes. */
import {
  type Path,
  SubscribeRequestSchema,
  type SubscribeResponseSchema,
  type SubscriptionList,
  SubscriptionList_Mode,
  SubscriptionMode,
  type Update,
} from "../../../../../plugins/drivers/gnmi/proto/gnmi_pb.ts";
import {
  type bytesOf,
  leafValue,
  notify,
  parsed,
  pathOf,
  requireEncoding,
  requireKnown,
  stepsOf,
  textOf,
  updateOf,
} from "./messages.ts";
import { find, leavesOf, Refusal, type Tree } from "./tree.ts";

const leastSampleNs = 10_000_000n;

type SendResponse = (message: Parameters<typeof bytesOf<typeof SubscribeResponseSchema>>[1]) => void;

/** Sends each leaf, or only those that differ from the ones before. @returns the leaves as they are now */
export function snapshotOf(
  list: SubscriptionList,
  tree: Tree,
  previous: ReadonlyMap<string, unknown> | undefined,
  send: SendResponse,
): ReadonlyMap<string, unknown> {
  const current = new Map<string, unknown>();
  const changed: Update[] = [];
  for (const { path } of list.subscription)
    for (const leaf of find(tree, [...stepsOf(list.prefix), ...stepsOf(path)]).flatMap(leavesOf)) {
      const text = textOf(leaf.path);
      if (current.has(text)) continue;
      current.set(text, leaf.value);
      if (previous !== undefined && previous.get(text) === leaf.value) continue;
      changed.push(updateOf(leaf.path, leafValue(leaf.value, list.encoding)));
    }
  const gone = [...(previous?.keys() ?? [])].filter((text) => !current.has(text));
  if (changed.length > 0 || gone.length > 0)
    send({ response: { case: "update", value: { ...notify(changed), delete: gone.map(pathIn) } } });
  return current;
}

/** The reverse of `textOf`, of this device's own paths. */
function pathIn(text: string): Path {
  const steps = [...text.matchAll(/\/([^/[]+)(?:\[([^=]+)=([^\]]*)\])?/g)];
  return pathOf(
    steps.map(([, name = "", of, value = ""]) => ({ name, key: of === undefined ? {} : { [of]: value } })),
  );
}

interface Serving {
  readonly messages: AsyncIterable<Uint8Array>;
  readonly closed: Promise<unknown>;
  sync(): void;
  /** Sends the leaves that differ from the ones before; quiet: none. @returns them as they are now */
  snapshot(
    list: SubscriptionList,
    previous?: ReadonlyMap<string, unknown>,
    isQuiet?: boolean,
  ): ReadonlyMap<string, unknown>;
  /** Calls when data change. @returns stops it */
  watch(tell: () => void): () => void;
}

export async function serveSubscription({ messages, closed, sync, snapshot, watch }: Serving): Promise<void> {
  const incoming = messages[Symbol.asyncIterator]();
  const first = await incoming.next();
  if (first.done === true) throw new Refusal(3, "there is no subscription");
  const { request, extension } = parsed(SubscribeRequestSchema, first.value);
  requireKnown(extension);
  if (request.case !== "subscribe") throw new Refusal(3, "the first message must be a subscription");
  const list = request.value;
  requireEncoding(list.encoding);
  const [subscription] = list.subscription;
  if (subscription === undefined) throw new Refusal(3, "the subscription has no path");
  if (list.mode === SubscriptionList_Mode.POLL) {
    for (;;) {
      const next = await incoming.next();
      if (next.done === true) return;
      if (parsed(SubscribeRequestSchema, next.value).request.case !== "poll")
        throw new Refusal(3, "a poll is wanted");
      if (!list.updatesOnly) snapshot(list);
      sync();
    }
  }
  const isSample = subscription.mode === SubscriptionMode.SAMPLE;
  if (isSample && subscription.sampleInterval < leastSampleNs)
    throw new Refusal(3, "the interval is too short");
  let known = snapshot(list, undefined, list.updatesOnly);
  sync();
  if (list.mode === SubscriptionList_Mode.ONCE) return;
  const again = (previous?: typeof known) => {
    known = snapshot(list, previous);
  };
  const stop = isSample
    ? every(Number(subscription.sampleInterval / 1_000_000n), () =>
        again(subscription.suppressRedundant ? known : undefined),
      )
    : watch(() => again(known));
  await closed;
  stop();
}

function every(ms: number, act: () => void): () => void {
  const timer = setInterval(act, ms);
  return () => clearInterval(timer);
}
