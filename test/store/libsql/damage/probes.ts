/** Uses of the store: each tells which sound rows are missing. Those named `one` may refuse a damaged row. */
import type { AnyStore } from "../../../support/any-store.ts";
import { claimRequest, facts } from "../../support.ts";
import { sound } from "./sound.ts";

type Probe = (store: AnyStore) => Promise<string | undefined>;

const all = Number.MAX_SAFE_INTEGER;

function list(read: (store: AnyStore) => Promise<readonly unknown[]>): Probe {
  return async (store) => {
    const keys = await read(store);
    const missing = sound.filter((key) => !keys.includes(key));
    return missing.length === 0 ? undefined : `${missing} is missing among ${JSON.stringify(keys)}`;
  };
}

const only = (read: (store: AnyStore) => Promise<unknown>): Probe => {
  return async (store) => {
    await read(store);
    return undefined;
  };
};

async function node(store: AnyStore) {
  const lease = await store.nodes.acquire({ ...facts, name: "here", home: "here" });
  if (lease === undefined) throw new Error("no lease");
  return lease;
}

/** By pages of one, as an export of many pages. */
async function allJobs(store: AnyStore): Promise<string[]> {
  const ids: string[] = [];
  for (let beforeSeq: number | undefined; ; ) {
    const [row] = await store.jobs.listed({ beforeSeq }, 1);
    if (row === undefined) return ids;
    beforeSeq = row.head.seq;
    ids.push(row.head.id);
  }
}

async function allBulks(store: AnyStore): Promise<string[]> {
  const ids: string[] = [];
  for (let beforeSeq: number | undefined; ; ) {
    const [bulk] = await store.bulks.page({ beforeSeq }, 1);
    if (bulk === undefined) return ids;
    beforeSeq = bulk.seq;
    ids.push(bulk.id);
  }
}

export const probes: Readonly<Record<string, Probe>> = {
  jobs: list(allJobs),
  "jobs by tag": only((store) => store.jobs.page({ tag: "a" }, 10)),
  "jobs by driver": list(async (store) =>
    (await store.jobs.page({ operation: "query" }, 10)).map(({ id }) => id),
  ),
  heads: list(async (store) => (await store.jobs.heads({}, 10)).map(({ id }) => id)),
  statuses: list(async (store) => [...(await store.jobs.statusesOf(["k1", "k2", "k3"])).keys()]),
  load: only((store) => store.jobs.load([1, 2, 3], { request: true })),
  counts: only(async (store) => [await store.jobs.queuedByShare(), await store.jobs.oldestQueuedAt()]),
  "one job": only((store) => store.jobs.find("k2")),
  "one place": only((store) => store.jobs.placeOf("k2")),
  kept: only((store) => store.kept.jobs({}, 10)),
  bulks: list(allBulks),
  "bulks by tag": only((store) => store.bulks.page({ tag: "a" }, 10)),
  tallies: only((store) => store.bulks.tallies(["k1", "k2", "k3"], 0)),
  "one bulk": only((store) => store.bulks.find("k2")),
  audit: list(async (store) => (await store.audit.page({}, 10)).map(({ who }) => who)),
  events: async (store) => {
    const positions = (await store.events.after(0, all)).map(({ n }) => n);
    return positions.every((n, at) => n === at + 1) ? undefined : `positions ${positions}`;
  },
  "ends and newest": only(async (store) => [await store.events.ends(0, all), await store.events.last()]),
  "one job now": only((store) => store.events.ofJob("k2")),
  detached: list(async (store) => (await store.detached.page({}, 10)).map(({ id }) => id)),
  "detached due": only((store) => store.detached.takeDue(0, 10)),
  keys: list(async (store) => (await store.keys.list()).map(({ id }) => id)),
  "one key": only((store) => store.keys.byId("k2")),
  "planned changes": list(async (store) => (await store.changes.page({}, 10)).map(({ id }) => id)),
  "one change": only((store) => store.changes.find("k2")),
  "targets and steps of a change": only(async (store) => [
    await store.changes.targets("k2", {}, 10),
    await store.changes.steps("k2", 0, 10),
    await store.changes.votes("k2"),
  ]),
  persons: list(async (store) => (await store.persons.page(10)).map(({ id }) => id)),
  "one person": only((store) => store.persons.byId("k2")),
  roles: list(async (store) => (await store.roles.list()).map(({ name }) => name)),
  sessions: list(async (store) => (await store.loginSessions.list()).map(({ id }) => id)),
  "one login request": only(async (store) => [
    await store.loginRequests.find({ id: "k2" }),
    await store.loginRequests.stateOf("k2", "k2"),
  ]),
  credentials: list(async (store) => (await store.credentials.list()).map(({ ref }) => ref)),
  devices: list(async (store) =>
    (await store.inventory.changed("device", { revision: 0 }, 10)).entries.map(({ key }) => key),
  ),
  groups: list(async (store) =>
    (await store.inventory.changed("group", { revision: 0 }, 10)).entries.map(({ key }) => key),
  ),
  facts: list(async (store) => (await store.observations.discovered(0, 10)).map(({ key }) => key)),
  sightings: only((store) => store.observations.of(["k1", "k2", "k3"])),
  sources: list(async (store) => (await store.sources.list()).map(({ key }) => key)),
  "host keys": list(async (store) => (await store.hostKeys.list()).map(({ host }) => host)),
  "one host key": only((store) => store.hostKeys.known("k2", 2)),
  "one answer": only((store) => store.idempotency.findAnswer("k2", "k2")),
  "one transcript": only((store) => store.transcripts.find("k2")),
  webhooks: list(async (store) => (await store.webhooks.list()).map(({ name }) => name)),
  "one webhook": only((store) => store.webhooks.find("k2")),
  notices: list(async (store) => (await store.webhooks.notices(10)).map(({ id }) => id)),
  "configured devices": list(async (store) =>
    (await store.history.devices({}, 10)).map(({ device }) => device.name),
  ),
  "suspect devices": only((store) => store.history.devices({ state: "suspect" }, 10)),
  "failed devices": only((store) => store.history.devices({ state: "failed" }, 10)),
  "unsaved devices": only((store) => store.history.devices({ state: "unsaved" }, 10)),
  "newest configurations": only((store) => store.history.newest("running", 0, 10)),
  "good configurations": only(async (store) => [
    ...(await store.history.good("running", [1, 2, 3])),
    await store.history.countGood("running", [1, 2, 3]),
  ]),
  bodies: list(async (store) => (await store.history.bodies(["k1", "k2", "k3"])).map(({ id }) => id)),
  changes: list(async (store) => (await store.history.changes({}, 10)).map(({ jobId }) => jobId)),
  "changes of a device": only((store) => store.history.versions({ device: 2, part: "running" }, 10)),
  texts: list(async (store) => (await store.history.texts(["k1", "k2", "k3"])).map(({ id }) => id)),
  "one configured device": only((store) => store.history.device("k2")),
  "sums of configurations": only(async (store) => [
    ...[await store.history.summary(), await store.history.stale(all, 10)],
    ...[await store.history.suspects(10), await store.history.bytes()],
  ]),
  "due configurations": list(async (store) => (await store.history.takeDue(10)).map(({ name }) => name)),
  schedules: list(async (store) => (await store.schedules.page({}, 10)).map(({ id }) => id)),
  "last firings": list(async (store) => [...(await store.schedules.lastFirings(["k1", "k2", "k3"])).keys()]),
  "due schedules": list(async (store) => (await store.schedules.due(10)).schedules.map(({ id }) => id)),
  nodes: list(async (store) => (await store.nodes.live()).map(({ name }) => name)),
  workers: list(async (store) => (await store.workers.ofOtherNodes("x")).map(({ name }) => name)),
  firings: list(async (store) => {
    await store.nodes.retireOthers(await node(store));
    const taken = await store.schedules.take(await node(store), 10);
    return taken.map(({ scheduleId }) => scheduleId);
  }),
  deliveries: list(async (store) => {
    const lease = await node(store);
    const first = await store.deliveries.claim(lease, [], 10);
    await store.deliveries.claim(lease, [], 10);
    return first.map(({ jobId }) => jobId);
  }),
  "states of deliveries": list(async (store) => [
    ...(await store.deliveries.statesOf(["k1", "k2", "k3"])).keys(),
  ]),
  lanes: only((store) => store.jobs.lanesAfter(0)),
  expired: only((store) => store.recovery.expired(10)),
  orphans: only((store) => store.recovery.orphans(10)),
  claims: list(async (store) => {
    const request = claimRequest([], [{ lane: "lane", count: 5 }]);
    const { jobs } = await store.claims.claim(await node(store), request);
    return jobs.map(({ fence }) => fence.id);
  }),
  "held claims": only(async (store) => store.recovery.runningOf(await node(store))),
  retention: only(async (store) => [await store.retention.jobs(), await store.retention.idempotency()]),
  polls: only(async (store) => store.polls.upkeep(await node(store), 1)),
  rotation: only((store) => store.rotation.reseal()),
};
