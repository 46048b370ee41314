/** Event listeners that behave like browsers: each reconnects to the next node when its stream breaks. */
import { get } from "node:http";
import { pause } from "../../src/base/time/deadline.ts";
import { apiKey, type ChaosNode } from "./node.ts";

export interface Crowd {
  /** Changes in the order received by each listener: `<number> <end of the job id> <status>`. */
  readonly heard: readonly (readonly string[])[];
  /** Number of streams that broke and were resumed. */
  resumed(): number;
  /** Events that report a gap: `reset`, `slow`. */
  gaps(): number;
  /** Resolves when all listeners are connected. */
  readonly listening: Promise<void>;
  stop(): void;
}

const againMs = 50;

export function startCrowd(count: number, nodes: readonly ChaosNode[]): Crowd {
  const heard = Array.from({ length: count }, (): string[] => []);
  const begun = Array.from({ length: count }, () => Promise.withResolvers<void>());
  const stopping = new AbortController();
  let resumed = 0;
  let gaps = 0;

  async function listen(at: number): Promise<void> {
    let last: string | undefined;
    for (let turn = at; !stopping.signal.aborted; turn++) {
      const node = nodes[turn % nodes.length];
      if (node?.running() !== true) {
        await pause(againMs);
        continue;
      }
      if (last !== undefined) resumed++;
      await read(node, last, (block) => {
        const { id, event, data } = fieldsOf(block);
        if (id !== undefined) last = id;
        begun[at]?.resolve();
        if (event === "reset" || event === "slow") gaps++;
        if (event === "state") heard[at]?.push(`${id?.replace(".", " ")} ${statusIn(data)}`);
      });
      await pause(againMs);
    }
  }

  /** Resolves when the stream ends for any reason. */
  function read(node: ChaosNode, last: string | undefined, onBlock: (text: string) => void): Promise<void> {
    return new Promise((resolve) => {
      const request = get(
        `${node.url}/events`,
        {
          headers: { "X-API-KEY": apiKey, ...(last === undefined ? {} : { "Last-Event-ID": last }) },
          agent: false,
          signal: stopping.signal,
        },
        (answer) => {
          let text = "";
          answer.setEncoding("utf8");
          answer.on("data", (chunk: string) => {
            const blocks = (text + chunk).split("\n\n");
            text = blocks.pop() ?? "";
            for (const block of blocks) onBlock(block);
          });
          answer.on("close", resolve);
          answer.on("error", () => resolve());
        },
      );
      request.on("error", () => resolve());
    });
  }

  for (let at = 0; at < count; at++) void listen(at);
  return {
    heard,
    resumed: () => resumed,
    gaps: () => gaps,
    listening: Promise.all(begun.map(({ promise }) => promise)).then(() => {}),
    stop: () => stopping.abort(),
  };
}

function fieldsOf(block: string): { id?: string; event?: string; data?: string } {
  return Object.fromEntries(
    block.split("\n").map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)]),
  );
}

/** Interns the few distinct texts, which all listeners share. */
function statusIn(data = ""): string {
  return /"status":"(\w+)"/.exec(data)?.[1] ?? "";
}
