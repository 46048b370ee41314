/** Configuration sessions of a switch: their owners, pending confirmations, and abandoned sessions. */
import type { Context } from "patchbay/plugin";
import * as v from "valibot";
import { shaped } from "../../common/shape.ts";
import type { Pending } from "../../system.ts";
import { refused } from "./answer.ts";
import type { Transport } from "./transport.ts";

const sessionState = v.object({
  state: v.string(),
  commitUser: v.optional(v.string(), ""),
  commitBy: v.optional(v.number()),
});
const sessionList = v.object({
  sessions: v.optional(v.record(v.string(), sessionState), {}),
  /** Since 4.32. */
  commitTimerSessionName: v.optional(v.string(), ""),
  commitTimerExpireTime: v.optional(v.number()),
});

export interface SwitchSessions {
  /** Sessions that are still being edited. */
  readonly open: readonly string[];
  readonly pending: (Pending & { readonly handle: string }) | undefined;
}

export async function readSessions(transport: Transport, ctx: Context): Promise<SwitchSessions> {
  const commands = ["show configuration sessions detail", "show version"];
  const { results, refusal } = await transport.run(commands, "json", ctx);
  if (refusal !== undefined) throw refused(commands[refusal.at] ?? "", refusal);
  const { sessions, commitTimerSessionName, commitTimerExpireTime } = shaped(sessionList, results[0]);
  const { bootupTimestamp } = shaped(v.object({ bootupTimestamp: v.optional(v.number(), 0) }), results[1]);
  const entries = Object.entries(sessions);
  const waiting = entries.find(
    ([name, { state }]) => state === "pendingCommitTimer" || name === commitTimerSessionName,
  );
  const name = waiting?.[0] ?? (commitTimerSessionName || undefined);
  // Older releases count from the boot of the switch, newer ones from 1970.
  const since1970 =
    commitTimerExpireTime ??
    (waiting?.[1].commitBy === undefined ? undefined : bootupTimestamp + waiting[1].commitBy);
  const revertsIn =
    since1970 === undefined ? undefined : Math.max(0, Math.round(since1970 - Date.now() / 1000));
  const user = waiting?.[1].commitUser ?? "";
  return {
    open: entries.filter(([, { state }]) => state === "pending").map(([name]) => name),
    pending:
      name === undefined
        ? undefined
        : {
            handle: name,
            ...(revertsIn === undefined ? {} : { revertsIn }),
            ...(user === "" ? {} : { user }),
          },
  };
}
