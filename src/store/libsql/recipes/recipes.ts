/** Recipes with their versions, and runs: each move is one transaction that begins at the move that was read. */
import { recipeLimits } from "../../../api/recipe.ts";
import type { Recipes, StoredRecipe, StoredRun } from "../../port.ts";
import { namesBut, placeOf } from "../../tables/columns.ts";
import { recipeRuns, recipes } from "../../tables.ts";
import type { Database } from "../database/database.ts";
import { bytes, fieldsOf, number, type RowShape, rowShape } from "../database/rows/rows.ts";
import { written } from "../database/rows/written.ts";
import type { Args } from "../database/statement.ts";
import { addEntry } from "../trail/audit.ts";

const headRow = rowShape(fieldsOf(recipes, ...namesBut(recipes, "document")));
const recipeRow = rowShape({
  ...fieldsOf(recipes, ...namesBut(recipes, "document")),
  document: bytes("document", "document"),
});
const listedRow = rowShape(fieldsOf(recipeRuns, ...namesBut(recipeRuns, "request", "steps")));
const runRow = rowShape({
  ...fieldsOf(recipeRuns, ...namesBut(recipeRuns, "request", "steps")),
  request: bytes("request", "request"),
  steps: bytes("steps", "steps"),
});
const openRow = rowShape(fieldsOf(recipeRuns, "id", "move"));
const nameRow = rowShape(fieldsOf(recipes, "name"));
const versionRow = rowShape({ version: number("version", "coalesce(max(version), 0)") });
const newRecipe = written(recipes, ...namesBut(recipes));
const newRun = written(recipeRuns, ...namesBut(recipeRuns));

const inForce = "version = (select max(version) from recipes newest where newest.name = recipes.name)";
const current = "(select coalesce(max(version), 0) from recipes where name = :name)";
/** A batch takes a few milliseconds. */
const prunedAtOnce = 200;

export function createRecipes(database: Database): Recipes {
  const { cipher, clock } = database;

  const recipeOf = (row: typeof recipeRow extends RowShape<infer T> ? T : never): StoredRecipe => ({
    ...row,
    document: cipher.tryOpen(row.document, placeOf(recipes.document, row.name, String(row.version))),
  });
  const runOf = (row: typeof runRow extends RowShape<infer T> ? T : never): StoredRun => ({
    ...row,
    request: cipher.tryOpen(row.request, placeOf(recipeRuns.request, row.id)),
    steps: cipher.tryOpen(row.steps, placeOf(recipeRuns.steps, row.id)),
  });
  const recipesWhere = async (where: string, args: Args) => {
    const sql = `select ${recipeRow.columns} from recipes where ${where}`;
    return (await database.list(recipeRow, { sql, args })).map(recipeOf);
  };
  return {
    async put(name, document, by, expected) {
      const now = await database.select(versionRow, {
        sql: `select ${versionRow.columns} from recipes where name = :name`,
        args: { name },
      });
      const before = now[0]?.version ?? 0;
      if (expected !== undefined && before !== (expected ?? 0)) return "moved";
      const version = before + 1;
      const may = `${current} = :before and (:before > 0 or
  (select count(distinct name) from recipes) < ${recipeLimits.most})`;
      const args = { name, before };
      const entry = {
        caller: by,
        action: "recipe.put",
        outcome: "put",
        detail: `${name}: version ${version}`,
      };
      const values = newRecipe.values(cipher, {
        ...{ name, version, document },
        ...{ changedAt: clock.wall(), who: by.name },
      });
      const [, , , after] = await database.write([
        addEntry(database, entry, { sql: may, args }),
        {
          sql: `insert into recipes (${newRecipe.columns}) select ${newRecipe.parameters} where ${may} on conflict do nothing`,
          args: { ...values, before },
        },
        {
          sql: `delete from recipes where name = :name and version <= :last`,
          args: { name, last: version - recipeLimits.versions },
        },
        {
          sql: `select ${recipeRow.columns} from recipes where name = :name and ${inForce}`,
          args: { name },
        },
      ]);
      const [stored] = recipeRow.read(after);
      if (stored?.version === version && recipeOf(stored).document === document)
        return { version, added: before === 0 };
      return before === 0 && stored === undefined ? "full" : "moved";
    },

    list: () => recipesWhere(`${inForce} order by name`, {}),

    async find(name, version) {
      const which = version === undefined ? inForce : "version = :version";
      const args = { name, ...(version === undefined ? {} : { version }) };
      return (await recipesWhere(`name = :name and ${which}`, args))[0];
    },

    versions: (name) =>
      database.list(headRow, {
        sql: `select ${headRow.columns} from recipes where name = :name order by version desc`,
        args: { name },
      }),

    async remove(name, by, expected) {
      const args = { name, expected: expected ?? null };
      const isIt = `${current} > 0 and (:expected is null or ${current} = :expected)`;
      const entry = { caller: by, action: "recipe.remove", outcome: "removed", detail: name };
      const [, removed] = await database.write([
        addEntry(database, entry, { sql: isIt, args }),
        { sql: `delete from recipes where name = :name and ${isIt} returning ${nameRow.columns}`, args },
      ]);
      return (removed?.rows.length ?? 0) > 0;
    },

    async addRun(run, by) {
      const hasRoom = `(select count(*) from recipe_runs where ended_at is null) < ${recipeLimits.openRuns}
  and (select count(*) from recipe_runs where ended_at is null and holder = :holder) < ${recipeLimits.openRunsOfOne}`;
      const isNew = "not exists (select 1 from recipe_runs where id = :id)";
      const { id } = run;
      const detail = `${run.recipe} version ${run.version}: ${id}`;
      const entry = { caller: by, action: "recipe.run", outcome: "started", detail };
      const values = newRun.values(cipher, { ...run, state: "running", move: 0, createdAt: clock.wall() });
      const [, , found] = await database.write([
        addEntry(database, entry, { sql: `${hasRoom} and ${isNew}`, args: { id, holder: run.holder } }),
        {
          sql: `insert into recipe_runs (${newRun.columns}) select ${newRun.parameters} where ${hasRoom} on conflict do nothing`,
          args: values,
        },
        { sql: `select ${openRow.columns} from recipe_runs where id = :id`, args: { id } },
      ]);
      return (found?.rows.length ?? 0) > 0 ? "added" : "full";
    },

    async run(id) {
      const sql = `select ${runRow.columns} from recipe_runs where id = :id`;
      return (await database.list(runRow, { sql, args: { id } })).map(runOf)[0];
    },

    runs: (recipe, { limit, before, owner }) =>
      database.list(listedRow, {
        sql: `select ${listedRow.columns} from recipe_runs indexed by recipe_runs_recipe
where recipe = :recipe and (:before is null or (created_at, id) < (select created_at, id from recipe_runs where id = :before))
  and (:owner is null or holder = :owner or holder in (select id from keys where person_id = :owner))
order by created_at desc, id desc limit :limit`,
        args: { recipe, limit, before: before ?? null, owner: owner ?? null },
      }),

    openRuns: () =>
      database.list(openRow, {
        sql: `select ${openRow.columns} from recipe_runs indexed by recipe_runs_open where ended_at is null order by created_at`,
        args: {},
      }),

    async moveRun({ id, move }, { state, reason, steps, ends }, event) {
      const isAt = "id = :id and move = :move and ended_at is null";
      const sets = [
        "move = move + 1",
        ...(state === undefined ? [] : ["state = :state"]),
        ...(reason === undefined ? [] : ["reason = :reason"]),
        ...(steps === undefined ? [] : ["steps = :steps"]),
        ...(ends === undefined ? [] : ["ended_at = :at"]),
      ];
      const args = {
        ...{ id, move },
        ...(state === undefined ? {} : { state }),
        ...(reason === undefined ? {} : { reason }),
        ...(steps === undefined ? {} : { steps: cipher.seal(steps, placeOf(recipeRuns.steps, id)) }),
        ...(ends === undefined ? {} : { at: clock.wall() }),
      };
      const here = { sql: `exists (select 1 from recipe_runs where ${isAt})`, args: { id, move } };
      const results = await database.write([
        ...(event === undefined
          ? []
          : [
              addEntry(
                database,
                { caller: event.by, action: `recipe.${event.what}`, outcome: event.what, detail: id },
                here,
              ),
            ]),
        { sql: `update recipe_runs set ${sets.join(", ")} where ${isAt}`, args },
      ]);
      return (results.at(-1)?.changes ?? 0) > 0;
    },

    async pruneRuns() {
      const results = await database.write(
        [
          {
            sql: `delete from recipe_runs where id in (select id from recipe_runs where ended_at is not null
  order by created_at limit min(${prunedAtOnce}, max(0, (select count(*) from recipe_runs) - ${recipeLimits.runs})))`,
            args: {},
          },
        ],
        { essential: true },
      );
      return results.at(-1)?.changes ?? 0;
    },
  };
}
