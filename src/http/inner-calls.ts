/** Calls of this API that steps of recipes make: the same routes, with the same checks of scope, right and space. */
import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { recipeLimits } from "../api/recipes/recipe.ts";
import { requireScope, shareOf } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { requireRight } from "../auth/rights.ts";
import { ServiceError } from "../base/errors.ts";
import { createTimeBudget } from "../base/time/time-budget.ts";
import type { InnerCalls } from "../recipes/port.ts";
import type { Call } from "./call.ts";
import type { HttpOptions } from "./port.ts";
import { requireParameters } from "./query.ts";
import { readBody, readText } from "./request/body.ts";
import { reserve } from "./request/reservation.ts";
import { needsSpace, type RouteDefinition } from "./route.ts";
import { definitions } from "./route-table.ts";

const envelope = v.object({ code: v.number(), message: v.string(), data: v.unknown() });
/** More than a step keeps of it, whatever its letters are. */
const mostBytes = 4 * recipeLimits.textChars;
/** Requests know a host; this one is in no answer. */
const origin = "http://inner.invalid";

export function createInnerCalls(options: HttpOptions): InnerCalls {
  function allow(route: RouteDefinition, caller: Caller): void {
    const { scope, right } = route;
    requireScope(caller, scope);
    if (right !== undefined) requireRight(caller, right);
    if (needsSpace(route)) options.disk?.require();
  }

  return {
    async require(route, caller) {
      const found = routeNamed(route);
      if (found !== undefined) allow(found, caller);
    },

    async call({ route, method, path, body }, caller, signal) {
      const url = new URL(path, origin);
      const one = routeNamed(route);
      const steps = one && stepsIn(one.path, url.pathname);
      if (one === undefined || steps === undefined)
        throw new ServiceError("NotFound", "There is no such endpoint.");
      allow(one, caller);
      requireParameters(one.query, url);
      await options.admin.noteBreakGlass(caller, `${method} ${url.pathname}`);
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const headers = { "Content-Type": "application/json", Accept: "application/json" };
      const request = new Request(url.href, { method, headers, signal, ...sent });
      const reservation = reserve(options.admission, shareOf(caller));
      const read = () => readBody(request, { maxBytes: options.maxBodyBytes, hold: reservation.holdBytes });
      const call: Call = {
        ...{ request, url, caller, options, requestId: randomUUID(), reservation, ...steps },
        budget: createTimeBudget(),
        isStillCaller: async () => true,
        isInForce: async () => true,
        body: read,
        unreadBody: read,
        text: (maxBytes) => readText(request, { maxBytes, hold: reservation.holdBytes }),
        doneWithBody() {},
        admitNextBody() {},
      };
      try {
        const answer = await answerOf(await one.handle(call));
        if (answer.code !== 200) throw new ServiceError("BusinessFailure", answer.message);
        return answer.data;
      } finally {
        reservation.end();
      }
    },
  };
}

const routeNamed = (route: string) => definitions.find(({ method, path }) => `${method} ${path}` === route);

/**
 * What is no JSON, or more than a step keeps, is not read to its end: a stream of events has none.
 * @throws ServiceError BusinessFailure
 */
async function answerOf(response: Response): Promise<v.InferOutput<typeof envelope>> {
  const reader = response.body?.getReader();
  const refuse = (why: string) => {
    void reader?.cancel().catch(() => {});
    return new ServiceError("BusinessFailure", `The answer ${why}.`);
  };
  if (!/^application\/json\b/.test(response.headers.get("Content-Type") ?? "")) throw refuse("is no JSON");
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const piece = await reader?.read();
    if (piece?.value === undefined) break;
    size += piece.value.length;
    if (size > mostBytes) throw refuse(`has more than ${mostBytes / 1024} KiB: ask for less by its query`);
    pieces.push(piece.value);
  }
  return v.parse(envelope, JSON.parse(Buffer.concat(pieces).toString("utf8")));
}

/** What `:name` and `:item` stand for; undefined: it is another path. */
function stepsIn(pattern: string, path: string): Pick<Call, "name" | "item"> | undefined {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== given.length) return undefined;
  const steps: Record<string, string> = {};
  for (const [at, step] of wanted.entries()) {
    const said = given[at] ?? "";
    if (step.startsWith(":")) {
      if (said === "") return undefined;
      steps[step.slice(1)] = decodeURIComponent(said);
    } else if (step !== said) return undefined;
  }
  return steps;
}
