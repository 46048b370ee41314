/**
 * A fix that does not help, on a real router: after each push the device is read and compared, the next round is drafted by
 * itself and needs its votes again, the third is the last one; webhooks are told. What is suspect complies with nothing.
 */
import { spawnSync } from "node:child_process";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Frr, startFrr } from "../../../scripts/testbed/frr.ts";
import type { ChangeDetail, ChangeRecord } from "../../../src/api/changes/change.ts";
import type { DriftRecord } from "../../../src/api/intent/intent.ts";
import { type Receiver, startReceiver } from "../../../src/testkit/receiver.ts";
import { adminKey, programOf } from "../../../src/testkit/service.ts";
import { type Browser, type SignInPlace, startSignInPlace } from "../../support/oidc.ts";
import { type Kept, keptBy } from "../history/history-places.ts";

const [program, ...begin] = programOf();

describe.skipIf(needs("frr"))("FRR", () => {
  let router: Frr;
  let place: SignInPlace;
  let kept: Kept;
  let receiver: Receiver;
  const persons = new Map<string, Browser>();

  beforeAll(async () => {
    [router, place, receiver] = await Promise.all([
      startFrr({ hostname: "edge-1", daemons: ["staticd"], configuration: ["hostname edge-1"] }),
      startSignInPlace({
        persons: ["anna", "ben"].map((name) => ({ subject: `p-${name}`, name, groups: ["netops"] })),
        env: { PATCHBAY_URL_ALLOW: "127.0.0.1" },
      }),
      startReceiver(200),
    ]);
    const role = ["role", "put", "netops", "--scope", "operate", "--group", "netops"];
    const put = spawnSync(program, [...begin, ...role, "--rights", "approve,history"], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, PATCHBAY_DATA_DIR: place.service.dataDir },
    });
    expect(put.status, put.stderr).toBe(0);
    for (const name of ["anna", "ben"]) {
      const browser = place.browser();
      await browser.signIn(`${place.service.url}/login/corp`, name);
      persons.set(name, browser);
    }
    kept = keptBy(place.service);
    await kept.add("edge-1", router, { platform: "frr", tags: ["edge"] });
    const config = { url: receiver.url };
    const events = ["drift.found", "drift.gone", "drift.unknown", "drift.needs_person"];
    const hook = await place.service.call("POST", "/webhook", {
      name: "drift",
      config,
      events,
      difference: true,
    });
    expect(hook.status, JSON.stringify(hook.body)).toBe(201);
  }, 240_000);
  afterAll(async () => {
    receiver?.close();
    await place?.stop();
    await router?.stop();
  });

  async function ask<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await place.service.call<T>(method, path, body);
    expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    return answer.body.data;
  }
  const eventually = <T>(holds: () => Promise<T>) => vi.waitFor(holds, { timeout: 100_000, interval: 100 });
  const told = () =>
    receiver.received.map(({ body }): { event: string; summary: string; difference?: string } =>
      JSON.parse(body),
    );
  const row = async () => (await ask<DriftRecord[]>("GET", "/drift"))[0];
  const vote = async (name: string, { id, revision, hash }: ChangeDetail) => {
    const browser = persons.get(name);
    const answer = await fetch(`${place.service.url}/change/${id}/vote`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Origin: place.service.url,
        Cookie: (browser?.cookies ?? []).map(({ name, value }) => `${name}=${value}`).join("; "),
      },
      body: JSON.stringify({ revision, hash, verdict: "approve" }),
    });
    expect(answer.status, await answer.clone().text()).toBe(200);
  };

  test("is drafted anew, voted on by two persons each time, at most three times", async () => {
    // FRR keeps it as 10.0.0.0/8, so that no line brings it about.
    await ask("PUT", "/intent/routes", {
      select: "tag:edge",
      text: "ip route 10.1.2.3/8 blackhole\n",
      sections: [{ name: "routes", match: ["ip route *"], mode: "contains" }],
    });
    await kept.taken("edge-1");
    await eventually(async () => expect((await row())?.state).toBe("drifted"));
    await eventually(async () => expect(told().map(({ event }) => event)).toContain("drift.found"));
    expect(told().find(({ event }) => event === "drift.found")).toMatchObject({
      summary: "edge-1 drifts from the intent routes",
      difference: "+ip route 10.1.2.3/8 blackhole\n",
    });
    const draft = await ask<ChangeDetail>("POST", "/drift/fix", {
      ...{ intents: ["routes"], unproven: true, name: "routes back", approvals: { count: 2 } },
    });
    let change = await ask<ChangeDetail>("POST", `/change/${draft.id}/plan`, {});
    for (let round = 1; round <= 3; round++) {
      expect(change).toMatchObject({ state: "waiting_approval", approvals: { needed: 2, given: 0 } });
      expect(change.origin).toBe(round === 1 ? undefined : "drift");
      expect((await place.service.call("POST", `/change/${change.id}/start`, {})).status).toBe(409);
      await vote("anna", change);
      expect((await place.service.call("POST", `/change/${change.id}/start`, {})).status).toBe(409);
      await vote("ben", change);
      await ask("POST", `/change/${change.id}/start`, {});
      await eventually(async () => expect(await row()).toMatchObject({ state: "drifted", rounds: round }));
      if (round === 3) break;
      const id = await eventually(async () => {
        const all = await ask<ChangeRecord[]>("GET", "/change?state=waiting_approval");
        expect(all.map(({ name }) => name)).toEqual([`routes back (round ${round + 1})`]);
        return all[0]?.id ?? "";
      });
      change = await ask<ChangeDetail>("GET", `/change/${id}`);
    }
    await eventually(async () => expect(told().map(({ event }) => event)).toContain("drift.needs_person"));
    expect(told().at(-1)).toMatchObject({
      summary: "Fixes did not bring edge-1 back to the intent routes",
      difference: "+ip route 10.1.2.3/8 blackhole\n",
    });
    await eventually(async () =>
      expect((await ask<ChangeRecord[]>("GET", "/change")).map(({ state }) => state)).toEqual([
        "done",
        "done",
        "done",
      ]),
    );
    expect(await row()).toMatchObject({ needs_person: true, rounds: 3 });
    const metrics = await fetch(`${place.service.url}/metrics`, {
      headers: { "X-API-KEY": adminKey },
    });
    expect(await metrics.text()).toContain("patchbay_drift_needs_person 1");
  }, 300_000);

  test("what complies is told, and complies no more when its text is suspect", async () => {
    await ask("PUT", "/intent/routes", {
      select: "tag:edge",
      text: "ip route 10.0.0.0/8 blackhole\n",
      sections: [{ name: "routes", match: ["ip route *"], mode: "contains" }],
    });
    await eventually(async () => expect(await row()).toMatchObject({ state: "compliant", rounds: 0 }));
    await eventually(async () => expect(told().at(-1)?.event).toBe("drift.gone"));
  }, 120_000);
});
