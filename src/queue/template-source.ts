/** The text of a template: inline, or fetched by a device thread behind the operator's guard. */
import type { Deadline } from "../base/deadline.ts";
import { templateSource } from "../model/template-use.ts";
import type { Pool } from "../pool/port.ts";

export async function readTemplate(
  pool: Pool,
  template: string | undefined,
  deadline: Deadline,
  /** What the key of the caller may reach; empty: everything. */
  reach: readonly string[],
): Promise<{ source: string; trusted: boolean }> {
  const from = templateSource(template);
  if (from.kind === "library") return { source: "", trusted: false };
  if (from.kind === "inline") return { source: from.text, trusted: false };
  const { text } = await pool.run({ kind: "fetch", uri: from.uri, reach: [...reach] }, { deadline });
  return { source: text, trusted: from.kind === "file" };
}
