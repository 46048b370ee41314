/** Recipes, and runs: each move is one transaction that begins at the move that was read. */
import { proposalHours, recipeLimits } from "../../../api/recipes/recipe.ts";
import type { NewAuditEntry, Recipes, StoredRun } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { bytes, fieldsOf, type RowShape, rowShape } from "../../sql/rows.ts";
import { written } from "../../sql/written.ts";
import { namesBut, placeOf } from "../../tables/columns.ts";
import { recipeRuns, recipes } from "../../tables.ts";
import { addEntry } from "../trail/audit.ts";
import { createDocuments } from "./documents.ts";

const listedRow = rowShape(fieldsOf(recipeRuns, ...namesBut(recipeRuns, "request", "steps")));
const runRow = rowShape({
  ...fieldsOf(recipeRuns, ...namesBut(recipeRuns, "request", "steps")),
  request: bytes("request", "request"),
  steps: bytes("steps", "steps"),
});
const openRow = rowShape(fieldsOf(recipeRuns, "id", "move"));
const dryRow = rowShape(fieldsOf(recipeRuns, "dry"));
/** Of one caller, that a run is looked for in. */
const mostDryRuns = 100;
const newRun = written(recipeRuns, ...namesBut(recipeRuns));

const roomToRun = `(select count(*) from recipe_runs where ended_at is null and state <> 'proposed') < ${recipeLimits.openRuns}
  and (select count(*) from recipe_runs where ended_at is null and state <> 'proposed' and holder = :holder) < ${recipeLimits.openRunsOfOne}`;
const roomToPropose = `(select count(*) from recipe_runs where ended_at is null and state = 'proposed') < ${recipeLimits.proposed}
  and (select count(*) from recipe_runs where ended_at is null and state = 'proposed' and holder = :holder) < ${recipeLimits.proposedOfOne}`;

/** A batch takes a few milliseconds. */
const prunedAtOnce = 200;

export function createRecipes(database: Database): Recipes {
  const { cipher, clock } = database;

  const runOf = (row: typeof runRow extends RowShape<infer T> ? T : never): StoredRun => ({
    ...row,
    request: cipher.tryOpen(row.request, placeOf(recipeRuns.request, row.id)),
    steps: cipher.tryOpen(row.steps, placeOf(recipeRuns.steps, row.id)),
  });
  return {
    ...createDocuments(database, recipes, { noun: "recipe", ...recipeLimits }),

    async addRun(run, by) {
      const hasRoom = run.proposed === undefined ? roomToRun : roomToPropose;
      const isNew = "not exists (select 1 from recipe_runs where id = :id)";
      const { id } = run;
      const detail = `${run.recipe} version ${run.version}: ${id}`;
      const outcome = run.dry === null ? "started" : "dry run started";
      const entry: NewAuditEntry =
        run.proposed === undefined
          ? { caller: by, action: "recipe.run", outcome, detail }
          : { caller: by, action: "recipe.propose", outcome: "proposed", detail };
      const { proposed: given, ...rest } = run;
      const state = given === undefined ? ("running" as const) : ("proposed" as const);
      const values = newRun.values(cipher, { ...rest, ...given, state, move: 0, createdAt: clock.wall() });
      const proposedNotice = {
        sql: `insert into notices (id, kind, subject, at) select :id, 'recipe.proposed', :id, :at
where exists (select 1 from webhooks) and ${hasRoom} and ${isNew} on conflict do nothing`,
        args: { id, holder: run.holder, at: clock.wall() },
      };
      const results = await database.write([
        addEntry(database, entry, { sql: `${hasRoom} and ${isNew}`, args: { id, holder: run.holder } }),
        ...(given === undefined ? [] : [proposedNotice]),
        {
          sql: `insert into recipe_runs (${newRun.columns}) select ${newRun.parameters} where ${hasRoom} on conflict do nothing`,
          args: values,
        },
        { sql: `select ${openRow.columns} from recipe_runs where id = :id`, args: { id } },
      ]);
      return (results.at(-1)?.rows.length ?? 0) > 0 ? "added" : "full";
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

    async dryRuns(recipe, owner, sinceMs) {
      const found = await database.list(dryRow, {
        sql: `select ${dryRow.columns} from recipe_runs indexed by recipe_runs_recipe
where recipe = :recipe and dry is not null and state = 'finished' and ended_at >= :since
  and (holder = :owner or holder in (select id from keys where person_id = :owner)
    or holder = (select person_id from keys where id = :owner))
order by created_at desc limit ${mostDryRuns}`,
        args: { recipe, owner, since: sinceMs },
      });
      return found.flatMap(({ dry }) => (dry === null ? [] : [dry]));
    },

    async proposals() {
      const found = await database.list(runRow, {
        sql: `select ${runRow.columns} from recipe_runs indexed by recipe_runs_open where ended_at is null and state = 'proposed' order by created_at, id`,
        args: {},
      });
      return found.map(runOf);
    },

    async acceptRun({ id, move, recipe }, { holder, submitterKind, submitter }, by) {
      const isAt = "id = :id and move = :move and state = 'proposed' and ended_at is null";
      const here = `exists (select 1 from recipe_runs where ${isAt}) and ${roomToRun}`;
      const entry: NewAuditEntry = {
        caller: by,
        action: "recipe.accept",
        outcome: "accepted",
        detail: `${recipe}: ${id}`,
      };
      const [, done, found] = await database.write([
        addEntry(database, entry, { sql: here, args: { id, move, holder } }),
        {
          sql: `update recipe_runs set state = 'running', move = move + 1, holder = :holder, submitter_kind = :kind,
  submitter = :submitter, accepted_at = :at where ${isAt} and ${roomToRun}`,
          args: { id, move, holder, kind: submitterKind, submitter, at: clock.wall() },
        },
        { sql: `select ${openRow.columns} from recipe_runs where ${isAt}`, args: { id, move } },
      ]);
      if ((done?.changes ?? 0) > 0) return "accepted";
      return (found?.rows.length ?? 0) > 0 ? "full" : "moved";
    },

    openRuns: () =>
      database.list(openRow, {
        sql: `select ${openRow.columns} from recipe_runs indexed by recipe_runs_open where ended_at is null
  and (state <> 'proposed' or created_at <= :expired) order by created_at`,
        args: { expired: clock.wall() - proposalHours * 3_600_000 },
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

    async pruneRuns({ runs, bytes } = { runs: recipeLimits.runs, bytes: recipeLimits.runsBytes }) {
      const results = await database.write(
        [
          {
            sql: `delete from recipe_runs where id in (select id from (
  select id, created_at, ended_at, row_number() over newest as runs, sum(length(request) + length(steps)) over newest as bytes
  from recipe_runs window newest as (order by created_at desc, id desc)) t1
where ended_at is not null and (runs > :runs or bytes > :bytes) order by created_at, id limit ${prunedAtOnce})`,
            args: { runs, bytes },
          },
        ],
        { essential: true },
      );
      return results.at(-1)?.changes ?? 0;
    },
  };
}
