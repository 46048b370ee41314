/** The change of bench:changes with this service: a person's vote, a canary, waves, a check, and the return. */
import { join } from "node:path";
import * as v from "valibot";
import { changeRecord, changeTarget } from "../../../src/api/changes/change.ts";
import { pause } from "../../../src/base/time/deadline.ts";
import { ask, must } from "../../chaos/ask.ts";
import { bulk, untilEnded } from "../../chaos/kills.ts";
import { apiKey, type ChaosNode, createNode } from "../../chaos/node.ts";
import { placePersons } from "../../chaos/persons.ts";
import { type Speaker, wrongAs } from "./fleet.ts";

export interface Plan {
  /** Name of the device of the first wave. */
  readonly canary: string;
  /** After the canary. */
  readonly waves: readonly string[];
  readonly settleS: number;
  /** Text of the descriptions: different in each change. */
  readonly word: string;
  /** Whether the line reads the wrong data. */
  readonly isBad: boolean;
}

export interface OurSide {
  readonly node: ChaosNode;
  /** Reads what the devices have. */
  take(): Promise<void>;
  /** Drafted and planned. */
  planned(plan: Plan): Promise<Planned>;
  vote(change: Planned, more?: object): Promise<number>;
  /** @returns the status of the answer; 0: it did not come */
  start(id: string): Promise<number>;
  /** What it is doing: its state, and while it works the phase. */
  phase(id: string): Promise<string>;
  ended(id: string): Promise<Ended>;
  stop(): Promise<void>;
}

export interface Planned {
  readonly id: string;
  readonly revision: number;
  readonly hash: string | null;
}

export interface Ended {
  readonly state: string;
  readonly reason: string | null;
  readonly wave: number;
  readonly targets: readonly v.InferOutput<typeof changeTarget>[];
}

const group = "approvers";
const limitMs = 600_000;
const working: ReadonlySet<string> = new Set(["planning", "approved", "running", "stopping", "returning"]);

/** Sessions that are up: their last column, or the one before PfxSnt, is a number. */
const sessionsTemplate = `Value PEER (\\d+\\.\\d+\\.\\d+\\.\\d+)
Value PREFIXES (\\d+)

Start
  ^\${PEER}\\s+4\\s+\\d+\\s+\\d+\\s+\\d+\\s+\\d+\\s+\\d+\\s+\\d+\\s+\\S+\\s+\${PREFIXES}(\\s+\\d+\\s+.*)?$$ -> Record
`;
export const linesTemplate = `router bgp {{ vars.as_number }}
 neighbor {{ vars.peer }} remote-as {{ vars[data] }}
 neighbor {{ vars.peer }} description {{ word }}`;

export async function startOurs(folder: string, speakers: readonly Speaker[]): Promise<OurSide> {
  const env = { PATCHBAY_RATE_PER_KEY: "100000" };
  const node = await createNode({ name: "ours", folder, env });
  const [cookie = ""] = await placePersons(join(folder, "ours"), ["approver"]);
  node.spawn();
  await node.up();
  await must(node, "PUT", `/role/${group}`, { scope: "operate", rights: ["approve"], groups: [group] });
  const ours = sideOf(node, cookie);
  for (const kind of new Set(speakers.map(({ isReal }) => isReal))) {
    const [any] = speakers.filter(({ isReal }) => isReal === kind);
    if (any === undefined) continue;
    await must(node, "PUT", `/credential/${kind ? "frr" : "sim"}`, {
      ...{ username: any.username, password: any.password },
    });
  }
  await must(node, "POST", "/inventory/device", {
    devices: speakers.map(({ name, isReal, host, port, asNumber, peer, peerAs, breaks }) => ({
      ...{ name, host, port, driver: "netmiko", platform: isReal ? "frr" : "cisco_ios" },
      ...{ role: breaks ? "border" : "access", tags: ["bgp"] },
      credential: { name: "file", ref: isReal ? "frr" : "sim" },
      vars: { as_number: asNumber, peer, right_as: peerAs, new_as: breaks ? wrongAs : peerAs },
    })),
  });
  return ours;
}

function sideOf(node: ChaosNode, cookie: string): OurSide {
  const read = async (id: string) => {
    const { status, data } = await ask(node, "GET", `/change/${id}`);
    return status === 200 ? v.parse(changeRecord, data) : undefined;
  };

  async function targetsOf(id: string) {
    const all: v.InferOutput<typeof changeTarget>[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const url: string = `${node.url}/change/${id}/target${cursor === "" ? "" : `?cursor=${cursor}`}`;
      const response: Response = await fetch(url, { headers: { "X-API-KEY": apiKey } });
      all.push(...v.parse(v.object({ data: v.array(changeTarget) }), await response.json()).data);
      cursor = response.headers.get("X-Next-Cursor");
    }
    return all;
  }

  return {
    node,
    async take() {
      const { data } = await must(node, "POST", "/history/take", { select: "tag:bgp" });
      await untilEnded(node, v.parse(bulk, data).bulk_id);
    },
    async planned({ canary, waves, settleS, word, isBad }) {
      const sessions = {
        command: "show ip bgp summary",
        parse: { name: "textfsm", template: sessionsTemplate },
      };
      const { data } = await must(node, "POST", "/change", {
        ...{ name: word, select: "tag:bgp" },
        config: { word, data: isBad ? "new_as" : "right_as" },
        rendering: { name: "jinja2", template: linesTemplate },
        checks: {
          after: [{ ...sessions, expression: "$count($)", at_least: 1, relative: true }],
          settle_seconds: settleS,
        },
        strategy: { canary: [canary], waves },
      });
      const { id } = v.parse(changeRecord, data);
      await must(node, "POST", `/change/${id}/plan`, {});
      return await until(async () => {
        const change = await read(id);
        if (change?.state === "draft") throw new Error(`it was not planned: ${change.reason}`);
        return change?.state === "waiting_approval" ? change : undefined;
      });
    },
    async vote({ id, revision, hash }, more = {}) {
      const body = { revision, hash, verdict: "approve", ...more };
      const headers = { Cookie: cookie, Origin: node.url };
      return (await ask(node, "POST", `/change/${id}/vote`, body, headers)).status;
    },
    async start(id) {
      return (await ask(node, "POST", `/change/${id}/start`, {})).status;
    },
    async phase(id) {
      const change = await read(id);
      return change === undefined ? "unknown" : `${change.state} ${change.phase ?? ""}`.trim();
    },
    async ended(id) {
      const { state, reason, wave } = await until(async () => {
        const change = await read(id);
        return change === undefined || working.has(change.state) ? undefined : change;
      });
      return { state, reason, wave, targets: await targetsOf(id) };
    },
    async stop() {
      await node.kill();
    },
  };
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (const from = performance.now(); performance.now() - from < limitMs; await pause(100)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error(`it has not ended after ${limitMs / 1000} s`);
}
