/** `driver_args` of the driver netconf. */
import { laxNumber } from "patchbay/plugin";
import * as v from "valibot";
import { flag, name, optional, optionalText, positiveSeconds } from "../shared/fields.ts";

/** The longest timer of a confirmed commit that is asked for. */
export const mostRevertSeconds = 65_535;

const longestText = 1024 * 1024;
const text = v.pipe(v.string("must be a string"), v.maxLength(longestText, "is too long"));
const yangName = v.pipe(
  v.string("must be a name"),
  v.regex(/^[A-Za-z_][\w.-]{0,255}$/, "must be a name of YANG"),
);
const datastores = v.picklist(["running", "candidate", "startup"]);

/** Common to query and configure. */
const shared = {
  timeout: optional(positiveSeconds, "Seconds for each reply. Default: `connection_args.timeout`", {
    examples: [120],
  }),
};

export const queryArgs = v.object({
  ...shared,
  source: optional(datastores, "Datastore that `get-config` reads, and `validate` checks", {
    default: "running",
  }),
  filter: optional(
    v.union(
      [text, v.record(v.string(), v.unknown())],
      "must be XML, an XPath expression or an object by YANG names",
    ),
    "For `get` and `get-config`: elements as XML, an object by YANG names, or an XPath expression, whose prefixes are module names or `namespaces`",
    {
      examples: [{ "ietf-interfaces:interfaces": {} }, "/ietf-interfaces:interfaces/interface[name='eth0']"],
    },
  ),
  namespaces: optional(v.record(yangName, text), "Prefixes of an XPath filter, and their namespaces", {
    examples: [{ if: "urn:ietf:params:xml:ns:yang:ietf-interfaces" }],
  }),
  with_defaults: optional(
    v.picklist(["report-all", "report-all-tagged", "trim", "explicit"]),
    "Default values in the answers of `get` and `get-config` (RFC 6243)",
    { examples: ["report-all"] },
  ),
  format: optional(
    v.picklist(["xml", "object"]),
    "`object` returns data by YANG names (`module:name`, as in RFC 7951) instead of XML; values are texts",
    { default: "xml" },
  ),
  lists: optional(
    v.pipe(v.array(yangName), v.maxLength(1_000, "has too many names")),
    "Names that are lists in an `object`, even with one entry. Others are lists where a name occurs twice",
    { examples: [["interface"]] },
  ),
  identifier: optionalText(name, "Name of the module for `get-schema`", { examples: ["ietf-interfaces"] }),
  revision: optionalText(name, "Revision of the module for `get-schema`", { examples: ["2018-02-20"] }),
});

export const configureArgs = v.pipe(
  v.object({
    ...shared,
    handle: optionalText(
      name,
      "Name of a confirmed commit (`persist-id`), as the push that began it returned it: if `config` is `commit` or `cancel-commit`",
      { examples: ["patchbay-1f2e3d4c"] },
    ),
    target: optional(
      datastores,
      "Datastore that is changed. Default: `candidate`, which is then committed, or `running` if the server has no candidate",
      { examples: ["running"] },
    ),
    default_operation: optional(
      v.picklist(["merge", "replace", "none"]),
      "What happens to elements without an `operation` of their own. `replace` replaces the whole datastore",
      { default: "merge" },
    ),
    replace: optional(flag, "The same as `default_operation: replace`", { default: false }),
    error_option: optional(
      v.picklist(["stop-on-error", "continue-on-error", "rollback-on-error"]),
      "What the server does at an error. Default: `rollback-on-error`, if it can do that",
      { examples: ["stop-on-error"] },
    ),
    dry_run: optional(flag, "Loads the candidate, returns the difference, and discards it", {
      default: false,
    }),
    validate: optional(
      flag,
      "Sends `validate` before the commit, if the server can do that. A commit validates in any case",
      { default: false },
    ),
    lock: optional(flag, "Locks the datastore while it is changed", { default: true }),
    revert_in: optional(
      v.pipe(laxNumber(), v.integer(), v.minValue(1), v.maxValue(mostRevertSeconds)),
      "Seconds after which the server rolls the commit back, unless a push of `commit` with the returned `handle` confirms it",
      { examples: [300] },
    ),
    save: optional(flag, "Copies running to startup afterwards, if the server has a startup datastore", {
      default: false,
    }),
  }),
  v.forward(
    v.check(
      ({ dry_run, target }) => dry_run !== true || target === undefined || target === "candidate",
      "cannot be combined with a target that is changed at once",
    ),
    ["dry_run"],
  ),
  v.forward(
    v.check(
      ({ revert_in, target }) => revert_in === undefined || target === undefined || target === "candidate",
      "needs the candidate",
    ),
    ["revert_in"],
  ),
  v.forward(
    v.check(
      ({ revert_in, save }) => revert_in === undefined || save !== true,
      "cannot be combined with revert_in: an unconfirmed commit is not saved",
    ),
    ["save"],
  ),
);

export type QueryArgs = v.InferOutput<typeof queryArgs>;
export type ConfigureArgs = v.InferOutput<typeof configureArgs>;
