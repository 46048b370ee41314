/** `driver_args` of the driver paramiko: those of the interface, and what the service adds. */
import * as v from "valibot";
import { flag, name, optional, positiveSeconds, secretLine } from "../shared/fields.ts";
import { serverTransfer } from "./file-transfer.ts";

const mostInput = 1024 * 1024;
const variable = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable"),
);
const value = v.pipe(
  v.string("must be a text"),
  v.check((text) => !text.includes("\0"), "must not hold a NUL character"),
);

/** Of both kinds of operation. */
const shared = {
  /** Seconds for each command; none: the job's `ttl` is the limit. */
  timeout: optional(positiveSeconds),
  get_pty: optional(flag),
  environment: optional(v.record(variable, value)),
  /** A command that ends with another status than 0 ends the list. */
  stop_on_error: optional(flag),
  /** It outlives the session: the job ends when it runs, and gives its `task_id`. */
  detach: optional(flag),
  // Of the Python library, and without a meaning where nothing is buffered by size.
  bufsize: optional(v.number()),
};

export const queryArgs = v.pipe(
  v.object({
    ...shared,
    /** What each command reads from its standard input. */
    input: optional(v.pipe(v.string("must be a text"), v.maxLength(mostInput, "is too long"))),
    file_transfer: optional(serverTransfer),
  }),
  v.forward(
    v.check(
      ({ detach, file_transfer }) => detach !== true || file_transfer === undefined,
      "has no meaning for a file transfer",
    ),
    ["detach"],
  ),
);

export const configureArgs = v.pipe(
  v.object({
    ...shared,
    sudo: optional(flag),
    sudo_password: optional(secretLine),
    /** Whom sudo runs the commands as; default root. */
    become_user: optional(name),
  }),
  v.forward(
    v.check(({ sudo, sudo_password }) => sudo === true || sudo_password === undefined, "needs sudo: true"),
    ["sudo_password"],
  ),
  v.forward(
    v.check(({ sudo, become_user }) => sudo === true || become_user === undefined, "needs sudo: true"),
    ["become_user"],
  ),
);

export type QueryArgs = v.InferOutput<typeof queryArgs>;
export type ConfigureArgs = v.InferOutput<typeof configureArgs>;
