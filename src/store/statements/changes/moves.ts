/** Statements of a move of a change: what it sets, its targets, and the bulks that it stops. */
import type { Cipher } from "../../cipher.ts";
import type { At, ChangeMove, TargetMove } from "../../port.ts";
import {
  type Args,
  type GivenTypes,
  givenMany,
  type Scalar,
  type Statement,
  type Value,
} from "../../sql/statement.ts";
import { placeOf } from "../../tables/columns.ts";
import { changes } from "../../tables.ts";

/** Still at the step that was read. */
export const isAt = "id = :id and step = :step";

const movedColumns = {
  ...{ state: "state", reason: "reason", wave: "wave", round: "round", phase: "phase", dueAt: "due_at" },
  ...{
    startedAt: "started_at",
    endedAt: "ended_at",
    expiresAt: "expires_at",
    name: "name",
    ticket: "ticket",
  },
  ...{ needed: "needed", revision: "revision", hash: "hash", plan: "plan" },
  ...{ judging: "judging", rehearsal: "rehearsal" },
  claimedBy: "claimed_by",
  ...{ sliceFrom: "slice_from", sliceTo: "slice_to" },
} as const satisfies Partial<Record<keyof ChangeMove, string>>;
type MovedName = keyof typeof movedColumns;

/** As `, column = :set_column` each. */
export function assignmentsOf(cipher: Cipher, id: string, move: ChangeMove): { sql: string; args: Args } {
  const slices = "phase" in move ? { sliceFrom: null, sliceTo: null } : {};
  const values: ChangeMove = { claimedBy: null, ...slices, ...move };
  const names = Object.keys(movedColumns).filter((name): name is MovedName => name in values);
  const given: [string, Value][] = names.map((name) => [movedColumns[name], values[name] ?? null]);
  if (values.request !== undefined)
    given.push(["request", cipher.seal(values.request, placeOf(changes.request, id))]);
  return {
    sql: given.map(([column]) => `, ${column} = :set_${column}`).join(""),
    args: Object.fromEntries(given.map(([column, value]) => [`set_${column}`, value])),
  };
}

const targetColumns = {
  state: "state",
  reason: "reason",
  touched: "touched",
  beforeVersion: "before_version",
  afterVersion: "after_version",
  jobId: "job_id",
  returnJobId: "return_job_id",
  open: "open",
} as const satisfies Partial<Record<keyof TargetMove, string>>;

/** Others are texts. */
const targetTypes: GivenTypes = {
  ...{ position: "bigint", touched: "boolean", before_version: "bigint", after_version: "bigint" },
};

/** One statement for all that change the same columns. */
export function moveTargets(
  { id, step }: At,
  targets: readonly TargetMove[],
  condition: string,
): Statement[] {
  const byShape = new Map<string, Record<string, Scalar>[]>();
  for (const target of targets) {
    const given = Object.entries(targetColumns).filter(([name]) => name in target);
    const shape = given.map(([, column]) => column).join();
    const cells: Record<string, Scalar> = Object.fromEntries([
      ["position", target.position],
      ...given.map(([name, column]) => [column, target[name as keyof typeof targetColumns] ?? null]),
    ]);
    const alike = byShape.get(shape);
    if (alike) alike.push(cells);
    else byShape.set(shape, [cells]);
  }
  return [...byShape].flatMap(([shape, rows]) => {
    if (shape === "") return [];
    const columns = shape.split(",");
    const types = Object.fromEntries(
      ["position", ...columns].map((column) => [column, targetTypes[column] ?? "text"]),
    );
    const moved = givenMany("moved", types);
    return [
      {
        sql: `with ${moved.definition}
update change_targets set ${columns.map((column) => `${column} = moved.${column}`).join(", ")} from moved
where change_targets.change_id = :id and change_targets.position = moved.position
  and exists (select 1 from changes where ${condition})`,
        args: { id, step, ...moved.args(rows) },
      },
    ];
  });
}

/** What repeats itself leaves its newest step. An event stays if it is the newest: its number must not come again. */
export function foldSteps({ id, step }: At, what: string): Statement[] {
  const args = { id, step, what };
  const earlier = (step: string) => `change_id = :id and ${step} <= :step
  and ${step} > (select coalesce(max(n), 0) from change_steps
    where change_id = :id and n <= :step and (what <> :what or who is not null))
  and exists (select 1 from changes where ${isAt})`;
  return [
    {
      sql: `delete from change_events where ${earlier("step")} and n < (select max(n) from change_events)`,
      args,
    },
    { sql: `delete from change_steps where ${earlier("n")}`, args },
  ];
}

/** They are parts of no wave any more. */
export function setBulksAside({ id, step }: At, condition: string): Statement[] {
  return [
    {
      sql: `update bulks set change_part = change_part || '.aside.' || id
where change_id = :id and change_part not like '%.aside.%' and exists (select 1 from changes where ${condition})`,
      args: { id, step },
    },
  ];
}

/** As after too many failures: what is queued is held, and a stopped bulk releases nothing. */
export function stopBulks({ id, step }: At, because: string, at: number): Statement[] {
  const args = { id, step };
  const here = `exists (select 1 from changes where ${isAt})`;
  return [
    {
      sql: `update bulks set stopped_because = :because, stopped_at = :at, max_failures = coalesce(max_failures, total)
where change_id = :id and stopped_because is null and operation = 'config' and ${here}`,
      args: { ...args, because, at },
    },
    {
      sql: `update jobs set status = 'held', due_t = 0 where status = 'queued' and bulk_id is not null
  and bulk_id in (select id from bulks where change_id = :id and operation = 'config') and ${here}`,
      args,
    },
  ];
}
