/** `driver_args.file_transfer` of the driver paramiko: the common options, and those that require SFTP. */
import * as v from "valibot";
import { exactFlag, flag, optional } from "../shared/fields.ts";
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
    recursive: optional(
      flag,
      "A folder with all that is in it, sixteen files at once. Links, devices and pipes are left out and named in `skipped`; at most 100,000 entries, 64 folders deep",
      { default: false },
    ),
    overwrite: optional(flag, "`false` refuses a target that exists", { default: true }),
    atomic: optional(
      flag,
      "The file is written as `.<name>.<tag>.part` beside its own name, flushed to the disk and renamed when it is whole: nobody sees half of it. `false` writes it in place, for a folder in which the user may make no files",
      { default: true },
    ),
    verify: optional(
      flag,
      "The server computes the SHA-256, too, where it has a shell (`sha256sum`, `shasum` or `sha256`); another one than ours fails the transfer, before the file gets its name",
      { default: true },
    ),
    chmod: optional(
      mode,
      "Permissions of what is written, of a folder those of its files. Without it a file that is replaced gives its own, a new one on the server gets those of the local file, a new one here 0600",
      { examples: ["0644"] },
    ),
    execute_after_upload: optional(
      v.union([exactFlag, command], "must be true, false or a command"),
      "`true` runs what was uploaded (with `chmod` 0755 unless you say otherwise), a text is a command to run. Its `output`, `error` and `exit_status` stand in the entry; `driver_args.timeout`, `environment`, `input` and `get_pty` are for it",
      { examples: ["sh /var/tmp/setup.sh"] },
    ),
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
