/** What an implementation provides to the contract suite, and the store of each test. */
import { afterEach, beforeEach } from "vitest";
import type { ClaimedJob, NodeFence, Store } from "../../../src/store/port.ts";
import { claimRequest, facts } from "../support.ts";

export interface MasterKeys {
  readonly masterKey?: Uint8Array;
  readonly formerKeys?: readonly Uint8Array[];
}

/** Where a store persists its data: everything is there again after a close and reopen. */
export interface StorePlace {
  open(keys?: MasterKeys): Promise<Store>;
  /** Before it is opened again. */
  close(store: Store): Promise<void>;
  /** With the store that is open. */
  remove(store?: Store): Promise<void>;
}

/** Creates an empty place for each test. */
export type MakeStorePlace = () => Promise<StorePlace>;

export interface StoreFixture {
  readonly store: Store;
  /** Closes and reopens the store. */
  reopen(keys?: MasterKeys): Promise<Store>;
  /** A node with a lease. */
  node(name?: string): Promise<NodeFence>;
  /** Claims the head of each pinned queue. */
  claim(node: NodeFence, ...queues: string[]): Promise<readonly ClaimedJob[]>;
  /** Claims the job at the head of a pinned queue. */
  claimOne(node: NodeFence, queue: string): Promise<ClaimedJob>;
}

/** An open store on an empty place for each test of the calling suite. */
export function useStore(makePlace: MakeStorePlace): StoreFixture {
  let place: StorePlace;
  let store: Store;
  let isOpen = false;

  async function open(keys?: MasterKeys): Promise<Store> {
    store = await place.open(keys);
    isOpen = true;
    return store;
  }

  beforeEach(async () => {
    place = await makePlace();
    await open();
  });
  afterEach(async () => {
    await place.remove(isOpen ? store : undefined);
    isOpen = false;
  });

  async function claim(node: NodeFence, ...queues: string[]): Promise<readonly ClaimedJob[]> {
    return (await store.claims.claim(node, claimRequest(queues))).jobs;
  }

  return {
    get store() {
      return store;
    },
    async reopen(keys) {
      await place.close(store);
      isOpen = false;
      return open(keys);
    },
    async node(name = "n1") {
      const fence = await store.nodes.acquire({ ...facts, name, home: name });
      if (!fence) throw new Error(`the lease of ${name} is taken`);
      return fence;
    },
    claim,
    async claimOne(node, queue) {
      const [job] = await claim(node, queue);
      if (!job) throw new Error(`nothing was claimed from ${queue}`);
      return job;
    },
  };
}

/** The end of a job. */
export const endOf = (id: string, status: "finished" | "failed" = "finished") => ({
  id,
  status,
  result: '{"type":"success","retval":{"a":1.0},"error":null}',
  durationMs: 5,
  hasWebhook: false,
  hasIntents: false,
});

export const failure = '{"type":"failed","retval":null,"error":{"type":"Validation","message":"x"}}';
export const webhook = { receiver: "x", content: '{"webhook":"basic","options":{}}' };
export const operator = { keyId: "command line", name: "ada", from: null };
