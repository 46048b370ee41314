/** A push that is left open, and its end by another session. */
import {
  type Context,
  comparableConfiguration,
  type FoundRunning,
  type Hold,
  type OpenChange,
  PluginError,
} from "patchbay/plugin";
import * as v from "valibot";
import { messageOf } from "../message.ts";
import { refusedWarns } from "./another-session.ts";

const openMarks = v.object({
  /** Marks of the running configuration before the push and after it. */
  before: v.string(),
  after: v.string(),
  /** The device's name for the commit. */
  handle: v.exactOptional(v.string()),
});
type OpenMarks = v.InferOutput<typeof openMarks>;

export const openText = (marks: OpenMarks): string => JSON.stringify(marks);

/** @throws PluginError DriverError: it is of another version */
export function readOpen(text: string): OpenMarks {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), openMarks), text);
  if (read.success) return read.output;
  throw new PluginError("DriverError", "What is stored of the open push cannot be read.", {
    outcome: "none",
  });
}

interface Left {
  /** The running configuration before the push. */
  readonly before: string;
  readonly handle: string | undefined;
  /** Configuration lines that change on their own. */
  readonly ignore?: readonly RegExp[] | undefined;
  running(): Promise<string>;
}

/** A push whose text cannot be read is not left open: nobody could tell later what became of it. */
export async function leftOpen(
  { fingerprint }: Hold,
  { before, handle, ignore, running }: Left,
  ctx: Context,
): Promise<{ readonly open?: string }> {
  const marked = (text: string) => fingerprint(comparableConfiguration(text, ignore));
  try {
    const marks = { before: marked(before), after: marked(await running()) };
    return { open: openText({ ...marks, ...(handle === undefined ? {} : { handle }) }) };
  } catch (error) {
    ctx.warn(`the push is not left open: ${messageOf(error)}`);
    return {};
  }
}

interface Words {
  readonly ignore?: readonly RegExp[] | undefined;
  running(ctx: Context): Promise<string>;
  confirm(handle: string | undefined, ctx: Context): Promise<unknown>;
  cancel(handle: string | undefined, ctx: Context): Promise<unknown>;
  /** Starts its timer anew. */
  extend?: ((handle: string | undefined, seconds: number, ctx: Context) => Promise<unknown>) | undefined;
}

/** A push that another session left open. */
export async function openChange(
  open: string,
  { fingerprint }: Pick<Hold, "fingerprint">,
  { ignore, running, confirm, cancel, extend }: Words,
  ctx: Context,
): Promise<OpenChange> {
  const { handle, before, after } = readOpen(open);
  async function found(ctx: Context): Promise<FoundRunning> {
    const now = fingerprint(comparableConfiguration(await running(ctx), ignore));
    if (now === before) return "before";
    return now === after ? "pushed" : "other";
  }
  return {
    running: await found(ctx),
    confirm: (ctx) => confirm(handle, ctx),
    async undo(ctx) {
      await refusedWarns(() => cancel(handle, ctx), ctx);
      const left = await found(ctx);
      if (left !== "before") throw notBefore(left);
    },
    ...(extend === undefined ? {} : { extend: (seconds, ctx) => extend(handle, seconds, ctx) }),
  };
}

function notBefore(running: FoundRunning): PluginError {
  return running === "pushed"
    ? new PluginError("CommandError", "The push was not rolled back: it still runs.", { outcome: "none" })
    : new PluginError(
        "CommandError",
        "The push was rolled back, but what runs now is not what ran before it: somebody else has changed it.",
        { outcome: "unknown" },
      );
}
