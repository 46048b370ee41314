/** NAPALM's documented `optional_args`: the common ones, and the names that only one system knows. */
import * as v from "valibot";
import {
  factor,
  flag,
  name,
  optional,
  optionalText,
  path,
  port,
  positiveSeconds,
  seconds,
  secretLine,
} from "../shared/fields.ts";

/** Supported arguments. */
export const optionalArgFields = {
  port: optional(port, "wins over `connection_args.port`"),
  secret: optional(secretLine, "the password of privileged mode"),
  enable_password: optional(secretLine, "the same, as eos calls it"),
  transport: optional(name, "eos, nxos: `https`, `http`, eos also `ssh`; ios, nxos_ssh: `ssh`, `telnet`"),
  nxos_protocol: optional(name, "nxos: the same as `transport`"),
  ssh_port: optional(port, "nxos: where files are sent by SCP"),
  // Arguments for opening an SSH session.
  key_file: optionalText(path, "a private key below `PATCHBAY_KEY_ROOTS`"),
  use_keys: optional(flag, "tries the keys that lie there"),
  allow_agent: optional(flag, "uses the agent of the service's user"),
  ssh_strict: optional(flag, "known host keys only"),
  ssh_config_file: optionalText(
    path,
    "an ssh_config below `PATCHBAY_KEY_ROOTS`: address, user, port, keys and jump hosts",
  ),
  passphrase: optionalText(secretLine, "of the private key"),
  keepalive: optional(seconds, "seconds between signs of life; default 30"),
  global_delay_factor: optional(factor, "stretches the waits for a slow terminal"),
  read_timeout_override: optional(positiveSeconds, "seconds for each command of a terminal"),
  force_no_enable: optional(flag, "stays at the level of the login"),
  ssl_verify: optional(flag, "HTTP: whether the certificate must be valid; default `false`"),
  ssl_verify_host: optional(
    flag,
    "taken, without a meaning: a certificate that must be valid must be that of the host",
  ),
  verify: optional(flag, "the same as `ssl_verify`"),
  eos_autoComplete: optional(flag, "eos: abbreviated commands are completed by the switch"),
  autoComplete: optional(flag, "the same"),
  // Files and names on the device.
  inline_transfer: optional(flag, "ios: the candidate is typed in place of being sent by SCP"),
  dest_file_system: optional(
    v.pipe(name, v.regex(/^[\w.:/-]+$/, "must be a file system such as flash:")),
    "ios, nxos: where files are put, such as `flash:`",
  ),
  auto_rollback_on_error: optional(
    flag,
    "ios: a replace that fails is taken back by the device; default `true`",
  ),
  auto_file_prompt: optional(flag, "taken, without a meaning: questions of the device are answered"),
  canonical_int: optional(flag, "ios: long names of interfaces, which nxos_ssh always gives"),
  // Configuration locks.
  config_lock: optional(flag, "junos, iosxr, iosxr_netconf: locks when the session is opened"),
  lock_disable: optional(flag, "goes on although others are changing the configuration"),
  config_private: optional(flag, "junos: a private candidate"),
  ignore_warning: optional(flag, "junos: warnings of the device do not stand in those of the job"),
  junos_config_database: optional(name, "junos: the database that is read: `committed` or `candidate`"),
  config_encoding: optional(v.picklist(["cli", "xml"]), "iosxr_netconf: `cli` or `xml`"),
};

export const optionalArgs = v.looseObject(optionalArgFields);
export type OptionalArgs = v.InferOutput<typeof optionalArgs>;

/** Unknown names; the job reports them as warnings. */
export function unknownOptionalArgs(given: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(given).filter((field) => !(field in optionalArgFields));
}
