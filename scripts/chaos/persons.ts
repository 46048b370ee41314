/** Persons who vote on changes. */
import { silentLog } from "../../src/base/log.ts";
import { loadConfig } from "../../src/config/config.ts";
import { withStore } from "../../src/service/storage/store.ts";
import { sharedMasterKey } from "./node.ts";

/**
 * Persons of the group `approvers`, each with a session, put into the store before a node has it.
 * @param url of a libSQL server; undefined: a file
 * @returns their cookies
 */
export async function placePersons(
  dataDir: string,
  names: readonly string[],
  url?: string,
): Promise<readonly string[]> {
  const config = loadConfig({
    flags: { data_dir: dataDir, ...(url === undefined ? {} : { database_url: url }) },
    environment: url === undefined ? {} : { PATCHBAY_MASTER_KEY: sharedMasterKey },
  });
  const cookies = await withStore(config, silentLog, async ({ persons, loginSessions }) => {
    const made: string[] = [];
    for (const name of names) {
      const signIn = { issuer: "https://id.example.net", subject: name, name, email: null };
      const person = await persons.signIn({ ...signIn, groups: ["approvers"] }, null);
      if (person === undefined) throw new Error("there is no room for a person");
      const token = `pbs_${name.padEnd(43, "0")}`;
      const by = { keyId: person.id, name, from: null };
      await loginSessions.add({ token, holder: person.id, address: null, agent: null }, by);
      made.push(`patchbay_session=${token}`);
    }
    return made;
  });
  // A libSQL connection closes its files when it is garbage collected, and with them drops the locks of others.
  Bun.gc(true);
  return cookies;
}
