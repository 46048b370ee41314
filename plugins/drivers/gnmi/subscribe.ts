/** Subscriptions, each of which ends: with the state once, after some updates or a time, or after some polls. */
import { type Context, type Output, PluginError } from "patchbay/plugin";
import {
  type Asked,
  plain,
  type ReadNotification,
  type ReadUpdate,
  read,
  shownText,
  timeText,
  withMetadata,
} from "./answers.ts";
import { defaultTimeoutS, type QueryArgs } from "./args.ts";
import { type Client, depthOf, prefixOf, protoPath, type Subscription } from "./client.ts";
import { type GnmiPath, isWithin, pathText } from "./paths.ts";
import { SubscriptionList_Mode, SubscriptionMode } from "./proto/gnmi_pb.ts";
import { encodings } from "./values.ts";

const modes = {
  once: SubscriptionList_Mode.ONCE,
  stream: SubscriptionList_Mode.STREAM,
  poll: SubscriptionList_Mode.POLL,
} as const;
const subscriptions = {
  target_defined: SubscriptionMode.TARGET_DEFINED,
  on_change: SubscriptionMode.ON_CHANGE,
  sample: SubscriptionMode.SAMPLE,
} as const;

const defaultDurationS = 10;
const defaultPollS = 1;
/** Updates that one query keeps. */
const mostUpdates = 200_000;
const nanoseconds = (seconds: number | undefined) => BigInt(Math.round((seconds ?? 0) * 1e9));

interface Collected {
  readonly notifications: readonly ReadNotification[];
  /** The device has sent the whole state at least once. */
  readonly synced: boolean;
  readonly ended: "count" | "duration" | "device";
}

export async function subscribed(
  client: Client,
  mode: keyof typeof modes,
  asked: readonly Asked[],
  args: QueryArgs,
  ctx: Context,
): Promise<readonly Output[]> {
  if (mode === "stream") return streamed(client, asked, args, ctx);
  const outputs: Output[] = [];
  for (const one of asked)
    outputs.push({
      command: one.command,
      output: mode === "once" ? await once(client, one, args, ctx) : await polled(client, one, args, ctx),
    });
  return outputs;
}

async function start(
  client: Client,
  mode: keyof typeof modes,
  paths: readonly GnmiPath[],
  args: QueryArgs,
  ctx: Context,
  seconds = args.timeout,
): Promise<Subscription> {
  const { subscription = "target_defined", interval, heartbeat, suppress_redundant, depth } = args;
  const encoding = encodings[await client.encoding(args.encoding, ctx)];
  const prefix = prefixOf(args.prefix, args.target);
  return client.subscribe(
    {
      request: {
        case: "subscribe",
        value: {
          ...(prefix === undefined ? {} : { prefix }),
          mode: modes[mode],
          encoding,
          updatesOnly: args.updates_only ?? false,
          allowAggregation: args.aggregation ?? false,
          subscription: paths.map((path) => ({
            path: protoPath(path),
            mode: subscriptions[subscription],
            sampleInterval: mode === "stream" && subscription === "sample" ? nanoseconds(interval) : 0n,
            heartbeatInterval: nanoseconds(heartbeat),
            suppressRedundant: suppress_redundant ?? false,
          })),
        },
      },
      ...(depth === undefined ? {} : { extension: [depthOf(depth)] }),
    },
    { seconds },
    ctx,
  );
}

/** What has come of a subscription. */
function createCollector(ctx: Context) {
  let kept: ReadNotification[] = [];
  let updates = 0;
  let total = 0;
  return {
    add(notification: ReadNotification): number {
      kept.push(notification);
      const { length } = notification.updates;
      updates += length + notification.deleted.length;
      total += length + notification.deleted.length;
      if (total > mostUpdates)
        throw new PluginError("OutputTooLarge", `The device sent more than ${mostUpdates} updates.`);
      for (const { path, value } of notification.updates)
        ctx.output(`${pathText(path)} ${JSON.stringify(value)}\n`);
      for (const path of notification.deleted) ctx.output(`${pathText(path)} deleted\n`);
      return updates;
    },
    take(): readonly ReadNotification[] {
      const taken = kept;
      kept = [];
      updates = 0;
      return taken;
    },
  };
}

async function once(client: Client, { path }: Asked, args: QueryArgs, ctx: Context): Promise<unknown> {
  const subscription = await start(client, "once", [path], args, ctx);
  const collector = createCollector(ctx);
  for await (const { response } of subscription.responses) {
    if (response.case === "update") collector.add(read(response.value));
    else if (response.case === "error") throw told(response.value);
    else break;
  }
  return shownOf(collector.take(), path, args);
}

function shownOf(notifications: readonly ReadNotification[], path: GnmiPath, args: QueryArgs): unknown {
  if (args.metadata === true) return notifications.map(withMetadata);
  const data = plain(notifications, path);
  return args.format === "text" ? shownText(data) : data;
}

/**
 * The device says when it has answered a poll. Some send the state at the beginning besides: then what the first poll
 * brought stands in its place.
 */
async function polled(client: Client, { path }: Asked, args: QueryArgs, ctx: Context): Promise<unknown> {
  const { count = 1, interval = defaultPollS, timeout = defaultTimeoutS } = args;
  const subscription = await start(
    client,
    "poll",
    [path],
    args,
    ctx,
    timeout * count + interval * (count - 1),
  );
  const collector = createCollector(ctx);
  const polls: unknown[] = [];
  let isWaiting = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ask = () => {
    isWaiting = true;
    timer = undefined;
    subscription.poll();
  };
  ask();
  try {
    for await (const { response } of subscription.responses) {
      if (response.case === "update") collector.add(read(response.value));
      else if (response.case === "error") throw told(response.value);
      else {
        if (!isWaiting) polls.pop();
        polls.push(shownOf(collector.take(), path, args));
        if (polls.length >= count) return polls;
        isWaiting = false;
        timer ??= setTimeout(ask, interval * 1000);
      }
    }
  } finally {
    clearTimeout(timer);
  }
  throw new PluginError(
    "ConnectionLost",
    "The device ended the subscription before its polls were answered.",
  );
}

async function streamed(
  client: Client,
  asked: readonly Asked[],
  args: QueryArgs,
  ctx: Context,
): Promise<readonly Output[]> {
  const { count, duration = count === undefined ? defaultDurationS : undefined } = args;
  const limitS =
    duration === undefined
      ? Math.max(1, ctx.remaining() / 1000)
      : duration + (args.timeout ?? defaultTimeoutS);
  const subscription = await start(
    client,
    "stream",
    asked.map(({ path }) => path),
    args,
    ctx,
    limitS,
  );
  const collected = await collect(subscription, { count, duration }, ctx);
  return asked.map(({ command }, at) => ({
    command,
    output: streamOf(ownOf(collected, at, asked), args),
  }));
}

async function collect(
  subscription: Subscription,
  { count, duration }: { readonly count: number | undefined; readonly duration: number | undefined },
  ctx: Context,
): Promise<Collected> {
  const collector = createCollector(ctx);
  let synced = false;
  let ended: Collected["ended"] = "device";
  const timer =
    duration === undefined
      ? undefined
      : setTimeout(() => {
          ended = "duration";
          subscription.cancel();
        }, duration * 1000);
  try {
    for await (const { response } of subscription.responses) {
      if (response.case === "syncResponse") synced = true;
      if (response.case === "error") throw told(response.value);
      if (response.case !== "update") continue;
      const updates = collector.add(read(response.value));
      if (count === undefined || updates < count) continue;
      ended = "count";
      break;
    }
  } finally {
    clearTimeout(timer);
  }
  if (ctx.signal.aborted) ctx.signal.throwIfAborted();
  return { notifications: collector.take(), synced, ended };
}

/** Of several paths in one subscription each has its own updates; what fits none belongs to the first. */
function ownOf(collected: Collected, at: number, asked: readonly Asked[]): Collected {
  if (asked.length === 1) return collected;
  const isOwn = (found: GnmiPath) => {
    const first = asked.findIndex((one) => isWithin(found, one.full));
    return first === at || (first < 0 && at === 0);
  };
  const notifications = collected.notifications
    .map(({ timestamp, updates, deleted }) => ({
      timestamp,
      updates: updates.filter((update) => isOwn(update.path)),
      deleted: deleted.filter(isOwn),
    }))
    .filter(({ updates, deleted }) => updates.length + deleted.length > 0);
  return { ...collected, notifications };
}

function streamOf({ notifications, synced, ended }: Collected, { format }: QueryArgs): unknown {
  const updates = notifications.flatMap(({ timestamp, updates, deleted }) => {
    const time = timeText(timestamp);
    return [
      ...updates.map(({ path, value }: ReadUpdate) => ({ time, path: pathText(path), value })),
      ...deleted.map((path) => ({ time, path: pathText(path), deleted: true })),
    ];
  });
  if (format === "text") return updates.map((update) => JSON.stringify(update)).join("\n");
  return { synced, ended, updates };
}

/** Servers of version 0.3 and before. */
function told({ code, message }: { readonly code: number; readonly message: string }): PluginError {
  return new PluginError("CommandError", `The device ended the subscription: ${message.slice(0, 1_000)}`, {
    grpc_status: code,
  });
}
