/** A data directory with many ended jobs, to test pages and lists with them. */
import { ServiceError } from "../../src/base/errors.ts";
import { silentLog } from "../../src/base/log.ts";
import { createStore } from "../../src/store/libsql/store.ts";
import { isPostgres } from "../../src/store/postgres/database/address.ts";
import { createStore as createOnPostgres } from "../../src/store/postgres/store.ts";

/** The PATCHBAY_MASTER_KEY of a service on such a directory. */
export const storedMasterKey = Buffer.alloc(32, 7).toString("hex");

/** Small enough for the store's timeout on a busy machine. */
const perTransaction = 250;
const hosts = 500;

/** @param url of a server; default: a file in the directory */
export async function storeJobs(directory: string, total: number, url?: string): Promise<void> {
  const masterKey = new Uint8Array(Buffer.from(storedMasterKey, "hex"));
  const options = { directory, masterKey, log: silentLog };
  const store =
    url !== undefined && isPostgres(url)
      ? await createOnPostgres({ ...options, url, ownership: { release() {} } })
      : await createStore({ ...options, url });
  const failure = JSON.stringify({
    type: "failed",
    retval: null,
    error: { type: "ReadTimeout", message: "no prompt came" },
  });
  for (let at = 0; at < total; at += perTransaction) {
    const some = Array.from({ length: Math.min(perTransaction, total - at) }, (_, index) => {
      const host = `sw${(at + index) % hosts}`;
      return {
        ...{ id: store.makeId(), bulkId: null, strategy: "fifo" as const, queue: "fifo", lane: "fifo/k1/" },
        ...{ host, hostKey: host, driver: "netmiko", deviceType: "cisco_ios", operation: "query" as const },
        ...{ caller: { keyId: "k1", name: "stored", from: null }, ttlMs: 300_000, resultTtlMs: 86_400_000 },
        submitter: { kind: "key" as const, name: "stored" },
        ...{ retries: 0, warnings: [], payload: "{}", failure, errorType: "ReadTimeout" },
      };
    });
    await stored(() => store.jobs.insert(some));
  }
  await store.close();
  store.ownership.release();
}

/** Retries if the store did not answer in time: existing jobs are not inserted twice. */
async function stored(insert: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await insert();
      return;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== "Unavailable" || tries === 20) throw error;
    }
  }
}
