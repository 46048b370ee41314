/** Brings the schema up to date at start, one transaction a step; an older program refuses a newer database. */

import { type Migration, migrations } from "../../../migrations/index.ts";
import { ServiceError } from "../../base/errors.ts";
import type { Connection, Statement } from "./connect.ts";
import { faultOf } from "./faults.ts";

export async function migrate(link: Connection, steps: readonly Migration[] = migrations): Promise<void> {
  await link.batch([plain("create table if not exists migrations (name text primary key not null)")]);
  const done = await applied(link);
  const unknown = done.filter((name) => !steps.some((step) => step.name === name));
  if (unknown.length > 0) {
    const text = `The database was made by a newer version of Patchbay (it knows ${unknown.join(", ")}): start that version, or restore a backup.`;
    throw new ServiceError("Unavailable", text);
  }
  for (const step of steps) {
    if (done.includes(step.name)) continue;
    const record = { sql: "insert into migrations (name) values (?)", args: [step.name] };
    try {
      // The record comes first: where two nodes start at once, the second one stops at it.
      await link.batch([record, ...step.statements.map(plain)]);
    } catch (error) {
      if (faultOf(error) === "refused" && (await applied(link)).includes(step.name)) continue;
      throw error;
    }
  }
}

async function applied(link: Connection): Promise<string[]> {
  const { rows } = await link.read(plain("select name from migrations"));
  return rows.map((row) => String(row[0]));
}

function plain(sql: string): Statement {
  return { sql, args: [] };
}
