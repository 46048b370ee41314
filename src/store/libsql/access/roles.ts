/** Roles: what persons may do, by their groups. */
import { personLimits } from "../../../api/person.ts";
import type { Roles } from "../../port.ts";
import type { GivenRole } from "../../tables/access.ts";
import { namesBut } from "../../tables/columns.ts";
import { roles } from "../../tables.ts";
import type { Database } from "../database/database.ts";
import { fieldsOf, rowShape } from "../database/rows/rows.ts";
import { written } from "../database/rows/written.ts";
import { addEntry } from "../trail/audit.ts";

const roleRow = rowShape(fieldsOf(roles, ...namesBut(roles)));
const nameRow = rowShape(fieldsOf(roles, "name"));
const newRole = written(roles, ...namesBut(roles));
const updates = written(roles, ...namesBut(roles, "name", "createdAt"))
  .names.map((column) => `${column} = excluded.${column}`)
  .join(", ");

export function createRoles(database: Database): Roles {
  const { cipher, clock } = database;
  const exists = "exists (select 1 from roles where name = :name)";
  const hasRoom = `(${exists} or (select count(*) from roles) < ${personLimits.roles})`;
  return {
    list: () =>
      database.list(roleRow, {
        sql: `select ${roleRow.columns} from roles order by position, name`,
        args: {},
      }),

    async put(role, by) {
      const now = clock.wall();
      const where = { name: role.name };
      const entry = { caller: by, action: "role.put", outcome: "set", detail: detailOf(role) };
      const values = newRole.values(cipher, { ...role, createdAt: now, changedAt: now });
      const [before, , , after] = await database.write([
        { sql: `select ${nameRow.columns} from roles where name = :name`, args: where },
        addEntry(database, entry, { sql: hasRoom, args: where }),
        {
          sql: `insert into roles (${newRole.columns}) select ${newRole.parameters} where ${hasRoom}
on conflict (name) do update set ${updates}`,
          args: values,
        },
        { sql: `select ${nameRow.columns} from roles where name = :name`, args: where },
      ]);
      if (after?.rows.length === 0) return "full";
      return before?.rows.length === 0 ? "added" : "changed";
    },

    async remove(name, by) {
      const entry = { caller: by, action: "role.remove", outcome: "removed", detail: name };
      const [, removed] = await database.write([
        addEntry(database, entry, { sql: exists, args: { name } }),
        { sql: `delete from roles where name = :name returning ${nameRow.columns}`, args: { name } },
      ]);
      return (removed?.rows.length ?? 0) > 0;
    },
  };
}

function detailOf({
  name,
  position,
  issuer,
  groups,
  subjects,
  scope,
  hosts,
  credentials,
  rights,
}: GivenRole) {
  const parts = [
    `scope ${scope}`,
    `hosts ${hosts.join(",") || "all"}`,
    ...(credentials ? [`credentials ${credentials.join(",") || "none"}`] : []),
    ...(rights.length > 0 ? [`rights ${rights.join(",")}`] : []),
    ...(groups.length > 0 ? [`groups ${groups.join(",")}`] : []),
    ...(subjects.length > 0 ? [`subjects ${subjects.join(",")}`] : []),
    ...(issuer ? [`issuer ${issuer}`] : []),
  ];
  return `${name}: position ${position}, ${parts.join(", ")}`;
}
