/**
 * Fills a store with all that a page may have to show: ended jobs, a bulk with results, versions of configurations.
 * Devices of the inventory are imported through the API.
 */
import { join } from "node:path";
import Libsql from "libsql";
import { createCipher } from "../../../src/store/cipher.ts";
import { createIds } from "../../../src/store/id.ts";
import { placeOf } from "../../../src/store/tables/columns.ts";
import { jobs as jobsTable } from "../../../src/store/tables.ts";
import type { Service } from "../../../src/testkit/service.ts";
import { fillHistory } from "../history/filled.ts";
import { nameOf } from "../history/texts.ts";
import { fillDirectory, storedKey } from "../stored.ts";

export interface Large {
  /** Ended ones of no bulk. */
  readonly jobs: number;
  /** Of the inventory. */
  readonly devices: number;
  /** Devices, and results, of the bulk. */
  readonly bulk: number;
  /** Versions of each of `configured` devices. */
  readonly versions: number;
  readonly configured: number;
}

/** Of the README's promise; 200,000 versions. */
export const everything: Large = {
  jobs: 100_000,
  devices: 50_000,
  bulk: 10_000,
  versions: 20,
  configured: 10_000,
};

export const little: Large = { jobs: 2_000, devices: 1_500, bulk: 1_200, versions: 5, configured: 200 };

/** Value of `PATCHBAY_MASTER_KEY`. */
export { storedKey as largeKey };

/** Sequences of configurations; devices share them. */
const sequences = 40;
/** Every so many devices of the bulk answer otherwise, or did not answer. */
const otherEvery = 97;
const failedEvery = 500;
const perImport = 10_000;
const dayMs = 86_400_000;

/** @param directory empty. @returns the id of the bulk */
export async function fillLarge(directory: string, large: Large): Promise<string> {
  await fillHistory(directory, large.configured, large.versions, sequences);
  await fillDirectory(directory, { jobs: large.jobs, hosts: 500 });
  return fillBulk(directory, large.bulk);
}

/** A bulk of one command, whose answers are the same on most devices. */
function fillBulk(directory: string, devices: number): string {
  const database = new Libsql(join(directory, "patchbay.db"));
  const cipher = createCipher(Buffer.from(storedKey, "hex"));
  const at = Date.now() - 60_000;
  const makeId = createIds(() => at);
  const bulk = makeId();
  const asked = JSON.stringify({
    ...{ of: "command", brief: "show version", all: true, length: 12 },
    ...{ sha256: "a".repeat(64), cut: false },
  });
  database.exec("pragma synchronous=OFF");
  database
    .prepare(
      `insert into bulks (id, caller, driver, operation, created_at, total) values (?, 'k1', 'netmiko', 'query', ?, ?)`,
    )
    .run([bulk, at, devices]);
  const insert = database.prepare(
    `insert into jobs (id, bulk_id, status, strategy, queue, lane, host, host_key, device, driver, device_type, operation,
  caller, created_at, enqueued_at, queued_t, expires_t, ttl_ms, result_ttl_ms, started_at, ended_at, queue_ms,
  duration_ms, node, generation, worker, claim, attempt, keep_t, asked, result, error_type)
values (?, ?, ?, 'fifo', 'fifo', 'fifo/k1/', ?, ?, ?, 'netmiko', 'cisco_ios', 'query', 'k1', ?, ?, ?, ?, 300000,
  ${30 * dayMs}, ?, ?, 5, 400, 'bench', 1, 'bench-1', 'c', 1, ?, ?, ?, ?)`,
  );
  database.exec("begin");
  for (let n = 0; n < devices; n++) {
    const [id, failed] = [makeId(), n % failedEvery === failedEvery - 1];
    const [host, name] = [hostOf(n), nameOf(n)];
    const result = JSON.stringify(failed ? noAnswer : answerOf(n));
    insert.run([
      ...[id, bulk, failed ? "failed" : "finished", host, host, name, at, at, at, at + 300_000, at, at + 400],
      ...[at + 30 * dayMs, cipher.seal(asked, placeOf(jobsTable.asked, id))],
      ...[cipher.seal(result, placeOf(jobsTable.result, id)), failed ? "ReadTimeout" : null],
    ]);
  }
  database.exec("commit; pragma wal_checkpoint(truncate)");
  database.close();
  return bulk;
}

const noAnswer = {
  type: "failed",
  retval: null,
  error: { type: "ReadTimeout", message: "no prompt came within 10 s" },
};

function answerOf(n: number): object {
  const version = n % otherEvery === 0 ? `15.2(${n % 7})E10` : "15.2(4)E10";
  const lines = Array.from({ length: 20 }, (_, at) => `interface Gi0/${at} is up, line protocol is up`);
  return {
    type: "finished",
    retval: { "show version": [`Cisco IOS Software, Version ${version}`, ...lines].join("\n") },
    error: null,
  };
}

const hostOf = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
const sites = ["berlin", "hamburg", "lyon", "milano", "oslo"];

/** Those of the bulk and of the history are among them. */
export async function importDevices({ call }: Pick<Service, "call">, count: number): Promise<void> {
  const groups = sites.map((name) => ({ name, site: name, platform: "cisco_ios", driver: "netmiko" }));
  for (let from = 0; from < count; from += perImport) {
    const devices = Array.from({ length: Math.min(perImport, count - from) }, (_, at) => ({
      ...{ name: nameOf(from + at), host: hostOf(from + at), group: sites[at % sites.length] ?? "" },
      ...(at % 7 === 0 ? { tags: ["lab"] } : {}),
    }));
    const answer = await call("POST", "/inventory/device", { groups, devices });
    if (answer.body.code !== 200) throw new Error(`devices were refused: ${answer.body.message}`);
  }
}
