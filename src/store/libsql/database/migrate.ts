/** Runs schema migrations at startup, one transaction per step. An older program refuses a newer database. */

import { type Migration, migrations, schema } from "../../../../migrations/index.ts";
import { ServiceError } from "../../../base/errors.ts";
import { rowShape, text } from "../../sql/rows.ts";
import type { Statement } from "../../sql/statement.ts";
import type { Connection } from "./connection.ts";
import { faultOf } from "./faults.ts";

const migrationRow = rowShape({ name: text("name") });

/** @param exclusively taken before an existing database is changed: it throws if a process works with it. */
export async function migrate(
  connection: Connection,
  steps: readonly Migration[] = migrations,
  exclusively?: () => Promise<{ release(): void }>,
): Promise<void> {
  await connection.batch([plain("create table if not exists migrations (name text primary key not null)")]);
  const appliedNames = await applied(connection);
  const unknown = unknownOf(appliedNames, steps);
  if (unknown.length > 0) (await import("../../move/marks.ts")).requireUnmoved(unknown);
  // A newer version knows all of ours.
  const isRenamed = unknown.length > 0 && steps.some(({ name }) => !appliedNames.includes(name));
  if (isRenamed) {
    const text =
      "A stored row of the table migrations is damaged (a name is unknown, and one of ours is missing)";
    throw new ServiceError("Internal", text);
  }
  if (unknown.length > 0) {
    const text = `The database was made by a newer version of Patchbay (it knows ${unknown.join(", ")}): start that version, or restore a backup.`;
    throw new ServiceError("Unavailable", text);
  }
  if (appliedNames.length === 0 && (await allAtOnce(connection, steps))) return;
  const missing = steps.filter(({ name }) => !appliedNames.includes(name));
  const lock = missing.length === 0 || appliedNames.length === 0 ? undefined : await exclusively?.();
  try {
    for (const step of missing) await apply(connection, step);
  } finally {
    lock?.release();
  }
}

async function apply(connection: Connection, step: Migration): Promise<void> {
  try {
    await connection.batch(statementsOf(step));
  } catch (error) {
    if (faultOf(error) === "refused" && (await applied(connection)).includes(step.name)) return;
    throw error;
  }
}

/** Steps of a newer version that have been applied to the database, and that this program does not know. */
export async function unknownSteps(connection: Pick<Connection, "read">): Promise<readonly string[]> {
  return unknownOf(await applied(connection), migrations);
}

function unknownOf(names: readonly string[], steps: readonly Migration[]): readonly string[] {
  return names.filter((name) => !steps.some((step) => step.name === name));
}

/** Creates a new database in one transaction, with a single fsync: there is no data to preserve between steps. */
async function allAtOnce(connection: Connection, steps: readonly Migration[]): Promise<boolean> {
  try {
    await connection.batch(ofNew(steps));
    return true;
  } catch (error) {
    // Another node has started migrating: the step-by-step loop finds out what is left.
    if (faultOf(error) === "refused") return false;
    throw error;
  }
}

/** All of our own steps are one: what they come to. */
function ofNew(steps: readonly Migration[]): Statement[] {
  if (migrations.some((own, at) => steps[at] !== own)) return steps.flatMap(statementsOf);
  const further = steps.slice(migrations.length);
  return [...migrations.map(recordOf), ...schema.map(plain), ...further.flatMap(statementsOf)];
}

/** The record is inserted first: if two nodes start at once, the second one fails on it. */
function statementsOf(step: Migration): Statement[] {
  return [recordOf(step), ...step.statements.map(plain)];
}

function recordOf({ name }: Migration): Statement {
  return { sql: "insert into migrations (name) values (:name)", args: { name } };
}

async function applied(connection: Pick<Connection, "read">): Promise<string[]> {
  const rows = await connection.read(plain(`select ${migrationRow.columns} from migrations`));
  return migrationRow.read(rows).map(({ name }) => name);
}

function plain(sql: string): Statement {
  return { sql, args: {} };
}
