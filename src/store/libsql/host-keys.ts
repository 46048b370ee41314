/** Host keys of devices, trusted on first use, for comparison on later connections. */
import { createBoundedCache } from "../../base/bounded-cache.ts";
import type { Actor, HostKeys, KnownHostKey } from "../port.ts";
import { addEntry } from "./audit.ts";
import type { Database } from "./database/database.ts";
import { fieldsOf, rowShape } from "./database/rows.ts";
import { hostKeys } from "./database/schema.ts";

/** Hosts whose keys are cached: a bulk looks up each of its devices. */
const maxCached = 20_000;

/** The actor of keys trusted on first use: the service accepted them without confirmation. */
const firstUse: Actor = { keyId: "first use", name: "patchbay", from: null };

const keyRow = rowShape(fieldsOf(hostKeys, "type", "fingerprint"));

/** The route is part of the stored name; host names contain no spaces. */
function storedName(host: string, route: readonly string[]): string {
  return [host, ...route].join(" via ");
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
      const entry = {
        caller: firstUse,
        action: "hostkey.learn",
        host,
        outcome: "accepted",
        detail: `port ${port}${through}, ${type} ${fingerprint}`,
      };
      const args = { host: name, port, type };
      const statements = [
        addEntry(database, entry, {
          sql: "not exists (select 1 from host_keys where host = :host and port = :port and type = :type)",
          args,
        }),
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

    async forget(host, port) {
      const prefix = storedName(host, [""]);
      const statement = {
        sql: `delete from host_keys
where (host = :host or substr(host, 1, :length) = :prefix)${port === undefined ? "" : " and port = :port"}
returning type`,
        args: { host, prefix, length: prefix.length, ...(port === undefined ? {} : { port }) },
      };
      const [forgotten] = await changing(
        () => cache.clear(),
        () => database.write([statement]),
      );
      return forgotten?.rows.length ?? 0;
    },
  };
}
