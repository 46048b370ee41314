/** Host keys of devices, trusted on first use, for comparison on later connections. */
import { createBoundedCache } from "../../../base/share/bounded-cache.ts";
import type { Actor, HostKeys, KnownHostKey, NewAuditEntry } from "../../port.ts";
import type { Database } from "../../sql/database.ts";
import { fieldsOf, number, orNull, rowShape, text } from "../../sql/rows.ts";
import { hostKeys } from "../../tables.ts";
import { ledgerEntry } from "../ledger/entries.ts";
import { addEntry } from "../trail/audit.ts";

/** Hosts whose keys are cached: a bulk looks up each of its devices. */
const maxCached = 20_000;

/** The actor of keys trusted on first use: the service accepted them without confirmation. */
const firstUse: Actor = { keyId: "first use", name: "patchbay", from: null };

const keyRow = rowShape(fieldsOf(hostKeys, "type", "fingerprint"));

const typeRow = rowShape(fieldsOf(hostKeys, "type"));

const via = " via ";
const maxListed = 100_000;

const listedRow = rowShape({
  name: text("name", "k.host"),
  port: number("port", "k.port"),
  type: text("type", "k.type"),
  fingerprint: text("fingerprint", "k.fingerprint"),
  seenAt: number("seen_at", "k.seen_at"),
  offeredType: orNull(text("offered_type", "o.type")),
  offeredFingerprint: orNull(text("offered_fingerprint", "o.fingerprint")),
  offeredAt: orNull(number("offered_at", "o.seen_at")),
});

/** The route is part of the stored name; host names contain no spaces. */
function storedName(host: string, route: readonly string[]): string {
  return [host, ...route].join(via);
}

export function createHostKeys(database: Database): HostKeys {
  const { clock, shared } = database;
  const cache = createBoundedCache<KnownHostKey[]>(maxCached);
  const cacheKey = (host: string, port: number) => `${host}:${port}`;
  /** Counts writes: the result of a read that a write has overtaken is not cached. */
  let writes = 0;

  async function knownAt(host: string, port: number): Promise<KnownHostKey[]> {
    const cached = cache.get(cacheKey(host, port));
    if (cached) return cached;
    const writesBefore = writes;
    const rows = await database.select(keyRow, {
      sql: `select ${keyRow.columns} from host_keys where host = :host and port = :port`,
      args: { host, port },
    });
    // Another node may delete a key: only the single owner of a store may cache.
    if (!shared && rows.length > 0 && writesBefore === writes) cache.set(cacheKey(host, port), rows);
    return rows;
  }

  /** Invalidates the cache before and after a write. */
  async function changing<T>(forget: () => void, write: () => Promise<T>): Promise<T> {
    const drop = () => {
      writes++;
      forget();
    };
    drop();
    try {
      return await write();
    } finally {
      drop();
    }
  }

  return {
    async known(host, port, route = []) {
      const direct = await knownAt(host, port);
      return route.length === 0 ? direct : [...(await knownAt(storedName(host, route), port)), ...direct];
    },

    async learn(host, port, { type, fingerprint }, route = []) {
      const name = storedName(host, route);
      const through = route.length === 0 ? "" : ` through ${route.join(", ")}`;
      const entry: NewAuditEntry = {
        caller: firstUse,
        action: "hostkey.learn",
        host,
        outcome: "accepted",
        detail: `port ${port}${through}, ${type} ${fingerprint}`,
      };
      const args = { host: name, port, type };
      const isNew = {
        sql: "not exists (select 1 from host_keys where host = :host and port = :port and type = :type)",
        args,
      };
      const statements = [
        addEntry(database, entry, isNew),
        ledgerEntry(database, "hostkey.learn", firstUse, { host, detail: entry.detail }, isNew),
        {
          sql: `insert into host_keys (host, port, type, fingerprint, seen_at)
values (:host, :port, :type, :fingerprint, :seen_at) on conflict do nothing`,
          args: { ...args, fingerprint, seen_at: clock.wall() },
        },
      ];
      await changing(
        () => cache.delete(cacheKey(name, port)),
        () => database.write(statements),
      );
    },

    async offer(host, port, { type, fingerprint }, route = []) {
      await database.write([
        {
          sql: `insert into host_key_offers (host, port, type, fingerprint, seen_at)
values (:host, :port, :type, :fingerprint, :seen_at) on conflict (host, port) do update
set type = excluded.type, fingerprint = excluded.fingerprint, seen_at = excluded.seen_at`,
          args: { host: storedName(host, route), port, type, fingerprint, seen_at: clock.wall() },
        },
      ]);
    },

    async list() {
      const rows = await database.list(listedRow, {
        sql: `select ${listedRow.columns} from host_keys k
left join host_key_offers o on o.host = k.host and o.port = k.port order by k.host, k.port, k.type limit ${maxListed}`,
        args: {},
      });
      return rows.map(({ name, offeredType, offeredFingerprint, offeredAt, ...key }) => {
        const [host = "", ...route] = name.split(via);
        const offered =
          offeredType === null || offeredFingerprint === null || offeredAt === null
            ? null
            : { type: offeredType, fingerprint: offeredFingerprint, seenAt: offeredAt };
        return { ...key, host, route, offered };
      });
    },

    async accept(host, fingerprint, port, by) {
      const args = { ...placeArgs(host, port), fingerprint };
      const offered = `select host, port from host_key_offers where ${placeOf(port)} and fingerprint = :fingerprint`;
      const entry: NewAuditEntry = { caller: by, action: "hostkey.accept", host, outcome: "accepted" };
      const detail = port === undefined ? fingerprint : `port ${port}, ${fingerprint}`;
      const results = await changing(
        () => cache.clear(),
        () =>
          database.write([
            addEntry(database, { ...entry, detail }, { sql: `exists (${offered})`, args }),
            ledgerEntry(
              database,
              "hostkey.accept",
              by,
              { host, detail },
              { sql: `exists (${offered})`, args },
            ),
            { sql: `delete from host_keys where (host, port) in (${offered})`, args },
            {
              sql: `insert into host_keys (host, port, type, fingerprint, seen_at)
select host, port, type, fingerprint, :seen_at from host_key_offers where ${placeOf(port)} and fingerprint = :fingerprint`,
              args: { ...args, seen_at: clock.wall() },
            },
            {
              sql: `delete from host_key_offers where ${placeOf(port)} and fingerprint = :fingerprint`,
              args,
            },
          ]),
      );
      return results[3]?.changes ?? 0;
    },

    async forget(host, port, by) {
      const args = placeArgs(host, port);
      const known = `from host_keys where ${placeOf(port)}`;
      const entry: NewAuditEntry = { caller: by, action: "hostkey.forget", host, outcome: "removed" };
      const detail = port === undefined ? null : `port ${port}`;
      const exists = { sql: `exists (select 1 ${known})`, args };
      const members = { host, detail: detail ?? undefined };
      const [, , forgotten] = await changing(
        () => cache.clear(),
        () =>
          database.write([
            addEntry(database, { ...entry, detail }, exists),
            ledgerEntry(database, "hostkey.forget", by, members, exists),
            { sql: `delete ${known} returning ${typeRow.columns}`, args },
            { sql: `delete from host_key_offers where ${placeOf(port)}`, args },
          ]),
      );
      return forgotten?.rows.length ?? 0;
    },
  };
}

/** A host on all routes. */
const placeOf = (port: number | undefined) =>
  `(host = :host or substr(host, 1, length(:prefix)) = :prefix)${port === undefined ? "" : " and port = :port"}`;

function placeArgs(host: string, port: number | undefined) {
  const prefix = storedName(host, [""]);
  return { host, prefix, ...(port === undefined ? {} : { port }) };
}
