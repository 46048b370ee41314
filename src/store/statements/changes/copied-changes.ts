/**
 * Changes of a copied or restored directory: the original may have gone on. What was under way pauses, devices that may
 * have got their lines since count as unknown, and the others are read again before they get theirs.
 */
import type { Statement } from "../../sql/statement.ts";

const why = "the data directory was copied or restored: it may have gone on where it was before";
const paused = "state in ('running', 'paused')";
const ended = "state in ('stopping', 'returning')";
const inWave = `${paused} and phase in ('reading', 'pushing')`;

/** @param at ms since 1970 */
export function holdChanges(at: number): Statement[] {
  return [
    {
      sql: `update change_targets set state = 'unknown', touched = 1, reason = :why
where state in ('pushing', 'returning', 'unconfirmed') and change_id in (select id from changes where ended_at is null)`,
      args: { why },
    },
    // The wave is submitted anew: what it has read is of another time.
    {
      sql: `update bulks set change_part = change_part || '.copied.' || id
where change_id in (select id from changes where ${inWave})
  and change_part not like '%.copied%' and change_part like 'wave.' || (select wave from changes where id = change_id) || '.%'`,
      args: {},
    },
    noted("paused", paused, at),
    noted("needs_person", ended, at),
    {
      sql: `update changes set state = 'paused', reason = :why, due_at = null, step = step + 1,
  slice_from = case when phase = 'left' then slice_from end, slice_to = case when phase = 'left' then slice_to end,
  phase = case when phase = 'pushing' then 'reading' else phase end where ${paused}`,
      args: { why },
    },
    {
      sql: `update changes set state = 'needs_person', reason = :why, due_at = null, phase = null, step = step + 1,
  ended_at = :at where ${ended}`,
      args: { why, at },
    },
  ];
}

/** The step that the move is. */
function noted(what: string, where: string, at: number): Statement {
  return {
    sql: `insert into change_steps (change_id, n, at, what, detail)
select id, step + 1, :at, :what, :why from changes where ${where} on conflict do nothing`,
    args: { at, what, why },
  };
}
