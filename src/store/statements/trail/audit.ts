/**
 * The audit trail: standalone entries, and statements that add an entry to the transaction of the change it describes.
 */
import { yieldToEventLoop } from "../../../base/time/yield.ts";
import type { Actor, Audit, NewAuditEntry } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { outOfIndexes } from "../../sql/notation.ts";
import { fieldsOf, rowShape } from "../../sql/rows.ts";
import type { Args, Statement } from "../../sql/statement.ts";
import { written } from "../../sql/written.ts";
import { namesBut, placeOf } from "../../tables/columns.ts";
import { audit } from "../../tables.ts";

const entryRow = rowShape(fieldsOf(audit, ...namesBut(audit)));
type EntryRow = ReturnType<typeof entryRow.read>[number];

export function createAudit(database: Database): Audit {
  return {
    async add(entry) {
      await database.write([addEntry(database, entry, { sql: "true", args: {} })]);
    },

    async page({ since, until, beforeId }, limit) {
      // Ids follow the order of times unless the clock was set back. The page lies between the first id of one time and
      // the last id of the other, so nothing is sorted and no other row is read, however many there are.
      const conditions = (beforeId: number | undefined) => {
        const terms = [
          ...(since === undefined
            ? []
            : [
                `${outOfIndexes("at", "number")} >= :since`,
                "id >= (select id from audit indexed by audit_at where at >= :since order by at, id limit 1)",
              ]),
          ...(until === undefined
            ? []
            : [
                `${outOfIndexes("at", "number")} < :until`,
                "id <= (select id from audit indexed by audit_at where at < :until order by at desc, id desc limit 1)",
              ]),
          ...(beforeId === undefined ? [] : ["id < :before_id"]),
        ];
        return terms.length === 0 ? "" : `where ${terms.join(" and ")} `;
      };
      const select = (beforeId: number | undefined, limit: number) => ({
        sql: `select ${entryRow.columns} from audit
${conditions(beforeId)}order by id desc limit :limit`,
        args: {
          limit,
          ...(since === undefined ? {} : { since }),
          ...(until === undefined ? {} : { until }),
          ...(beforeId === undefined ? {} : { before_id: beforeId }),
        },
      });
      const entries: EntryRow[] = [];
      for (let position = beforeId; ; ) {
        const left: number = limit - entries.length;
        const { rows, damaged } = database.readable(entryRow, await database.read(select(position, left)));
        entries.push(...rows);
        // Fewer entries than asked for are the end, so others are read in place of the damaged ones.
        if (damaged.length === 0 || rows.length + damaged.length < left) break;
        const ids = [...rows, ...damaged.map(({ fields }) => fields)].flatMap(({ id }) => id ?? []);
        position = Math.min(...ids);
        await yieldToEventLoop();
      }
      return entries.map(({ asked, ...row }) => ({
        ...row,
        asked: asked ? (database.cipher.tryOpen(asked, placeOf(audit.asked, row.jobId ?? "")) ?? null) : null,
      }));
    },
  };
}

/**
 * Adds an entry if the condition holds; it runs before the change it describes.
 * @param detail SQL expression
 */
export function addEntry(
  { cipher, clock }: Database,
  entry: NewAuditEntry,
  condition: { readonly sql: string; readonly args: Args },
  detail = ":entry_detail",
): Statement {
  const at = clock.wall();
  const values = newEntry.values(cipher, {
    at,
    endedAt: at,
    who: whoOf(entry.caller),
    from: entry.caller.from,
    action: entry.action,
    host: entry.host,
    jobId: entry.jobId,
    outcome: entry.outcome,
    detail: entry.detail,
    submitterKind: entry.caller.submitter?.kind,
    submitter: entry.caller.submitter?.name,
  });
  return {
    sql: `insert into audit (${newEntry.columns})
select ${newEntry.names.map((name) => (name === "detail" ? detail : `:entry_${name}`)).join(", ")}
where ${condition.sql}`,
    args: {
      ...condition.args,
      // Named apart from the arguments of the condition.
      ...Object.fromEntries(Object.entries(values).map(([name, value]) => [`entry_${name}`, value])),
    },
  };
}

const newEntry = written(
  audit,
  ...namesBut(audit, "id", "asked", "bulkId", "ticket", "device", "sentSha256"),
);

export function whoOf({ name, keyId }: Actor): string {
  return `${name} (${keyId})`;
}
