/** The record of lines, by their shapes. */

import { withoutRepeats } from "../../batches.ts";
import type { LineEvidence } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { fieldsOf, number, rowShape } from "../../sql/rows.ts";
import { givenTable, type Statement } from "../../sql/statement.ts";
import { written } from "../../sql/written.ts";
import { namesBut } from "../../tables/columns.ts";
import { lineEvidence } from "../../tables.ts";

const row = rowShape(fieldsOf(lineEvidence, ...namesBut(lineEvidence)));
const given = written(lineEvidence, ...namesBut(lineEvidence, "lastAt"));
const countRow = rowShape({ count: number("rows", "count(*)") });

const rowsAtOnce = 200;
const trimmedAtOnce = 500;
/** No caller waits for it. */
const patienceMs = 10_000;

type Evidence = Parameters<LineEvidence["add"]>[0][number];
const keyOf = ({ platform, section, shape, versionMajor }: Evidence) =>
  JSON.stringify([platform, section, shape, versionMajor]);

export function createLineEvidence(database: Database): LineEvidence {
  const { cipher } = database;

  function upsert(evidence: readonly Evidence[], at: number): Statement {
    const rows = givenTable(
      "given",
      given.types,
      evidence.map((one) => given.values(cipher, one)),
    );
    return {
      sql: `with ${rows.definition}
insert into line_evidence (${given.columns}, last_at) select ${given.columns}, :at from given where true
on conflict (platform, section, shape, version_major) do update set
  accepted = line_evidence.accepted + excluded.accepted, refused = line_evidence.refused + excluded.refused,
  sample_error = coalesce(excluded.sample_error, line_evidence.sample_error),
  last_at = greatest(line_evidence.last_at, excluded.last_at)`,
      args: { ...rows.args, at },
    };
  }

  const count = async () => {
    const [found] = await database.list(countRow, {
      sql: `select ${countRow.columns} from line_evidence`,
      args: {},
    });
    return found?.count ?? 0;
  };

  return {
    async add(evidence, at) {
      const statements: Statement[] = [];
      for (const group of withoutRepeats(evidence, keyOf))
        for (let start = 0; start < group.length; start += rowsAtOnce)
          statements.push(upsert(group.slice(start, start + rowsAtOnce), at));
      if (statements.length > 0) await database.write(statements, { patienceMs });
    },

    find: (platform, { shapes, sections }, limit) =>
      database.list(row, {
        sql: `select ${row.columns} from line_evidence where platform = :platform and shape in :shapes
union select * from (select ${row.columns} from line_evidence
  where platform = :platform and section in :sections and accepted > 0
  order by accepted desc limit :limit) t1`,
        args: { platform, shapes, sections, limit },
      }),

    page: (platform, behind, limit) =>
      database.list(row, {
        sql: `select ${row.columns} from line_evidence where (:platform is null or platform = :platform)
  and (:after is null or (platform, section, shape, version_major) > (:after, :section, :shape, :major))
order by platform, section, shape, version_major limit :limit`,
        args: {
          ...{ platform: platform ?? null, limit, after: behind?.platform ?? null },
          ...{ major: behind?.versionMajor ?? null, section: behind?.section ?? null },
          shape: behind?.shape ?? null,
        },
      }),

    count,

    async trim(most) {
      const [result] = await database.write(
        [
          {
            sql: `delete from line_evidence where rowid in
  (select rowid from line_evidence order by last_at limit :most)`,
            args: { most: Math.min(most, trimmedAtOnce) },
          },
        ],
        { essential: true },
      );
      return result?.changes ?? 0;
    },
  };
}
