/** What the oldest entry follows: the beginning, or the checkpoint up to which retention deletes. */
import type { Store, StoredCheckpoint } from "../store/port.ts";

/**
 * The checkpoint that the newest end of retention names; undefined: there was none. Entries up to it may still be there,
 * as they are deleted in batches.
 */
export async function cutBase({ ledger }: Pick<Store, "ledger">): Promise<StoredCheckpoint | undefined> {
  const [cut] = await ledger.page({ kind: "ledger.cut" }, 1);
  const upTo = Number(/^cut:(\d{1,15})$/.exec(cut?.ref ?? "")?.[1]);
  if (Number.isNaN(upTo)) return undefined;
  const [base] = await ledger.checkpoints(upTo, 1);
  return base?.seq === upTo ? base : undefined;
}
