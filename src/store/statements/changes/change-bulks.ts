/** The bulks that were submitted for parts of changes. */
import { type ChangeBulk, type Changes, changeParts } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { fieldsOf, rowShape, text } from "../../sql/rows.ts";
import { bulks } from "../../tables.ts";

const bulkIdRow = rowShape(fieldsOf(bulks, "id"));
const partRow = rowShape({ ...fieldsOf(bulks, "id"), part: text("part", "change_part") });

export function createBulksOfChanges(database: Database): Pick<Changes, "bulkOf" | "partsOf" | "bulks"> {
  const partRows = (id: string) =>
    database.list(partRow, {
      sql: `select ${partRow.columns} from bulks where change_id = :id order by seq`,
      args: { id },
    });

  return {
    async bulkOf(id, part) {
      const [bulk] = await database.list(bulkIdRow, {
        sql: `select ${bulkIdRow.columns} from bulks
where change_id = :id and change_id is not null and change_part = :part`,
        args: { id, part },
      });
      return bulk?.id;
    },

    async partsOf(id) {
      return new Set((await partRows(id)).map(({ part }) => part));
    },

    async bulks(id) {
      const rows = await partRows(id);
      return rows.flatMap(({ id: bulkId, part }): ChangeBulk[] => {
        const read = changeParts.read(part);
        return read === undefined ? [] : [{ ...read, bulkId }];
      });
    },
  };
}
