/** `optional_args` as NAPALM documents them: those of every system, and the names that one system alone knows. */
import * as v from "valibot";
import {
  factor,
  flag,
  name,
  optional,
  path,
  port,
  positiveSeconds,
  seconds,
  secretLine,
} from "../shared/fields.ts";

/** What is taken and does something. */
export const optionalArgFields = {
  port: optional(port),
  /** The password of privileged mode. */
  secret: optional(secretLine),
  enable_password: optional(secretLine),
  transport: optional(name),
  nxos_protocol: optional(name),
  /** Of nxos: where files are sent by SCP. */
  ssh_port: optional(port),
  // How a session over SSH is opened.
  key_file: optional(path),
  use_keys: optional(flag),
  allow_agent: optional(flag),
  ssh_strict: optional(flag),
  ssh_config_file: optional(path),
  passphrase: optional(secretLine),
  keepalive: optional(seconds),
  global_delay_factor: optional(factor),
  read_timeout_override: optional(positiveSeconds),
  force_no_enable: optional(flag),
  /** HTTP: whether the certificate must be valid. */
  ssl_verify: optional(flag),
  ssl_verify_host: optional(flag),
  verify: optional(flag),
  eos_autoComplete: optional(flag),
  autoComplete: optional(flag),
  // Files and names on the device.
  inline_transfer: optional(flag),
  dest_file_system: optional(v.pipe(name, v.regex(/^[\w.:/-]+$/, "must be a file system such as flash:"))),
  auto_rollback_on_error: optional(flag),
  auto_file_prompt: optional(flag),
  canonical_int: optional(flag),
  // Locks of the configuration.
  config_lock: optional(flag),
  lock_disable: optional(flag),
  config_private: optional(flag),
  /** Warnings of the device at a load or commit do not stand in those of the job. */
  ignore_warning: optional(flag),
  junos_config_database: optional(name),
  config_encoding: optional(v.picklist(["cli", "xml"])),
};

export const optionalArgs = v.looseObject(optionalArgFields);
export type OptionalArgs = v.InferOutput<typeof optionalArgs>;

/** Names that nobody knows: they stand in the warnings of the job. */
export function unknownOptionalArgs(given: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(given).filter((field) => !(field in optionalArgFields));
}
