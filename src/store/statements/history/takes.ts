/**
 * What takes have read, stored in the transaction that ends their jobs: a text equal to the newest one only moves the
 * time at which it was last seen.
 */

import { withoutRepeats } from "../../batches.ts";
import type { ClaimFence, TakenConfigurations } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { givenColumns, type Statement } from "../../sql/statement.ts";
import { written } from "../../sql/written.ts";
import { configTexts } from "../../tables.ts";

export interface EndedTake {
  readonly fence: ClaimFence;
  readonly taken: TakenConfigurations;
  /** A new id for the text of each version. */
  readonly textIds: readonly string[];
}

/** Only of the claim that ended the job. */
const ended = `jobs j on j.id = given.job and +j.status in ('finished', 'failed')
  and j.node = given.node and j.generation = given.generation and j.attempt = given.attempt`;

const fenceTypes = {
  job: "text",
  node: "text",
  generation: "bigint",
  attempt: "bigint",
  name: "text",
} as const;

const deviceTable = givenColumns("given", {
  ...fenceTypes,
  shown: "text",
  host: "text",
  group_name: "text",
  platform: "text",
  taken_at: "bigint",
  failed_at: "bigint",
  error_type: "text",
  failed_job_id: "text",
  unsaved: "boolean",
  modules: "text",
});
const putDevices = `with ${deviceTable.definition}
insert into config_devices (name, shown, host, group_name, platform, taken_at, failed_at, error_type, failed_job_id,
  unsaved, modules)
select given.name, given.shown, given.host, given.group_name, given.platform, given.taken_at, given.failed_at,
  given.error_type, given.failed_job_id, given.unsaved, given.modules
from given join ${ended} where true
on conflict (name) do update set shown = excluded.shown, host = excluded.host, group_name = excluded.group_name,
  platform = excluded.platform,
  failed_at = case when excluded.taken_at is null and excluded.failed_at is null then config_devices.failed_at
    else excluded.failed_at end,
  error_type = case when excluded.taken_at is null and excluded.failed_at is null then config_devices.error_type
    else excluded.error_type end,
  failed_job_id = case when excluded.taken_at is null and excluded.failed_at is null then config_devices.failed_job_id
    else excluded.failed_job_id end,
  unsaved = case when excluded.taken_at is null then config_devices.unsaved else excluded.unsaved end,
  modules = case when excluded.taken_at is null then config_devices.modules else excluded.modules end,
  taken_at = coalesce(excluded.taken_at, config_devices.taken_at)`;

const comparedTable = givenColumns("given", {
  ...fenceTypes,
  part: "text",
  state: "text",
  compare: "text",
});
/** The version that a text is compared with: a good one with the newest good one, a suspect one with the newest. */
const newest = `(select n from config_versions where device = d.id and part = given.part
    and (given.state = 'suspect' or state = 'good') order by taken_at desc, n desc limit 1)`;
const seeAgain = `with ${comparedTable.definition}
update config_versions set seen_at = greatest(seen_at, :at) where n in (
  select h.n from given join ${ended} join config_devices d on d.name = given.name
    join config_versions h on h.n = ${newest}
  where h.state = given.state and h.compare = given.compare)`;

/** Inserted only if the version will be: its text is not the newest one, and it is not stored already. */
const textTable = givenColumns("given", {
  ...fenceTypes,
  part: "text",
  state: "text",
  compare: "text",
  text_id: "text",
  base: "text",
  body: "bytea",
  secrets: "bytea",
});
const addTexts = `with ${textTable.definition}
insert into config_texts (id, device, part, base, body, secrets)
select given.text_id, d.id, given.part, given.base, given.body, given.secrets
from given join ${ended} join config_devices d on d.name = given.name
where not exists (select 1 from config_versions h
    where h.n = ${newest} and h.state = given.state and h.compare = given.compare)
  and not exists (select 1 from config_versions
    where device = d.id and part = given.part and origin is not null and origin = given.job)
  and (given.base is null or exists (select 1 from config_texts where id = given.base))
on conflict (id) do nothing`;

const versionTable = givenColumns("given", {
  ...fenceTypes,
  part: "text",
  state: "text",
  compare: "text",
  text_id: "text",
  reason: "text",
  source: "text",
  cause_job_id: "text",
  who: "text",
  by_on_device: "text",
  note: "text",
  lines: "bigint",
  bytes: "bigint",
  added: "bigint",
  removed: "bigint",
});
const addVersions = `with ${versionTable.definition}
insert into config_versions (device, part, version, state, reason, taken_at, seen_at, source, job_id, origin,
  cause_job_id, who, by_on_device, note, text_id, compare, lines, bytes, added, removed)
select d.id, given.part,
  coalesce((select max(version) from config_versions where device = d.id and part = given.part), 0) + 1,
  given.state, given.reason, at, at, given.source, given.job, given.job, given.cause_job_id, given.who,
  given.by_on_device, given.note, given.text_id, given.compare, given.lines, given.bytes, given.added, given.removed
from (select given.*, d.id as device_id, greatest(:at, coalesce(
    (select taken_at from config_versions where device = d.id and part = given.part
      order by taken_at desc limit 1), 0)) as at
  from given join config_devices d on d.name = given.name) given
join config_devices d on d.id = given.device_id
where exists (select 1 from config_texts where id = given.text_id)
on conflict do nothing`;

/** These run after the rows were ended, and do nothing for those that were not. */
export function storeTakes({ cipher }: Database, takes: readonly EndedTake[], at: number): Statement[] {
  if (takes.length === 0) return [];
  const fenceOf = ({ fence, taken }: EndedTake) => ({
    job: fence.id,
    node: fence.name,
    generation: fence.generation,
    attempt: fence.attempt,
    name: taken.device.name.toLowerCase(),
  });
  const devices = takes.map((take) => {
    const { device, error, unsaved, modules, versions } = take.taken;
    const isGood = versions.some(({ part, state }) => part === "running" && state === "good");
    return {
      ...fenceOf(take),
      shown: device.name,
      host: device.host,
      group_name: device.group,
      platform: device.platform,
      taken_at: isGood ? at : null,
      failed_at: error === undefined ? null : at,
      error_type: error ?? null,
      failed_job_id: error === undefined ? null : take.fence.id,
      unsaved: unsaved ?? null,
      modules: modules === undefined ? null : JSON.stringify(modules),
    };
  });
  const puts = withoutRepeats(devices, ({ name }) => name).map((group) => ({
    sql: putDevices,
    args: deviceTable.args(group),
  }));
  const read = takes.flatMap((take) =>
    take.taken.versions.map((version, index) => ({
      ...fenceOf(take),
      ...{ take: take.taken, version, part: version.part, state: version.state, compare: version.compare },
      text_id: take.textIds[index] ?? null,
    })),
  );
  if (read.length === 0) return puts;
  const texts = read.map(({ version: { text }, ...row }) => {
    const sealed = sealedText.values(cipher, { id: String(row.text_id), secrets: text.secrets });
    return { ...row, base: text.base ?? null, body: text.body, secrets: sealed.secrets ?? null };
  });
  const versions = read.map(({ take, version, ...row }) => ({
    ...row,
    reason: version.reason,
    source: take.source,
    cause_job_id: take.causeJobId ?? null,
    who: take.who ?? null,
    by_on_device: version.byOnDevice ?? null,
    note: take.note ?? null,
    lines: version.lines,
    bytes: version.bytes,
    added: version.added,
    removed: version.removed,
  }));
  return [
    ...puts,
    { sql: seeAgain, args: { ...comparedTable.args(read), at } },
    { sql: addTexts, args: { ...textTable.args(texts) } },
    { sql: addVersions, args: { ...versionTable.args(versions), at } },
  ];
}

const sealedText = written(configTexts, "id", "secrets");
