/** A store for tests on whichever database its address names. */
import { ownDirectory } from "../../src/store/libsql/database/file/lock.ts";
import { createStore, type StoreOptions } from "../../src/store/libsql/store.ts";
import type { Store } from "../../src/store/port.ts";
import { isPostgres } from "../../src/store/postgres/database/address.ts";
import { createStore as createOnPostgres } from "../../src/store/postgres/store.ts";

export interface AnyStore extends Store {
  raw(sql: string): Promise<{ readonly rows: readonly (readonly unknown[])[] }>;
}

/** Options of `wrap` are of libSQL only. */
export async function createAnyStore(options: StoreOptions): Promise<AnyStore> {
  const { url, directory, ownsDirectory = true } = options;
  if (url === undefined || !isPostgres(url)) return createStore(options);
  const { token, masterKey, formerKeys, log, patienceMs } = options;
  const given = { directory, ownsDirectory, url, token, masterKey, formerKeys, log, patienceMs };
  const ownership = options.ownership ?? (ownsDirectory ? await ownDirectory(directory) : { release() {} });
  try {
    return await createOnPostgres({ ...given, ownership });
  } catch (error) {
    ownership.release();
    throw error;
  }
}
