/** Authors who make changes, persons who vote, and words at random moments, while nodes are killed. */
import * as v from "valibot";
import { type ChangeState, changeStates } from "../../src/api/changes/change.ts";
import { pause } from "../../src/base/time/deadline.ts";
import { ask } from "./ask.ts";
import type { ChaosNode } from "./node.ts";
import type { Random } from "./random.ts";

export type Spoken = Readonly<Record<string, number>>;

/** A change that an author drafted. */
export interface Drafted {
  readonly id: string;
  /** A line that no other change has. */
  readonly line: string;
  readonly ticket: string;
}

export interface Author {
  /** Brings its change to an end, and makes no further one once one was started. */
  stop(): void;
  readonly ended: Promise<void>;
}

export interface ChangeWorkOptions {
  readonly nodes: readonly ChaosNode[];
  /** Cookies. */
  readonly persons: readonly string[];
  readonly random: Random;
}

const seen = v.object({
  id: v.string(),
  state: v.picklist(changeStates),
  revision: v.number(),
  hash: v.nullable(v.string()),
  approvals: v.object({ needed: v.number(), given: v.number() }),
});
type Seen = v.InferOutput<typeof seen>;

const lookMs = 100;
/** A change that nothing moves any more. */
const patienceMs = 600_000;
/** How often a return that did not return all devices is tried again. */
const mostReturns = 3;

export function changeWork({ nodes, persons, random }: ChangeWorkOptions) {
  const drafted: Drafted[] = [];
  const said: Record<string, number> = {};
  let made = 0;

  /** Status 0: no node answered. */
  async function call(method: string, path: string, body?: object, cookie?: string) {
    const running = nodes.filter((node) => node.running());
    if (running.length === 0) return { status: 0, data: undefined };
    const node = random.pick(running);
    if (cookie === undefined) return ask(node, method, path, body);
    return ask(node, method, path, body, { Cookie: cookie, Origin: node.url });
  }

  async function say(id: string, word: string, body: object = {}, cookie?: string): Promise<boolean> {
    const { status } = await call("POST", `/change/${id}/${word}`, body, cookie);
    if (status === 200) said[word] = (said[word] ?? 0) + 1;
    return status === 200;
  }

  /** A lost answer leaves a draft that nobody touches. */
  async function draft(devices: readonly string[]): Promise<Drafted> {
    for (;;) {
      const number = ++made;
      const breaks = random.chance(0.35);
      const mark = `10.${breaks ? 66 : 77}.${Math.floor(number / 250)}.${1 + (number % 250)}`;
      const line = `ntp server ${mark}`;
      const ticket = `CHG-${number}`;
      const { status, data } = await call("POST", "/change", requestOf(devices, line, ticket, breaks));
      if (status === 0 || status >= 500) {
        await pause(lookMs);
        continue;
      }
      if (status !== 201) throw new Error(`a draft is refused: ${status} ${JSON.stringify(data)}`);
      const one = { id: v.parse(seen, data).id, line, ticket };
      drafted.push(one);
      return one;
    }
  }

  function requestOf(devices: readonly string[], line: string, ticket: string, breaks: boolean) {
    const isLoose = random.chance(0.6);
    const all = { wave: "100%", total: "100%" };
    return {
      ...{ name: ticket, ticket, devices },
      config: { line, breaks },
      rendering: {
        name: "jinja2",
        template: '{{ line }}{% if breaks and vars.refuses == "yes" %}\nbogus words\n{% endif %}',
      },
      ...(breaks || random.chance(0.5)
        ? { checks: { after: [{ command: "show running-config", contains: line }] } }
        : {}),
      on_stop: random.chance(0.75) ? "return" : "keep",
      approvals: { count: random.below(3) },
      strategy: {
        ...{ canary: 1, waves: ["2", "100%"], gate: random.chance(0.2) ? "approval" : "auto" },
        soak_seconds: random.chance(0.5) ? 0.5 : 0,
        ...(isLoose ? { limits: { failed: all, unreachable: all, unknown: all } } : {}),
      },
    };
  }

  async function read(id: string): Promise<Seen | undefined> {
    const { status, data } = await call("GET", `/change/${id}`);
    return status === 200 ? v.parse(seen, data) : undefined;
  }

  async function vote(change: Seen): Promise<void> {
    const { id, revision, hash } = change;
    const verdict = random.chance(0.04) ? "reject" : "approve";
    // Sometimes for a plan that is no more: it must not count.
    const isOld = random.chance(0.1);
    const cookie = random.pick(persons);
    await say(id, "vote", { revision: isOld ? revision + 1 : revision, hash, verdict }, cookie);
  }

  /** @returns whether it has ended for its author */
  async function next({ id }: Drafted, change: Seen, own: OwnWords, devices: readonly string[]) {
    const { state } = change;
    switch (state) {
      case "draft":
        await say(id, "plan");
        return false;
      case "planning":
        // Its node was killed while it planned: another one goes on later.
        if (random.chance(0.02)) await say(id, "cancel");
        return false;
      case "waiting_approval":
        // Not before its votes.
        if (random.chance(0.2)) await say(id, "start");
        if (own.edits > 0 && random.chance(0.1)) {
          own.edits--;
          const again = drafted.find((one) => one.id === id);
          if (again === undefined) return false;
          const body = requestOf(devices, again.line, again.ticket, again.line.includes("10.66."));
          const { status } = await call("PUT", `/change/${id}`, body);
          if (status === 200) said.edit = (said.edit ?? 0) + 1;
          return false;
        }
        await vote(change);
        return false;
      case "approved":
        await say(id, "start");
        return false;
      case "running":
        if (random.chance(0.02)) await say(id, "pause");
        else if (own.stops && random.chance(0.04)) await say(id, "stop", { note: "enough" });
        return false;
      case "paused":
        if (random.chance(0.1)) await say(id, own.stops ? "stop" : "resume");
        else if (random.chance(0.4)) await say(id, "resume");
        return false;
      case "done":
      case "stopped":
        return !own.wantsReturn || !(await giveBack(id, own));
      case "partly_returned":
      case "needs_person":
        return !(await giveBack(id, own));
      case "returning":
      case "stopping":
        return false;
      default:
        return true;
    }
  }

  /** @returns whether it may still be returned */
  async function giveBack(id: string, own: OwnWords): Promise<boolean> {
    if (own.returns === 0) return false;
    own.returns--;
    await say(id, "return");
    return true;
  }

  return {
    drafted: drafted as readonly Drafted[],
    said: said as Spoken,
    author(devices: readonly string[]): Author {
      let stopped = false;
      let hasStarted = false;
      const run = async () => {
        // At least one, however many are cut off while they are planned.
        while (!stopped || !hasStarted) {
          const some = devices.filter((_, at) => at < devices.length - 1 || random.chance(0.2));
          const change = await draft(some);
          const own: OwnWords = {
            ...{ edits: 1, returns: mostReturns },
            ...{ stops: random.chance(0.25), wantsReturn: random.chance(0.5) },
          };
          const from = performance.now();
          let last: ChangeState | undefined;
          for (let isOver = false; !isOver; ) {
            await pause(lookMs);
            const now = await read(change.id);
            last = now?.state ?? last;
            hasStarted ||= now?.state === "running";
            if (now !== undefined) isOver = await next(change, now, own, some);
            if (performance.now() - from > patienceMs) throw new Error(`${change.id} stays ${last}`);
          }
        }
      };
      return {
        stop() {
          stopped = true;
        },
        ended: run(),
      };
    },
  };
}

interface OwnWords {
  edits: number;
  returns: number;
  readonly stops: boolean;
  readonly wantsReturn: boolean;
}
