/** `driver_args` of the driver restconf. */
import { laxNumber } from "patchbay/plugin";
import * as v from "valibot";
import { flag, line, optional, optionalText, positiveSeconds } from "../shared/fields.ts";

const expression = v.pipe(line, v.nonEmpty("must not be empty"), v.maxLength(8_192, "is too long"));

/** Common to query and configure. */
const shared = {
  timeout: optional(positiveSeconds, "Seconds for each request. Default: `connection_args.timeout`", {
    examples: [120],
  }),
};

export const queryArgs = v.object({
  ...shared,
  encoding: optional(v.picklist(["json", "xml"]), "Encoding of the answer (`application/yang-data+…`)", {
    default: "json",
  }),
  format: optional(
    v.picklist(["object", "text"]),
    "`text` returns JSON as indented text. XML is text in any case",
    { default: "object" },
  ),
  content: optional(v.picklist(["config", "nonconfig", "all"]), "Only configuration, only state, or both", {
    examples: ["config"],
  }),
  depth: optional(
    v.union(
      [v.literal("unbounded"), v.pipe(laxNumber(), v.integer(), v.minValue(1), v.maxValue(65_535))],
      "must be unbounded or a number from 1 to 65535",
    ),
    "Levels of data that are returned",
    { examples: [2] },
  ),
  fields: optionalText(expression, "Nodes that are returned, as in RFC 8040, section 4.8.3", {
    examples: ["interface(name;enabled)"],
  }),
  with_defaults: optional(
    v.picklist(["report-all", "report-all-tagged", "trim", "explicit"]),
    "Default values in the answer (RFC 6243)",
    { examples: ["report-all"] },
  ),
  metadata: optional(
    flag,
    "Returns `{etag, last_modified, data}`: for `if_match` of a push. With false, only the data",
    { default: false },
  ),
});

export const configureArgs = v.pipe(
  v.object({
    ...shared,
    method: optional(
      v.picklist(["patch", "put", "post", "delete"]),
      "`patch` merges, `put` replaces the resource, `post` creates one below it or calls an operation, `delete` removes the resources that `config` names. Default: `patch`, and `post` for an operation",
      { examples: ["put"] },
    ),
    path: optionalText(
      expression,
      "The resource: such as `ietf-interfaces:interfaces/interface=eth0`. Default: the whole datastore (`data`)",
      { examples: ["ietf-interfaces:interfaces"] },
    ),
    if_match: optionalText(
      expression,
      "Entity tag that the resource must still have, as a query with `metadata` returned it; otherwise nothing is changed",
      { examples: ['"a74eefc993a2b"'] },
    ),
    insert: optional(
      v.picklist(["first", "last", "before", "after"]),
      "Place of a new entry in a list that its user orders",
      { examples: ["after"] },
    ),
    point: optionalText(expression, "Path of the entry for `before` and `after`", {
      examples: ["/example-jukebox:jukebox/playlist=A/song=1"],
    }),
    diff: optional(
      flag,
      "Reads the resource before and after the edit, and returns what has changed. `false` saves both requests",
      { default: true },
    ),
  }),
  v.forward(
    v.check(
      ({ insert, point }) => (insert === "before" || insert === "after") === (point !== undefined),
      "and insert before or after need each other",
    ),
    ["point"],
  ),
  v.forward(
    v.check(
      ({ insert, method }) => insert === undefined || method === "post" || method === "put",
      "needs the method post or put",
    ),
    ["insert"],
  ),
  v.forward(
    v.check(
      ({ method, path }) => method !== "delete" || path === undefined,
      "cannot be combined with delete: config has the paths",
    ),
    ["path"],
  ),
);

export type QueryArgs = v.InferOutput<typeof queryArgs>;
export type ConfigureArgs = v.InferOutput<typeof configureArgs>;
