/** What a notice tells. */
import { expect, test, vi } from "vitest";
import { ownTakeTag } from "../../src/api/history/history.ts";
import { createIso } from "../../src/api/time.ts";
import { createChangeNews } from "../../src/changes/feed.ts";
import { createTelling, isSingle } from "../../src/webhooks/told.ts";
import { owner, query, startScheduled } from "../schedules/support.ts";
import { bodyOf } from "../support/requests.ts";
import { temporary } from "../support/temporary.ts";

const iso = createIso("UTC");
/** For a busy machine; Vitest itself waits for a second. */
const patience = { timeout: 60_000 };

test("a schedule that was renamed while its bulk ran is told to have failed, under its new name", async () => {
  const folder = temporary();
  const node = await startScheduled({ directory: folder.path });
  const { store, jobs, schedules } = node;
  const mine = await owner(node);
  const spec = JSON.stringify({ events: ["schedule.failed"], receiver: "http://a", signed: false });
  const webhook = { name: "noc", receiver: "12345678noc", owner: mine.keyId, limited: false, spec };
  await store.webhooks.put({ ...webhook, content: "{}" }, true, mine);
  const what = query("r1");
  const request = { ...what.request, command: "fail now" };
  const id = await node.add({ name: "nightly", every: "1d", what: { ...what, request } });
  await schedules.run(id, mine);
  const notices = await vi.waitFor(async () => {
    const found = await store.webhooks.notices(10);
    expect(found.map(({ kind }) => kind)).toContain("bulk.ended");
    return found;
  }, patience);
  await schedules.change(id, bodyOf({ name: "every-night" }), mine);
  await node.add({ name: "nightly", every: "1d", what });
  const tell = createTelling({ store, jobs, changeNews: createChangeNews({ store, iso }), iso });
  const [notice] = notices.filter(isSingle).filter(({ kind }) => kind === "bulk.ended");
  const { events } = notice === undefined ? { events: [] } : await tell(notice);
  expect(events.map(({ event }) => event)).toEqual(["bulk.ended", "schedule.failed"]);
  expect(events[1]?.data).toMatchObject({ schedule: { id, name: "every-night", failures: 1 } });
  await node.stop();
  folder.remove();
});

test("a bulk that reads configurations for the history's own reasons is told to nobody, another one is", async () => {
  const folder = temporary();
  const node = await startScheduled({ directory: folder.path });
  const { store, jobs } = node;
  const mine = await owner(node);
  const spec = JSON.stringify({ events: ["bulk.ended"], receiver: "http://a", signed: false });
  const webhook = { name: "noc", receiver: "12345678noc", owner: mine.keyId, limited: false, spec };
  await store.webhooks.put({ ...webhook, content: "{}" }, true, mine);
  const tell = createTelling({ store, jobs, changeNews: createChangeNews({ store, iso }), iso });
  for (const [tags, events] of [
    [[ownTakeTag], []],
    [["history"], ["bulk.ended"]],
  ] as const) {
    const { bulk_id } = await jobs.bulk(bodyOf({ ...query("r1").request, tags }), mine);
    const notice = await vi.waitFor(async () => {
      const found = (await store.webhooks.notices(10)).find(({ subject }) => subject === bulk_id);
      if (found === undefined || !isSingle(found)) throw new Error("the bulk has not ended");
      return found;
    }, patience);
    expect((await tell(notice)).events.map(({ event }) => event)).toEqual(events);
  }
  await node.stop();
  folder.remove();
});
