/** Server-Sent Events of all jobs, of a bulk, of a job. */

import { isTrue } from "../../../api/filters.ts";
import { anyJobEvent, bulkEvent, jobEvent } from "../../../api/jobs/event.ts";
import { text } from "../../../api/schema.ts";
import type { Listening, StreamEvent } from "../../../events/port.ts";
import { readPosition } from "../../../events/position.ts";
import { type EventWords, eventBytes } from "../../answer/event-text.ts";
import { sendEvents } from "../../answer/send-events.ts";
import type { Call } from "../../call.ts";
import { bulkEventQuery, eventQuery } from "../../query.ts";
import { route } from "../../route.ts";

const watching = { method: "GET", scope: "read", answer: text } as const;

export const eventRoutes = [
  route({
    ...watching,
    id: "getEvents",
    path: "/events",
    summary: "Watch status changes of all jobs, as Server-Sent Events",
    query: eventQuery,
    events: anyJobEvent,
    async handle(call, { bulk_id, host, select, status }) {
      const { options, caller, request } = call;
      const hosts =
        select === undefined ? undefined : await options.jobs.hostsOf(select, caller, request.signal);
      const filter = { bulkId: bulk_id, host: await namedHost(host, call), hosts, statuses: status };
      return sendJobEvents(call, { read: "/job", many: true }, (listening) =>
        options.events.ofAll(filter, listening),
      );
    },
  }),
  route({
    ...watching,
    id: "getBulkEvents",
    path: "/bulk/:name/events",
    summary: "Watch a bulk: counts and status changes of its jobs, as Server-Sent Events; `name` is its id",
    query: bulkEventQuery,
    events: bulkEvent,
    async handle(call, { host, status, output, states }) {
      const { name: id = "" } = call;
      const wishes = {
        host: await namedHost(host, call),
        statuses: status,
        output: isTrue(output),
        states: states === undefined || isTrue(states),
      };
      return sendJobEvents(
        call,
        { read: `/job?bulk_id=${encodeURIComponent(id)}`, many: true },
        (listening) => call.options.events.ofBulk(id, wishes, listening),
      );
    },
  }),
  route({
    ...watching,
    id: "getJobEvents",
    path: "/job/:name/events",
    summary: "Watch a job: status changes and live output, as Server-Sent Events; `name` is its id",
    events: jobEvent,
    handle(call) {
      const { name: id = "" } = call;
      return sendJobEvents(call, { read: `/job?id=${encodeURIComponent(id)}`, many: false }, (listening) =>
        call.options.events.ofJob(id, listening),
      );
    },
  }),
];

/** A host that is the name of an inventory device is that device. */
async function namedHost(host: string | undefined, { options, caller }: Call): Promise<string | undefined> {
  return host === undefined ? undefined : options.jobs.hostNamed(host, caller);
}

function sendJobEvents(
  call: Call,
  words: Omit<EventWords, "iso">,
  open: (listening: Listening) => AsyncGenerator<StreamEvent>,
): Promise<Response> {
  const { iso } = call.options;
  return sendEvents(call, {
    positionOf: readPosition,
    open,
    bytes: (event) => eventBytes(event, { ...words, iso }),
  });
}
