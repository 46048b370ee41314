/** Detects a pending confirmed commit of Junos from the comment of the newest revision. */
import { type Context, type NetconfSession, PluginError, xml } from "patchbay/plugin";
import { integer } from "../../common/numbers.ts";

export interface PendingCommit {
  /** Such as `re0-1616554286-559`. */
  readonly revision: string;
  /** Seconds. */
  readonly revertsIn: number;
  /** Empty if the device does not report it. */
  readonly user: string;
}

/** @throws PluginError CommandError if the device does not report revisions (before Junos 14.1) */
export async function pendingCommit(
  session: NetconfSession,
  ctx: Context,
): Promise<PendingCommit | undefined> {
  const operation = xml("get-commit-revision-information", {}, xml("detail"));
  const { root } = await session.rpc(operation, {}, ctx).catch((error) => {
    throw error instanceof PluginError && error.kind === "CommandError" ? tooOld(error) : error;
  });
  const [newest] = root.descendants("commit-revision-information");
  const minutes = /commit confirmed, rollback in (\d{1,6})mins/.exec(newest?.textOf("comment") ?? "")?.[1];
  if (newest === undefined || minutes === undefined) return undefined;
  const { root: uptime } = await session.rpc(xml("get-system-uptime-information"), {}, ctx);
  const now = uptime.descendants("current-time")[0]?.find("date-time")?.attribute("seconds");
  const committed = newest.find("date-time")?.attribute("seconds");
  const revertsIn = Number(minutes) * 60 - (integer(now, 0) - integer(committed, 0));
  if (revertsIn <= 0) return undefined;
  return { revision: newest.textOf("revision"), revertsIn, user: newest.textOf("user") };
}

function tooOld(cause: PluginError): PluginError {
  return new PluginError(
    "CommandError",
    `The device does not report pending commits (Junos does since 14.1): ${cause.message}`,
    { outcome: "none" },
    { cause },
  );
}
