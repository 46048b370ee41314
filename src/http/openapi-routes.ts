/** What the API description says of a route follows from its definition. */
import { type JsonSchema, withComponents } from "../base/json/json-schema.ts";
import type { Described } from "./openapi-operation.ts";
import type { Status } from "./openapi-words.ts";
import type { RouteDefinition } from "./route.ts";

const ofBody: readonly Status[] = ["400", "413", "415", "422"];

/** Adds the components that its answer refers to. */
/** A stream of events; `contentSchema` describes one of them. */
const eventStream = (events: JsonSchema) => ({
  type: "string",
  contentMediaType: "text/event-stream",
  contentSchema: events,
});

export function describedOf(route: RouteDefinition, components: Record<string, JsonSchema>): Described {
  const { id, summary, answer, beside, query, body, created, refusable, submits, paged, takes } = route;
  const hasBody = body !== undefined || takes !== undefined;
  const gives = {
    ...(paged ? { "X-Next-Cursor": "Cursor of the next page; absent on the last" } : {}),
    ...(submits ? { "Preference-Applied": "The wait that was applied" } : {}),
    ...route.gives,
  };
  return {
    id,
    summary,
    data:
      route.events === undefined
        ? withComponents(answer, components)
        : eventStream(withComponents(route.events, components)),
    query,
    headers: [
      ...(submits ? (["Prefer", "Idempotency-Key"] as const) : []),
      ...(route.events ? (["Last-Event-ID"] as const) : []),
      ...(route.headers ?? []),
    ],
    fails: [
      ...(hasBody ? ofBody : []),
      ...(submits ? (["409"] as const) : []),
      ...(route.path.includes(":") && !(created && route.method === "PUT") ? (["404"] as const) : []),
      ...(paged || route.events ? (["400"] as const) : []),
      ...(route.fails ?? []),
    ],
    ...(Object.keys(gives).length > 0 ? { gives } : {}),
    ...(beside === undefined ? {} : { beside: propertiesOf(withComponents(beside, components)) }),
    ...(body === undefined ? {} : { body }),
    ...(created ? { created } : {}),
    ...(refusable ? { refusable } : {}),
    ...(route.events === undefined ? {} : { stream: "text/event-stream", resumable: true }),
    ...(route.stream === undefined ? {} : { stream: route.stream }),
    ...(takes === "text" ? { text: true } : {}),
    ...(takes === "bytes" ? { bytes: true } : {}),
    ...(route.step === undefined ? {} : { path: route.step }),
  };
}

const propertiesOf = ({ properties }: JsonSchema): object =>
  typeof properties === "object" && properties !== null ? properties : {};
