/** `driver_args.file_transfer` of the driver paramiko: what every driver takes, and what a server with SFTP can do besides. */
import * as v from "valibot";
import { flag, optional } from "../shared/fields.ts";
import { fileTransfer } from "../shared/file-transfer.ts";

const mode = v.pipe(
  v.string('must be a text of octal digits such as "0644"'),
  v.regex(/^(?:0o?)?[0-7]{3,4}$/, 'must be a text of octal digits such as "0644"'),
  v.transform((digits) => Number.parseInt(digits.replace(/^0o/, ""), 8)),
);
const command = v.pipe(v.string(), v.nonEmpty("must not be empty"), v.maxLength(65_536, "is too long"));

export const serverTransfer = v.pipe(
  v.object({
    ...fileTransfer.entries,
    /** A folder with all that is in it. */
    recursive: optional(flag),
    /** False: what exists is left, and the transfer refused. */
    overwrite: optional(flag),
    /** Written under another name and renamed when it is whole; default true. */
    atomic: optional(flag),
    /** The server computes the hash, too; default true. */
    verify: optional(flag),
    chmod: optional(mode),
    /** True: what was uploaded is run; a text: this command is. */
    execute_after_upload: optional(v.union([flag, command], "must be true, false or a command")),
  }),
  v.forward(
    v.check(
      ({ operation, execute_after_upload: then }) => !then || operation === "upload",
      "needs operation: upload",
    ),
    ["execute_after_upload"],
  ),
  v.forward(
    v.check(
      ({ recursive, execute_after_upload: then }) => !(then === true && recursive === true),
      "must be a command beside recursive",
    ),
    ["execute_after_upload"],
  ),
);
export type ServerTransfer = v.InferOutput<typeof serverTransfer>;
