/**
 * Fills a store with versions by SQL, night by night through all devices, with texts as takes store them. Devices share
 * the sequences of a few, so that a million versions take two minutes.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import Libsql from "libsql";
import { silentLog } from "../../../src/base/log.ts";
import { makeDelta } from "../../../src/configtext/delta.ts";
import { countChanges } from "../../../src/configtext/diff.ts";
import { packText } from "../../../src/runtime/text-pack.ts";
import { createIds } from "../../../src/store/id.ts";
import { createStore } from "../../../src/store/libsql/store.ts";
import { storedKey } from "../stored.ts";
import { nameOf, versionsOf } from "./texts.ts";

export interface Filled {
  readonly versions: number;
  readonly textBytes: number;
  /** Of the texts, each packed alone. */
  readonly packedBytes: number;
  /** Versions that are stored whole, not as a difference. */
  readonly whole: number;
}

const dayMs = 86_400_000;
/**
 * @param directory empty
 * @param distinct devices with a sequence of their own; the others have the texts of one of them
 */
export async function fillHistory(
  directory: string,
  devices: number,
  versions: number,
  distinct = 1_000,
): Promise<Filled> {
  const store = await createStore({ directory, masterKey: Buffer.from(storedKey, "hex"), log: silentLog });
  await store.close();
  store.ownership.release();
  const database = new Libsql(join(directory, "patchbay.db"));
  database.exec("pragma journal_mode=WAL; pragma synchronous=OFF; pragma cache_size=-400000");
  const add = statements(database);
  const firstAt = Date.now() - versions * dayMs;
  let at = firstAt;
  const makeId = createIds(() => at);
  const filled = { versions: 0, textBytes: 0, packedBytes: 0, whole: 0 };
  const sequences = Array.from({ length: Math.min(devices, distinct) }, (_, device) =>
    createSequence(device, versions),
  );
  /** The whole text of each device that later ones differ from. */
  const bases: string[] = [];
  database.exec("begin");
  for (let device = 0; device < devices; device++) add.device(device);
  for (let version = 0; version < versions; version++) {
    const tonight: Night[] = [];
    for (const sequence of sequences) tonight.push(sequence());
    for (let device = 0; device < devices; device++) {
      const text = tonight[device % distinct];
      if (text === undefined) continue;
      at = firstAt + version * dayMs + device;
      const id = makeId();
      if (text.isWhole) bases[device] = id;
      add.text(id, device, text.isWhole ? null : (bases[device] ?? null), text.body);
      add.version(id, device, version, at, text);
      filled.versions++;
      filled.textBytes += text.bytes;
      filled.packedBytes += text.packedBytes;
      if (text.isWhole) filled.whole++;
    }
    database.exec("commit; begin");
  }
  database.exec("commit; pragma wal_checkpoint(truncate)");
  database.close();
  return filled;
}

/** A version as all devices of a sequence store it. */
interface Night {
  readonly body: Uint8Array;
  readonly isWhole: boolean;
  readonly bytes: number;
  readonly packedBytes: number;
  readonly lines: number;
  readonly added: number;
  readonly removed: number;
  readonly compare: string;
}

function createSequence(device: number, count: number): () => Night {
  const texts = versionsOf(device, count);
  let base: string | undefined;
  let before: string | undefined;
  return () => {
    const text = texts.next().value ?? "";
    const packed = packText(text);
    const delta = base === undefined ? undefined : makeDelta(base, text);
    const isWhole = delta === undefined;
    if (isWhole) base = text;
    const lines = text.split("\n").length - 1;
    const changes = before === undefined ? { added: lines, removed: 0 } : countChanges(before, text);
    before = text;
    return {
      ...{
        body: isWhole ? packed : packText(delta),
        isWhole,
        bytes: Buffer.byteLength(text),
        packedBytes: packed.length,
        lines,
      },
      ...changes,
      compare: createHash("sha256").update(text).digest("hex"),
    };
  };
}

function statements(database: Libsql.Database) {
  const device = database.prepare(
    "insert into config_devices (id, name, shown, host, platform, taken_at) values (?, ?, ?, ?, 'cisco_ios', ?)",
  );
  const text = database.prepare(
    "insert into config_texts (id, device, part, base, body) values (?, ?, 'running', ?, ?)",
  );
  const version =
    database.prepare(`insert into config_versions (device, part, version, state, taken_at, seen_at,
  source, origin, who, text_id, compare, lines, bytes, added, removed)
values (?, 'running', ?, 'good', ?, ?, 'schedule', ?, 'bench', ?, ?, ?, ?, ?, ?)`);
  const hostOf = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
  return {
    device: (n: number) => device.run(n + 1, nameOf(n), nameOf(n), hostOf(n), Date.now()),
    text: (id: string, n: number, base: string | null, body: Uint8Array) => text.run(id, n + 1, base, body),
    version(id: string, n: number, number: number, at: number, night: Night): void {
      const { compare, lines, bytes, added, removed } = night;
      const origin = `bench:${number}`;
      version.run(n + 1, number + 1, at, at, origin, id, compare, lines, bytes, added, removed);
    },
  };
}
