/** Opens the form of a change that gives devices back what they had before a push. */

import { carryReturn } from "../../carried.ts";
import { holds, may } from "../../reading/api.ts";
import { text } from "../../text/text.ts";

interface ReturnPushProps {
  readonly of: { readonly operation: string; readonly dry_run?: boolean | null | undefined };
  readonly devices: readonly string[];
  readonly select?: string | null | undefined;
  /** Of the push: ISO 8601. */
  readonly began: string;
  readonly ticket?: string | null | undefined;
}

export function ReturnPush({ of, devices, select, began, ticket }: ReturnPushProps) {
  const hasDevices = devices.length > 0 || Boolean(select);
  if (of.operation !== "config" || of.dry_run || !hasDevices || !may("operate") || !holds("history"))
    return null;
  return (
    <button type="button" class="quiet" onClick={() => carryReturn({ devices, select, began, ticket })}>
      {text.change.giveBack}
    </button>
  );
}
