/** Stored credentials, encrypted in the database, so that all nodes sharing it can use them. */
import * as v from "valibot";
import { credentialLimits } from "../../../api/access/credential.ts";
import type { Credentials, NewAuditEntry } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { bytes, fieldsOf, rowShape } from "../../sql/rows.ts";
import { written } from "../../sql/written.ts";
import { namesBut, placeOf } from "../../tables/columns.ts";
import { credentials } from "../../tables.ts";
import { holderTerms, writerFields, writerOf } from "../jobs/listing.ts";
import { ledgerEntry } from "../ledger/entries.ts";
import { addEntry } from "../trail/audit.ts";

const writer = "credentials.written_by";
const listed = rowShape({
  ...fieldsOf(credentials, ...namesBut(credentials, "values", "writtenBy")),
  ...writerFields(writer),
});
const changed = written(credentials, ...namesBut(credentials, "createdAt", "lastUsedAt"));
const sealedRow = rowShape({ sealed: bytes("secret", "secret") });
const keyRow = rowShape(fieldsOf(credentials, "ref"));
const values = v.record(v.string(), v.string());

const isIt = "source = :source and ref = :ref";
const hasRoom = `(exists (select 1 from credentials where ${isIt}) or (select count(*) from credentials) < :most)
  and (select coalesce(sum(length(secret)), 0) from credentials where not (${isIt})) + :bytes <= :most_bytes`;

export function createCredentials(database: Database): Credentials {
  const { cipher, clock } = database;
  const { most, maxBytes } = credentialLimits;

  return {
    async set({ source, ref, fields }, by) {
      const where = { source, ref };
      const values = changed.values(cipher, {
        ...where,
        fields: Object.keys(fields),
        values: JSON.stringify(fields),
        changedAt: clock.wall(),
        writtenBy: writerOf(by),
      });
      const secret = values.secret ?? null;
      const bytes = secret instanceof Uint8Array ? secret.length : 0;
      const room = { ...where, most, most_bytes: maxBytes, bytes };
      const detail = `${source}:${ref}: ${Object.keys(fields).join(", ")}`;
      const entry: NewAuditEntry = { caller: by, action: "credential.set", outcome: "set", detail };
      const [before, , , , after] = await database.write([
        { sql: `select ${keyRow.columns} from credentials where ${isIt}`, args: where },
        addEntry(database, entry, { sql: hasRoom, args: room }),
        ledgerEntry(database, "credential.set", by, { detail }, { sql: hasRoom, args: room }),
        {
          sql: `insert into credentials (${changed.columns}, created_at)
select ${changed.parameters}, :changed_at where ${hasRoom}
on conflict (source, ref) do update set fields = excluded.fields, changed_at = excluded.changed_at,
  written_by = excluded.written_by, secret = excluded.secret`,
          args: { ...room, ...values },
        },
        {
          sql: `select ${keyRow.columns} from credentials where ${isIt} and secret = :secret`,
          args: { ...where, secret },
        },
      ]);
      if (after?.rows.length === 0) return "full";
      return before?.rows.length === 0 ? "added" : "changed";
    },

    list(condition) {
      const { sql, args } = holderTerms(writer, condition);
      const where = ["true", ...sql].join(" and ");
      return database.list(listed, {
        sql: `select ${listed.columns} from credentials where ${where} order by source, ref`,
        args,
      });
    },

    async open(source, ref) {
      const [row] = await database.select(sealedRow, {
        sql: `select ${sealedRow.columns} from credentials where ${isIt}`,
        args: { source, ref },
      });
      if (row === undefined) return undefined;
      return v.parse(values, JSON.parse(cipher.open(row.sealed, placeOf(credentials.values, source, ref))));
    },

    async used(name, entry) {
      const [source = "", ref = ""] = name.split(/:(.*)/s);
      await database.write([
        addEntry(database, entry, { sql: "true", args: {} }),
        {
          sql: `update credentials set last_used_at = :at where ${isIt}`,
          args: { source, ref, at: clock.wall() },
        },
      ]);
    },

    async remove(source, ref, by) {
      const where = { source, ref };
      const entry: NewAuditEntry = {
        caller: by,
        action: "credential.remove",
        outcome: "removed",
        detail: `${source}:${ref}`,
      };
      const exists = { sql: `exists (select 1 from credentials where ${isIt})`, args: where };
      const [, , removed] = await database.write([
        addEntry(database, entry, exists),
        ledgerEntry(database, "credential.remove", by, { detail: entry.detail }, exists),
        { sql: `delete from credentials where ${isIt} returning ${keyRow.columns}`, args: where },
      ]);
      return (removed?.rows.length ?? 0) > 0;
    },
  };
}
