/** The hash by which the ledger and the audit trail name what a push sent and received. */
import { createHash } from "node:crypto";

/** SHA-256, in hex. @param dialogue what the device answered; null: it is not known */
export function hashOfSent(lines: readonly string[], dialogue: string | null): string {
  return createHash("sha256")
    .update([...lines, dialogue ?? ""].join("\n"))
    .digest("hex");
}
