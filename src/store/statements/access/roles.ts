/** Roles: what persons may do, by their groups. */
import { personLimits } from "../../../api/access/person.ts";
import type { NewAuditEntry, NewRole, Roles } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { fieldsOf, rowShape, truth } from "../../sql/rows.ts";
import { written } from "../../sql/written.ts";
import { namesBut } from "../../tables/columns.ts";
import { roles } from "../../tables.ts";
import { ledgerEntry } from "../ledger/entries.ts";
import { addEntry } from "../trail/audit.ts";
import { isAdmin } from "./keys.ts";

const roleRow = rowShape(fieldsOf(roles, ...namesBut(roles)));
const nameRow = rowShape(fieldsOf(roles, "name"));
const newRole = written(roles, ...namesBut(roles));
/** Of the role :name: whether it is stored with all the values already. */
const isSame = `exists (select 1 from roles where ${written(
  roles,
  ...namesBut(roles, "createdAt", "changedAt"),
)
  .names.map((column) => `${column} is not distinct from :${column}`)
  .join(" and ")})`;
const beforeRow = rowShape({ ...fieldsOf(roles, "name"), same: truth("same", isSame) });
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

    async put(role, by, lastAdmin) {
      const now = clock.wall();
      const where = { name: role.name, at: now };
      const values = newRole.values(cipher, { ...role, createdAt: now, changedAt: now });
      const mayChange = lastAdmin === undefined || isAdminRole(role) ? "true" : othersAreAdmins;
      const entry: NewAuditEntry = { caller: by, action: "role.put", outcome: "set", detail: detailOf(role) };
      const may = { sql: `${hasRoom} and ${mayChange} and not ${isSame}`, args: { ...values, ...where } };
      const [before, , , after] = await database.write([
        { sql: `select ${beforeRow.columns} from roles where name = :name`, args: values },
        addEntry(database, entry, may),
        ledgerEntry(database, "role.put", by, { detail: entry.detail }, may),
        {
          sql: `insert into roles (${newRole.columns}) select ${newRole.parameters} where ${hasRoom} and ${mayChange} and not ${isSame}
on conflict (name) do update set ${updates} returning ${nameRow.columns}`,
          args: { ...values, at: now },
        },
      ]);
      const [known] = beforeRow.read(before);
      // A role that is put as it is leaves no trace.
      if (known?.same !== true && after?.rows.length === 0) return known ? "last_admin" : "full";
      return known ? "changed" : "added";
    },

    async remove(name, by, lastAdmin) {
      const entry: NewAuditEntry = { caller: by, action: "role.remove", outcome: "removed", detail: name };
      const args = { name, at: clock.wall() };
      const mayRemove = lastAdmin === undefined ? "true" : othersAreAdmins;
      const may = { sql: `${exists} and ${mayRemove}`, args };
      const named = { sql: `select ${nameRow.columns} from roles where name = :name`, args };
      // Asked before: a write repeated after a lost response removes nothing.
      if ((await database.select(nameRow, named)).length === 0) return "unknown";
      const [, , , left] = await database.write([
        addEntry(database, entry, may),
        ledgerEntry(database, "role.remove", by, { detail: name }, may),
        { sql: `delete from roles where name = :name and ${mayRemove}`, args },
        named,
      ]);
      return left?.rows.length === 0 ? "removed" : "last_admin";
    },
  };
}

/** Whether it makes somebody an admin of all hosts. */
function isAdminRole({ scope, hosts, groups, subjects }: NewRole): boolean {
  return scope === "admin" && hosts.length === 0 && groups.length + subjects.length > 0;
}
const isAdminRow = (row: string) =>
  `(${row}.scope = 'admin' and ${row}.hosts = '[]' and (${row}.groups <> '[]' or ${row}.subjects <> '[]'))`;
/** Whether the role :name is no such role, or there are admins without it at the time :at. */
const othersAreAdmins = `(not exists (select 1 from roles one where one.name = :name and ${isAdminRow("one")})
  or exists (select 1 from roles other where other.name <> :name and ${isAdminRow("other")})
  or exists (select 1 from keys where ${isAdmin("keys")}))`;

function detailOf(role: NewRole) {
  const { name, position, issuer, groups, subjects, scope, hosts, credentials, rights, recipes } = role;
  const parts = [
    `scope ${scope}`,
    `hosts ${hosts.join(",") || "all"}`,
    ...(credentials ? [`credentials ${credentials.join(",") || "none"}`] : []),
    ...(rights.length > 0 ? [`rights ${rights.join(",")}`] : []),
    ...(recipes ? [`recipes ${recipes.join(",") || "none"}`] : []),
    ...(groups.length > 0 ? [`groups ${groups.join(",")}`] : []),
    ...(subjects.length > 0 ? [`subjects ${subjects.join(",")}`] : []),
    ...(issuer ? [`issuer ${issuer}`] : []),
  ];
  return `${name}: position ${position}, ${parts.join(", ")}`;
}
