/** Gets the text of a template: inline, or fetched by a worker thread within the allowed sources. */

import { templateSource } from "../api/jobs/template-use.ts";
import { ServiceError } from "../base/errors.ts";
import type { Deadline } from "../base/time/deadline.ts";
import type { Pool } from "./port.ts";

export async function readTemplate(
  pool: Pool,
  template: string | undefined,
  deadline: Deadline,
  /** Host patterns of the key; empty: all hosts. */
  reach: readonly string[],
): Promise<{ source: string; trusted: boolean }> {
  const from = templateSource(template);
  if (from.kind === "library") return { source: "", trusted: false };
  if (from.kind === "inline") return { source: from.text, trusted: false };
  if (from.kind === "stored")
    throw new ServiceError("BadRequest", "A stored template is not used at this place: give its text.");
  const { text } = await pool.run({ kind: "fetch", uri: from.uri, reach: [...reach] }, { deadline });
  return { source: text, trusted: from.kind === "file" };
}
