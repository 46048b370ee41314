/** Description of each route; openapi-document.ts builds the OpenAPI document from it. */
import type * as v from "valibot";
import {
  bulkRequest,
  discoverRequest,
  executeRequest,
  parseRequest,
  renderRequest,
  testRequest,
} from "../api/request.ts";
import { templateWarnings } from "./openapi-answers.ts";
import { eventPaths } from "./openapi-events.ts";
import { exportPaths } from "./openapi-exports.ts";
import { retryPaths } from "./openapi-retry.ts";
import { listOf, refTo, text } from "./openapi-schema.ts";
import type { requestHeaders, Status } from "./openapi-words.ts";
import { cancelQuery, jobQuery, type QuerySchema, releaseQuery } from "./query.ts";

export interface Described {
  readonly id?: string;
  readonly summary: string;
  /** Schema of `data` on success. */
  readonly data: object;
  /** Optional members of the envelope beside `data`. */
  readonly beside?: object;
  readonly body?: v.GenericSchema;
  readonly query?: QuerySchema;
  readonly headers?: readonly (keyof typeof requestHeaders)[];
  /** Headers of a successful answer. */
  readonly gives?: Record<string, string>;
  readonly created?: true;
  /** Content types of a streamed answer that is not JSON. */
  readonly stream?: string | readonly string[];
  /** An event stream that answers 204 once it has been read to its end. */
  readonly resumable?: true;
  /** The body is the bytes of a file, not JSON. */
  readonly bytes?: true;
  /** The body is text, not JSON. */
  readonly text?: true;
  /** Needs no key. */
  readonly open?: true;
  /** May be answered with 200 and `code` -1: the state of a job or task does not allow it. */
  readonly refusable?: true;
  /** Meaning of `{name}` in the path, if it is not a name. */
  readonly path?: string;
  /** Error statuses besides those of every route. */
  readonly fails?: readonly Status[];
}

const withBody: readonly Status[] = ["400", "413", "415", "422"];
const submission = { headers: ["Prefer", "Idempotency-Key"], fails: [...withBody, "409"] } as const;
const wait = { "Preference-Applied": "The wait that was applied" };
const cursor = { "X-Next-Cursor": "Cursor of the next page; absent on the last" };
const render = {
  data: text,
  beside: templateWarnings,
  body: renderRequest,
  fails: [...withBody, "404"],
} as const;
const parse = {
  data: listOf({ type: "object" }),
  beside: templateWarnings,
  body: parseRequest,
  fails: [...withBody, "404"],
} as const;

export const described: Record<string, Record<string, Described>> = {
  "/device/execute": {
    post: {
      summary: "Submit one device operation",
      data: {
        anyOf: [refTo("JobTicket"), refTo("Job")],
        description: "With `Prefer: wait`, the whole record.",
      },
      body: executeRequest,
      created: true,
      gives: { Location: "Path of the job", ...wait },
      ...submission,
    },
  },
  "/device/bulk": {
    post: {
      summary: "Submit the same operation for many devices",
      data: refTo("BulkAnswer"),
      body: bulkRequest,
      gives: wait,
      ...submission,
    },
  },
  "/device/test-connection": {
    post: {
      summary: "Test connection and login, without a job",
      data: refTo("TestAnswer"),
      body: testRequest,
      fails: withBody,
    },
  },
  "/template/render": {
    post: { summary: "Render a template; with the default engine unless `name` is given", ...render },
  },
  "/template/render/{name}": { post: { summary: "Render a template with the named engine", ...render } },
  "/template/parse": {
    post: { summary: "Parse text; the template determines the parser unless `name` is given", ...parse },
  },
  "/template/parse/{name}": { post: { summary: "Parse text with the named parser", ...parse } },
  "/job": {
    get: {
      summary: "Query jobs, newest first",
      data: listOf(refTo("Job")),
      query: jobQuery,
      gives: cursor,
      fails: ["400", "404", "422"],
    },
    delete: {
      summary: "Cancel jobs",
      data: { ...listOf(text), description: "Ids of the cancelled jobs" },
      query: cancelQuery,
      refusable: true,
      fails: ["404", "422"],
    },
  },
  ...eventPaths,
  "/job/release": {
    post: {
      summary: "Release held jobs to the queue",
      data: { ...listOf(text), description: "Ids of the released jobs" },
      query: releaseQuery,
      refusable: true,
      fails: ["404", "422"],
    },
  },
  ...exportPaths,
  ...retryPaths,
  "/inventory/discover": {
    post: {
      summary: "Discover what devices are, one job per device, and store the facts in the inventory",
      data: refTo("BulkAnswer"),
      body: discoverRequest,
      gives: wait,
      ...submission,
    },
  },
  "/metrics": {
    get: {
      summary: "Prometheus metrics of this node; requires a key that may reach all hosts",
      data: text,
      stream: "text/plain",
    },
  },
  "/livez": { get: { summary: "Liveness probe", data: { const: "ok" }, open: true } },
  "/readyz": { get: { summary: "Readiness probe", data: { const: "ok" }, open: true } },
};
