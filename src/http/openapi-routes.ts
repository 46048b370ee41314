/** What the API description says of a route follows from its definition. */
import { type JsonSchema, withComponents } from "../base/json/json-schema.ts";
import type { Described } from "./openapi.ts";
import type { Status } from "./openapi-words.ts";
import type { RouteDefinition } from "./route.ts";

const ofBody: readonly Status[] = ["400", "413", "415", "422"];

/** Adds the components that its answer refers to. */
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
    data: withComponents(answer, components),
    query,
    headers: [...(submits ? (["Prefer", "Idempotency-Key"] as const) : []), ...(route.headers ?? [])],
    fails: [
      ...(hasBody ? ofBody : []),
      ...(submits ? (["409"] as const) : []),
      ...(route.path.includes(":") && !(created && route.method === "PUT") ? (["404"] as const) : []),
      ...(paged ? (["400"] as const) : []),
      ...(route.fails ?? []),
    ],
    ...(Object.keys(gives).length > 0 ? { gives } : {}),
    ...(beside === undefined ? {} : { beside: propertiesOf(withComponents(beside, components)) }),
    ...(body === undefined ? {} : { body }),
    ...(created ? { created } : {}),
    ...(refusable ? { refusable } : {}),
    ...(route.stream === undefined ? {} : { stream: route.stream }),
    ...(takes === "text" ? { text: true } : {}),
    ...(takes === "bytes" ? { bytes: true } : {}),
    ...(route.step === undefined ? {} : { path: route.step }),
  };
}

const propertiesOf = ({ properties }: JsonSchema): object =>
  typeof properties === "object" && properties !== null ? properties : {};
