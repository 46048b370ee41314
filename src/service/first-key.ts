/** The first API key: taken from the settings, or generated once and shown to the operator. */
import { makeApiKey } from "../auth/make-key.ts";
import type { Config } from "../config/config.ts";
import type { Actor, Store } from "../store/port.ts";

const atStart: Actor = { keyId: "start", name: "patchbay", from: null };

/** @returns the clear key if one was generated: it is shown once and stored only as a hash. */
export async function ensureFirstKey(config: Config, store: Store): Promise<string | undefined> {
  const configuredKey = config.values.api_key?.reveal();
  if (configuredKey !== undefined) {
    if ((await store.keys.find(configuredKey)) === undefined)
      await addUnderFreeName(store, "configured", configuredKey);
    return undefined;
  }
  if ((await store.keys.list()).length > 0) return undefined;
  const key = makeApiKey();
  await store.keys.add({ name: "first", key, scope: "admin", hosts: [] }, atStart);
  return key;
}

/** A changed key in the settings gets a new name; the old one stays valid until it is revoked. */
async function addUnderFreeName(store: Store, base: string, key: string): Promise<void> {
  const taken = new Set((await store.keys.list()).map((key) => key.name));
  for (let n = 1; ; n++) {
    const name = n === 1 ? base : `${base}-${n}`;
    if (taken.has(name)) continue;
    await store.keys.add({ name, key, scope: "admin", hosts: [] }, atStart);
    return;
  }
}
