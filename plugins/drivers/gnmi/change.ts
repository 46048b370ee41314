/** A push that can be undone: by the device's own timer if it has commit-confirmed, else its values are put back. */
import { type Change, type Context, type Hold, type OpenChange, withDetail } from "patchbay/plugin";
import { onAnySession, refusedWarns } from "../shared/push/another-session.ts";
import { leftOpen, openChange } from "../shared/push/open-change.ts";
import { requireAsBefore, secondsToHold } from "../shared/push/rollback.ts";
import { plain, read, shownText } from "./answers.ts";
import { type ConfigureArgs, mostRevertSeconds } from "./args.ts";
import { type Client, prefixOf, protoPath } from "./client.ts";
import { type CommitWord, hasCommits, newHandle } from "./commit.ts";
import { difference, type Edit, editsOf, refuse, type Snapshot, send, snapshots } from "./edit.ts";
import { isWildcard } from "./paths.ts";
import { GetRequest_DataType } from "./proto/gnmi_pb.ts";
import { encodings } from "./values.ts";

interface ChangeTools {
  readonly client: Client;
  /** A second connection, if the push has cut the first one. */
  another(ctx: Context): Promise<Client>;
  readonly hold?: Hold | undefined;
}

export async function change(
  text: string,
  args: ConfigureArgs,
  { client, another, hold }: ChangeTools,
  ctx: Context,
): Promise<Change> {
  const edits = editsOf(text, args, await client.encoding(args.encoding, ctx));
  const beforehand = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => Promise.reject(withDetail(error, { outcome: "none" })));
  const seconds = Math.min(mostRevertSeconds, Math.ceil(secondsToHold(ctx, hold?.seconds)));
  const isTimed = await beforehand(hasCommits(client, args, ctx));
  const before = await beforehand(snapshots(client, edits, args, ctx));
  const back = isTimed ? [] : restoring(edits, before);
  const whole = (by: Client, ctx: Context) => running(by, args, ctx);
  const wholeBefore = hold !== undefined && isTimed ? await beforehand(whole(client, ctx)) : "";

  const handle = newHandle();
  const word: CommitWord = { action: "commit", id: handle, seconds };
  const pushed = await send(client, { edits, args, ...(isTimed ? { word } : {}) }, ctx);
  const revertsAt = isTimed ? Date.now() + seconds * 1000 : undefined;
  const open =
    hold !== undefined && isTimed
      ? await leftOpen(hold, { before: wholeBefore, handle, running: () => whole(client, ctx) }, ctx)
      : {};
  const say = (action: "confirm" | "cancel") => (by: Client, ctx: Context) =>
    send(by, { edits: [], args, word: { action, id: handle } }, ctx);

  return {
    output: { ...(await difference(client, edits, before, args, ctx)), ...pushed },
    how: isTimed ? "confirmed_commit" : "replace",
    ...(revertsAt === undefined ? {} : { revertsAt }),
    ...open,
    async confirm(ctx) {
      if (isTimed) await say("confirm")(client, ctx);
    },
    undo: (ctx) =>
      onAnySession({ session: client, another }, ctx, async (by) => {
        if (isTimed) await refusedWarns(() => say("cancel")(by, ctx), ctx);
        else await send(by, { edits: back, args }, ctx);
        const after = await snapshots(by, edits, args, ctx);
        requireAsBefore(textOf(after), { configuration: textOf(before), revertsAt });
      }),
  };
}

const textOf = (list: readonly Snapshot[]) => list.map(({ text }) => text).join("\n");

/** One request that puts back what the edits touch. @throws PluginError DriverError, before anything is sent */
function restoring(edits: readonly Edit[], before: readonly Snapshot[]): readonly Edit[] {
  if (edits.some(({ operation }) => operation === "union_replace"))
    throw refuse(
      "A union_replace cannot be undone on this device: push it without checks and outside of a change.",
    );
  return before.flatMap(({ path, values }): readonly Edit[] => {
    if (values === undefined)
      throw refuse("The device does not show what would be edited, so it could not be put back.");
    const [only] = values;
    const remove: Edit = { operation: "delete", path };
    if (only === undefined) return isWildcard(path) ? [] : [remove];
    if (values.length === 1 && !isWildcard(path)) return [{ operation: "replace", ...only }];
    return [remove, ...values.map((value): Edit => ({ operation: "update", ...value }))];
  });
}

/** The whole configuration, as the history has it. */
async function running(client: Client, args: ConfigureArgs, ctx: Context): Promise<string> {
  const root = { origin: "", elem: [] };
  const prefix = prefixOf(undefined, args.target);
  const { notification } = await client.get(
    {
      ...(prefix === undefined ? {} : { prefix }),
      path: [protoPath(root)],
      type: GetRequest_DataType.CONFIG,
      encoding: encodings[await client.encoding(undefined, ctx)],
    },
    { seconds: args.timeout },
    ctx,
  );
  return shownText(plain(notification.map(read), root));
}

interface ReopenTools {
  readonly client: Client;
  readonly args: ConfigureArgs;
  readonly hold: Pick<Hold, "fingerprint">;
}

/** A push that another session left open. */
export function reopen(open: string, { client, args, hold }: ReopenTools, ctx: Context): Promise<OpenChange> {
  const say = (word: Omit<CommitWord, "id">, id: string | undefined, ctx: Context) =>
    send(client, { edits: [], args, word: { ...word, id: id ?? "" } }, ctx);
  return openChange(
    open,
    hold,
    {
      running: (ctx) => running(client, args, ctx),
      confirm: (handle, ctx) => say({ action: "confirm" }, handle, ctx),
      cancel: (handle, ctx) => say({ action: "cancel" }, handle, ctx),
      extend: (handle, seconds, ctx) =>
        say({ action: "extend", seconds: Math.min(mostRevertSeconds, seconds) }, handle, ctx),
    },
    ctx,
  );
}
