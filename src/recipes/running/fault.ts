/** Why the jobs of a step have failed, in a sentence: by type of error, with the first devices of each. */
import type { BulkResult } from "../../api/jobs/bulk.ts";
import type { Caller } from "../../auth/port.ts";
import { RawJson } from "../../base/json/json.ts";
import { isRecord } from "../../base/json/members.ts";
import type { Jobs } from "../../jobs/port.ts";

/** Failed jobs that are looked at for names, types that are told, and names of each. */
const most = { jobs: 100, types: 5, names: 5 } as const;

interface Counts {
  readonly total: number;
  readonly failed: number;
  readonly cancelled: number;
}

/** `2 of 3 jobs have not finished: 2 failed (AuthenticationFailed 2: sw1, sw2)`; null: all have. */
export async function faultOf(
  bulk: string,
  { total, failed, cancelled }: Counts,
  { error_types }: Pick<BulkResult, "error_types">,
  { jobs, owner }: { readonly jobs: Pick<Jobs, "page">; readonly owner: Caller },
): Promise<string | null> {
  if (failed + cancelled === 0) return null;
  const names = failed === 0 ? new Map<string, string[]>() : await namesByType(bulk, jobs, owner);
  const types = Object.entries(error_types).sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
  const causes = types.slice(0, most.types).map(([type, count]) => {
    const known = names.get(type) ?? [];
    const said = known.slice(0, most.names).join(", ");
    const more = count > most.names && known.length > most.names ? ` and ${count - most.names} more` : "";
    return `${type} ${count}${said === "" ? "" : `: ${said}${more}`}`;
  });
  const rest = types.length > most.types ? `; ${types.length - most.types} other types` : "";
  const why = causes.length === 0 ? "" : ` (${causes.join("; ")}${rest})`;
  const parts = [
    ...(failed > 0 ? [`${failed} failed${why}`] : []),
    ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
  ];
  return `${failed + cancelled} of ${total} jobs have not finished: ${parts.join(", ")}`;
}

async function namesByType(
  bulk: string,
  jobs: Pick<Jobs, "page">,
  owner: Caller,
): Promise<ReadonlyMap<string, string[]>> {
  const found = new Map<string, string[]>();
  const { pieces } = await jobs.page({ bulk_id: bulk, status: "failed" }, owner, { limit: most.jobs });
  for await (const piece of pieces)
    for (const { device, host, result } of piece) {
      const read: unknown = result instanceof RawJson ? JSON.parse(result.text) : result;
      const error = isRecord(read) && isRecord(read.error) ? read.error : undefined;
      if (typeof error?.type !== "string") continue;
      found.set(error.type, [...(found.get(error.type) ?? []), device ?? host].sort());
    }
  return found;
}
