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
  port: optional(port, "overrides `connection_args.port`"),
  secret: optional(secretLine, "password of privileged mode"),
  enable_password: optional(secretLine, "the same; NAPALM's name on eos"),
  transport: optional(name, "eos, nxos: `https`, `http`, eos also `ssh`; ios, nxos_ssh: `ssh`, `telnet`"),
  nxos_protocol: optional(name, "nxos: the same as `transport`"),
  ssh_port: optional(port, "nxos: SSH port for file transfers by SCP"),
  // Arguments for opening an SSH session.
  key_file: optionalText(path, "path of a private key below `PATCHBAY_KEY_ROOTS`"),
  use_keys: optional(flag, "tries the keys in `PATCHBAY_KEY_ROOTS`"),
  allow_agent: optional(flag, "uses the SSH agent at `PATCHBAY_AGENT_SOCKET`"),
  ssh_strict: optional(flag, "accepts known host keys only"),
  ssh_config_file: optionalText(
    path,
    "ssh_config file below `PATCHBAY_KEY_ROOTS`: supplies address, user, port, keys and jump hosts",
  ),
  passphrase: optionalText(secretLine, "passphrase of the private key"),
  keepalive: optional(seconds, "seconds between keepalives; default 30"),
  global_delay_factor: optional(factor, "multiplies the timeouts of a slow terminal"),
  read_timeout_override: optional(positiveSeconds, "seconds for each command on a terminal"),
  force_no_enable: optional(flag, "stays at the login privilege level"),
  ssl_verify: optional(flag, "HTTP: requires a valid certificate; default `false`"),
  ssl_verify_host: optional(flag, "accepted and ignored: `ssl_verify` also checks the host name"),
  verify: optional(flag, "the same as `ssl_verify`"),
  eos_autoComplete: optional(flag, "eos: the switch completes abbreviated commands"),
  autoComplete: optional(flag, "the same"),
  // Files and names on the device.
  inline_transfer: optional(flag, "ios: enters the candidate on the terminal instead of copying it by SCP"),
  dest_file_system: optional(
    v.pipe(name, v.regex(/^[\w.:/-]+$/, "must be a file system such as flash:")),
    "ios, nxos: file system for files, such as `flash:`",
  ),
  auto_rollback_on_error: optional(flag, "ios: the device rolls back a failed replace; default `true`"),
  auto_file_prompt: optional(flag, "accepted and ignored: the driver answers the device's questions"),
  canonical_int: optional(flag, "ios: returns long interface names (nxos_ssh always does)"),
  // Configuration locks.
  config_lock: optional(flag, "junos, iosxr, iosxr_netconf: locks the configuration when the session opens"),
  lock_disable: optional(flag, "continues even if others are changing the configuration"),
  config_private: optional(flag, "junos: uses a private candidate"),
  ignore_warning: optional(flag, "junos: omits the device's warnings from the job's"),
  junos_config_database: optional(name, "junos: database to read, `committed` or `candidate`"),
  config_encoding: optional(v.picklist(["cli", "xml"]), "iosxr_netconf: `cli` or `xml`"),
};

export const optionalArgs = v.looseObject(optionalArgFields);
export type OptionalArgs = v.InferOutput<typeof optionalArgs>;

/** Unknown names; the job reports them as warnings. */
export function unknownOptionalArgs(optionalArgs: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(optionalArgs).filter((field) => !(field in optionalArgFields));
}
