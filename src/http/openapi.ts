/** Description of each route; openapi-document.ts builds the OpenAPI document from it. */
import type * as v from "valibot";
import type { requestHeaders, Status } from "./openapi-words.ts";
import type { QuerySchema } from "./query.ts";

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

export const described: Record<string, Record<string, Described>> = {
  "/livez": { get: { summary: "Liveness probe", data: { const: "ok" }, open: true } },
  "/readyz": { get: { summary: "Readiness probe", data: { const: "ok" }, open: true } },
};
