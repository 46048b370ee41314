/** `driver_args` of the driver paramiko: those of the interface, and the service's own. */
import { laxNumber } from "patchbay/plugin";
import * as v from "valibot";
import {
  flag,
  name,
  noMeaning,
  optional,
  optionalText,
  positiveSeconds,
  secretLine,
} from "../shared/fields.ts";
import { serverTransfer } from "./file-transfer.ts";

const maxInput = 1024 * 1024;
const variable = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable"),
);
const value = v.pipe(
  v.string("must be a string"),
  v.check((text) => !text.includes("\0"), "must not contain a NUL character"),
);

/** Common to query and configure. */
const shared = {
  timeout: optional(
    positiveSeconds,
    "Seconds for each command. After that the process is killed and the job fails with `ReadTimeout` and the output so far. Default: only the job's `ttl` applies",
    { examples: [30] },
  ),
  get_pty: optional(
    flag,
    "Allocates a terminal; both streams are merged. Defaults to `true` with `sudo_password`, since a server with `requiretty` needs it",
    { default: false },
  ),
  environment: optional(
    v.record(variable, value),
    "Environment variables. They are sent to the server (`AcceptEnv`) and also set by a POSIX shell that then starts the command in the login shell, so that a server cannot drop them. The shell reads the values from its standard input, so they appear in no process list",
    { examples: [{ LANG: "C" }] },
  ),
  stop_on_error: optional(flag, "Stops the list at the first non-zero exit status, with a warning", {
    default: false,
  }),
  detach: optional(
    flag,
    "The commands outlive the job, which returns a `task_id`: see [below](#detached-tasks)",
    {
      default: false,
    },
  ),
  // From the Python library; buffering has no size here.
  bufsize: optional(laxNumber(), noMeaning),
};

export const queryArgs = v.pipe(
  v.object({
    ...shared,
    input: optional(
      v.pipe(v.string("must be a string"), v.maxLength(maxInput, "is too long")),
      "Standard input of each command",
      { examples: ["yes\n"] },
    ),
    file_transfer: optional(serverTransfer, "See [below](#files)", {
      examples: [{ operation: "upload", local_path: "a.conf", remote_path: "/etc/a.conf" }],
    }),
  }),
  v.forward(
    v.check(
      ({ detach, file_transfer }) => detach !== true || file_transfer === undefined,
      "cannot be used with a file transfer",
    ),
    ["detach"],
  ),
);

export const configureArgs = v.pipe(
  v.object({
    ...shared,
    fail_on_error: optional(
      flag,
      "The first command that does not exit with 0 fails the job with `CommandError`, and the others are not run",
      { default: false },
    ),
    sudo: optional(
      flag,
      "Runs each command as root. A command of plain words is passed to sudo unchanged; one with redirections, pipes or variables runs in a POSIX shell under sudo, so that `echo x > /etc/file` works. That shell gets it over its standard input: it does not matter what the login shell is (csh, fish, a restricted one)",
      { default: false },
    ),
    sudo_password: optionalText(
      secretLine,
      "Entered at sudo's prompt. The password, the prompt and sudo's lecture never appear in the output. A wrong password fails with `AuthenticationFailed` after one attempt, and the remaining commands do not run. Without a password sudo runs non-interactively (`sudo -n`)",
      { examples: ["…"] },
    ),
    become_user: optionalText(name, "User that sudo runs the command as", { default: "root" }),
  }),
  v.forward(
    v.check(
      ({ detach, fail_on_error }) => detach !== true || fail_on_error !== true,
      "cannot be used with detach",
    ),
    ["fail_on_error"],
  ),
  v.forward(
    v.check(
      ({ sudo, sudo_password }) => sudo !== undefined || sudo_password === undefined,
      "requires sudo: true",
    ),
    ["sudo_password"],
  ),
  v.forward(
    v.check(
      ({ sudo, become_user }) => sudo !== undefined || become_user === undefined,
      "requires sudo: true",
    ),
    ["become_user"],
  ),
);

export type QueryArgs = v.InferOutput<typeof queryArgs>;
export type ConfigureArgs = v.InferOutput<typeof configureArgs>;
