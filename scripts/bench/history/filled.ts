/** Fills a store with versions through its port, with texts stored as takes store them. */
import { createHash } from "node:crypto";
import { silentLog } from "../../../src/base/log.ts";
import { countChanges } from "../../../src/configtext/diff.ts";
import { storedForm } from "../../../src/history/texts.ts";
import { packText } from "../../../src/runtime/text-pack.ts";
import { createStore } from "../../../src/store/libsql/store.ts";
import type { ImportedVersion, Store } from "../../../src/store/port.ts";
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

export async function fillHistory(directory: string, devices: number, versions: number): Promise<Filled> {
  const masterKey = Buffer.from(storedKey, "hex");
  const store = await createStore({ directory, masterKey, log: silentLog });
  const filled = { versions: 0, textBytes: 0, packedBytes: 0, whole: 0 };
  const firstAt = Date.now() - versions * dayMs;
  try {
    for (let device = 0; device < devices; device++)
      await fillDevice(store, device, versions, firstAt, filled);
  } finally {
    await store.close();
    store.ownership.release();
  }
  return filled;
}

async function fillDevice(
  { history }: Store,
  device: number,
  count: number,
  firstAt: number,
  filled: { -readonly [name in keyof Filled]: number },
): Promise<void> {
  const name = nameOf(device);
  const place = { name, host: `10.${device >> 16}.${(device >> 8) & 255}.${device & 255}`, group: null };
  let waiting: ImportedVersion[] = [];
  const write = async () => {
    if (waiting.length > 0) await history.add({ ...place, platform: "cisco_ios" }, waiting);
    waiting = [];
  };
  let base: { id: string; text: string } | undefined;
  let before: string | undefined;
  let at = 0;
  for (const text of versionsOf(device, count)) {
    const body = packText(text);
    const lines = text.split("\n").length - 1;
    const stored = await storedForm(body, text, base);
    const changes = before === undefined ? { added: lines, removed: 0 } : countChanges(before, text);
    waiting.push({
      ...{ part: "running", state: "good", reason: null, lines, bytes: Buffer.byteLength(text), ...changes },
      ...{ compare: createHash("sha256").update(text).digest("hex"), text: stored },
      ...{ takenAt: firstAt + at * dayMs + device, who: "bench", note: undefined, origin: `bench:${at}` },
    });
    filled.versions++;
    filled.textBytes += Buffer.byteLength(text);
    filled.packedBytes += body.length;
    if (stored.base === undefined) {
      filled.whole++;
      // Later texts are stored as a difference from it.
      await write();
      const owner = await history.device(name);
      const written = owner && (await history.base(owner.id, "running"));
      base = written && { id: written.id, text };
    }
    before = text;
    at++;
  }
  await write();
}
