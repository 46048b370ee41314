/** Work on the store of a data directory, while no service does. */
import { silentLog } from "../../src/base/log.ts";
import { loadConfig } from "../../src/config/config.ts";
import { withStore } from "../../src/service/storage/store.ts";
import type { Store } from "../../src/store/port.ts";

export async function placeStore<T>(dataDir: string, work: (store: Store) => Promise<T>): Promise<T> {
  const done = await withStore(loadConfig({ flags: { data_dir: dataDir } }), silentLog, work);
  // A libSQL connection closes its files when it is garbage collected, and with them drops the locks of others.
  Bun.gc(true);
  return done;
}

/** Somebody who has signed in, with a session of this token. */
export async function placePerson(
  { persons, loginSessions }: Store,
  { name, group, token }: { readonly name: string; readonly group: string; readonly token: string },
): Promise<void> {
  const signIn = { issuer: "https://id.example.net", subject: name, name, email: null };
  const person = await persons.signIn({ ...signIn, groups: [group] }, null);
  if (person === undefined) throw new Error("there is no room");
  const by = { keyId: person.id, name, from: null };
  await loginSessions.add({ token, holder: person.id, address: null, agent: null }, by);
}
