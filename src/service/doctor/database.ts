/** Checks the database: intact, writable for us, with at least one usable API key. */

import { join } from "node:path";
import { stateOfKey } from "../../api/access/key.ts";
import { notWhole } from "../../api/history/history.ts";
import { readRun } from "../../api/inventory/inventory-source.ts";
import { scheduleLimits } from "../../api/schedules/schedule.ts";
import { createHolders } from "../../auth/holders.ts";
import { hasRight } from "../../auth/rights.ts";
import { messageOf } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import type { Config } from "../../config/config.ts";
import { findUnreadable } from "../../history/takes/intact.ts";
import { isUsed } from "../../store/libsql/database/file/writable.ts";
import type { DamagedRows, Store, StoredFiring, StoredKey, StoredSchedule } from "../../store/port.ts";
import { addressOf, isPostgres } from "../../store/postgres/database/address.ts";
import { databaseName } from "../settings.ts";
import { withStore } from "../storage/store.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

const dayMs = 86_400_000;
const soonDays = 30;
/** Tolerance for clock differences between nodes. */
const aheadMs = 60_000;

/** @param isQuick does not look through all rows: for health checks */
export async function checkDatabase(config: Config, isQuick: boolean): Promise<Finding[]> {
  const check = "database";
  const { data_dir, database_url } = config.values;
  if (!database_url && !isUsed(data_dir, databaseName))
    return [warn(check, `there is none in ${data_dir} yet`, "The first start of the service creates it.")];
  try {
    return await withStore(config, silentLog, async (store) => {
      await store.probe();
      return [
        ok(check, `${shownPlace(config)} opens and is writable`),
        ...doubtsIn(await store.doubts()),
        ...streamsFor(database_url, (await store.nodes.live()).length),
        ...(await keysOf(store)),
        ...(await timeOf(store)),
        ...(await findUnattended(store)),
        ...(await configurationsOf(store, isQuick)),
        ...(isQuick ? [] : damagedIn(await store.damagedRows(maxDamaged))),
      ];
    });
  } catch (error) {
    return [fail(check, messageOf(error), "See docs/guides/operations.md.")];
  }
}

/** Without the password that an address may have. */
function shownPlace({ values: { data_dir, database_url, database_token } }: Config): string {
  if (database_url === undefined) return join(data_dir, databaseName);
  return isPostgres(database_url) ? addressOf(database_url, database_token).shown : database_url;
}

/** What was acknowledged may be lost with a machine. */
export function doubtsIn(doubts: readonly string[]): Finding[] {
  const advice = "Set the server as docs/guides/high-availability.md says.";
  return doubts.map((doubt) => warn("durability", doubt, advice));
}

const maxDamaged = 20;

/** Rows that a bad block or a hand in the file has changed; the service leaves them out. */
export function damagedIn({ total, rows }: DamagedRows): Finding[] {
  const check = "damaged rows";
  if (total === 0) return [ok(check, "none")];
  const advice = "Check the disk, and restore a backup or remove these rows (docs/guides/operations.md).";
  const named = rows.map(({ table, row, key, reason }) =>
    fail(check, `${table}, row ${row}${key === null ? "" : ` (${key})`}: ${reason}`, advice),
  );
  const rest = total - rows.length;
  return rest > 0 ? [...named, fail(check, `${rest} more, ${total} in all`, advice)] : named;
}

/** From this number on, the server's connection limit matters. */
const manyNodes = 3;

/** Warns of the server's connection limit, which makes it reject writes if many nodes keep connections open. */
export function streamsFor(url: string | undefined, nodes: number): Finding[] {
  if (url === undefined || isPostgres(url) || nodes < manyNodes) return [];
  if (new URL(url).searchParams.get("streams") === "each") return [];
  const advice =
    "Start the server with --max-concurrent-connections 2, and put streams=each into PATCHBAY_DATABASE_URL of every node (docs/guides/scaling.md).";
  return [warn("database", `${nodes} nodes share the server, and this address has no streams=each`, advice)];
}

async function keysOf(store: Store): Promise<Finding[]> {
  const now = store.clock.wall();
  const all = (await store.keys.list()).filter((key) => stateOfKey(key, now) === "in_force");
  // Persons look after their own ones.
  const inForce = all.filter((key) => key.personId === null && !hasRight(key, "break_glass"));
  const glass = breakGlassIn(all.filter((key) => hasRight(key, "break_glass")));
  if (!inForce.some(({ scope }) => scope === "admin"))
    return [
      glass,
      fail("keys", "there is no valid admin key", "Create one: `patchbay key add <name> --scope admin`."),
    ];
  const ending = inForce.flatMap(({ name, expiresAt }) => {
    if (expiresAt === null || expiresAt - now > soonDays * dayMs) return [];
    const text = `${name} ends on ${new Date(expiresAt).toISOString()}`;
    return [warn("keys", text, "Create another one and distribute it first.")];
  });
  const ofPersons = all.filter(({ personId }) => personId !== null).length;
  const more = ofPersons === 0 ? "" : `, and ${ofPersons} of persons`;
  return [glass, ...(ending.length > 0 ? ending : [ok("keys", `${inForce.length} in force${more}`)])];
}

/** The key for emergencies: whether there is one, and its last use. */
function breakGlassIn(keys: readonly Pick<StoredKey, "name" | "lastUsedAt">[]): Finding {
  const check = "break glass";
  const [key] = keys;
  if (key === undefined)
    return ok(check, "there is no key for emergencies: `patchbay key break-glass` makes one");
  const { name, lastUsedAt } = key;
  const used = lastUsedAt === null ? "never used" : `last used on ${new Date(lastUsedAt).toISOString()}`;
  return ok(check, `${name} is in force, ${used}`);
}

/** A clock that was set back extends the lifetime of results and keys. */
async function timeOf(store: Store): Promise<Finding[]> {
  const [last] = await store.audit.page({}, 1);
  const ahead = last === undefined ? 0 : last.at - Date.now();
  if (ahead <= aheadMs) return [];
  const text = `the last entry of the audit trail is ${Math.round(ahead / 1000)} s ahead of this machine's clock`;
  return [warn("clock", text, "Set the time and keep it synchronized (chrony, systemd-timesyncd).")];
}

// Checks background work: schedules that stopped or did not fire, inventory sources that were not synced, webhooks that
// wait.

/** Per kind; the others are counted. */
const maxTold = 10;

async function findUnattended(store: Store): Promise<Finding[]> {
  const webhooks = webhooksIn(await store.deliveries.waiting(maxCounted), store.clock.wall());
  return [...(await schedulesOf(store)), ...(await sourcesOf(store)), ...webhooks];
}

const maxCounted = 10_000;
/** Webhooks that wait longer, or more of them, have a receiver that does not take them. */
const usual = { count: 1_000, ms: 3_600_000 } as const;

/** @param since end of the first job whose webhook waits, in milliseconds since 1970 */
export function webhooksIn(
  { count, since }: { readonly count: number; readonly since: number | undefined },
  now: number,
): Finding[] {
  const check = "webhooks";
  if (count === 0) return [];
  const wait = count === 1 ? "1 waits" : `${count < maxCounted ? count : `${count} or more`} wait`;
  const from = since === undefined ? "" : `, the first since ${new Date(since).toISOString()}`;
  if (count < usual.count && now - (since ?? now) < usual.ms) return [ok(check, `${wait} to be delivered`)];
  const advice =
    "`webhook.failed` in the log names what fails and why: fix the receiver, it is tried again by itself (docs/guides/operations.md).";
  return [warn(check, `${wait} to be delivered${from}`, advice)];
}

async function schedulesOf(store: Store): Promise<Finding[]> {
  const check = "schedules";
  const schedules = await store.schedules.page({}, scheduleLimits.most);
  if (schedules.length === 0) return [];
  const holders = createHolders(store);
  const owners = new Set<string>();
  for (const owner of new Set(schedules.map((schedule) => schedule.owner)))
    if ((await holders.byId(owner))?.state === "in_force") owners.add(owner);
  const last = await store.schedules.lastFirings(schedules.map(({ id }) => id));
  const bad = schedules.flatMap((schedule) => {
    const [text, advice] = faultOf(schedule, owners.has(schedule.owner), last.get(schedule.id)) ?? [];
    return text === undefined || advice === undefined
      ? []
      : [warn(check, `${schedule.name} ${text}`, advice)];
  });
  return told(check, bad, `${schedules.length}, none stopped or failed`);
}

/** The problem with one item, and what to do. */
function faultOf(
  { name, state, why }: StoredSchedule,
  hasOwner: boolean,
  last: StoredFiring | undefined,
): readonly [text: string, advice: string] | undefined {
  const again = "Create it again with a valid key, and remove this one (docs/reference/schedules.md).";
  if (state === "ended") return undefined;
  if (state === "stopped") return [`is stopped: ${why ?? "its owner is gone"}`, again];
  if (!hasOwner) return ["does not fire: its API key was revoked or has expired", again];
  if (state === "paused" && why !== null)
    return [`is paused: ${why}`, `\`patchbay schedule resume '${name}'\` on the node where it should run.`];
  if (state !== "active" || (last?.status !== "failed" && last?.status !== "missed")) return undefined;
  const at = new Date(last.dueAt).toISOString();
  const reason = last.reason === null ? "" : `: ${last.reason}`;
  return [
    `${last.status === "failed" ? "failed" : "was missed"} at ${at}${reason}`,
    `\`patchbay schedule show '${name}'\`; fix it, then \`patchbay schedule run '${name}'\`.`,
  ];
}

async function sourcesOf(store: Store): Promise<Finding[]> {
  const check = "sources";
  const sources = await store.sources.list();
  if (sources.length === 0) return [];
  const bad = sources.flatMap(({ key, runs }) => {
    const run = runs.map((text) => readRun(JSON.parse(text))).find(({ dry_run }) => !dry_run);
    if (run?.status !== "failed") return [];
    const advice = `Nothing was imported from it: try POST /inventory/source/${key}/sync?dry_run=true (docs/reference/inventory.md).`;
    return [warn(check, `${key} was not synced at ${run.ended_at}: ${run.error ?? "it failed"}`, advice)];
  });
  return told(check, bad, `${sources.length}, none failed when it was last synced`);
}

function told(check: string, bad: readonly Finding[], well: string): Finding[] {
  if (bad.length === 0) return [ok(check, well)];
  const rest = bad.length - maxTold;
  const more = warn(check, `${rest} more`, "Fix these and run the check again.");
  return [...bad.slice(0, maxTold), ...(rest > 0 ? [more] : [])];
}

/** Configurations are usually read each day. */
const staleDays = 2;
const maxDevices = 1_000;

/** Devices whose configuration was not read, or not whole; how much all of them take, unless the check is quick. */
async function configurationsOf({ history, clock }: Store, isQuick: boolean): Promise<Finding[]> {
  const check = "configurations";
  const { devices, versions, unsaved } = await history.summary();
  if (devices === 0) return [];
  const [stale, suspect] = await Promise.all([
    history.stale(clock.wall() - staleDays * dayMs, maxDevices),
    history.suspects(maxDevices),
  ]);
  const old = stale.map(({ shown, takenAt, failedAt, errorType, failedJobId }) => {
    const last = takenAt === null ? "was never read" : `was last read at ${new Date(takenAt).toISOString()}`;
    const why = failedAt === null ? "" : `: ${errorType ?? "it failed"}`;
    const look = failedJobId === null ? "" : `\`patchbay job ${failedJobId}\` says why; then `;
    const advice = `${look}read it: \`patchbay history take ${shown}\`, or by a schedule (docs/reference/schedules.md).`;
    return warn(check, `that of ${shown} ${last}${why}`, advice);
  });
  const cut = suspect.map(({ shown }) =>
    warn(
      check,
      `that of ${shown} is suspect: ${notWhole}`,
      `\`patchbay history list ${shown}\` gives the reason; the last good version stays the latest.`,
    ),
  );
  const unreadable = isQuick ? [] : await findUnreadable({ history });
  const damaged = unreadable.slice(0, maxDamaged).map(({ device, version }) => {
    const advice = `Check the disk, and restore a backup, or read it again: \`patchbay history take ${device}\`.`;
    return fail(check, `version ${version} of ${device} is damaged and cannot be read`, advice);
  });
  const size = isQuick ? "" : `, ${Math.ceil((await history.bytes()) / (1024 * 1024))} MiB`;
  const saved = unsaved === 0 ? "" : `; ${unsaved} devices have not saved theirs`;
  const well = `${versions} versions of ${devices} devices${size}${saved}`;
  const bad = [...old, ...cut];
  return bad.length === 0
    ? [...damaged, ok(check, well)]
    : [...damaged, ok(check, well), ...told(check, bad, well)];
}
