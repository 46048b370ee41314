/** Contract of `transcripts`: written with the end of a push, kept as long as the trail, sealed with the current key. */
import { expect, test } from "vitest";
import type { NewJob, NodeFence } from "../../../src/store/port.ts";
import { newJob } from "../support.ts";
import { endOf, type MakeStorePlace, useStore } from "./fixture.ts";

const [oldKey, newKey] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(8)];
const transcript = { content: '{"lines":["canary-line"],"dialogue":""}', sha256: "ab".repeat(32) };

export function transcriptsContract(makePlace: MakeStorePlace): void {
  const fixture = useStore(makePlace);

  async function ended(node: NodeFence, more: Partial<NewJob>, sent = true): Promise<string> {
    const { store } = fixture;
    const job = newJob(store, more);
    await store.jobs.insert([job]);
    const claimed = await fixture.claimOne(node, job.queue);
    const end = { ...endOf(job.id), transcript: sent ? transcript : undefined };
    await store.settlements.end(end, { fence: claimed.fence });
    return job.id;
  }

  test("that of a push is found, with its hash in the trail; a query has none", async () => {
    const node = await fixture.node("n1");
    const push = await ended(node, { operation: "config" });
    const query = await ended(node, {}, false);
    const { store } = fixture;
    expect(await store.transcripts.find(push)).toMatchObject({ content: transcript.content, caller: "k1" });
    expect(await store.transcripts.find(query)).toBeUndefined();
    const trail = await store.audit.page({}, 9);
    const hashOf = (id: string) => trail.find(({ jobId }) => jobId === id)?.sentSha256;
    expect([hashOf(push), hashOf(query)]).toEqual([transcript.sha256, null]);
  });

  test("it is not written by a node that has lost the job", async () => {
    const node = await fixture.node("n1");
    const { store } = fixture;
    const job = newJob(store, { operation: "config" });
    await store.jobs.insert([job]);
    const { fence } = await fixture.claimOne(node, job.queue);
    const stale = { ...fence, attempt: fence.attempt + 1 };
    expect(await store.settlements.end({ ...endOf(job.id), transcript }, { fence: stale })).toBe(false);
    expect(await store.transcripts.find(job.id)).toBeUndefined();
  });

  test("it is erased with the trail, and re-sealed with a new master key", async () => {
    await fixture.reopen({ masterKey: oldKey });
    const id = await ended(await fixture.node("n1"), { operation: "config" });
    const rotating = await fixture.reopen({ masterKey: newKey, formerKeys: [oldKey] });
    await rotating.rotation.reseal();
    const store = await fixture.reopen({ masterKey: newKey });
    expect(await store.transcripts.find(id)).toMatchObject({ content: transcript.content });
    await store.retention.audit(3_600_000);
    expect(await store.transcripts.find(id)).toBeDefined();
    await store.retention.audit(-3_600_000);
    expect(await store.transcripts.find(id)).toBeUndefined();
    expect(await store.audit.page({}, 9)).toEqual([]);
  });
}
