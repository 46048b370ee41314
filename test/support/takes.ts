/** Takes without devices: jobs whose ends bring given texts, in a real store. */
import { createHash } from "node:crypto";
import { packText } from "../../src/runtime/text-pack.ts";
import type { NewConfigVersion, NodeFence, Store, TakenConfigurations } from "../../src/store/port.ts";
import { endOf } from "../store/contract/fixture.ts";
import { claimRequest, facts, newJob } from "../store/support.ts";

/** A good version of a running configuration. */
export function versionOf(text: string, more: Partial<NewConfigVersion> = {}): NewConfigVersion {
  const compare = createHash("sha256").update(text).digest("hex");
  return {
    ...{ part: "running", state: "good", reason: null, compare, lines: text.split("\n").length - 1 },
    ...{ bytes: Buffer.byteLength(text), added: 1, removed: 1, text: { body: packText(text) } },
    ...more,
  };
}

export interface Taker {
  /** Ends a job with these texts of each device, whose address is its name. @returns the ids of the jobs */
  take(
    takes: readonly { readonly device: string; readonly versions: readonly NewConfigVersion[] }[],
    more?: Partial<TakenConfigurations>,
  ): Promise<string[]>;
}

export async function createTaker(store: Store, name = "taker"): Promise<Taker> {
  const node = await fenceOf(store, name);
  return {
    async take(takes, more = {}) {
      const jobs = takes.map(({ device }) => newJob(store, { device, host: device }));
      await store.jobs.insert(jobs);
      const ids: string[] = [];
      for (let at = 0; at < jobs.length; at += 100) {
        const some = jobs.slice(at, at + 100);
        const { jobs: claimed } = await store.claims.claim(
          node,
          claimRequest(some.map(({ queue }) => queue)),
        );
        await Promise.all(
          claimed.map(async ({ fence, host }) => {
            const versions = takes.find(({ device }) => device === host)?.versions ?? [];
            const device = { name: host, host, group: null, platform: null };
            const taken = { device, source: "schedule" as const, who: "nightly", versions, ...more };
            const status = taken.error === undefined ? "finished" : "failed";
            await store.settlements.end({ ...endOf(fence.id, status), taken }, { fence });
            ids.push(fence.id);
          }),
        );
      }
      return ids;
    },
  };
}

async function fenceOf(store: Store, name: string): Promise<NodeFence> {
  const fence = await store.nodes.acquire({ ...facts, name, home: name });
  if (fence === undefined) throw new Error(`the lease of ${name} is taken`);
  return fence;
}
