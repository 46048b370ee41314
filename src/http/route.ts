/** A route in one place: address, scope, parameters, body, answer, failures, handler. */
import * as v from "valibot";
import type { Unchanged } from "../api/schema.ts";
import type { Right, Scope } from "../auth/port.ts";
import type { PluginSchemas } from "../registry/plugin-schemas.ts";
import { success } from "./answer/respond.ts";
import type { Call, Route } from "./call.ts";
import type { requestHeaders, Status } from "./openapi/words.ts";
import { noQuery, type QuerySchema, queryOf } from "./query.ts";

/** The body of an answer that is a file. */
export const bytes = v.pipe(v.string(), v.metadata({ format: "binary" }));

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

interface Facts<A extends v.GenericSchema> {
  /** What it does, unique among all routes: the operation id of the API description, such as `listKeys`. */
  readonly id: string;
  readonly method: Method;
  /** A step `:name` is passed to the handler as `call.name`. */
  readonly path: string;
  readonly scope: Scope;
  /** For whoever has a list of recipes, that decides in place of the scope: by the recipe `:name`. */
  readonly runsRecipe?: true;
  /** What the key needs beside the scope. */
  readonly right?: Right;
  readonly summary: string;
  /** Meaning of `:name`, if it is not a name. */
  readonly step?: string;
  /** Meaning of a second step, `:item`. */
  readonly item?: string;
  /** Schema of a JSON body; the domain parses it. */
  readonly body?: v.GenericSchema;
  /** A body that is not JSON. */
  readonly takes?: "text" | "bytes";
  /** Schema of `data` on success. */
  readonly answer: A;
  /** Optional members of the envelope beside `data`. */
  readonly beside?: v.ObjectSchema<v.ObjectEntries, undefined>;
  /** Server-Sent Events, each of them; 204 once the stream has been read to its end. */
  readonly events?: v.GenericSchema;
  /** Content types of an answer that is streamed and not JSON. */
  readonly stream?: readonly string[];
  /** Answers 201; a PUT answers 201 or 200. */
  readonly created?: true;
  /** The answer is a page: `X-Next-Cursor` leads to the next. */
  readonly paged?: true;
  /** Submits jobs: takes `Prefer` and `Idempotency-Key`, and `grows`. */
  readonly submits?: true;
  /**
   * Stores something new: refused while the disk has only the reserve for running work. All others work until it is full:
   * logins, cancellations, revocations and what stores nothing.
   */
  readonly grows?: true;
  /** May answer 200 with `code` -1: the state of its target does not allow it. */
  readonly refusable?: true;
  readonly headers?: readonly (keyof typeof requestHeaders)[];
  /** Further headers of a successful answer. */
  readonly gives?: Readonly<Record<string, string>>;
  /** Error statuses besides those of every route, and those that follow from the members above. */
  readonly fails?: readonly Status[];
  /** What follows from the loaded plugins, for the API description. */
  varies?(plugins: PluginSchemas): Partial<Pick<RouteDefinition, "query" | "body" | "answer" | "stream">>;
}

/** What the API description says of any route. */
export type RouteFacts = Omit<Facts<v.GenericSchema>, "scope" | "right">;

/** Of one without a scope no key is needed. */
export interface DescribedRoute extends RouteFacts {
  readonly scope?: Scope;
  readonly right?: Right;
  readonly query: QuerySchema;
}

interface Definition<Q extends QuerySchema, A extends v.GenericSchema> extends Facts<A> {
  readonly query: Q;
  /** Returns `data`, or a whole response. */
  handle(call: Call, query: v.InferOutput<Q>): Reply<A> | Promise<Reply<A>>;
}

export function needsSpace({ grows, submits }: Pick<RouteDefinition, "grows" | "submits">): boolean {
  return grows === true || submits === true;
}

type Reply<A extends v.GenericSchema> = Response | Unchanged<v.InferInput<A>>;

export interface RouteDefinition extends Facts<v.GenericSchema> {
  readonly query: QuerySchema;
  readonly handle: Route;
}

export function route<const Q extends QuerySchema, const A extends v.GenericSchema>(
  definition: Definition<Q, A>,
): RouteDefinition;
/** Without `query` the route takes no parameters. */
export function route<const A extends v.GenericSchema>(
  definition: Omit<Definition<typeof noQuery, A>, "query">,
): RouteDefinition;
export function route(
  definition: Partial<Pick<Definition<QuerySchema, v.GenericSchema>, "query">> &
    Omit<Definition<QuerySchema, v.GenericSchema>, "query">,
): RouteDefinition {
  const { query = noQuery, created, method } = definition;
  const status = created && method === "POST" ? 201 : 200;
  return {
    ...definition,
    query,
    async handle(call) {
      const reply = await definition.handle(call, queryOf(query, call.url));
      return reply instanceof Response ? reply : success(reply, "success", status);
    },
  };
}
