/** Whether what was acknowledged survives the loss of a machine, as the server is set. */

import { number, rowShape, text, truth } from "../../sql/rows.ts";
import type { Connection } from "./connection.ts";

const settingsRow = rowShape({
  commit: text("commit", "current_setting('synchronous_commit')"),
  isSynced: truth("is_synced", "current_setting('fsync')::boolean"),
  isWhole: truth("is_whole", "current_setting('full_page_writes')::boolean"),
  names: text("names", "current_setting('synchronous_standby_names')"),
  standbys: number("standbys", "(select count(*) from pg_stat_replication where state = 'streaming')"),
  synchronous: number(
    "synchronous",
    "(select count(*) from pg_stat_replication where sync_state in ('sync', 'quorum'))",
  ),
});

/**
 * @param rivals servers that accept writes that the primary does not get
 * @returns sentences for the operator, with what to set
 */
export async function doubtsOf(
  connection: Pick<Connection, "read">,
  rivals: readonly string[],
): Promise<string[]> {
  const others = rivals.map(
    (place) =>
      `${place} accepts writes too, and is not the primary: stop it, since a node that reaches only this one uses it`,
  );
  return [...(await settingDoubts(connection)), ...others];
}

async function settingDoubts(connection: Pick<Connection, "read">): Promise<string[]> {
  const [found] = settingsRow.read(await connection.read({ sql: `select ${settingsRow.columns}`, args: {} }));
  if (found === undefined) return [];
  const { commit, isSynced, isWhole, names, standbys, synchronous } = found;
  const hasNames = names.trim() !== "";
  return [
    ...(isSynced ? [] : ["fsync is off: a crash of the server damages the database"]),
    ...(isWhole ? [] : ["full_page_writes is off: a crash of the server may damage the database"]),
    ...(commit === "off"
      ? ["synchronous_commit is off: a crash of the server forgets acknowledged jobs"]
      : []),
    ...(standbys > 0 && !hasNames
      ? [
          "there are standbys, and synchronous_standby_names is empty: a fail-over forgets acknowledged jobs and what was sent to devices",
        ]
      : []),
    ...(hasNames && (commit === "local" || commit === "off")
      ? [
          `synchronous_commit is ${commit}: commits do not wait for the standbys of synchronous_standby_names, and a fail-over forgets acknowledged jobs`,
        ]
      : []),
    ...(hasNames && standbys > 0 && synchronous === 0
      ? ["no connected standby is one of synchronous_standby_names: commits wait, or wait for none"]
      : []),
  ];
}
