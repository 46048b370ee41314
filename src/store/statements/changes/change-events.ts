/** What happened to changes, in the order of all: read by position, as triggers wrote it; and its trace in the ledger. */
import type { Changes } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { fieldsOf, number, orNull, rowShape, text } from "../../sql/rows.ts";
import { changeEvents, changes } from "../../tables.ts";

/** An event with its change, and its step if it has one. */
const eventRow = rowShape({
  n: number("event_n", "e.n"),
  changeId: text("change_id", "e.change_id"),
  step: number("step", "e.step"),
  at: number("at", "e.at"),
  event: orNull(text("event", "e.event")),
  state: text("state", "e.state"),
  wave: number("wave", "e.wave"),
  name: text("change_name", "c.name"),
  holder: text("holder", "c.holder"),
  hash: orNull(text("hash", "c.hash")),
  what: orNull(text("what", "s.what")),
  who: orNull(text("who", "s.who")),
  detail: orNull(text("detail", "s.detail")),
});
const eventSource = `from change_events e join changes c on c.id = e.change_id
  left join change_steps s on s.change_id = e.change_id and s.n = e.step`;
const lastRow = rowShape({ n: orNull(number("n", "max(n)")) });
const plannedRow = rowShape({ at: orNull(number("planned", "min(at)")) });
const stateRow = rowShape({ ...fieldsOf(changes, "state"), count: number("count", "count(*)") });
const waveRow = rowShape({ ...fieldsOf(changeEvents, "wave"), at: number("begun", "min(at)") });
const entriesRow = rowShape({
  count: number("count", "count(*)"),
  first: orNull(number("first", "min(seq)")),
  last: orNull(number("last", "max(seq)")),
});

export function createChangeEvents(
  database: Database,
): Pick<
  Changes,
  "events" | "event" | "lastEvent" | "plannedAt" | "openByState" | "wavesBegun" | "ledgerEntries"
> {
  return {
    async events(after, limit) {
      return database.list(eventRow, {
        sql: `select ${eventRow.columns} ${eventSource} where e.n > :after order by e.n limit :limit`,
        args: { after, limit },
      });
    },

    async event(n) {
      const [found] = await database.list(eventRow, {
        sql: `select ${eventRow.columns} ${eventSource} where e.n = :n`,
        args: { n },
      });
      return found;
    },

    async lastEvent() {
      const [last] = await database.list(lastRow, {
        sql: `select ${lastRow.columns} from change_events`,
        args: {},
      });
      return last?.n ?? 0;
    },

    async plannedAt(id) {
      const [planned] = await database.list(plannedRow, {
        sql: `select ${plannedRow.columns} from change_events
where change_id = :id and state in ('waiting_approval', 'approved')
  and n > (select coalesce(max(n), 0) from change_events where change_id = :id and state = 'planning')`,
        args: { id },
      });
      return planned?.at ?? undefined;
    },

    openByState: () =>
      database.list(stateRow, {
        sql: `select ${stateRow.columns} from changes indexed by changes_open where ended_at is null group by state`,
        args: {},
      }),

    async wavesBegun(id) {
      const rows = await database.list(waveRow, {
        sql: `select ${waveRow.columns} from change_events where change_id = :id and wave > 0 group by wave`,
        args: { id },
      });
      return new Map(rows.map(({ wave, at }) => [wave, at]));
    },

    async ledgerEntries(id) {
      const [entries] = await database.list(entriesRow, {
        sql: `select ${entriesRow.columns} from ledger where ref in (
  select id from jobs where bulk_id in (select id from bulks where change_id = :id and operation = 'config')
  union select job_id from change_targets where change_id = :id
  union select return_job_id from change_targets where change_id = :id)`,
        args: { id },
      });
      if (entries === undefined || entries.first === null || entries.last === null) return undefined;
      return { count: entries.count, first: entries.first, last: entries.last };
    },
  };
}
