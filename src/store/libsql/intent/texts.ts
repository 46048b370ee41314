/** Differences of devices in the database: each text once, with a count of the devices that have it. */
import type { DriftSave, DriftTexts } from "../../port.ts";
import { namesBut } from "../../tables/columns.ts";
import { driftResults, driftTexts } from "../../tables.ts";
import type { Database } from "../database/database.ts";
import { fieldsOf, number, rowShape, text, truth } from "../database/rows/rows.ts";
import type { Args, Statement } from "../database/statement.ts";

/** The newest good version of a result's device and part. */
const head = `(select g.compare from config_versions g where g.device = d.id and g.part = r.part and g.state = 'good'
  order by g.taken_at desc, g.n desc limit 1)`;
/** A text that is not whole was read after the last good one. */
const isSuspect = `exists (select 1 from config_versions s where s.device = d.id and s.part = r.part and s.state = 'suspect'
  and s.seen_at > coalesce((select g.seen_at from config_versions g where g.device = d.id and g.part = r.part
    and g.state = 'good' order by g.taken_at desc, g.n desc limit 1), 0))`;
export const stale = `case when d.taken_at is null or ${head} is null then 'never'
  when d.taken_at < :fresh then 'old' when ${isSuspect} then 'suspect'
  when ${head} is not r.compare or r.revision <> i.revision then 'newer' end`;
/** What it is computed from. */
export const staleFrom = `drift_results r
  cross join intents i on i.name = r.intent left join config_devices d on d.name = r.device`;

const pairRow = rowShape({
  ...fieldsOf(driftResults, "device", "intent"),
  isTold: truth("told", `${stale} is null and r.state = 'drifted'`),
});
const textRow = rowShape(fieldsOf(driftTexts, ...namesBut(driftTexts)));
const countRow = rowShape({ id: number("id", "l.text"), devices: number("devices", "count(*)") });
const devicesRow = rowShape({
  devices: text(
    "devices",
    `(select json_group_array(device) from (select device from drift_lines
  where text = of.value ->> 0 and device > of.value ->> 1 order by device limit :limit))`,
  ),
});

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

function statementsOf({ devices }: Piece): Statement[] {
  const texts = `[${[...devices].map(([name, all]) => `[${name},${JSON.stringify(all)}]`).join(",")}]`;
  const [intent, section, kind, line] = ["intent", "section", "kind", "line"].map(
    (_, at) => `j.value ->> '$[0][${at}]'`,
  );
  return [
    {
      sql: `insert into drift_texts (intent, section, kind, line, devices)
select ${intent}, ${section}, ${kind}, ${line}, json_array_length(j.value, '$[1]') from json_each(:texts) j where true
on conflict (intent, section, kind, line) do update set devices = devices + excluded.devices`,
      args: { texts },
    },
    {
      // In this order: each text is found once, by its index.
      sql: `insert into drift_lines (text, device, intent)
select t.id, d.value, t.intent from json_each(:texts) j
  cross join drift_texts t on t.intent = ${intent} and t.section = ${section} and t.kind = ${kind} and t.line = ${line}
  cross join json_each(j.value, '$[1]') d`,
      args: { texts },
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
        sql: `select ${countRow.columns} from json_each(:pairs) p
  cross join drift_lines l on l.device = p.value ->> 0 and l.intent = p.value ->> 1 group by l.text`,
        args: { pairs: JSON.stringify(pairs.map(({ device, intent }) => [device, intent])) },
      }),

    texts: ({ intent, section, text: part, ...which }, limit) =>
      database.list(textRow, {
        sql: `select ${textRow.columns} from drift_texts
where ${"ids" in which ? "id in (select value from json_each(:ids))" : "devices <= :devices and (devices < :devices or id > :id)"}
  and (:intent is null or intent = :intent) and (:section is null or section = :section)
  and (:part is null or instr(line, :part) > 0) order by devices desc, id limit :limit`,
        args: {
          ...{ intent: intent ?? null, section: section ?? null, part: part ?? null, limit },
          ...("ids" in which
            ? { ids: JSON.stringify(which.ids) }
            : { devices: which.after?.devices ?? Number.MAX_SAFE_INTEGER, id: which.after?.id ?? 0 }),
        },
      }),

    async devices(of, limit) {
      const rows = await database.list(devicesRow, {
        sql: `select ${devicesRow.columns} from json_each(:of) of order by of.key`,
        args: { of: JSON.stringify(of.map(({ id, after }) => [id, after])), limit },
      });
      return rows.map(({ devices }) => {
        const names: unknown = JSON.parse(devices);
        return Array.isArray(names) ? names.map(String) : [];
      });
    },
  };
}
