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

const mostInput = 1024 * 1024;
const variable = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable"),
);
const value = v.pipe(
  v.string("must be a text"),
  v.check((text) => !text.includes("\0"), "must not hold a NUL character"),
);

/** Common to query and configure. */
const shared = {
  timeout: optional(
    positiveSeconds,
    "Seconds for each command. Then the process is killed and the job fails as `ReadTimeout`, with what was obtained. Default: none but the job's `ttl`",
    { examples: [30] },
  ),
  get_pty: optional(
    flag,
    "A terminal; both streams come as one. With `sudo_password` the default is `true`: a server with `requiretty` needs it",
    { default: false },
  ),
  environment: optional(
    v.record(variable, value),
    "Variables. They are asked of the server (`AcceptEnv`) and set by the login shell, a POSIX one, in front of the command, so that a server can not drop them; it reads their values from its input, so that they stand in no process list",
    { examples: [{ LANG: "C" }] },
  ),
  stop_on_error: optional(flag, "The first exit status other than 0 ends the list, with a warning", {
    default: false,
  }),
  detach: optional(
    flag,
    "The work outlives the job, which gives its `task_id`: see [below](#detached-tasks)",
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
      v.pipe(v.string("must be a text"), v.maxLength(mostInput, "is too long")),
      "What each command reads from its standard input",
      { examples: ["yes\n"] },
    ),
    file_transfer: optional(serverTransfer, "See [below](#files)", {
      examples: [{ operation: "upload", local_path: "a.conf", remote_path: "/etc/a.conf" }],
    }),
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
    sudo: optional(
      flag,
      "Runs each as root. A command of plain words is given to sudo as it stands; one with redirections, pipes or variables runs in a shell behind sudo, so that `echo x > /etc/file` works",
      { default: false },
    ),
    sudo_password: optionalText(
      secretLine,
      "Typed at sudo's prompt; neither it, nor the prompt, nor the lecture before it shows anywhere. A wrong one is told as `AuthenticationFailed` after one try, and nothing that follows is tried. Without it sudo asks nobody (`sudo -n`)",
      { examples: ["…"] },
    ),
    become_user: optionalText(name, "Whom sudo runs it as", { default: "root" }),
  }),
  v.forward(
    v.check(
      ({ sudo, sudo_password }) => sudo !== undefined || sudo_password === undefined,
      "needs sudo: true",
    ),
    ["sudo_password"],
  ),
  v.forward(
    v.check(({ sudo, become_user }) => sudo !== undefined || become_user === undefined, "needs sudo: true"),
    ["become_user"],
  ),
);

export type QueryArgs = v.InferOutput<typeof queryArgs>;
export type ConfigureArgs = v.InferOutput<typeof configureArgs>;
