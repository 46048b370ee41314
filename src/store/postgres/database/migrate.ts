/**
 * Upgrades the schema at the start: all that is missing in one transaction, since PostgreSQL undoes changes of tables
 * as well. Nodes that start at once wait for each other. An older program refuses a newer database.
 */
import type { Migration } from "../../../../migrations/index.ts";
import { migrations } from "../../../../migrations/postgres/index.ts";
import { ServiceError } from "../../../base/errors.ts";
import { chosen } from "../../sql/notation.ts";
import { rowShape, text } from "../../sql/rows.ts";
import type { Connection } from "./connection.ts";

const nameRow = rowShape({ name: text("name") });
const selectNames = { sql: `select ${nameRow.columns} from migrations`, args: {} };

/** @param transact runs statements under the lock of upgrades, in one transaction */
export async function migrate(
  transact: (work: (run: (sql: string) => Promise<string[]>) => Promise<void>) => Promise<void>,
  steps: readonly Migration[] = migrations,
): Promise<void> {
  await transact(async (run) => {
    await run(`create table if not exists migrations (name text collate "C" primary key)`);
    const names = await run(chosen(selectNames.sql, "postgres"));
    const unknown = unknownOf(names, steps);
    if (unknown.length > 0) (await import("../../move/marks.ts")).requireUnmoved(unknown);
    const missing = steps.filter(({ name }) => !names.includes(name));
    // A newer version knows all of ours.
    if (unknown.length > 0 && missing.length > 0)
      throw new ServiceError(
        "Internal",
        "A stored row of the table migrations is damaged (a name is unknown, and one of ours is missing)",
      );
    if (unknown.length > 0) {
      const text = `The database was made by a newer version of Patchbay (it knows ${unknown.join(", ")}): start that version, or restore a backup.`;
      throw new ServiceError("Unavailable", text);
    }
    for (const { name, statements } of missing) {
      for (const statement of statements) await run(statement);
      await run(`insert into migrations (name) values ('${name}')`);
    }
  });
}

/** Steps of a newer version that have been applied to the database, and that this program does not know. */
export async function unknownSteps(connection: Pick<Connection, "read">): Promise<readonly string[]> {
  return unknownOf(
    nameRow.read(await connection.read(selectNames)).map(({ name }) => name),
    migrations,
  );
}

function unknownOf(names: readonly string[], steps: readonly Migration[]): readonly string[] {
  return names.filter((name) => !steps.some((step) => step.name === name));
}
