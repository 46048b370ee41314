/** Differences of devices in the database: each text once, with a count of the devices that have it. */
import * as v from "valibot";
import type { DriftSave, DriftTexts } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { either, itemsOf, joinInOrder } from "../../sql/notation.ts";
import { fieldsOf, number, rowShape, text, truth } from "../../sql/rows.ts";
import { type Args, givenMany, type Statement } from "../../sql/statement.ts";
import { namesBut } from "../../tables/columns.ts";
import { driftResults, driftTexts } from "../../tables.ts";

/** The newest good version of a result's device and part. */
const head = `(select g.compare from config_versions g where g.device = d.id and g.part = r.part and g.state = 'good'
  order by g.taken_at desc, g.n desc limit 1)`;
/** A text that is not whole was read after the last good one. */
const isSuspect = `exists (select 1 from config_versions s where s.device = d.id and s.part = r.part and s.state = 'suspect'
  and s.seen_at > coalesce((select g.seen_at from config_versions g where g.device = d.id and g.part = r.part
    and g.state = 'good' order by g.taken_at desc, g.n desc limit 1), 0))`;
export const stale = `case when d.taken_at is null or ${head} is null then 'never'
  when d.taken_at < :fresh then 'old' when ${isSuspect} then 'suspect'
  when ${head} is distinct from r.compare or r.revision <> i.revision then 'newer' end`;
/** What it is computed from. */
export const staleFrom = `drift_results r
  ${joinInOrder} intents i on i.name = r.intent left join config_devices d on d.name = r.device`;

const pairRow = rowShape({
  ...fieldsOf(driftResults, "device", "intent"),
  isTold: truth("told", `${stale} is null and r.state = 'drifted'`),
});
const textRow = rowShape(fieldsOf(driftTexts, ...namesBut(driftTexts)));
const countRow = rowShape({ id: number("id", "l.text"), devices: number("devices", "count(*)") });
const devicesRow = rowShape({
  devices: text(
    "devices",
    `(select ${either("json_group_array(device)", "coalesce(jsonb_agg(device order by device), '[]')::text")} from (select device from drift_lines
  where text = given.id and device > given.after order by device limit :limit) found)`,
  ),
});

const ofTable = givenMany("given", { place: "bigint", id: "bigint", after: "text" });
const nameOfText = v.pipe(
  v.string(),
  v.parseJson(),
  v.tuple([v.string(), v.string(), v.string(), v.string()]),
);
const pairTable = givenMany("pairs", { device: "text", intent: "text" });

/** Of devices and intents given by `pairArgs`. @param columns of both */
export const inPairs = (columns: string) => `(${columns}) in (:pairs)`;
export const pairArgs = (pairs: readonly { readonly device: string; readonly intent: string }[]): Args =>
  pairTable.rows(pairs.map(({ device, intent }) => [device, intent]));

/** Lines of one statement. */
const linesAtOnce = 2_000;

/** Forgets the differences of results. @param where of `drift_lines` */
export function oldTexts(where: string, may: string, args: Args): Statement[] {
  return [
    {
      sql: `update drift_texts set devices = devices - gone.n
from (select text, count(*) as n from drift_lines where ${where} group by text) gone
where gone.text = drift_texts.id and ${may}`,
      args,
    },
    { sql: `delete from drift_lines where ${where} and ${may}`, args },
    { sql: "delete from drift_texts where devices <= 0", args: {} },
  ];
}

/** Adds the differences of results, of which there are none. */
export function newTexts(results: readonly DriftSave[]): Statement[] {
  const statements: Statement[] = [];
  let piece: Piece = emptyPiece();
  for (const { result, lines } of results) {
    const intent = JSON.stringify(result.intent);
    const names = new Set(lines.map((line) => `[${intent},${line.slice(1)}`));
    for (const name of names) {
      const devices = piece.devices.get(name) ?? [];
      piece.devices.set(name, devices);
      devices.push(result.device);
    }
    piece.size += names.size;
    if (piece.size < linesAtOnce) continue;
    statements.push(...statementsOf(piece));
    piece = emptyPiece();
  }
  return piece.size === 0 ? statements : [...statements, ...statementsOf(piece)];
}

/** The devices of each text, by its name. */
interface Piece {
  readonly devices: Map<string, string[]>;
  size: number;
}

const emptyPiece = (): Piece => ({ devices: new Map(), size: 0 });

const textTable = givenMany("given", {
  ...{ intent: "text", section: "text", kind: "text", line: "text" },
  ...{ count: "bigint", devices: "text" },
});
function statementsOf({ devices }: Piece): Statement[] {
  const texts = textTable.rows(
    [...devices].map(([name, all]) => [...v.parse(nameOfText, name), all.length, JSON.stringify(all)]),
  );
  return [
    {
      sql: `with ${textTable.definition}
insert into drift_texts (intent, section, kind, line, devices)
select intent, section, kind, line, count from given where true
on conflict (intent, section, kind, line) do update set devices = drift_texts.devices + excluded.devices`,
      args: texts,
    },
    {
      // In this order: each text is found once, by its index.
      sql: `with ${textTable.definition}
insert into drift_lines (text, device, intent)
select t.id, d.value, t.intent from given ${joinInOrder} drift_texts t
  on t.intent = given.intent and t.section = given.section and t.kind = given.kind and t.line = given.line
  cross join ${itemsOf("given.devices", "d")}`,
      args: texts,
    },
  ];
}

export function createDriftTexts(database: Database): DriftTexts {
  return {
    pairs: ({ fresh, intent }, after, limit) =>
      database.list(pairRow, {
        sql: `select ${pairRow.columns} from ${staleFrom} where (r.device, r.intent) > (:device, :after_intent)
  and r.state in ('drifted', 'intent_error') and (:intent is null or r.intent = :intent)
order by r.device, r.intent limit :limit`,
        args: {
          ...{ fresh, intent: intent ?? null, limit },
          ...{ device: after?.device ?? "", after_intent: after?.intent ?? "" },
        },
      }),

    count: (pairs) =>
      database.list(countRow, {
        sql: `with ${pairTable.definition} select ${countRow.columns} from pairs
  ${joinInOrder} drift_lines l on l.device = pairs.device and l.intent = pairs.intent group by l.text`,
        args: pairArgs(pairs),
      }),

    texts: ({ intent, section, text: part, ...which }, limit) =>
      database.list(textRow, {
        sql: `select ${textRow.columns} from drift_texts
where ${"ids" in which ? "id in :ids" : "devices <= :devices and (devices < :devices or id > :id)"}
  and (:intent is null or intent = :intent) and (:section is null or section = :section)
  and (:part is null or strpos(line, :part) > 0) order by devices desc, id limit :limit`,
        args: {
          ...{ intent: intent ?? null, section: section ?? null, part: part ?? null, limit },
          ...("ids" in which
            ? { ids: which.ids }
            : { devices: which.after?.devices ?? Number.MAX_SAFE_INTEGER, id: which.after?.id ?? 0 }),
        },
      }),

    async devices(of, limit) {
      const rows = await database.list(devicesRow, {
        sql: `with ${ofTable.definition} select ${devicesRow.columns} from given order by place`,
        args: { ...ofTable.rows(of.map(({ id, after }, place) => [place, id, after])), limit },
      });
      return rows.map(({ devices }) => {
        const names: unknown = JSON.parse(devices);
        return Array.isArray(names) ? names.map(String) : [];
      });
    },
  };
}
