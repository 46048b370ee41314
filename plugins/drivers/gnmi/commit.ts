/** Commit-confirmed: an extension of gNMI by which a device rolls a push back unless it is confirmed in time. */
import { randomUUID } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Context, PluginError } from "patchbay/plugin";
import type { ConfigureArgs } from "./args.ts";
import { type Client, prefixOf } from "./client.ts";
import type { ExtensionSchema } from "./proto/gnmi_pb.ts";

export interface CommitWord {
  readonly action: "commit" | "confirm" | "cancel" | "extend";
  readonly id: string;
  /** Of the timer. */
  readonly seconds?: number;
}

export const newHandle = (): string => `patchbay-${randomUUID().slice(0, 8)}`;

export function commitExtension({
  action,
  id,
  seconds = 0,
}: CommitWord): MessageInitShape<typeof ExtensionSchema> {
  const rollbackDuration = { seconds: BigInt(Math.ceil(seconds)) };
  const value = {
    commit: { case: "commit", value: { rollbackDuration } },
    confirm: { case: "confirm", value: {} },
    cancel: { case: "cancel", value: {} },
    extend: { case: "setRollbackDuration", value: { rollbackDuration } },
  } as const;
  return { ext: { case: "commit", value: { id, action: value[action] } } };
}

/**
 * Whether the device reads the extension, which nothing says: a request without edits that confirms a commit which nobody
 * began must be refused, and not as one is that has no such word. A device that ignores the extension would do the push
 * and keep it.
 */
export async function hasCommits(
  client: Client,
  { prefix, target, timeout }: Pick<ConfigureArgs, "prefix" | "target" | "timeout">,
  ctx: Context,
): Promise<boolean> {
  const head = prefixOf(prefix, target);
  const request = head === undefined ? {} : { prefix: head };
  const answered = async (word?: CommitWord): Promise<string> => {
    try {
      const extension = word === undefined ? [] : [commitExtension(word)];
      await client.set({ ...request, extension }, { seconds: timeout }, ctx);
      return "";
    } catch (error) {
      if (!(error instanceof PluginError) || error.kind !== "CommandError") throw error;
      return refusals.has(error.detail?.grpc_status) ? error.message : "";
    }
  };
  const refused = await answered({ action: "confirm", id: newHandle() });
  return refused !== "" && (await answered()) !== refused;
}

/** INVALID_ARGUMENT and FAILED_PRECONDITION, as the specification has it, and NOT_FOUND. */
const refusals: ReadonlySet<unknown> = new Set([3, 5, 9]);
