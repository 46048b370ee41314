/** Ends a push that another job has left open, if what it left still runs: confirms or cancels it; or lets it wait longer. */
import { createHmac } from "node:crypto";
import type { OpenEnd } from "../../api/jobs/request.ts";
import { ServiceError } from "../../base/errors.ts";
import type { Context, DriverPlugin, FoundRunning, Outputs, Session } from "../../plugin/index.ts";
import type { ConfigureTask } from "../../protocol/task.ts";
import { lacks, recordIntent } from "../operation.ts";

export interface EndOpen {
  readonly session: Session;
  readonly plugin: DriverPlugin;
  readonly task: ConfigureTask & { readonly ends: OpenEnd; readonly markKey: string };
  /** Output of the schema. */
  readonly args: unknown;
  readonly ctx: Context;
}

/** @throws ServiceError with `detail.found`: `before` (the device has rolled it back by itself) or `other` */
export async function endOpen({ session, plugin, task, args, ctx }: EndOpen): Promise<Outputs> {
  const { word, open } = task.ends;
  const command = task.lines.join("\n");
  if (session.reopen === undefined) throw lacks(plugin.name, "reopen");
  const reading = { ...ctx, announce() {} };
  const marks = { fingerprint: fingerprintBy(task.markKey) };
  const change = await session.reopen(open, args, reading, marks);
  if (word === "cancel" && change.running === "before") return [{ command, output: alreadyBack }];
  requirePushed(change.running, "none");
  const { extend } = change;
  if (word === "extend" && extend === undefined) throw lacks(plugin.name, "extend");
  await recordIntent(plugin, task, args, ctx);
  if (word === "extend") {
    await extend?.(task.ends.seconds, ctx);
    return [{ command, output: "extended" }];
  }
  if (word === "cancel") {
    await change.undo(ctx);
    return [{ command, output: "rolled back" }];
  }
  await change.confirm(ctx);
  // Some devices answer a confirmation that comes too late as one in time.
  requirePushed((await session.reopen(open, args, reading, marks)).running, "unknown");
  return [{ command, output: "confirmed" }];
}

function requirePushed(running: FoundRunning, outcome: "none" | "unknown"): void {
  if (running === "pushed") return;
  const found = running === "before" ? "before" : "other";
  throw new ServiceError("CommandError", words[found], { outcome, found });
}

const alreadyBack = "the device had rolled it back by itself";
const words = {
  before: "The commit was not confirmed in time: the device has rolled it back by itself.",
  other: "What runs is not what the push left: somebody else has changed it.",
};

/** Of different use than the marks of secrets, which have the same key. */
export const fingerprintBy = (markKey: string) => (text: string) =>
  createHmac("sha256", markKey).update("configuration\0").update(text).digest("hex");
