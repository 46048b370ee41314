/** Hooks, and the deliveries that they remember: whether one is new is decided in the transaction that stores it. */
import { hookLimits } from "../../../api/recipes/hook.ts";
import type { HookDelivery, Hooks, HookValues, StoredHook } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { bytes, fieldsOf, type RowShape, rowShape } from "../../sql/rows.ts";
import { written } from "../../sql/written.ts";
import { namesBut, placeOf } from "../../tables/columns.ts";
import { hookDeliveries, hooks } from "../../tables.ts";
import { addEntry } from "../trail/audit.ts";

const hookRow = rowShape({
  ...fieldsOf(hooks, ...namesBut(hooks, "spec", "secret")),
  ...{ spec: bytes("spec", "spec"), secret: bytes("secret", "secret") },
});
const idRow = rowShape(fieldsOf(hooks, "id"));
const deliveryRow = rowShape(fieldsOf(hookDeliveries, ...namesBut(hookDeliveries, "at")));
const newHook = written(hooks, ...namesBut(hooks));
const changedHook = written(hooks, ...namesBut(hooks, "createdAt"));
const newDelivery = written(hookDeliveries, ...namesBut(hookDeliveries));

const exists = "exists (select 1 from hooks where id = :id)";
/** By each of the two indexes. */
const those = `select ${deliveryRow.columns} from hook_deliveries where hook = :hook and content = :content
union select ${deliveryRow.columns} from hook_deliveries where hook = :hook and delivery = :delivery`;

export function createHooks(database: Database): Hooks {
  const { cipher, clock } = database;

  const opened = (row: typeof hookRow extends RowShape<infer T> ? T : never): StoredHook => ({
    ...row,
    spec: cipher.tryOpen(row.spec, placeOf(hooks.spec, row.id)),
    secret: cipher.tryOpen(row.secret, placeOf(hooks.secret, row.id)),
  });
  const entryOf = (
    action: "add" | "change" | "remove",
    outcome: string,
    { recipe, name }: Pick<HookValues, "recipe" | "name">,
  ) => ({
    ...{ action: `hook.${action}` as const, outcome, detail: `${recipe}/${name}` },
  });
  const listed = async (where: string, args: Record<string, string>) =>
    (
      await database.list(hookRow, {
        sql: `select ${hookRow.columns} from hooks where ${where} order by name`,
        args,
      })
    ).map(opened);

  return {
    async add(hook, by) {
      const { recipe, name, id } = hook;
      const isTaken = "exists (select 1 from hooks where recipe = :recipe and name = :name)";
      const room = `not ${isTaken} and (select count(*) from hooks) < ${hookLimits.most}
  and (select count(*) from hooks where recipe = :recipe) < ${hookLimits.ofRecipe}`;
      const args = { recipe, name };
      const now = clock.wall();
      const values = newHook.values(cipher, { ...hook, createdAt: now, changedAt: now });
      const [, , same] = await database.write([
        addEntry(database, { caller: by, ...entryOf("add", "added", hook) }, { sql: room, args }),
        {
          sql: `insert into hooks (${newHook.columns}) select ${newHook.parameters} where ${room} on conflict do nothing`,
          args: values,
        },
        { sql: `select ${idRow.columns} from hooks where recipe = :recipe and name = :name`, args },
      ]);
      const [found] = idRow.read(same);
      if (found === undefined) return "full";
      return found.id === id ? "added" : "taken";
    },

    async change(hook, by) {
      const values = changedHook.values(cipher, { ...hook, changedAt: clock.wall() });
      const [, done] = await database.write([
        addEntry(
          database,
          { caller: by, ...entryOf("change", "changed", hook) },
          { sql: exists, args: { id: hook.id } },
        ),
        { sql: `update hooks set ${changedHook.assignments} where id = :id`, args: values },
      ]);
      return (done?.changes ?? 0) > 0;
    },

    list: (recipe) => listed("recipe = :recipe", { recipe }),
    find: async (recipe, name) => (await listed("recipe = :recipe and name = :name", { recipe, name }))[0],
    byToken: async (token) => (await listed("token = :token", { token }))[0],

    async remove(hook, by) {
      const args = { id: hook.id };
      const [, removed] = await database.write([
        addEntry(database, { caller: by, ...entryOf("remove", "removed", hook) }, { sql: exists, args }),
        { sql: "delete from hooks where id = :id", args },
        { sql: "delete from hook_deliveries where hook = :id", args },
      ]);
      return (removed?.changes ?? 0) > 0;
    },

    deliveries: ({ hook, content, delivery }) =>
      database.list(deliveryRow, { sql: those, args: { hook, content, delivery } }),

    async remember(one) {
      const now = clock.wall();
      const { hook, content, delivery } = one;
      const room = `(select count(*) from hook_deliveries where hook = :hook) < ${hookLimits.remembered}
  and exists (select 1 from hooks where id = :hook)`;
      const results = await database.write([
        {
          sql: "delete from hook_deliveries where hook = :hook and at < :before",
          args: { hook, before: now - hookLimits.rememberedMs },
        },
        {
          sql: `insert into hook_deliveries (${newDelivery.columns}) select ${newDelivery.parameters} where ${room}
on conflict do nothing`,
          args: newDelivery.values(cipher, { ...one, begun: false, at: now }),
        },
        { sql: those, args: { hook, content, delivery } },
      ]);
      return deliveryRow.read(results.at(-1));
    },

    async begun({ hook, content, run }: HookDelivery) {
      await database.write([
        {
          sql: "update hook_deliveries set begun = true, run = :run where hook = :hook and content = :content",
          args: { hook, content, run },
        },
      ]);
    },
  };
}
