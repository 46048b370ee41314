/**
 * `bun run bench:callers`: requests of a key, of a session of that key and of a session of a person, in turns on one
 * service. Prints JSON: requests per second, and CPU milliseconds of the service for 1,000 requests.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeSessionToken } from "../../src/auth/make-key.ts";
import { silentLog } from "../../src/base/log.ts";
import { createStore } from "../../src/store/libsql/store.ts";
import { storedMasterKey } from "../testbed/stored-jobs.ts";
import { cpuSeconds } from "./process-cpu.ts";
import { startService } from "./service.ts";

const rounds = 15;
const perRound = 2_000;
const atOnce = 16;

const by = { keyId: "bench", name: "bench", from: null };
const data = mkdtempSync(join(tmpdir(), "bench-callers-"));
const token = await personIn(data);
const service = await startService(undefined, { PATCHBAY_MASTER_KEY: storedMasterKey }, { data });
const begun = await service.call("POST", "/session");
const ofKey = begun.headers.get("set-cookie")?.split(";")[0] ?? "";

const callers: Readonly<Record<string, Record<string, string>>> = {
  key: { "X-API-KEY": service.key },
  session_of_key: { Cookie: ofKey },
  session_of_person: { Cookie: `patchbay_session=${token}` },
};
const measured = new Map(Object.keys(callers).map((name) => [name, { seconds: 0, cpu: 0 }]));
// The first round only warms up.
for (let round = 0; round <= rounds; round++)
  for (const [name, headers] of Object.entries(callers)) {
    const [startedAt, cpuBefore] = [performance.now(), cpuSeconds(service.pid)];
    await Promise.all(Array.from({ length: atOnce }, () => ask(headers, perRound / atOnce)));
    const sum = measured.get(name);
    if (sum === undefined || round === 0) continue;
    sum.seconds += (performance.now() - startedAt) / 1000;
    sum.cpu += cpuSeconds(service.pid) - cpuBefore;
  }
await service.stop();
rmSync(data, { recursive: true, force: true });

const total = rounds * perRound;
const figures = [...measured].map(([name, { seconds, cpu }]) => [
  name,
  { per_second: Math.round(total / seconds), cpu_ms_per_1000: Math.round((cpu * 1e6) / total) },
]);
console.log(JSON.stringify(Object.fromEntries(figures), null, 2));

async function ask(headers: Record<string, string>, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const answer = await fetch(`${service.url}/health`, { headers });
    if (!answer.ok) throw new Error(`GET /health: ${answer.status}`);
    await answer.text();
  }
}

/** A person with a role, as a sign-in stores them. @returns the token of a session */
async function personIn(directory: string): Promise<string> {
  const masterKey = new Uint8Array(Buffer.from(storedMasterKey, "hex"));
  const store = await createStore({ directory, masterKey, log: silentLog });
  const of = { name: "bench", position: 100, issuer: null, groups: ["bench"], subjects: [] };
  await store.roles.put(
    { ...of, scope: "operate", hosts: [], credentials: null, recipes: null, rights: [] },
    by,
  );
  const described = { issuer: "https://login.example", subject: "p1", name: "anna", email: null };
  const person = await store.persons.signIn({ ...described, groups: ["bench"] }, null);
  const made = makeSessionToken();
  await store.loginSessions.add({ token: made, holder: person?.id ?? "", address: null, agent: null }, by);
  await store.close();
  store.ownership.release();
  return made;
}
