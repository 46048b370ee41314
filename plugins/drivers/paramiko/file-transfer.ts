/** `driver_args.file_transfer` of the driver paramiko: the common options, and those that require SFTP. */
import * as v from "valibot";
import { exactFlag, flag, optional } from "../shared/fields.ts";
import { fileTransfer } from "../shared/file-transfer.ts";

const mode = v.pipe(
  v.string('must be a string of octal digits such as "0644"'),
  v.regex(/^(?:0o?)?[0-7]{3,4}$/, 'must be a string of octal digits such as "0644"'),
  v.transform((digits) => Number.parseInt(digits.replace(/^0o/, ""), 8)),
);
const command = v.pipe(v.string(), v.nonEmpty("must not be empty"), v.maxLength(65_536, "is too long"));

export const serverTransfer = v.pipe(
  v.object({
    ...fileTransfer.entries,
    recursive: optional(
      flag,
      "Transfers a directory recursively, sixteen files at a time. Links, devices and pipes are skipped and listed in `skipped`. At most 100,000 entries and 64 levels",
      { default: false },
    ),
    overwrite: optional(flag, "`false` rejects an existing target", { default: true }),
    atomic: optional(
      flag,
      "Writes to `.<name>.<tag>.part` in the same directory, flushes it to disk and renames it when it is complete, so that no reader sees a partial file. On a server without `posix-rename` the old file is kept as `.<name>.<tag>.old` until the new one has its name, and put back if that fails. `false` writes in place, for a directory in which the user may not create files",
      { default: true },
    ),
    verify: optional(
      flag,
      "Compares the SHA-256 with one computed on the server, if it has a shell with `sha256sum`, `shasum` or `sha256`. A mismatch, also of the size that the server reports, fails the transfer before the rename. `false` compares neither, for a server that reports wrong ones",
      { default: true },
    ),
    chmod: optional(
      mode,
      "Mode of the written file, or of the files of a directory. By default a replaced file keeps its mode, a new file on the server gets the mode of the local file, and a new local file gets 0600",
      { examples: ["0644"] },
    ),
    execute_after_upload: optional(
      v.union([exactFlag, command], "must be true, false or a command"),
      "`true` runs the uploaded file (mode 0755 unless `chmod` is set); a string is a command to run. Its `output`, `error` and `exit_status` are in the entry; `driver_args.timeout`, `environment`, `input` and `get_pty` apply to it",
      { examples: ["sh /var/tmp/setup.sh"] },
    ),
  }),
  v.forward(
    v.check(
      ({ operation, execute_after_upload: then }) => !then || operation === "upload",
      "requires operation: upload",
    ),
    ["execute_after_upload"],
  ),
  v.forward(
    v.check(
      ({ recursive, execute_after_upload: then }) => !(then === true && recursive === true),
      "must be a command with recursive",
    ),
    ["execute_after_upload"],
  ),
);
export type ServerTransfer = v.InferOutput<typeof serverTransfer>;
