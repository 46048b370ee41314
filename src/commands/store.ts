/** Opens the store as the configuration says: for the service, and for commands that work on it. */
import type { Log } from "../base/log.ts";
import type { Config } from "../config.ts";
import { demandWritable } from "../store/lock.ts";
import { createStore, type Store } from "../store/store.ts";
import { loadMasterKeys } from "./master-key.ts";

export async function openStore(config: Config, log: Log, own = true): Promise<Store> {
  const { values } = config;
  // Before the master key, which is made there at the first start.
  demandWritable(values.data_dir);
  const { current, former } = loadMasterKeys(config);
  return createStore({
    directory: values.data_dir,
    url: values.database_url,
    token: values.database_token,
    masterKey: current,
    formerKeys: former,
    log,
    own,
  });
}

/** Works on the store beside a running service, and closes it, whatever comes. */
export async function withStore<T>(config: Config, log: Log, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(config, log, false);
  try {
    return await work(store);
  } finally {
    await store.close();
    store.ownership.release();
  }
}
